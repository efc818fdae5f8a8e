"""The quantities of the catalogue that a run has: computed once, when it is stored, and read from there by everybody.

`run_value` has a row a run, `group_value` a row a group of flows; a column is a quantity, in base units, and null where
the run has none.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.catalogue import OF_GROUP, OF_RUN, QUANTITIES, Setup, groups, run_values
from dumbbell.metrics.sharing import fair_shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.results.schema import Result
    from dumbbell.spec import Resolved, Run
    from dumbbell.spec.flow import Flow
    from dumbbell.spec.path import Hop, Path


def values_of_run(result: Result, run: Run) -> dict[str, float | None]:
    """What the run as a whole has of each."""
    values = run_values(result, Setup.of(run), OF_RUN)
    if len(run.at_bottleneck) == 1:
        values["jain"] = None
    return {name: value if QUANTITIES[name].informative(result) else None for name, value in values.items()}


def values_of_groups(result: Result, resolved: Resolved) -> Iterator[dict[str, Any]]:
    """A row a group, in the order of the spec: its position, name, algorithm, flows, fair share, and its quantities.

    One alone on its way has no share.
    """
    fair_share = fair_shares_of(resolved)
    named = zip(resolved.groups, resolved.run.flows, strict=True)
    direction = {name: flow.direction for name, flow in named if flow.cc}
    on_way = Counter(direction.values())
    formulas = {name: QUANTITIES[name].of_group for name in OF_GROUP if QUANTITIES[name].informative(result)}
    for position, (name, group) in enumerate(groups(result).items()):
        values = {quantity: formula(group) for quantity, formula in formulas.items() if formula}
        if name in direction and "share" in values and on_way[direction[name]] == 1:
            values["share"] = None
        head = {"position": position, "name": name, "cc": group.flows[0].cc if group.flows else ""}
        yield {**head, "flows": len(group.flows), "fair_share": fair_share.get(name), **values}


def fair_shares_of(resolved: Resolved) -> dict[str, float]:
    """What each group of a run would have of its way's goodput if at any time all flows that are there had the same.

    Nothing of a way with one group, of one whose flows do not all pass the same queues, and of one where a flow does
    not always take what it gets: a workload that ends or pauses, or a line of its own that is slower than an equal part
    of the path.
    """
    run = resolved.run
    share: dict[str, float] = {}
    for direction in ("down", "up"):
        members = [
            (group, flow)
            for group, flow in zip(resolved.groups, run.flows, strict=True)
            if flow.direction == direction and flow.cc
        ]
        lines = run.path.lines(direction)
        if lines and len({group for group, _ in members}) > 1 and len({flow.route.data for _, flow in members}) == 1:
            share |= _fair_shares(resolved, lines, members)
    return share


def _fair_shares(
    resolved: Resolved, lines: Sequence[Path | Hop], members: Sequence[tuple[str, Flow]]
) -> dict[str, float]:
    """Of the groups of one way, and the flows that they have."""
    from dumbbell.spec.resolved import start_jitter_ns  # noqa: PLC0415 (late: lists need no specs)

    run, jitter_ns = resolved.run, resolved.start_jitter_ns
    rates = [rate for line in lines for rate in (line.rate_bps, *(rate_bps for _, rate_bps in line.rates_in_time))]
    equal_bps = min(filter(None, rates)) / len(members)  # an outage is nobody's
    if any(flow.workload != "bulk" or (flow.access and flow.access.rate_bps < equal_bps) for _, flow in members):
        return {}
    begin_ns, end_ns = run.measure.window_begin_ns, run.measure.window_end_ns
    times: dict[str, list[tuple[float, float]]] = {group: [] for group, _ in members}
    for group, flow in members:
        start_ns = flow.start_ns - start_jitter_ns(run.seed, flow.name, jitter_ns)  # every seed has the same
        stop_ns = end_ns if flow.stop_ns is None else flow.stop_ns
        times[group].append((max(start_ns, begin_ns), min(stop_ns, end_ns)))
    return {group: share for group, share in fair_shares(times).items() if share is not None}
