"""Ledgers that a test changes behind the store's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dumbbell.results import digest


def vouch_all(connection: sqlite3.Connection) -> None:
    """Gives every row its digest, as it is now."""
    for table in ("campaign", "provenance", "member"):
        digest.vouch(connection, table)
    for ids in digest.pages(connection):
        digests = digest.run_digests(connection, ids[0], ids[-1])
        connection.executemany("UPDATE run SET digest = ? WHERE id = ?", [(each, run) for run, each in digests.items()])
    digest.vouch_schema(connection)


def execute(folder: Path, *statements: str, vouched: bool = True) -> None:
    """Changes a ledger; `vouched`: as if its rows had been written so, otherwise they are damaged."""
    with closing(sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)) as connection:
        digest.enable(connection)
        for each in statements:
            connection.execute(each)
        if vouched:
            vouch_all(connection)
