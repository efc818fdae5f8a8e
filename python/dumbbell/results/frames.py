"""A store's runs as pandas frames, read from the ledger's columns."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from dumbbell.results.ledger import Ledger
    from dumbbell.results.schema import FailedRun, Result

_BOTTLENECK = [each.name for each in fields(BottleneckSummary)]
_FLOW = [each.name for each in fields(FlowSummary)]
_GROUP = [each.name for each in fields(GroupSummary)]
_HEAD = ["run_id", "experiment", "engine", "seed", "status"]
_ORDER = "ORDER BY campaign.turn, member.position"


def runs(ledger: Ledger, campaigns: Sequence[int]) -> pd.DataFrame:
    """A row a run: head, swept values, bottleneck, Jain's index, window, warnings, error."""
    names = [*_BOTTLENECK, "jain", "window_begin_s", "window_end_s", "wall_s", "warnings", "error"]
    frame = _frame(ledger, campaigns, [f"run.{name}" for name in names], [*_HEAD, *names])
    frame["warnings"] = frame["warnings"].map(lambda text: "; ".join(json.loads(text)) if text else "")
    frame["error"] = frame["error"].fillna("")
    return frame.rename(columns={name: f"bottleneck.{name}" for name in _BOTTLENECK})


def flows(ledger: Ledger, campaigns: Sequence[int]) -> pd.DataFrame:
    """A row a flow of a run: head, swept values, and every field of its summary."""
    join = "JOIN flow ON flow.run = run.id"
    return _frame(ledger, campaigns, [f"flow.{name}" for name in _FLOW], [*_HEAD, *_FLOW], join=join, then="flow.flow")


def groups(ledger: Ledger, campaigns: Sequence[int]) -> pd.DataFrame:
    """A row a group of a run: head, swept values, name, and every field of its summary."""
    join, names = "JOIN flow_group ON flow_group.run = run.id", ["name", *_GROUP]
    columns = [f"flow_group.{name}" for name in names]
    return _frame(ledger, campaigns, columns, [*_HEAD, *names], join=join, then="flow_group.position")


def together(parts: Iterable[tuple[Result | FailedRun, pd.DataFrame]]) -> pd.DataFrame:
    """Frames of several runs under one another, each row with its run's id, seed and swept values."""
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    labelled = []
    for outcome, frame in parts:
        labels = {"run_id": outcome.run_id, "seed": outcome.seed} | outcome.point
        for offset, (name, value) in enumerate(labels.items()):
            frame.insert(offset, name, [value] * len(frame), allow_duplicates=True)
        labelled.append(frame)
    return pd.concat(labelled, ignore_index=True) if labelled else pd.DataFrame()


def _frame(  # noqa: PLR0913 (the parts of a query)
    ledger: Ledger, campaigns: Sequence[int], columns: list[str], names: list[str], *, join: str = "", then: str = ""
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    chosen = ", ".join(str(int(campaign)) for campaign in campaigns)
    head = "run.run_id, campaign.id, run.engine, run.seed, run.status"
    order = f"{_ORDER}, {then}" if then else _ORDER
    rows = ledger.rows(
        f"SELECT {head}, {', '.join(columns)}, member.point FROM campaign"  # noqa: S608 (our own names and numbers)
        f" JOIN member ON member.campaign = campaign.id JOIN run ON run.id = member.run {join}"
        f" WHERE campaign.id IN ({chosen}) {order}"
    )
    frame = pd.DataFrame.from_records(rows, columns=[*names, "point"])
    labels = {each.id: each.label for each in ledger.campaigns()}
    frame["experiment"] = frame["experiment"].map(labels).astype(object)
    points = frame.pop("point")
    for name in names[len(_HEAD) :]:
        if name not in ("name", "cc", "warnings", "error"):
            frame[name] = pd.to_numeric(frame[name])
    for offset, (path, values) in enumerate(_point_columns(points.tolist()).items()):
        frame.insert(len(_HEAD) + offset, path, values, allow_duplicates=True)
    return frame


def _point_columns(texts: list[str]) -> dict[str, list[Any]]:
    """A column for each swept field, in order of appearance; None in the runs that do not sweep it."""
    points = {text: json.loads(text) for text in dict.fromkeys(texts)}
    paths = dict.fromkeys(path for point in points.values() for path in point)
    return {path: [points[text].get(path) for text in texts] for path in paths}
