"""The agent, a part of the package: the static program that builds networks and moves traffic."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path

from dumbbell.errors import EngineFailure


def path() -> Path:
    """Where the agent is.

    Raises:
        EngineFailure: it is not in this installation.
    """
    executable = Path(str(files("dumbbell").joinpath("agent", "dumbbell-agent")))
    if not executable.is_file():
        raise EngineFailure("it has no agent, which `make build` makes of the source")
    return executable


@cache
def identity() -> str:
    """SHA-256 of the agent's bytes."""
    try:
        return hashlib.sha256(path().read_bytes()).hexdigest()
    except OSError as error:
        raise EngineFailure(f"{error.filename}: {error.strerror}") from None
