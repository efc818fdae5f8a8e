"""Digests of a ledger's rows: whether what is read is what was written, to the last bit.

A run has one over its row and those that belong to it in other tables; a campaign, a member of one, a place that runs
come from and the schema each have their own. `modified_ns` of a series is in none: it only says whether bytes are read
again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cache
from hashlib import blake2b
from itertools import groupby
from typing import Any, Final

from dumbbell.results.tables import RUN_TABLES, TABLES

DIGEST_BYTES: Final = 8
PAGE: Final = 500
"""Runs whose rows are in memory at a time."""
_KEYS: Final = {"run": ("id",)} | {table: tuple(order.split(", ")) for table, order in RUN_TABLES.items()}
"""Tables with a run's rows: the column with the run's number, and the order of its rows."""
_LEFT_OUT: Final = frozenset({"digest", "modified_ns"})
_EXACT: Final = json.JSONEncoder(default=repr, separators=(",", ":"))
"""Tells every number and text apart, in ASCII, alike in all versions of Python."""


def enable(connection: sqlite3.Connection) -> None:
    """Gives a connection the SQL function `digest`."""
    connection.create_function("digest", -1, lambda *values: digest(values), deterministic=True)


def digest(values: object) -> str:
    """The digest of values as SQLite gives them, or of lists of such."""
    return blake2b(_EXACT.encode(values).encode("ascii"), digest_size=DIGEST_BYTES).hexdigest()


@cache
def columns(table: str) -> tuple[str, ...]:
    """All columns of a table, in an order that does not hang on the schema that it was made with."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        return tuple(sorted(name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")))


@cache
def vouched(table: str) -> str:
    """The columns that a digest is of, for a query."""
    return ", ".join(name for name in columns(table) if name not in _LEFT_OUT)


def vouch(connection: sqlite3.Connection, table: str, where: str = "TRUE", *values: object) -> None:
    """Gives rows of `campaign`, `member` or `provenance` their digests."""
    connection.execute(f"UPDATE {table} SET digest = digest({vouched(table)}) WHERE {where}", values)  # noqa: S608 (ours)


def vouch_schema(connection: sqlite3.Connection) -> None:
    """Gives the schema, whose tables are as they stay, its digest."""
    connection.execute("UPDATE schema SET digest = ?", (schema_digest(connection),))


def vouch_runs(connection: sqlite3.Connection, runs: Iterable[int]) -> None:
    """Gives runs, whose rows are all entered, their digests; numbers in order, of which consecutive ones are fast."""
    for _, group in groupby(enumerate(runs), lambda pair: pair[1] - pair[0]):
        own = [run for _, run in group]
        digests = run_digests(connection, own[0], own[-1])
        connection.executemany("UPDATE run SET digest = ? WHERE id = ?", [(digests[run], run) for run in own])


def schema_digest(connection: sqlite3.Connection) -> str:
    """Of the version, and of what all tables and indexes are."""
    tables = connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY name").fetchall()
    return digest([*map(tuple, connection.execute("SELECT version FROM main.schema")), *map(tuple, tables)])


def pages(connection: sqlite3.Connection) -> Iterator[list[int]]:
    """The numbers of all runs, in order, some at a time."""
    last = -(2**63)
    while ids := [
        run for (run,) in connection.execute("SELECT id FROM main.run WHERE id > ? ORDER BY id LIMIT ?", (last, PAGE))
    ]:
        yield ids
        last = ids[-1]


def run_rows(connection: sqlite3.Connection, table: str, names: str, first: int, last: int) -> list[tuple[Any, ...]]:
    """Rows of a table that belong to runs with these numbers, in order: the run's number, and columns."""
    key = _KEYS[table]
    cursor = connection.cursor()
    cursor.row_factory = None
    query = f"SELECT {key[0]}, {names} FROM main.{table} WHERE {key[0]} BETWEEN ? AND ? ORDER BY {', '.join(key)}"  # noqa: S608 (ours)
    return cursor.execute(query, (first, last)).fetchall()


def run_digests(connection: sqlite3.Connection, first: int, last: int) -> dict[int, str]:
    """What the digest of each run with such a number has to be."""
    rows: defaultdict[int, list[list[tuple[Any, ...]]]] = defaultdict(lambda: [[] for _ in _KEYS])
    for nth, table in enumerate(_KEYS):
        for row in run_rows(connection, table, vouched(table), first, last):
            rows[row[0]][nth].append(row)
    return {run: digest(own) for run, own in rows.items() if own[0]}
