"""Charts of single runs: what happened over time, one run or several laid over one another, and how RTTs spread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from dumbbell.cc import base_name
from dumbbell.charts.chart import Axis, Chart, Kind, Layer, Panel
from dumbbell.charts.in_time import (
    KB,
    MBPS,
    MS,
    backlog,
    backlogs,
    capacity,
    curve,
    flow_rates,
    group_rates,
    panels,
    queue_counts,
)
from dumbbell.charts.shapes import Look, distribution
from dumbbell.errors import DumbbellError
from dumbbell.experiment.charts.layout import Sweep, called, conditions, evenly, is_mixed, short
from dumbbell.experiment.charts.samples import Sampled
from dumbbell.experiment.charts.sweep import column_count
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.counter import capacity_in_time
from dumbbell.metrics.number import RECORD_DIGITS, counted, trimmed
from dumbbell.metrics.statistics import estimate
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.run_series import gauge, mean_gauge
from dumbbell.spec.queue import FIFO
from dumbbell.units import NS_PER_S

MOST_FLOWS: Final = 4
"""Of a run that is drawn flow by flow; of more, each group has one line."""
MOST_LAID_OVER: Final = 4
MOST_PANELS: Final = 6
MOST_STEPS: Final = 200
"""Of a distribution that is drawn."""
GAUGE_BINS: Final = 300
"""Of the mean of several flows' gauges over a run."""
MOST_BINS: Final = 300
FEWEST_BINS: Final = 50
USUAL_BIN_S: Final = 0.5
"""Shorter ones show single rounds of a sender rather than its rate."""
BINS_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


def in_time(runs: ExperimentRuns, shown: Sequence[Sampled], name: str = "series") -> Chart:
    """Throughput, cwnd, inflight, RTT and queue of one run over time, or of several laid over one another.

    Raises:
        DumbbellError: there is no run.
    """
    if not shown:
        raise DumbbellError('no run with a series to draw: give measure.record = "series" in the spec')
    shown = shown[:MOST_LAID_OVER]
    end_s = max(_end_s(each) for each in shown)
    sample_s = max(each.run.measure.sample_ns for each in shown) / NS_PER_S
    bin_s = _bin_s(end_s, sample_s)
    rows: dict[str, list[Layer]] = {label: [] for label in (*ROWS, EVENTS_ROW)}
    carried = capacity_in_time(shown[0].run.path, end_s) if len(shown) == 1 else None
    for number, each in enumerate(shown):
        where = _where(shown, each)
        by_flow = len(shown) == 1 and len(each.series.result.flows) <= MOST_FLOWS
        drawn = _of_flows(each, end_s, bin_s) if by_flow else _of_groups(runs, each, bin_s, where, number)
        for label, layers in drawn.items():
            rows[label] += layers
        of_link = backlog(each.series, f"queue; {where}" if where else "queue", "link", instance=number)
        rows[ROWS[-1]] += (backlogs(each.series) if len(shown) == 1 else []) or [of_link]
        if len(shown) == 1 and each.run.path.qdisc != FIFO:
            rows[EVENTS_ROW] += queue_counts(each.series, end_s, bin_s)
    rows[ROWS[0]] += [] if carried is None else [capacity(carried, end_s, bin_s)]
    drawn_rows = {label: layers for label, layers in rows.items() if any(len(layer.x) for layer in layers)}
    titles = "; ".join(each.title for each in shown)
    return Chart(
        name=name,
        shape="time",
        title=titles,
        caption=f"Throughput behind the bottleneck in bins of {trimmed(bin_s, ' s', RECORD_DIGITS)}, the senders' cwnd,"
        " inflight and smoothed RTT (means over a group's flows), and the backlog of the bottleneck, sampled every"
        f" {trimmed(1e3 * sample_s, ' ms', RECORD_DIGITS)}."
        f"{' What the line can carry is drawn in the same bins.' if carried else ''}"
        f"{' Packets that its queue dropped and marked are counted by bin.' if EVENTS_ROW in drawn_rows else ''}"
        f" Run{'s' if len(shown) > 1 else ''} {', '.join(each.run_id for each in shown)} on {runs.engine}.",
        panels=panels(end_s, drawn_rows),
        alt=f"Plots over time of {titles}: {', '.join(drawn_rows)}.",
    )


