"""The cores of this machine that this process may use."""

from __future__ import annotations

import fcntl
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def usable() -> int:
    """How many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def held() -> Iterator[int | None]:
    """Gives the number of a core that no other holder of this user has; None when all are held.

    A holder is known by the lock on a file, which ends with its process.
    """
    core, lock = _locked()
    try:
        yield core
    finally:
        if lock is not None:
            os.close(lock)


def _locked() -> tuple[int | None, int | None]:
    for core in sorted(os.sched_getaffinity(0)):
        file = Path(tempfile.gettempdir()) / f"dumbbell-core-{os.geteuid()}-{core}"
        try:
            lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:  # nowhere to hold anything
            return None, None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        return core, lock
    return None, None
