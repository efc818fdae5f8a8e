"""What decides what an engine measures, as one hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path


def hash_of(texts: Iterable[str], sources: Iterable[str]) -> str:
    """SHA-256 over texts and sources of this package, in hexadecimal digits."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    for name in sources:
        digest.update(_source(name) + b"\0")
    return digest.hexdigest()


@cache
def _source(name: str) -> bytes:
    return (Path(__file__).parent / name).read_bytes().replace(b"\r\n", b"\n")