def state(runs: ExperimentRuns, shown: Sequence[Sampled], name: str = "state") -> Chart | None:
    """The state of each algorithm over time: of one run, or of several laid over one another."""
    shown = shown[:MOST_LAID_OVER]
    state_rows = _state_rows()
    rows: dict[str, list[Layer]] = {label: [] for label in state_rows}
    for number, each in enumerate(shown):
        by_flow = len(shown) == 1 and len(each.series.result.flows) <= MOST_FLOWS
        looks = _flow_looks(each) if by_flow else _group_looks(runs, each, _where(shown, each), number)
        for label, layers in _gauges(each, looks, state_rows).items():
            rows[label] += [layer for layer in layers if layer.x]
    drawn_rows = {label: layers for label, layers in rows.items() if layers}
    if not drawn_rows:
        return None
    titles = "; ".join(each.title for each in shown)
    return Chart(
        name=name,
        shape="time",
        title=f"What differs most: {titles}" if len(shown) > 1 else titles,
        caption="Means over a group's flows of what each sender has; what an algorithm has not, or not at an instant,"
        " is left out. inflight_hi, inflight_lo, bw_hi and bw_lo are bounds of BBR version 3, alpha is the mean share"
        f" of marked packets. Run{'s' if len(shown) > 1 else ''} {', '.join(each.run_id for each in shown)}"
        f" on {runs.engine}.",
        panels=panels(max(_end_s(each) for each in shown), drawn_rows),
        alt=f"Plots over time of {titles}: {', '.join(drawn_rows)}.",
    )


def most_different(runs: ExperimentRuns, there: Sequence[Sampled]) -> list[Sampled]:
    """Of the runs that there are, the two whose points differ most: in who has how much, or, of one group, in goodput.

    Both have the seed of the first.
    """
    seed = min((each.seed for each in there), default=0)
    same = [each for each in there if each.seed == seed]
    quantity = QUANTITIES["share" if is_mixed(runs) else "goodput"]

    def level(point: MeasuredPoint) -> float:
        """Of the first group; of equal ones the queue decides."""
        values = point.values(quantity, next(iter(point.ccs), ""))
        return estimate(values).mean if values else math.nan

    known = sorted((each for each in same if not math.isnan(level(each.point))), key=lambda each: level(each.point))
    if len(known) < 2:  # noqa: PLR2004
        return list(same[:1])
    return sorted((known[0], known[-1]), key=same.index)


def rtt_distribution(runs: ExperimentRuns, there: Sequence[Sampled]) -> Chart | None:
    """How the RTTs of each group spread within the window, from the runs that were read.

    A panel a point; senders one at a time, of which only the algorithm differs, share one.
    """
    read = {id(each.point): each.point for each in there}
    by_condition = conditions(runs, read.values())
    if not by_condition:
        return None
    shown = evenly(list(by_condition.items()), MOST_PANELS)
    sweep = Sweep.of(runs)
    drawn = [Panel(
        title=title, x=Axis(label="smoothed RTT (ms)"), y=Axis(label="part of the samples (%)", limits=(0, 100)),
        layers=tuple(layer for point in points for layer in _spread(sweep, point, there, named=len(points) > 1)),
    ) for title, points in shown]  # fmt: skip
    drawn = [panel for panel in drawn if panel.layers]
    if not drawn:
        return None
    points_shown = {id(point) for _, points in shown for point in points}
    used = [each for each in there if id(each.point) in points_shown]
    seeds = sorted({each.seed for each in used})
    left_out = sum(1 for point in runs.points if point.run_ids) - len(points_shown)
    rest = f"; {counted(left_out, 'more point')} not shown" if left_out else ""
    return Chart(
        name="rtt-distribution",
        shape="distribution",
        title="How RTTs are distributed",
        caption="Part of the samples of the senders' smoothed RTT, within the window, that does not exceed each value."
        f" From {counted(len(used), 'run')}, {'seeds' if len(seeds) > 1 else 'seed'} {', '.join(map(str, seeds))}"
        f"{rest}. On {runs.engine}.",
        panels=tuple(drawn),
        columns=column_count(drawn),
        alt="Cumulative distributions of the smoothed RTT of each group.",
    )  # fmt: skip


def _spread(sweep: Sweep, point: MeasuredPoint, there: Sequence[Sampled], *, named: bool) -> Iterator[Layer]:
    """The groups of a point, of all its runs that were read; `named`: by their algorithms."""
    curve_ = next((each for each in sweep.curves if any(point is own for own in each.points)), None)
    if curve_ is None:
        return
    for group, cc in point.ccs.items():
        samples = [
            gauge(each.series, flow.flow, "srtt_s", *each.series.window_s).value
            for each in there
            if each.point is point
            for flow in each.series.result.flows
            if flow.name == group
        ]
        tag = group if len(point.ccs) > 1 else short(cc) if named else ""
        look = replace(sweep.look(group, cc, curve_), label=called(group, cc), tag=tag)
        layer = distribution(look, MS * np.concatenate([*samples, []]), full=100, most=MOST_STEPS)
        if layer.x:
            yield layer


