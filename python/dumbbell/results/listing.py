"""Lines about many runs, read from the ledger's narrow tables, a page at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell.metrics.loss import has_random_loss, loss_at, random_loss

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.results.campaign import Campaign
    from dumbbell.results.ledger import Ledger

_PAGE = 5_000


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


class GroupLine(NamedTuple):
    """A group of flows of a run, and the bottleneck."""

    point: dict[str, Any]
    random_loss: float | None
    """None also where the path has none."""
    seed: int
    loss_rate: float | None
    queue_mean_bdp: float | None
    utilization: float | None
    nth: int
    """0 for the first group of a run, which is that of its first flow."""
    name: str
    goodput_bps: float | None
    share: float | None
    rtt_mean_s: float | None
    """Mean over its flows."""


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


def groups(ledger: Ledger, campaign: Campaign) -> Iterator[GroupLine]:
    """The groups of the runs of a campaign that were measured, in the order of expansion."""
    lossy = has_random_loss(campaign.spec)
    counts = "random_lost_packets, offered_packets, sent_packets, " if lossy else ""
    query = (
        f"SELECT point, {counts}seed, loss_rate, queue_mean_bdp, utilization, flow_group.position, flow_group.name,"  # noqa: S608
        " flow_group.goodput_bps, share,"
        " (SELECT AVG(rtt_mean_s) FROM flow WHERE flow.run = run.id AND flow.name = flow_group.name)"
        " FROM member JOIN run ON run.id = member.run JOIN flow_group ON flow_group.run = run.id"
        " WHERE campaign = ? AND member.position >= ? AND member.position < ?"
        " ORDER BY member.position, flow_group.position"
    )
    ((last,),) = ledger.rows("SELECT COALESCE(MAX(position), -1) FROM member WHERE campaign = ?", campaign.id)
    line = GroupLine._make  # here every microsecond of a row counts a hundred thousand times
    for first in range(0, last + 1, _PAGE):
        text, point = "", dict[str, Any]()
        for row in ledger.rows(query, campaign.id, first, first + _PAGE):
            if row[0] != text:
                text, point = row[0], json.loads(row[0])
            if lossy:
                _, lost, offered, sent, *others = row
                at_random = random_loss(lost, offered, sent, loss_at(campaign.spec, point))
                yield line((point, at_random, *others))
            else:
                yield line((point, None, *row[1:]))
