"""What Linux says of processes: who started whom, and who lives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path


def stat(process: int | str) -> list[str]:
    """State, parent and group, the first of what follows the name; nothing of a process that is no more."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
    except OSError:
        return []


def alive(process: int) -> bool:
    return bool(stat(process)) and stat(process)[0] not in {"Z", "X"}


def processes() -> Iterator[tuple[int, int, int]]:
    """Each that lives, zombies apart, with its parent and its group."""
    for folder in Path("/proc").glob("[0-9]*"):
        fields = stat(folder.name)
        if fields and fields[0] not in {"Z", "X"}:
            yield int(folder.name), int(fields[1]), int(fields[2])


def children(parent: int) -> list[int]:
    return [process for process, its_parent, _ in processes() if its_parent == parent]


def descendants(parent: int) -> list[int]:
    return [each for child in children(parent) for each in (child, *descendants(child))]


def group_of(process: int) -> list[int]:
    return [member for member, _, group in processes() if group == process]


HANG_S = 300
"""After so long a test that waits for something is given up. No bar: the slowest machine takes a tenth of it."""


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it holds in the end."""
    until = time.monotonic() + HANG_S
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()
