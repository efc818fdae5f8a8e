"""What tests of the proof need: a study with what it published, a kernel, and a store of their own."""

from builtkernel import built, linux
from claypool import brief, claypool, evidence, short
from ownstore import store

__all__ = ["brief", "built", "claypool", "evidence", "linux", "short", "store"]
