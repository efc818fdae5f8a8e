"""A run drawn over time: rates of flows or groups, gauges and the queue as layers, on panels that share their time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from dumbbell.cc import base_name
from dumbbell.charts.chart import TIME, Axis, Kind, Layer, Panel
from dumbbell.charts.shapes import Look, scatter
from dumbbell.metrics.counter import Counter, rates_bps
from dumbbell.results.run_series import (
    QueueCount,
    RunSeries,
    Samples,
    backlog_bytes,
    backlogs_bytes,
    group_rates_bps,
    middles,
    queue_events,
    received,
)  # fmt: skip

EVENTS: Final[tuple[QueueCount, ...]] = ("dropped", "marked")
KB, MBPS, MS = 1e-3, 1e-6, 1e3
"""In base units' place: what a value is multiplied by."""


def flow_styles(run: RunSeries) -> list[str]:
    """Each flow's style: its algorithm's, or "flow 1", "flow 2", … where several flows have the same one."""
    ccs = [base_name(flow.cc) for flow in run.result.flows]
    alike = len(ccs) > 1 and len(set(ccs)) == 1
    return [f"flow {flow.flow + 1}" if alike else cc for flow, cc in zip(run.result.flows, ccs, strict=True)]


def curve(samples: Samples, look: Look, factor: float, *, kind: Kind = "line") -> Layer:
    """Samples, multiplied into the unit that they are drawn in."""
    return scatter(look, samples.time_s.tolist(), (factor * samples.value).tolist(), kind=kind)


def flow_rates(
    run: RunSeries, span: tuple[float, float], bin_s: float, labels: Sequence[str], factor: float = MBPS
) -> list[Layer]:
    """Each flow's throughput in frames behind the bottleneck, from its first bin with any on; `labels`: one a flow."""
    layers = []
    for index, (counted, style) in enumerate(zip(received(run).values(), flow_styles(run), strict=True)):
        rates = rates_bps(counted, *span, bin_s)
        first = int((rates > 0).argmax()) if rates.size else 0
        samples = Samples(middles(span, bin_s)[first:], rates[first:])
        layers.append(curve(samples, Look(style, index, labels[index]), factor))
    return layers


def group_rates(run: RunSeries, group: str, end_s: float, bin_s: float) -> Samples:
    """The summed throughput of a group's flows from the run's beginning on, in bit/s."""
    return Samples(middles((0, end_s), bin_s), group_rates_bps(run, group, 0, end_s, bin_s))


def capacity(carried: Counter, end_s: float, bin_s: float) -> Layer:
    """What a line can carry, in the bins of the throughput."""
    samples = Samples(middles((0, end_s), bin_s), rates_bps(carried, 0, end_s, bin_s))
    return replace(curve(samples, Look("link", 0, "capacity of the line"), MBPS), tag="line")


def backlog(run: RunSeries, label: str, style: str = "queue", *, instance: int = 0) -> Layer:
    """The bottleneck's queue in kB."""
    return curve(backlog_bytes(run), Look(style, instance, label), KB)


def backlogs(run: RunSeries) -> list[Layer]:
    """Every queue in kB, by the hop's name; empty where there is one queue."""
    queues = backlogs_bytes(run).items()
    return [
        replace(curve(samples, Look("link", place, f"queue; {name}"), KB), tag=name)
        for place, (name, samples) in enumerate(queues)
    ]


def queue_counts(run: RunSeries, end_s: float, bin_s: float) -> list[Layer]:
    """What the bottleneck's queue dropped, and what it marked: a mark is not a drop, and has another shape."""
    layers = (
        curve(queue_events(run, what, end_s, bin_s), Look(what, label=f"{what} by the queue"), 1.0, kind="points")
        for what in EVENTS
    )
    return [layer for layer in layers if layer.x]


def panels(end_s: float, rows: Mapping[str, Iterable[Layer]]) -> tuple[Panel, ...]:
    """A panel for each label of a y axis, all with the time from 0 on."""
    time = Axis(label=TIME, limits=(0, end_s))
    return tuple(Panel(x=time, y=Axis(label=name, limits=(0, None)), layers=tuple(rows[name])) for name in rows)
