"""Stores with very many runs, which nobody has to wait for: copies of one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from compared import store_of
from dumbbell.results import digest
from ledgers import vouch_all


def multiplied(folder: Path, runs: int, **columns: str) -> Path:
    """A store with so many runs of two flows, three seeds a point.

    `columns` are what else the copies differ in: SQL, in which `i` is the copy's number, from 1.
    """
    store_of(folder, path__buffer=["1 bdp"], seeds=1)
    own = {"id": "i + 1", "run": "i + 1", "seed": "i % 3 + 1", "run_id": "printf('%016x', i * 2654435761)"} | columns
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute(
        "CREATE TEMP TABLE copy AS"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n",
        (runs - 1,),
    )
    for table, key in (
        ("run", "id"),
        ("flow", "run"),
        ("flow_group", "run"),
        ("run_value", "run"),
        ("group_value", "run"),
        ("request", "run"),
    ):
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        values = ", ".join(own.get(name, f"{table}.{name}") for name in names)
        connection.execute(f"INSERT INTO {table} SELECT {values} FROM copy JOIN {table} ON {table}.{key} = 1")  # noqa: S608
    point = "json_object('path.buffer', i / 3 || ' kB')"
    connection.execute(f"INSERT INTO member SELECT 1, i, i + 1, {point}, '' FROM copy")  # noqa: S608 (ours)
    digest.enable(connection)
    vouch_all(connection)
    connection.commit()
    connection.close()
    return folder
