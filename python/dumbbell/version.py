"""The version of the package: that of its extension, which is built with it."""

from dumbbell._core import __version__

__all__ = ["__version__"]
