"""Rows of runs into the ledger, and outcomes back from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell.metrics.summary import FlowSummary, GroupSummary, HopSummary
from dumbbell.results import provenance
from dumbbell.results.campaign import Campaign, CampaignEntry, add_member, places
from dumbbell.results.digest import vouch, vouch_runs
from dumbbell.results.disturbance import Validity, validity
from dumbbell.results.ledger import Ledger, listed
from dumbbell.results.run_rows import BOTTLENECK, FIELDS, RunRows
from dumbbell.results.series import SeriesFile
from dumbbell.results.tables import RUN_TABLES

if TYPE_CHECKING:
    from dumbbell.results.schema import Outcome

FLOW, GROUP, HOP = FIELDS[FlowSummary], FIELDS[GroupSummary], FIELDS[HopSummary]
SERIES = tuple(each.name for each in fields(SeriesFile))
_RUN = (
    "id", "run_id", "engine", "seed", "status", "error", "window_begin_s", "window_end_s", "jain", "wall_s", "warnings",
    *BOTTLENECK,
)  # fmt: skip
_PAGE = 256


def put(ledger: Ledger, runs: Sequence[tuple[RunRows, CampaignEntry | None]], identity: str) -> list[str]:
    """Enters runs that end now, in place of what was there under their ids; gives the files that are of none any more.

    `identity` is that of the engine's build.
    """
    gone: list[str] = []
    finished = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    with ledger.transaction("enter a run") as connection:
        numbers = []
        for rows, _ in runs:
            former = ledger.rows("SELECT file FROM series JOIN run ON run.id = run WHERE run_id = ?", rows.run_id)
            gone += {file for (file,) in former} - {each.file for each in rows.files}
            numbers.append(_enter(connection, rows, finished, identity))
        vouch_runs(connection, numbers)
        for rows, entry in runs:
            if entry:
                add_member(ledger, entry, rows.run_id)
    return gone


def _enter(connection: sqlite3.Connection, run: RunRows, finished: str, identity: str) -> int:
    """Enters the rows of a run; gives its number."""
    engine = run.run["engine"]
    facts = json.dumps({**provenance.facts(), "engine": engine, "identity": identity, **run.facts}, ensure_ascii=False)
    if connection.execute("INSERT OR IGNORE INTO provenance (facts) VALUES (?)", (facts,)).rowcount:
        vouch(connection, "provenance", "facts = ?", facts)
    ((place,),) = connection.execute("SELECT id FROM provenance WHERE facts = ?", (facts,))
    row = {**run.run, "finished": finished, "provenance": place}
    connection.execute(
        f"INSERT INTO run ({listed(row)}) VALUES ({listed('?' * len(row))})"  # noqa: S608 (our names)
        f" ON CONFLICT (run_id) DO UPDATE SET {listed(f'{name} = excluded.{name}' for name in row)}",
        tuple(row.values()),
    )
    ((number,),) = connection.execute("SELECT id FROM run WHERE run_id = ?", (run.run_id,))
    for table in RUN_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (number,))  # noqa: S608 (likewise)
    for table, own in [*run.others, *(("series", asdict(file)) for file in run.files)]:
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
        for row in part.rows(ledger, f"nth, point, {listed(_RUN, 'run')}"):
            if wanted is None or row["nth"] in wanted:
                yield _outcome(ledger, row, json.loads(row["point"]))


class RunLine(NamedTuple):
    """A row of `results list`: a run without its numbers."""

    run_id: str
    experiment: str
    engine: str
    seed: int
    status: str
    warnings: int
    """How many there are."""
    point: dict[str, Any]
    """Each swept value as the spec wrote it, by its path."""
    validity: Validity | None
    """Of a run in real time that was measured."""


def lines_of(ledger: Ledger, campaign: Campaign) -> Iterator[RunLine]:
    """The runs of a campaign, in the order of expansion."""
    for part in places(ledger, campaign.id):
        columns = "run_id, seed, status, COALESCE(warnings, '[]'), point"
        for run_id, seed, status, warnings, point in part.rows(ledger, columns):
            messages = json.loads(warnings)
            word = validity(campaign.engine, messages) if status == "ok" else None
            yield RunLine(run_id, campaign.label, campaign.engine, seed, status, len(messages), json.loads(point), word)


def _outcome(ledger: Ledger, row: sqlite3.Row, point: Mapping[str, Any]) -> Outcome:
    from dumbbell.results.schema import FailedRun, Result  # noqa: PLC0415 (late: tables of many runs need no pydantic)

    head = {name: row[name] for name in ("run_id", "engine", "seed", "wall_s")} | {"point": point}
    if row["status"] != "ok":
        return FailedRun(**head, error=row["error"])
    query = f"SELECT {listed(FLOW)} FROM flow WHERE run = ? ORDER BY flow"  # noqa: S608 (our names)
    flows = map(dict, ledger.rows(query, row["id"]))
    query = f"SELECT name, {listed(GROUP)} FROM flow_group WHERE run = ? ORDER BY position"  # noqa: S608
    warnings = tuple(json.loads(row["warnings"] or "[]"))
    groups = {name: dict(zip(GROUP, group, strict=True)) for name, *group in ledger.rows(query, row["id"])}
    query = f"SELECT {listed(HOP)} FROM hop WHERE run = ? ORDER BY position"  # noqa: S608 (likewise)
    hops = tuple(map(dict, ledger.rows(query, row["id"])))
    return Result.model_validate({
        **head, "window_s": (row["window_begin_s"], row["window_end_s"]), "jain": row["jain"], "groups": groups,
        "flows": [{**flow, "program": flow["program"] and json.loads(flow["program"])} for flow in flows],
        "bottleneck": {name: row[name] for name in BOTTLENECK}, "hops": hops, "warnings": warnings,
        "validity": validity(row["engine"], warnings),
    })  # fmt: skip
