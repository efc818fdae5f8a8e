"""Shares, sums and equilibria over the number of BBR flows: measured, and ours under both starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Final, TypeAlias

from dumbbell.charts.chart import Layer
from dumbbell.charts.shapes import Look, scatter
from dumbbell.charts.style import PUBLISHED
from dumbbell.hosts.columns import Measurand
from dumbbell.hosts.points import Measured, Row
from dumbbell.spec.quantity import Rate
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import RunData
from dumbbell.studies.mishra2022.claims import FLOWS, equilibria, own_goodput_bps, predicted_sum
from dumbbell.studies.sweep import number

ByCount: TypeAlias = Mapping[int, float]
"""A number for each number of BBR flows."""
SHARES, TOGETHER, ALONE = "shares", "together", "alone"
RTT, BUFFER, COUNT = "path.rtt", "path.buffer", "flows[0].count"
SHARE: Final = Measurand("share", "bbr")
GROUPS: Final = ("bbr", "cubic")
PERCENT: Final = 100.0
STEP: Final = 5
"""Simultaneous starts have every fifth number of BBR flows."""
MEASURED: Final = Look(f"{PUBLISHED} bbr", label="measured")
RULE: Final = Look("bbr", label="smaller group first")
AT_ONCE: Final = Look("bbr_4_17", label="simultaneous starts")


def shares(scope: Scope) -> Iterator[Layer]:
    """BBR's share of the goodput in %, over the number of BBR flows."""
    even = (0, FLOWS)
    yield scatter(Look("level", label="equal shares"), even, [PERCENT * n / FLOWS for n in even], kind="line")
    rows = _rows(scope, SHARES)
    known = {row.at[COUNT]: PERCENT * own.value for row in rows if (own := row.measured.get(SHARE))}
    yield scatter(MEASURED, list(known), list(known.values()))
    for title, look in ((SHARES, RULE), (TOGETHER, AT_ONCE)):
        yield _curve(look, _at_counts(scope, title, lambda run: PERCENT * (run.result.groups["bbr"].share or 0.0)))


def sums(scope: Scope) -> Iterator[Layer]:
    """The goodput of both groups over the line's rate, each in its own 120 s: medians over queues."""
    rtt_s = number(scope.at[RTT], "s")
    counts = list(range(1, FLOWS))
    rule = [predicted_sum(n, rtt_s) for n in counts]
    yield scatter(Look("level", label="the rule alone, on a full line"), counts, rule, kind="line")
    theirs: dict[int, list[float]] = {}
    for row in _rows(scope, SHARES):
        if row.measured:
            theirs.setdefault(row.at[COUNT], []).append(float(row.notes["sum"]))
    yield scatter(MEASURED, list(theirs), [median(own) for own in theirs.values()])
    for title, look in ((SHARES, RULE), (TOGETHER, AT_ONCE)):
        yield _curve(look, _at_counts(scope, title, lambda run: sum(_of_rate(run, group) for group in GROUPS)))


def switching(scope: Scope) -> Iterator[Layer]:
    """The numbers of BBR flows at which no flow gains by switching, over the queue in BDP."""
    buffers = list(dict.fromkeys(row.at[BUFFER] for row in _rows(scope, SHARES)))
    for look, flows_at, step in (
        (MEASURED, measured_flows, 1),
        (RULE, partial(simulated_flows, title=SHARES), 1),
        (AT_ONCE, partial(simulated_flows, title=TOGETHER), STEP),
    ):
        places = [
            (number(buffer, "bdp"), float(n))
            for buffer in buffers
            for n in equilibria(*flows_at(replace(scope, at={**scope.at, BUFFER: buffer})), step)
        ]
        yield scatter(look, [x for x, _ in places], [n for _, n in places])


def measured_flows(scope: Scope) -> tuple[ByCount, ByCount]:
    """Of one flow of each group what the hosts measured, over the line's rate, by the number of BBR flows.

    Not where both groups together had more than the line carries: nobody knows what each of them had.
    """
    sums_by_share = [
        (row.at[COUNT], float(row.notes["sum"]), own.value)
        for row in _rows(scope, SHARES)
        if (own := row.measured.get(SHARE))
    ]
    only = {name: own.value for row in _rows(scope, ALONE) for name, own in _goodputs(row)}
    return _each_flow(
        {n: share * total for n, total, share in sums_by_share},
        {n: (1 - share) * total for n, total, share in sums_by_share},
        only,
    )


def simulated_flows(scope: Scope, title: str) -> tuple[ByCount, ByCount]:
    """The same of the runs of an experiment; medians over seeds."""
    bbr, cubic = (_at_counts(scope, title, partial(_of_rate, group=group)) for group in GROUPS)
    alone = {name: _runs(scope, ALONE, alone=f"flows[{place}]") for place, name in enumerate(GROUPS)}
    return _each_flow(bbr, cubic, {name: median(_of_rate(run, name) for run in runs) for name, runs in alone.items()})


def _each_flow(bbr: ByCount, cubic: ByCount, only: Mapping[str, float]) -> tuple[ByCount, ByCount]:
    """From what groups have to what one flow has; `only`: of a group of all flows."""
    first, last = only["cubic"] / FLOWS, only["bbr"] / FLOWS
    return {n: own / n for n, own in bbr.items()} | {FLOWS: last}, {0: first} | {
        n: own / (FLOWS - n) for n, own in cubic.items()
    }


def _goodputs(row: Row) -> Iterator[tuple[str, Measured]]:
    return ((measurand.group, own) for measurand, own in row.measured.items())


def _rows(scope: Scope, title: str) -> list[Row]:
    """The points of a table at the scope's path."""
    return [row for row in scope.study.measured[title].rows if scope.at.items() <= row.at.items()]


def _runs(scope: Scope, title: str, **at: str) -> list[RunData]:
    """The runs of an experiment at the scope's path, of all seeds."""
    place = {**scope.at, **at}
    trials = scope.evidence.of(title, scope.settled.version)
    return [run for trial in trials for run in trial.where(place).runs]


def _at_counts(scope: Scope, title: str, value: Callable[[RunData], float]) -> ByCount:
    """The median over seeds, and whatever else differs there, at each number of BBR flows."""
    values: dict[int, list[float]] = {}
    for run in _runs(scope, title):
        values.setdefault(run.point[COUNT], []).append(value(run))
    return {n: median(own) for n, own in sorted(values.items())}


def _of_rate(run: RunData, group: str) -> float:
    return own_goodput_bps(run, group) / Rate(run.point["path.rate"]).bps


def _curve(look: Look, values: ByCount) -> Layer:
    return scatter(look, list(map(float, values)), list(values.values()), kind="line")
