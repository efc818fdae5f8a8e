"""From what the operating system and SQLite raise to one line that says what is wrong with a store."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dumbbell.errors import DamagedLedger, StoreFailure
from dumbbell.problem import typed

_OF_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_IOERR_SHORT_READ", "SQLITE_TOOBIG")
"""SQLITE_ERROR: a query of ours that SQLite does not understand, as where the name of a table was damaged. What a text
that is no UTF-8 raises has no name."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged ledger raises."""
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO)


@contextmanager
def translating_errors(folder: Path, doing: str) -> Iterator[None]:
    """Turns errors of the system or SQLite into a `StoreFailure` of one line; `doing` completes "cannot …"."""
    try:
        yield
    except sqlite3.Error as error:
        raise _of_sqlite(folder, error, doing) from error
    except UnicodeDecodeError as error:  # SQLite's own words, with a damaged name in them
        raise damaged(folder, error.reason) from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        note = "; the store keeps finished runs" if error.errno in _FULL else ""
        raise StoreFailure(f"cannot {doing}: {reason}{note}", folder) from error


def damaged(folder: Path, what: object, *, hopeless: bool = False) -> DamagedLedger:
    """A ledger that SQLite cannot read, or that is not what it was; `hopeless`: no run in it can be read."""
    hint = "run its experiment again, which keeps intact runs"
    if hopeless:
        hint = "put back a copy of it, or move it elsewhere and run again"
    return DamagedLedger(
        f"its ledger.sqlite is damaged ({' '.join(str(what).split())}); nothing was changed; {hint}", folder
    )


def damaged_source(folder: Path, what: str) -> StoreFailure:
    """A store that is to be copied, and is damaged."""
    verify = f"dumbbell results verify {typed(folder)}"
    return StoreFailure(f"{what}; `{verify}` shows all that is damaged, and its experiment run again mends it", folder)


def _of_sqlite(folder: Path, error: sqlite3.Error, doing: str) -> StoreFailure:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(_OF_DAMAGE) or (not name and isinstance(error, sqlite3.OperationalError)):
        return damaged(folder, error)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
        return StoreFailure(f"{folder}: cannot {doing}: the folder or its ledger.sqlite is read-only ({error})")
    reason = "no space left on the disk" if name.startswith("SQLITE_FULL") else error
    return StoreFailure(f"{folder}: cannot {doing}: {reason}; the store keeps finished runs")
