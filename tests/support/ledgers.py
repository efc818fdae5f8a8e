"""Ledgers that a test changes behind the store's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from dumbbell.results import digest


def execute(folder: Path, *statements: str, vouched: bool = True) -> None:
    """Changes a ledger; `vouched`: as if its rows had been written so, otherwise they are damaged."""
    with closing(sqlite3.connect(folder / "ledger.sqlite", isolation_level=None)) as connection:
        digest.enable(connection)
        for each in statements:
            connection.execute(each)
        if vouched:
            digest.vouch_all(connection)
