"""Files that are there whole, or as they were before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Gives a file beside it to be written, which then takes its place; nothing is left of one that fails."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        os.replace(partial, path)  # noqa: PTH105 (over an existing file too, everywhere)
    finally:
        partial.unlink(missing_ok=True)
