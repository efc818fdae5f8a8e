"""The user's folders for what dumbbell makes on a machine: a cache, which anybody may empty, and data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal


def cache_folder(part: str) -> Path:
    """The folder of one kind of things that are made again where they are gone; it need not exist."""
    return _home("cache") / part


def data_folder(part: str) -> Path:
    """The folder of one kind of things that are to stay; it need not exist."""
    return _home("data") / part


def _home(kind: Literal["cache", "data"]) -> Path:
    """What DUMBBELL_CACHE or DUMBBELL_DATA says, or what is usual on this system."""
    if named := os.environ.get(f"DUMBBELL_{kind.upper()}"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_cache_path, user_data_path  # noqa: PLC0415 (late: seldom needed)

    return user_cache_path("dumbbell") if kind == "cache" else user_data_path("dumbbell")
