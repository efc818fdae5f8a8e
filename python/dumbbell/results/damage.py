"""What of a ledger is not what was written, and how a reader leaves it out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from dumbbell.metrics.number import counted
from dumbbell.results import digest
from dumbbell.results.diagnosis import UNREADABLE

MOST_FAULTS: Final = 20
"""That SQLite is asked for."""
_OTHERS: Final = {"campaign": "id", "provenance": "id", "member": "campaign, position"}
"""Tables whose rows have a digest each, and what names a row."""


@dataclass(slots=True)
class Damage:
    """What of a ledger is not what was written."""

    file: list[str] = field(default_factory=list)
    """What is wrong with the file or its schema, so that no row in it can be trusted to be found."""
    runs: dict[int, str] = field(default_factory=dict)
    """Runs by their numbers, with their ids as they read."""
    members: list[tuple[int, int]] = field(default_factory=list)
    """Campaign and position of places in campaigns."""
    campaigns: list[int] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """Rows that belong to none."""

    def __bool__(self) -> bool:
        return bool(self.file or self.runs or self.members or self.campaigns or self.strangers)

    def faults(self) -> Iterator[str]:
        other = "not what was written"
        yield from (f"ledger.sqlite: {each}" for each in self.file)
        yield from (f"run {run_id}: its rows in ledger.sqlite are {other}" for run_id in self.runs.values())
        yield from (f"ledger.sqlite: campaign {each} is {other}" for each in self.campaigns)
        yield from (f"ledger.sqlite: place {place} of campaign {each} is {other}" for each, place in self.members)
        yield from (f"ledger.sqlite: {each}" for each in self.strangers)

    @property
    def summary(self) -> str:
        """How much a reader leaves out."""
        runs = len(self.runs) + len(self.members) + len(self.strangers)
        parts = [counted(runs, "run")] * bool(runs)
        parts += [counted(len(self.campaigns), "experiment")] * bool(self.campaigns)
        return f"{' and '.join(parts)} {'are' if runs + len(self.campaigns) > 1 else 'is'} damaged"


def damage(connection: sqlite3.Connection) -> Damage:
    """Reads every row of a ledger, and its indexes.

    Raises:
        sqlite3.Error: it cannot be read as a whole.
    """
    report = Damage()
    with connection:
        connection.execute("BEGIN")  # so that all is of one moment, whoever writes meanwhile
        verdicts = connection.execute(f"PRAGMA main.integrity_check({MOST_FAULTS})").fetchall()
        report.file = [text for (text,) in verdicts if text != "ok"]
        if not report.file:
            strangers = connection.execute("PRAGMA main.foreign_key_check").fetchall()
            report.strangers = [f"a row of {table} belongs to nothing" for table, *_ in strangers]
            wrong = {table: list(_unvouched(connection, table)) for table in _OTHERS}
            report.campaigns = [id_ for (id_,) in wrong["campaign"]]
            report.members = [(campaign, position) for campaign, position in wrong["member"]]
            for ids in digest.pages(connection):
                report.runs |= damaged_runs(connection, ids[0], ids[-1])
            for (place,) in wrong["provenance"]:
                query = "SELECT id, run_id FROM main.run WHERE provenance = ?"
                report.runs |= {run: str(run_id) for run, run_id in connection.execute(query, (place,))}
    return report


def damaged_runs(connection: sqlite3.Connection, first: int, last: int) -> dict[int, str]:
    """The runs with these numbers whose rows are not what was written, with their ids as they read."""
    try:
        right = digest.run_digests(connection, first, last)
        stored = digest.run_rows(connection, "run", "run_id, digest", first, last)
        return {run: str(run_id) for run, run_id, own in stored if right.get(run) != own}
    except UNREADABLE:  # as of text that is no UTF-8
        if first == last:
            return {first: f"number {first}"}
        ids = [run for (run,) in connection.execute("SELECT id FROM main.run WHERE id BETWEEN ? AND ?", (first, last))]
        return {run: run_id for each in ids for run, run_id in damaged_runs(connection, each, each).items()}


def _unvouched(connection: sqlite3.Connection, table: str) -> Iterator[tuple[int, ...]]:
    """What names the rows of a table that are not what was written."""
    key, names = _OTHERS[table], digest.vouched(table)
    query = f"SELECT {key} FROM main.{table} WHERE digest IS NOT digest({names})"  # noqa: S608 (ours)
    with suppress(*UNREADABLE):
        yield from map(tuple, connection.execute(query).fetchall())
        return
    for row in connection.execute(f"SELECT {key} FROM main.{table}").fetchall():  # noqa: S608 (likewise)
        where = " AND ".join(f"{name} = ?" for name in key.split(", "))
        try:
            same = connection.execute(f"SELECT digest IS digest({names}) FROM main.{table} WHERE {where}", row)  # noqa: S608
            if not all(verdict for (verdict,) in same.fetchall()):
                yield tuple(row)
        except UNREADABLE:  # as of text that is no UTF-8
            yield tuple(row)


def leave_out(connection: sqlite3.Connection, report: Damage) -> None:
    """Has a reader find neither damaged runs nor damaged places of runs nor damaged campaigns: views before tables."""
    connection.executescript("""
        CREATE TEMP TABLE damaged_run (id INTEGER PRIMARY KEY);
        CREATE TEMP TABLE damaged_campaign (id INTEGER PRIMARY KEY);
        CREATE TEMP TABLE damaged_member (campaign INTEGER, position INTEGER, PRIMARY KEY (campaign, position));
        CREATE TEMP VIEW run AS SELECT * FROM main.run WHERE id NOT IN (SELECT id FROM damaged_run);
        CREATE TEMP VIEW campaign AS SELECT * FROM main.campaign WHERE id NOT IN (SELECT id FROM damaged_campaign);
        CREATE TEMP VIEW member AS SELECT * FROM main.member WHERE run NOT IN (SELECT id FROM damaged_run)
            AND campaign NOT IN (SELECT id FROM damaged_campaign) AND NOT EXISTS (
                SELECT 1 FROM damaged_member AS own
                WHERE own.campaign = main.member.campaign AND own.position = main.member.position
            );
    """)
    connection.executemany("INSERT INTO damaged_run VALUES (?)", [(run,) for run in report.runs])
    connection.executemany("INSERT INTO damaged_campaign VALUES (?)", [(each,) for each in report.campaigns])
    connection.executemany("INSERT INTO damaged_member VALUES (?, ?)", report.members)
