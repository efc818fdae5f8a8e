"""The ledger of a store: one SQLite file with a row a run, whose columns are those of the summary.

What is listed often is in narrow tables, so that a hundred thousand runs are listed without reading their specs. This
module has the file itself: it opens it, serves one thread at a time, and says in one line what is wrong.
`campaign` has its campaigns, `outcomes` its runs, `measured` and `frames` many runs at once.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell.errors import NoStoreError, StoreError
from dumbbell.results.damage import Damage, damage, damaged_runs, leave_out
from dumbbell.results.diagnosis import damaged, translating_errors
from dumbbell.results.digest import enable, schema_digest, vouch_schema
from dumbbell.results.tables import LEDGER_SCHEMA, TABLES

if TYPE_CHECKING:
    import pandas as pd

_CACHE_KIB = 16 * 1024
_BUSY_S = 10.0
LARGEST_FULLY_READ_BYTES = 16 * 2**20
"""A ledger up to this size, of some 8,000 runs, is read through whenever it is opened: 0.3 s at most. Of a larger one
`results verify` reads everything, and a campaign the runs that it asks for."""
_LARGEST_CHECKED_BYTES = 256 * 2**20
"""A ledger up to this size is read through before it is written: 0.3 s at most."""
_WRITER_PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"


class Ledger:
    """Reads and writes the file. Any thread may call it; one at a time is served."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        self._folder, self._path, self._lock = folder, folder / "ledger.sqlite", threading.RLock()
        self.damage: Damage | None = None
        """What a reader leaves out; None: not everything was read."""
        with translating_errors(folder, "open it"):
            self._connection = sqlite3.connect(
                _address(self._path, write=write), uri=True, isolation_level=None, check_same_thread=False,
                timeout=_BUSY_S,
            )  # fmt: skip
            self._connection.row_factory = sqlite3.Row
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

    def pages(self, query: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows that a query gives, some at a time. It holds the lock: close it to stop early."""
        with self._lock, translating_errors(self._folder, "read it"):
            cursor = self._connection.cursor()
            cursor.row_factory = None
            cursor.execute(query)
            while rows := cursor.fetchmany(size):
                yield rows

    @contextmanager
    def attached(self, folder: Path) -> Iterator[None]:
        """Has the ledger of another store within queries, to be read only, as `source`."""
        with self._lock, translating_errors(folder, "read it"):
            self._connection.execute("ATTACH ? AS source", (_address(folder / "ledger.sqlite", write=False),))
            try:
                yield
            finally:
                self._connection.execute("DETACH source")

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
            with self._connection:  # commits, or rolls back
                yield self._connection

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
        """Removes the note: the writer ended as it should."""
        with self.transaction("close it") as connection:
            connection.execute("DELETE FROM writer")

    def find_damage(self) -> Damage:
        """Reads every row, and gives what is not what was written."""
        with self._lock, translating_errors(self._folder, "read it"):
            return damage(self._connection)

    def is_intact(self, run_id: str) -> bool:
        """Whether a run's rows are what was written, as far as that can be told."""
        if self.damage is not None:
            return True  # or it was left out
        with self._lock, translating_errors(self._folder, "read it"):
            return not any(
                damaged_runs(self._connection, run, run)
                for (run,) in self.rows("SELECT id FROM run WHERE run_id = ?", run_id)
            )

    def mark(self, faults: Iterable[str], files: Iterable[str]) -> None:
        """Notes what is damaged, for who writes next: faults of the ledger, and files of series.

        Raises:
            StoreFailure: nothing can be written.
        """
        with self._lock, translating_errors(self._folder, "mark what is damaged"):
            self._connection.execute("PRAGMA query_only = OFF")
            with self.transaction("mark what is damaged") as connection:
                connection.executemany("INSERT INTO main.damage VALUES (?)", [(fault,) for fault in faults])
                connection.executemany(
                    "UPDATE main.series SET modified_ns = 0 WHERE file = ?", [(file,) for file in files]
                )

    # -- opening it -----------------------------------------------------------------------------------------------

    def _prepare(self, *, write: bool) -> None:
        connection = self._connection
        enable(connection)
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
        tables = {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables and any(self._folder.glob("series/??/*.parquet")):
            raise damaged(self._folder, "it is empty, and there are series")
        if write and not tables:
            make_tables(connection)
        elif not tables:
            raise NoStoreError(f"{self._folder}: is an empty store: it has no run")
        elif not {"schema", "run"} <= tables:
            if {"flow_group", "provenance"} & tables:
                raise damaged(self._folder, "it lacks tables")
            raise StoreError(f"{self._folder}: is no store of dumbbell: its ledger.sqlite is something else's")
        self._check_schema()
        self._check(write=write)
        connection.executescript(_WRITER_PRAGMAS if write else "PRAGMA query_only = ON")

    def _check(self, *, write: bool) -> None:
        """Reads all of a ledger that is not large or is marked; of another one what is needed to read anything."""
        size = self._path.stat().st_size
        if size <= LARGEST_FULLY_READ_BYTES or self.one("SELECT COUNT(*) FROM damage") > 0:
            report = self.find_damage()
            if report.file or (report and write):
                raise damaged(self._folder, next(report.faults()))
            if report:
                leave_out(self._connection, report)
            self.damage = report
        elif write and size <= _LARGEST_CHECKED_BYTES:
            verdict = self.one("PRAGMA quick_check(1)")
            if verdict != "ok":
                raise damaged(self._folder, verdict)

    def _check_schema(self) -> None:
        """Raises `StoreError` where this dumbbell does not know the tables."""
        rows = self.rows("SELECT * FROM schema")
        version = rows[0]["version"] if len(rows) == 1 and "version" in rows[0].keys() else None  # noqa: SIM118 (a row)
        if isinstance(version, int) and version != LEDGER_SCHEMA:
            raise StoreError(
                f"{self._folder}: has tables of schema {version}, and this dumbbell has {LEDGER_SCHEMA};"
                " fill another store: dumbbell run SPEC --out FOLDER"
            )
        if version is None or rows[0]["digest"] != schema_digest(self._connection):
            raise damaged(self._folder, "its tables are not those that were made")


def _address(path: Path, *, write: bool) -> str:
    """A ledger's file, and how SQLite opens it."""
    if write:
        how = "mode=rwc"
    elif os.access(path.parent, os.W_OK):
        how = "mode=rw"  # so that the last to leave clears up; no reader writes
    elif path.with_name("ledger.sqlite-wal").exists():
        how = "mode=ro"
    else:  # what nobody can write needs no lock, and a lock would need a file
        how = "immutable=1"
    return f"{path.absolute().as_uri()}?{how}"


def make_tables(connection: sqlite3.Connection) -> None:
    """Makes a ledger of an empty file."""
    enable(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(f"BEGIN;{TABLES}INSERT INTO schema (version) VALUES ({LEDGER_SCHEMA});")  # noqa: S608 (ours)
    vouch_schema(connection)
    connection.execute("COMMIT")


def listed(values: Iterable[object], table: str = "") -> str:
    """Our own names of columns, or numbers, for a query; columns with their table."""
    return ", ".join(f"{table}.{each}" if table else str(each) for each in values)
