"""Many runs of a ledger as pandas frames, read from its columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from dumbbell.engines.family import is_live
from dumbbell.metrics.catalogue import HARMS, OF_GROUP, OF_RUN
from dumbbell.results.campaign import campaigns as campaigns_of
from dumbbell.results.harm import harms_of
from dumbbell.results.ledger import Ledger, listed
from dumbbell.results.moments import began, hour
from dumbbell.results.outcomes import FLOW, GROUP, HOP
from dumbbell.results.run_rows import BOTTLENECK
from dumbbell.results.tables import PROGRAM_NUMBERS

if TYPE_CHECKING:
    from datetime import datetime

    import pandas as pd

    from dumbbell.results.schema import Outcome

Table: TypeAlias = Literal["runs", "flows", "groups", "hops"]
_OF_RUN = (*BOTTLENECK, "jain", "window_begin_s", "window_end_s", "wall_s", "finished", "warnings", "error")
_TABLES: dict[Table, tuple[str, tuple[str, ...], str, str]] = {
    "runs": ("run", _OF_RUN, "", ""),
    "flows": ("flow", (*FLOW, *PROGRAM_NUMBERS), "JOIN flow ON flow.run = run.id", ", flow.flow"),
    "groups": ("g", ("name", *GROUP), "JOIN flow_group g ON g.run = run.id", ", g.position"),
    "hops": ("hop", HOP, "JOIN hop ON hop.run = run.id", ", hop.position"),
}
"""Of each: the ledger's table, its columns, how it is joined to `run`, and the order within a run."""
_HEAD = 5
"""Columns before the swept values: `run_id`, `experiment`, `engine`, `seed`, `status`."""
_TEXT_COLUMNS = ("name", "direction", "cc", "finished", "warnings", "error", "program")


class StoredRuns(NamedTuple):
    """The runs of some campaigns in their order, as frames of what the ledger has; what is not known is NaN."""

    runs: pd.DataFrame
    """A row a run: `run` (its number in the ledger), `campaign`, `warned`, `point` (JSON of each swept value as the
    spec writes it), `began_s` (of the epoch; NaN in virtual time, which has no hours), `request_groups` (JSON, see
    `request.Request`), and the quantities of a run."""
    groups: pd.DataFrame
    """A row a group: `run`, `position`, `name` and the quantities of a group."""


def frame(ledger: Ledger, table: Table, campaigns: Sequence[int]) -> pd.DataFrame:
    """A row a run, or a flow, a group or a queue of one: columns that name it, the swept values, and its summary's.

    A group has its harm, too, NaN where it was not measured alone.
    """
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    name, columns, join, then = _TABLES[table]
    rows = ledger.frame(
        f"SELECT run_id, campaign.id AS experiment, run.engine, seed, status, {listed(columns, name)}, member.point"  # noqa: S608 (ours)
        f" FROM campaign JOIN member ON member.campaign = campaign.id JOIN run ON run.id = member.run {join}"
        f" WHERE campaign.id IN ({listed(campaigns)}) ORDER BY campaign.turn, member.position{then}"
    )
    known = {each.id: each for each in campaigns_of(ledger)}
    points = list(zip(rows["experiment"].tolist(), rows.pop("point").tolist(), strict=True))
    rows["experiment"] = rows["experiment"].map({id_: each.label for id_, each in known.items()}).astype(object)
    for column in columns:
        if column not in _TEXT_COLUMNS:
            rows[column] = pd.to_numeric(rows[column])
    if table == "runs":
        rows["warnings"] = rows["warnings"].fillna("").map(lambda text: "; ".join(json.loads(text)) if text else "")
        rows["error"] = rows["error"].fillna("")
        moments = _began(rows)
        rows["finished"] = [each and each.isoformat(timespec="seconds") for each in moments]
        rows.insert(list(rows).index("finished") + 1, "hour", [each and hour(each) for each in moments])
        rows = rows.rename(columns={"finished": "began"})
        rows = rows.rename(columns={column: f"bottleneck.{column}" for column in BOTTLENECK})
    if table == "groups":
        harms = harms_of(ledger, campaigns)
        groups = list(zip(rows["run_id"], rows["name"], strict=True)) if harms else []
        for harm in HARMS:
            values = [harms.get(group, {}).get(harm) for group in groups]
            rows[harm] = pd.Series(values, dtype=float) if harms else float("nan")
    for offset, (path, values) in enumerate(
        _point_columns(points, {id_: each.spec for id_, each in known.items()}).items(), start=_HEAD
    ):
        rows.insert(offset, path, values, allow_duplicates=True)
    return rows


