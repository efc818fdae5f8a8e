"""The user's folder for what dumbbell makes on a machine and can make again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(part: str) -> Path:
    """The folder of one kind of things; it need not exist."""
    given = os.environ.get("DUMBBELL_CACHE")
    if given:
        return Path(given).expanduser().absolute() / part
    from platformdirs import user_cache_path  # noqa: PLC0415 (late: seldom needed)

    return user_cache_path("dumbbell") / part
