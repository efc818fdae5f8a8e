"""Ledgers that a test compares, or changes behind the store's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from dumbbell.results import digest
from dumbbell.results.tables import RUN_TABLES

OF_ITS_TIME = {"id", "run", "wall_s", "finished", "provenance", "digest", "modified_ns"}
"""Columns in which two ledgers of the same runs differ."""


def contents(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that it has, but for when it was written, how long that took, the digest of both, and in which order."""
    queries = {"campaign": "SELECT experiment, engine, identity, spec FROM campaign ORDER BY turn"}
    queries["member"] = "SELECT experiment, position, point, run_id FROM campaign JOIN member ON campaign.id = campaign"
    queries["member"] += " JOIN run ON run.id = run ORDER BY turn, position"
    for table in ("run", *RUN_TABLES):
        same = [f"own.{name}" for name in digest.columns(table) if name not in OF_ITS_TIME]
        join = "" if table == "run" else "JOIN run ON run.id = own.run"
        run_id = "own.run_id" if table == "run" else "run.run_id"
        queries[table] = (
            f"SELECT {', '.join([run_id, *same])} FROM {table} AS own {join} ORDER BY run_id, {', '.join(same)}"  # noqa: S608 (the ledger's names)
        )
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        return {table: connection.execute(query).fetchall() for table, query in queries.items()}


def vouch_all(connection: sqlite3.Connection) -> None:
    """Gives every row its digest, as it is now."""
    for table in ("campaign", "provenance", "member"):
        digest.vouch(connection, table)
    for ids in digest.pages(connection):
        digest.vouch_runs(connection, ids)
    digest.vouch_schema(connection)


def execute(folder: Path, *statements: str, vouched: bool = True) -> None:
    """Changes a ledger; `vouched`: as if its rows had been written so, otherwise they are damaged."""
    with closing(sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)) as connection:
        digest.enable(connection)
        for each in statements:
            connection.execute(each)
        if vouched:
            vouch_all(connection)
