"""The ledger of a store: one SQLite file with a row a run, whose columns are those of the summary.

What is listed often is in narrow tables, so that a hundred thousand runs are listed without reading their specs. This
module has the file itself: it opens and migrates it, serves one thread at a time, and says in one line what is wrong.
`campaign` has its campaigns, `outcomes` its runs, `frames` and `listing` many runs at once.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell.errors import NoStoreError, StoreError, StoreFailure
from dumbbell.results.diagnosis import damaged, translating_errors
from dumbbell.results.request import request_from_texts
from dumbbell.results.tables import (
    ADD_REQUEST_COLUMNS,
    EARLIER_SCHEMAS,
    FILL_REQUESTS,
    LEDGER_SCHEMA,
    REQUESTS_SCHEMA,
    REQUESTS_VIEW,
    SUMMARIES,
    TABLES,
    lacking,
)

if TYPE_CHECKING:
    import pandas as pd

_CACHE_KIB = 16 * 1024
_BUSY_S = 10.0
_LARGEST_CHECKED_BYTES = 256 * 2**20
"""A ledger up to this size is read through before it is written: 0.3 s at most."""
_WRITER_PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"


class Ledger:
    """Reads and writes the file. Any thread may call it; one at a time is served."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        self._folder, self._path, self._lock = folder, folder / "ledger.sqlite", threading.RLock()
        self.requests = "run"
        """The table that has what runs were asked for: `asked` in a ledger of an earlier schema that is only read."""
        with translating_errors(folder, "open it"):
            self._connection = self._connect(write=write)
            try:
                self._prepare(write=write)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Closes the file; a writer leaves nothing beside it."""
        with self._lock:
            self._connection.close()

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """All rows that a query gives: tuples whose values also have the columns' names."""
        with self._lock, translating_errors(self._folder, "read it"):
            return self._connection.execute(query, values).fetchall()

    def one(self, query: str, *values: object) -> Any:  # noqa: ANN401 (whatever the column has)
        """The value of a query with one row of one column."""
        ((value,),) = self.rows(query, *values)
        return value

    def frame(self, query: str, *values: object) -> pd.DataFrame:
        """The rows as a frame with the columns' names."""
        import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

        with self._lock, translating_errors(self._folder, "read it"):
            cursor = self._connection.cursor()
            cursor.row_factory = None
            cursor.execute(query, values)
            return pd.DataFrame(cursor.fetchall(), columns=[name for name, *_ in cursor.description])

    @contextmanager
    def transaction(self, doing: str) -> Iterator[sqlite3.Connection]:
        """All of what is written within, or nothing; one within another is a part of it. `doing`: "cannot …"."""
        with self._lock, translating_errors(self._folder, doing):
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def vacuum(self) -> None:
        """Gives back the room of what was removed."""
        with self._lock, translating_errors(self._folder, "prune it"):
            self._connection.execute("VACUUM")

    def mark_writer(self) -> bool:
        """Notes that this process writes, and returns whether the last writer was killed: its note is still there."""
        with self.transaction("open it") as connection:
            unclean = connection.execute("DELETE FROM writer").rowcount > 0
            connection.execute("INSERT INTO writer VALUES (?)", (os.getpid(),))
        return unclean

    def clear_writer(self) -> None:
        """Removes the note: the writer ended as it should. Where that fails, the next writer tidies up."""
        with suppress(StoreFailure), self.transaction("close it") as connection:
            connection.execute("DELETE FROM writer")

    def faults(self) -> list[str]:
        """What SQLite finds wrong with the file when it reads all of it."""
        found = self.rows("PRAGMA integrity_check(20)")
        strangers = self.rows("PRAGMA foreign_key_check")
        return [text for (text,) in found if text != "ok"] + [f"{row[0]}: a row of no run" for row in strangers]

    # -- opening it -----------------------------------------------------------------------------------------------

    def _connect(self, *, write: bool) -> sqlite3.Connection:
        if write:
            how = "mode=rwc"
        elif os.access(self._folder, os.W_OK):
            how = "mode=rw"  # so that the last to leave clears up; see query_only below
        elif self._path.with_name("ledger.sqlite-wal").exists():
            how = "mode=ro"
        else:  # what nobody can write needs no lock, and a lock would need a file
            how = "immutable=1"
        connection = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?{how}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=_BUSY_S,
        )
        connection.row_factory = sqlite3.Row
        return connection

    def _prepare(self, *, write: bool) -> None:
        connection = self._connection
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        found = {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not found and any(self._folder.glob("series/??/*.parquet")):
            raise damaged(self._folder, "it is empty, and there are series")
        if write and not found:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN;{TABLES}INSERT INTO schema VALUES ({LEDGER_SCHEMA});COMMIT;")  # noqa: S608
        elif not found:
            raise NoStoreError(f"{self._folder}: is an empty store: it has no run")
        elif not {"schema", "run"} <= found:
            raise StoreError(f"{self._folder}: is no store of dumbbell: its ledger.sqlite is something else's")
        version = self._version()
        if write and self._path.stat().st_size <= _LARGEST_CHECKED_BYTES:
            verdict = self.one("PRAGMA quick_check(1)")
            if verdict != "ok":
                raise damaged(self._folder, verdict)
        if write:
            connection.executescript(_WRITER_PRAGMAS)
        if version in EARLIER_SCHEMAS:
            self._migrate(version, write=write)
        if not write:
            connection.execute("PRAGMA query_only = ON")

    def _version(self) -> int:
        """The schema of the tables; raises `StoreError` where this version of dumbbell does not know it."""
        version = int(self.one("SELECT MAX(version) FROM schema"))
        if version not in {LEDGER_SCHEMA, *EARLIER_SCHEMAS}:
            raise StoreError(
                f"{self._folder}: is a store of schema {version}, and this dumbbell knows schema {LEDGER_SCHEMA};"
                " give another folder, or use the dumbbell that made it"
            )
        return version

    def _migrate(self, version: int, *, write: bool) -> None:
        """Brings the tables of an earlier schema up to this one, or shows what they lack to a reader."""
        connection, changes = self._connection, []
        if version < REQUESTS_SCHEMA:
            connection.create_function("request_key", 3, lambda *texts: request_from_texts(*texts).key)
            connection.create_function("request_groups", 3, lambda *texts: request_from_texts(*texts).groups)
            changes += [ADD_REQUEST_COLUMNS] * (version == 1) + [FILL_REQUESTS]
        for table in SUMMARIES:
            lacks = lacking(table, [row["name"] for row in self.rows(f"PRAGMA table_info({table})")])
            changes += [f"ALTER TABLE {table} ADD COLUMN {name} {kind};" for name, kind in lacks.items()]
            if lacks and not write:  # a reader finds the view before the table
                nulls = listed(f"NULL AS {name}" for name in lacks)
                connection.execute(f"CREATE TEMP VIEW {table} AS SELECT *, {nulls} FROM main.{table}")  # noqa: S608 (ours)
        if write:
            version_now = f"UPDATE schema SET version = {LEDGER_SCHEMA};"  # noqa: S608 (likewise)
            connection.executescript("\n".join(["BEGIN IMMEDIATE;", *changes, version_now, "COMMIT;"]))
        elif version < REQUESTS_SCHEMA:
            connection.execute(REQUESTS_VIEW)
            self.requests = "asked"


def listed(values: Iterable[object], table: str = "") -> str:
    """Our own names of columns, or numbers, for a query; columns with their table."""
    return ", ".join(f"{table}.{each}" if table else str(each) for each in values)
