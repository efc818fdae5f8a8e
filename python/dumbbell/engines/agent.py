"""The agent, a part of the package: the static program that builds networks and moves traffic."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from dumbbell.errors import EngineFailure

NAME: Final = "dumbbell-agent"
OWN: Final = "x86-64"
OTHERS: Final = ("aarch64",)
"""Architectures of other hosts, for each of which there is an agent where one was built (`make agent-aarch64`)."""


def path() -> Path:
    """Where the agent is.

    Raises:
        EngineFailure: it is not in this installation.
    """
    executable = _folder() / NAME
    if not executable.is_file():
        raise EngineFailure("it has no agent, which `make build` makes of the source")
    return executable


def paths() -> dict[str, Path]:
    """The agents that may be brought to another host, by their architectures; raises as `path`."""
    others = {each: _folder() / f"{NAME}-{each}" for each in OTHERS}
    return {OWN: path(), **{each: file for each, file in others.items() if file.is_file()}}


@cache
def identity() -> str:
    """SHA-256 of the agent's bytes."""
    return _hash(path())


@cache
def identity_of(executable: Path) -> str:
    """SHA-256 of the bytes of one of `paths`."""
    return _hash(executable)


def _hash(executable: Path) -> str:
    try:
        return hashlib.sha256(executable.read_bytes()).hexdigest()
    except OSError as error:
        raise EngineFailure(f"{error.filename}: {error.strerror}") from None


def _folder() -> Path:
    return Path(str(files("dumbbell").joinpath("agent")))
