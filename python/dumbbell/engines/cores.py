"""The cores of this machine that this process may use."""

from __future__ import annotations

import os


def usable() -> int:
    """How many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