def stored_runs(ledger: Ledger, campaigns: Sequence[int]) -> StoredRuns:
    """The runs of these campaigns; one that several of them have is there as often."""
    head = listed(("run_id", "engine", "seed", "error", "provenance", "request_key", "request_groups"), "run")
    columns = f"run.id AS run, member.campaign, {head}, warnings IS NOT NULL AS warned, finished, wall_s, member.point"

    def read(columns: str, joined: str, order: str, values: Iterable[str]) -> pd.DataFrame:
        rows = ledger.frame(
            f"SELECT {columns}, {listed(values, 'own')} FROM campaign JOIN member ON member.campaign = campaign.id"  # noqa: S608 (ours)
            f" JOIN {joined} WHERE campaign.id IN ({listed(campaigns)}) ORDER BY turn, member.position, {order}"
        )
        return rows.astype(dict.fromkeys(values, float))

    of_run = "run ON run.id = member.run LEFT JOIN run_value own ON own.run = member.run"
    of_group = "group_value own ON own.run = member.run"
    runs = read(columns, of_run, "member.position", OF_RUN)
    runs["began_s"] = [math.nan if each is None else each.timestamp() for each in _began(runs)]
    return StoredRuns(
        runs=runs.drop(columns=["engine", "finished", "wall_s"]),
        groups=read("own.run, own.position, own.name", of_group, "own.position", OF_GROUP),
    )


def _began(rows: pd.DataFrame) -> list[datetime | None]:
    """When each run began; None in virtual time, where a run is the same whenever it is measured."""
    known = zip(rows["engine"], rows["finished"], rows["wall_s"], strict=True)
    return [began(finished, wall_s) if is_live(engine) else None for engine, finished, wall_s in known]


def together(parts: Iterable[tuple[Outcome, pd.DataFrame]], spec: Mapping[str, Any]) -> pd.DataFrame:
    """Frames of several runs of a spec under one another, each row with its run's id, seed and swept values."""
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    from dumbbell.spec.numbers import numbers  # noqa: PLC0415 (late: lists need none)

    labelled = []
    for outcome, frame in parts:
        labels: dict[str, Any] = {"run_id": outcome.run_id, "seed": outcome.seed}
        for path, columns in numbers(outcome.point, spec).items():
            labels |= {path: outcome.point[path]} | columns
        for offset, (name, value) in enumerate(labels.items()):
            frame.insert(offset, name, [value] * len(frame), allow_duplicates=True)
        labelled.append(frame)
    return pd.concat(labelled, ignore_index=True) if labelled else pd.DataFrame()


def _point_columns(places: list[tuple[int, str]], specs: Mapping[int, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """A column for each swept field, in order of appearance, and its numbers behind it; None where it is not swept.

    `places` has the campaign and the point, as JSON, of each row.
    """
    from dumbbell.spec.numbers import numbers  # noqa: PLC0415 (late: lists need none)

    columns: dict[str, dict[str, None]] = {}
    cells: dict[tuple[int, str], dict[str, Any]] = {}
    for campaign, text in dict.fromkeys(places):
        point = json.loads(text)
        own = numbers(point, specs[campaign])
        cells[campaign, text] = point | {name: value for each in own.values() for name, value in each.items()}
        for path, each in own.items():
            columns.setdefault(path, {}).update(dict.fromkeys(each))
    return {
        name: [cells[place].get(name) for place in places] for path, more in columns.items() for name in (path, *more)
    }
