"""The cores of this machine that this process may use."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager


def available_cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def reserve_core() -> Iterator[int | None]:
    """Gives the number of a core that no other holder of this machine has; None when all are held.

    A holder is known by a socket's name, which needs no file and ends with its process.
    """
    for core in sorted(os.sched_getaffinity(0)):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name:
            try:
                name.bind(f"\0dumbbell-core-{core}")
            except OSError:
                continue
            yield core
            return
    yield None