ROWS: Final = ("throughput (Mbit/s)", "cwnd (kB)", "inflight (kB)", "smoothed RTT (ms)", "queue (kB)")
EVENTS_ROW: Final = "packets in a bin"
"""What a managed queue dropped and marked."""
_GAUGES: Final[Mapping[str, tuple[str, float, Kind]]] = {
    ROWS[1]: ("cwnd_bytes", KB, "line"), ROWS[2]: ("inflight_bytes", KB, "line"), ROWS[3]: ("srtt_s", MS, "line"),
}  # fmt: skip
STATE: Final[Mapping[str, tuple[str, Kind]]] = {
    "ssthresh_bytes": ("ssthresh", "points"), "bandwidth_bps": ("bandwidth", "line"), "bw_hi_bps": ("bw_hi", "line"),
    "bw_lo_bps": ("bw_lo", "points"), "inflight_hi_bytes": ("inflight_hi", "points"),
    "inflight_lo_bytes": ("inflight_lo", "points"), "cc_min_rtt_s": ("minimum RTT", "line"),
    "pacing_rate_bps": ("pacing rate", "line"), "pacing_gain": ("pacing gain", "line"),
    "cwnd_gain": ("cwnd gain", "line"), "alpha": ("alpha", "line"),
}  # fmt: skip
"""Gauges of an algorithm: how each is called, and drawn: a bound that comes and goes has points, no line over gaps."""
_UNITS: Final = {"bytes": (" (kB)", KB), "bps": (" (Mbit/s)", MBPS), "s": (" (ms)", MS)}
"""By the end of a column's name: what a row has, and a value is multiplied by."""


def _state_rows() -> dict[str, tuple[str, float, Kind]]:
    units = {column: _UNITS.get(column.rpartition("_")[2], ("", 1.0)) for column in STATE}
    return {f"{name}{units[column][0]}": (column, units[column][1], kind) for column, (name, kind) in STATE.items()}


def _of_flows(each: Sampled, end_s: float, bin_s: float) -> dict[str, list[Layer]]:
    """Each flow's lines: the algorithm's hue, and a dash of its own."""
    looks = _flow_looks(each)
    rates = flow_rates(each.series, (0, min(end_s, _end_s(each))), bin_s, [look.label for _, look, _ in looks])
    named = [replace(layer, style=look.style, tag=name) for layer, (name, look, _) in zip(rates, looks, strict=True)]
    return {ROWS[0]: named, **_gauges(each, looks, _GAUGES)}


def _of_groups(runs: ExperimentRuns, each: Sampled, bin_s: float, where: str, number: int) -> dict[str, list[Layer]]:
    """Each group's lines: summed rates, and the means of its flows' gauges."""
    looks = _group_looks(runs, each, where, number)
    rates = [curve(group_rates(each.series, name, _end_s(each), bin_s), look, MBPS) for name, look, _ in looks]
    return {ROWS[0]: rates, **_gauges(each, looks, _GAUGES)}


_Line: TypeAlias = tuple[str, Look, Sequence[int]]
"""A name, its look, and the flows that it stands for."""


def _flow_looks(each: Sampled) -> list[_Line]:
    flows = each.series.result.flows
    alone = {name for name in each.point.sizes if each.point.sizes[name] == 1}
    names = [flow.name if flow.name in alone else f"{flow.name} {flow.flow}" for flow in flows]
    looks = [
        Look(base_name(flow.cc), flow.flow, called(name, flow.cc)) for name, flow in zip(names, flows, strict=True)
    ]
    return [(name, look, [look.instance]) for name, look in zip(names, looks, strict=True)]


def _group_looks(runs: ExperimentRuns, each: Sampled, where: str, number: int) -> list[_Line]:
    looks: list[_Line] = []
    for group, cc in each.point.ccs.items():
        members = [flow.flow for flow in each.series.result.flows if flow.name == group]
        several = f"{len(members)} flows of " if len(members) > 1 else ""
        label = "; ".join(filter(None, [f"{several}{called(group, cc)}", where]))
        looks.append((group, Look(base_name(cc), len(runs.groups) * number + runs.groups.index(group), label), members))
    return looks


def _gauges(
    each: Sampled, lines: Sequence[_Line], rows: Mapping[str, tuple[str, float, Kind]]
) -> dict[str, list[Layer]]:
    """The gauges of some flows together, by the row that has them."""
    end_s = _end_s(each)
    bin_s = max(each.run.measure.sample_ns / NS_PER_S, end_s / GAUGE_BINS)
    return {
        row: [
            curve(mean_gauge(each.series, members, column, end_s, bin_s), look, factor, kind=kind)
            for _, look, members in lines
        ]
        for row, (column, factor, kind) in rows.items()
    }


def _where(shown: Sequence[Sampled], each: Sampled) -> str:
    """What tells a run from the others that it is laid over."""
    if len(shown) == 1:
        return ""
    points, seeds = len({id(one.point) for one in shown}) > 1, len({one.seed for one in shown}) > 1
    return ", ".join(filter(None, [each.label if points else "", f"seed {each.seed}" if seeds else ""]))


def _end_s(each: Sampled) -> float:
    samples = each.series.queue_series()["time_s"]
    last = (samples if len(samples) else each.series.flow_series()["time_s"].sort_values()).iloc[-1:]
    return float(min([each.run.duration_ns / NS_PER_S, *last]))


def _bin_s(end_s: float, sample_s: float) -> float:
    least_s = max(2 * sample_s, end_s / MOST_BINS, min(USUAL_BIN_S, end_s / FEWEST_BINS))
    return next((bin_s for bin_s in BINS_S if bin_s >= least_s), least_s)
