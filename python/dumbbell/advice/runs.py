"""Where the runs behind an answer are stored: in a store that is named, or in one of the question's in the cache."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from dumbbell.errors import StoreError
from dumbbell.results.provenance import metrics_identity
from dumbbell.results.store import Store
from dumbbell.results.tables import LEDGER_SCHEMA
from dumbbell.user_folder import cache_folder

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

MOST_STORED: Final = 100
"""Questions whose runs stay in the cache, those that were asked last."""


@contextmanager
def store_for(question: object, engine: Engine, out: Path | None = None) -> Iterator[Store]:
    """The store of a question's runs, which the same question of the same engine has again.

    `out`: the store that is named. Where the cache cannot be written, or another process answers the same question, it
    is a store for this time only.

    Raises:
        StoreError: the store that is named cannot be written.
    """
    with ExitStack() as stack:
        yield stack.enter_context(Store.open(out, write=True) if out else _cached(question, engine, stack))


def _cached(question: object, engine: Engine, stack: ExitStack) -> Store:
    folder = cache_folder("advice")
    same = repr((LEDGER_SCHEMA, metrics_identity(), engine.identity(), question))
    key = hashlib.sha256(same.encode()).hexdigest()[:16]
    try:
        (folder / key).mkdir(parents=True, exist_ok=True)
        (folder / key).touch()
        for old in sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)[:-MOST_STORED]:
            shutil.rmtree(old, ignore_errors=True)
        return Store.open(folder / key, write=True)
    except (OSError, StoreError):
        return Store.open(stack.enter_context(TemporaryDirectory(prefix="dumbbell-")), write=True)
