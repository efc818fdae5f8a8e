"""Lines about many runs, read from the ledger's narrow tables, a page at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dumbbell.results.campaign import Campaign
    from dumbbell.results.ledger import Ledger

_PAGE = 5_000
_BOTTLENECK = tuple(each.name for each in fields(BottleneckSummary))
_FLOW = tuple(each.name for each in fields(FlowSummary))
_GROUP = tuple(each.name for each in fields(GroupSummary))


class RunLine(NamedTuple):
    """A run, in short."""

    run_id: str
    experiment: str
    engine: str
    seed: int
    status: str
    warnings: int
    """How many."""
    point: dict[str, Any]
    """Each swept value as the spec wrote it, by its path."""


class RunSummary(NamedTuple):
    """A run that was measured: what its `Result` says of flows, groups and the bottleneck, not validated again."""

    run_id: str
    seed: int
    point: dict[str, Any]
    """Each swept value as the spec wrote it, by its path."""
    bottleneck: BottleneckSummary
    flows: tuple[FlowSummary, ...]
    groups: dict[str, GroupSummary]
    jain: float | None


def point_text(values: Mapping[str, Any], seed: int | None = None) -> str:
    """A point of a sweep, or a run at it.

    >>> point_text({"path.buffer": "1 bdp", "path.offload": True}, 3)
    'path.buffer = 1 bdp, path.offload = true, seed 3'
    """
    parts = [f"{path} = {value if isinstance(value, str) else json.dumps(value)}" for path, value in values.items()]
    return ", ".join([*parts, *([] if seed is None else [f"seed {seed}"])])


def runs(ledger: Ledger, campaign: Campaign) -> Iterator[RunLine]:
    """The runs of a campaign, in the order of expansion."""
    query = (
        "SELECT position, run_id, seed, status, COALESCE(json_array_length(warnings), 0), point"
        " FROM member JOIN run ON run.id = member.run WHERE campaign = ? AND position > ? ORDER BY position LIMIT ?"
    )
    after = -1
    while page := ledger.rows(query, campaign.id, after, _PAGE):
        after = page[-1][0]
        for _, run_id, seed, status, warnings, point in page:
            yield RunLine(run_id, campaign.label, campaign.engine, seed, status, warnings, json.loads(point))


def summaries(ledger: Ledger, campaign: Campaign) -> Iterator[RunSummary]:
    """The runs of a campaign that were measured, in the order of expansion."""
    ((last,),) = ledger.rows("SELECT COALESCE(MAX(position), -1) FROM member WHERE campaign = ?", campaign.id)
    for first in range(0, last + 1, _PAGE):
        page = (campaign.id, first, first + _PAGE)
        flows, groups = defaultdict[int, list[FlowSummary]](list), defaultdict[int, dict[str, GroupSummary]](dict)
        for run, *values in ledger.rows(_query("flow", _FLOW, "flow.flow"), *page):
            flows[run].append(FlowSummary(**dict(zip(_FLOW, values, strict=True))))
        for run, name, *values in ledger.rows(_query("flow_group", ("name", *_GROUP), "flow_group.position"), *page):
            groups[run][name] = GroupSummary(**dict(zip(_GROUP, values, strict=True)))
        for run, run_id, seed, point, jain, *values in ledger.rows(
            f"SELECT id, run_id, seed, point, jain, {', '.join(_BOTTLENECK)} FROM member JOIN run ON run.id = run"  # noqa: S608
            " WHERE campaign = ? AND position >= ? AND position < ? AND status = 'ok' ORDER BY position",
            *page,
        ):
            bottleneck = BottleneckSummary(**dict(zip(_BOTTLENECK, values, strict=True)))
            yield RunSummary(run_id, seed, json.loads(point), bottleneck, tuple(flows[run]), groups[run], jain)


def _query(table: str, names: Sequence[str], order: str) -> str:
    """Each run's rows of a table, once however often the run is in the page."""
    return (
        f"SELECT run, {', '.join(names)} FROM {table} WHERE run IN (SELECT run FROM member"  # noqa: S608 (our own names)
        f" WHERE campaign = ? AND position >= ? AND position < ?) ORDER BY run, {order}"
    )
