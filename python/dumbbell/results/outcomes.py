"""Rows of runs into the ledger, and outcomes back from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell.metrics.summary import FlowSummary, GroupSummary
from dumbbell.results.campaign import CampaignEntry, add_member, places
from dumbbell.results.digest import vouch, vouch_runs
from dumbbell.results.disturbance import validity
from dumbbell.results.ledger import Ledger, listed
from dumbbell.results.run_rows import BOTTLENECK, FIELDS, RunRows
from dumbbell.results.series import SeriesFile
from dumbbell.results.tables import RUN_TABLES

if TYPE_CHECKING:
    from dumbbell.results.schema import Outcome

FLOW, GROUP = FIELDS[FlowSummary], FIELDS[GroupSummary]
SERIES = tuple(each.name for each in fields(SeriesFile))
_RUN = (
    "id", "run_id", "engine", "seed", "status", "error", "window_begin_s", "window_end_s", "jain", "wall_s", "warnings",
    *BOTTLENECK,
)  # fmt: skip
_PAGE = 256


class Entered(NamedTuple):
    """A run that is to be entered, with where and when it was measured, and its place in a campaign."""

    rows: RunRows
    facts: str
    finished: str
    entry: CampaignEntry | None


def put(ledger: Ledger, runs: Sequence[Entered]) -> list[str]:
    """Enters runs, in place of what was there under their ids; gives the files that nothing refers to any more."""
    gone: list[str] = []
    with ledger.transaction("enter a run") as connection:
        numbers = []
        for run in runs:
            former = ledger.rows("SELECT file FROM series JOIN run ON run.id = run WHERE run_id = ?", run.rows.run_id)
            gone += {file for (file,) in former} - {each.file for each in run.rows.files}
            numbers.append(_enter(connection, run))
        vouch_runs(connection, numbers)
        for run in runs:
            if run.entry:
                add_member(ledger, run.entry, run.rows.run_id)
    return gone


def _enter(connection: sqlite3.Connection, run: Entered) -> int:
    """Enters the rows of a run; gives its number."""
    if connection.execute("INSERT OR IGNORE INTO provenance (facts) VALUES (?)", (run.facts,)).rowcount:
        vouch(connection, "provenance", "facts = ?", run.facts)
    ((provenance,),) = connection.execute("SELECT id FROM provenance WHERE facts = ?", (run.facts,))
    row = {**run.rows.run, "finished": run.finished, "provenance": provenance}
    connection.execute(
        f"INSERT INTO run ({listed(row)}) VALUES ({listed('?' * len(row))})"  # noqa: S608 (our names)
        f" ON CONFLICT (run_id) DO UPDATE SET {listed(f'{name} = excluded.{name}' for name in row)}",
        tuple(row.values()),
    )
    ((number,),) = connection.execute("SELECT id FROM run WHERE run_id = ?", (run.rows.run_id,))
    for table in RUN_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (number,))  # noqa: S608 (likewise)
    for table, own in [*run.rows.others, *(("series", asdict(file)) for file in run.rows.files)]:
        columns = {"run": number, **own}
        marks = listed("?" * len(columns))
        connection.execute(f"INSERT INTO {table} ({listed(columns)}) VALUES ({marks})", tuple(columns.values()))  # noqa: S608 (likewise)
    return int(number)


def series_of(ledger: Ledger, run_id: str) -> list[SeriesFile]:
    """The run's files of series; empty where it kept none."""
    query = f"SELECT {listed(SERIES)} FROM series JOIN run ON run.id = series.run WHERE run_id = ?"  # noqa: S608
    return [SeriesFile(**dict(row)) for row in ledger.rows(query, run_id)]


def outcome_of(ledger: Ledger, run_id: str, point: Mapping[str, Any] | None = None) -> Outcome | None:
    """A run as it was printed; its point is that of the latest campaign it is in, unless one is given."""
    rows = ledger.rows(f"SELECT {listed(_RUN)} FROM run WHERE run_id = ?", run_id)  # noqa: S608
    if not rows:
        return None
    if point is None:
        points = ledger.rows(
            "SELECT point FROM member JOIN campaign ON campaign.id = campaign WHERE run = ?"
            " ORDER BY turn DESC, position LIMIT 1",
            rows[0]["id"],
        )
        point = json.loads(points[0]["point"]) if points else {}
    return _outcome(ledger, rows[0], point)


def outcomes_of(
    ledger: Ledger, campaign: int, seeds: Sequence[int] | None = None, wanted: Container[int] | None = None
) -> Iterator[Outcome]:
    """The outcomes of a campaign, in the order of expansion; `seeds`: of these only, in this order at each point.

    `wanted`: those at these places in the plan of an experiment with those seeds. Few are in memory at a time.
    """
    for part in places(ledger, campaign, seeds, _PAGE):
        query = (
            f"WITH place AS ({part.query}) SELECT nth, point, {listed(_RUN, 'run')}"  # noqa: S608 (our names)
            " FROM place JOIN run ON run.id = place.run ORDER BY nth"
        )
        rows = ledger.rows(query, *part.values)
        if wanted is not None:
            rows = [row for row in rows if row["nth"] in wanted]
        yield from (_outcome(ledger, row, json.loads(row["point"])) for row in rows)


def _outcome(ledger: Ledger, row: sqlite3.Row, point: Mapping[str, Any]) -> Outcome:
    from dumbbell.results.schema import FailedRun, Result  # noqa: PLC0415 (late: tables of many runs need no pydantic)

    head = {name: row[name] for name in ("run_id", "engine", "seed", "wall_s")} | {"point": point}
    if row["status"] != "ok":
        return FailedRun(**head, error=row["error"])
    flows = ledger.rows(f"SELECT {listed(FLOW)} FROM flow WHERE run = ? ORDER BY flow", row["id"])  # noqa: S608
    query = f"SELECT name, {listed(GROUP)} FROM flow_group WHERE run = ? ORDER BY position"  # noqa: S608
    warnings = tuple(json.loads(row["warnings"] or "[]"))
    groups = {name: dict(zip(GROUP, group, strict=True)) for name, *group in ledger.rows(query, row["id"])}
    return Result.model_validate({
        **head, "window_s": (row["window_begin_s"], row["window_end_s"]), "jain": row["jain"], "groups": groups,
        "flows": tuple(map(_flow, flows)), "bottleneck": {name: row[name] for name in BOTTLENECK},
        "warnings": warnings, "validity": validity(row["engine"], warnings),
    })  # fmt: skip


def _flow(row: sqlite3.Row) -> dict[str, Any]:
    said = row["program"]
    return dict(row) | {"program": None if said is None else json.loads(said)}
