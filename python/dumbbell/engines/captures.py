"""The captures of a run in a folder: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATTERN = "*.pcapng.zst"
"""One for each point (`crates/pcap/src/capture_file.rs`)."""


@contextmanager
def all_or_none(folder: Path) -> Iterator[None]:
    """Removes what is there of them when the run fails that leaves them."""
    try:
        yield
    except BaseException:
        for capture in folder.glob(PATTERN):
            capture.unlink(missing_ok=True)
        raise
