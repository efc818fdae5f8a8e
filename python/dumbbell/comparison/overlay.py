"""One condition in time: both engines over one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.comparison.charts import algorithm
from dumbbell.metrics.counter import Counter, edges, rates_bps
from dumbbell.spec.quantity import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    import numpy.typing as npt
    import pandas as pd

    from dumbbell.comparison.record import Agreement, Condition, Group
    from dumbbell.results.store import Store
    from dumbbell.spec import Run

    Floats: TypeAlias = npt.NDArray[np.float64]
    Curve: TypeAlias = Callable[["_Series", Group], tuple[Floats, Floats]]

BINS: Final = 300
"""Of a gauge over the run, at most: their means are drawn where a group has several flows."""
RATE_BINS: Final = 120
"""Of throughput: half a second of a run of a minute."""
LOOKS: Final = ("flow 1", "flow 3")
"""Of reference and candidate, where colours need not tell algorithms apart."""
KILO, MEGA, MILLI = 1e3, 1e6, 1e-3


class _Series:
    """One run's series."""

    def __init__(self, store: Store, engine: str, run_id: str) -> None:
        self.engine = engine
        self.run: Run = store.run(run_id)
        self.flows: pd.DataFrame = store.flow_series(run_id)
        self.queue: pd.DataFrame = store.queue_series(run_id)
        self.end_s = self.run.duration_ns / NS_PER_S
        self.sample_s = self.run.measure.sample_ns / NS_PER_S

    def members(self, group: Group) -> list[tuple[int, pd.DataFrame]]:
        """Flows of a group, by number."""
        own = self.flows[self.flows["name"] == group.name]
        return [(int(str(flow)), frame) for flow, frame in own.groupby("flow")]


def in_time(store: Store, agreement: Agreement, condition: Condition, name: str, title: str) -> Chart:
    """Goodput and cwnd of each group, smoothed RTT, and the queue, of both engines' first seeds.

    Raises:
        StoreError: the runs kept no series, or they are damaged.
    """
    ours, theirs = condition.candidate[0], condition.reference[0]
    sides = [
        _Series(store, agreement.reference.engine, theirs.run_id),
        _Series(store, agreement.candidate.engine, ours.run_id),
    ]
    if sides[0].engine == sides[1].engine:
        for side, run in zip(sides, (theirs, ours), strict=True):
            side.engine = f"{side.engine}, seed {run.seed}"
    time = Axis(label="time (s)", limits=(0, sides[0].end_s))
    rows = (
        ("throughput (Mbit/s)", _layers(sides, condition.groups, _throughput)),
        ("cwnd a flow (kB)", _layers(sides, condition.groups, lambda s, g: _gauge(s, g, "cwnd_bytes", KILO))),
        ("smoothed RTT (ms)", _layers(sides, condition.groups, lambda s, g: _gauge(s, g, "srtt_s", MILLI))),
        ("queue (kB)", tuple(_backlogs(sides))),
    )
    return Chart(
        name=name,
        title=title,
        caption=f"Both engines with their first seeds ({theirs.seed} and {ours.seed}). Throughput of each group behind"
        f" the bottleneck in bins of {sides[0].end_s / RATE_BINS:g} s; cwnd and smoothed RTT are means over a group's"
        f" flows; the queue is the bottleneck's. Runs {theirs.run_id} and {ours.run_id}.",
        panels=tuple(Panel(x=time, y=Axis(label=label, limits=(0, None)), layers=layers) for label, layers in rows),
        alt=f"Four plots over time of {title}: throughput, congestion window, smoothed RTT and queue on both engines.",
    )


def _layers(sides: Sequence[_Series], groups: Sequence[Group], curve: Curve) -> tuple[Layer, ...]:
    """A line a group and an engine: the algorithm's colour and the engine's dash; of one group the engine's look."""
    layers = []
    for number, group in enumerate(groups):
        for which, side in enumerate(sides):
            x, y = (tuple(column.tolist()) for column in curve(side, group))
            look = algorithm(group.cc) if len(groups) > 1 else LOOKS[which]
            layers.append(
                Layer(label=f"{group.name}, {side.engine}", style=look, x=x, y=y, instance=2 * number + which)
            )
    return tuple(layers)


def _throughput(side: _Series, group: Group) -> tuple[Floats, Floats]:
    """Middles of bins, and the group's Mbit/s in them."""
    bin_s = side.end_s / RATE_BINS
    at = edges(0, side.end_s, bin_s)
    total = np.zeros(at.size - 1)
    for flow, frame in side.members(group):
        start_s = side.run.flows[flow].start_ns / NS_PER_S
        counted = Counter.of(frame["time_s"], frame["bottleneck_bytes"], start_s=start_s)
        total += rates_bps(counted, 0, side.end_s, bin_s)
    return at[:-1] + bin_s / 2, total / MEGA


def _gauge(side: _Series, group: Group, gauge: str, unit: float) -> tuple[Floats, Floats]:
    """The samples of one flow as they are; of several their mean in each bin."""
    frames = [frame[["time_s", gauge]].dropna() for _, frame in side.members(group)]
    time = np.concatenate([frame["time_s"].to_numpy(np.float64) for frame in frames])
    value = np.concatenate([frame[gauge].to_numpy(np.float64) for frame in frames]) / unit
    if len(frames) == 1:
        return time, value
    width = max(side.sample_s, side.end_s / BINS)
    at = edges(0, side.end_s, width)
    count, _ = np.histogram(time, at)
    total, _ = np.histogram(time, at, weights=value)
    known = count > 0
    return (at[:-1] + width / 2)[known], (total[known] / count[known]).astype(np.float64)


def _backlogs(sides: Sequence[_Series]) -> Iterator[Layer]:
    for instance, side in enumerate(sides):
        time, backlog = side.queue["time_s"], side.queue["backlog_bytes"] / KILO
        yield Layer(
            label=f"queue, {side.engine}", style=LOOKS[instance], x=tuple(time), y=tuple(backlog), instance=instance
        )
