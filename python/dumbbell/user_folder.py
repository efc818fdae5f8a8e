"""The user's folders for what dumbbell makes on a machine: a cache, which anybody may empty, and data."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(part: str) -> Path:
    """The folder of one kind of things that are made again where they are gone; it need not exist."""
    given = _given("DUMBBELL_CACHE")
    if given:
        return given / part
    from platformdirs import user_cache_path  # noqa: PLC0415 (late: seldom needed)

    return user_cache_path("dumbbell") / part


def data_folder(part: str) -> Path:
    """The folder of one kind of things that are to stay; it need not exist."""
    given = _given("DUMBBELL_DATA")
    if given:
        return given / part
    from platformdirs import user_data_path  # noqa: PLC0415 (late: seldom needed)

    return user_data_path("dumbbell") / part


def _given(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() if value else None
