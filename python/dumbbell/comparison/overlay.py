"""One condition in time: both engines over one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dumbbell.cc import base_name
from dumbbell.charts.chart import Chart, Layer
from dumbbell.charts.in_time import KB, MBPS, MS, backlog, curve, group_rates, panels
from dumbbell.charts.shapes import Look
from dumbbell.comparison.record import Agreement, Condition, Group
from dumbbell.metrics.number import trimmed
from dumbbell.results.run_series import RunSeries, Samples, mean_gauge, stored
from dumbbell.results.store import Store
from dumbbell.units import NS_PER_S

BINS: Final = 300
"""Of a gauge over the run, at most: their means are drawn where a group has several flows."""
RATE_BINS: Final = 120
"""Of throughput: half a second of a run of a minute."""
LOOKS: Final = ("flow 1", "flow 3")
"""Of reference and candidate, where colours need not tell algorithms apart."""


def in_time(store: Store, agreement: Agreement, condition: Condition, name: str, title: str) -> Chart:
    """Goodput and cwnd of each group, smoothed RTT, and the queue, of both engines' first seeds.

    Raises:
        StoreError: the runs kept no series, or they are damaged.
    """
    reference, candidate = condition.reference[0], condition.candidate[0]
    engines = agreement.engine_names[::-1]
    runs = [stored(store, run.run_id) for run in (reference, candidate)]
    spec = store.run(reference.run_id)
    end_s, sample_s = spec.duration_ns / NS_PER_S, spec.measure.sample_ns / NS_PER_S
    bin_s = end_s / RATE_BINS

    def mean(run: RunSeries, group: Group, column: str) -> Samples:
        members = [flow.flow for flow in run.result.flows if flow.name == group.name]
        return mean_gauge(run, members, column, end_s, max(sample_s, end_s / BINS))

    def layers(factor: float, samples: Callable[[RunSeries, Group], Samples]) -> Sequence[Layer]:
        """A line a group and an engine: the algorithm's colour and the engine's dash; of one group the engine's."""
        return [
            curve(samples(run, group), Look(
                base_name(group.cc) if len(condition.groups) > 1 else LOOKS[which],
                2 * number + which, f"{group.name}, {engine}",
            ), factor)
            for number, group in enumerate(condition.groups)
            for which, (engine, run) in enumerate(zip(engines, runs, strict=True))
        ]  # fmt: skip

    return Chart(
        name=name,
        title=title,
        caption=f"Both engines with their first seeds ({reference.seed} and {candidate.seed}). Throughput of each group"
        f" behind the bottleneck in bins of {trimmed(bin_s, ' s')}; cwnd and smoothed RTT are means over a group's"
        f" flows; the queue is the bottleneck's. Runs {reference.run_id} and {candidate.run_id}.",
        panels=panels(end_s, {
            "throughput (Mbit/s)": layers(MBPS, lambda run, group: group_rates(run, group.name, end_s, bin_s)),
            "cwnd a flow (kB)": layers(KB, lambda run, group: mean(run, group, "cwnd_bytes")),
            "smoothed RTT (ms)": layers(MS, lambda run, group: mean(run, group, "srtt_s")),
            "queue (kB)": [
                backlog(run, f"queue, {engine}", look, instance=number)
                for number, (run, engine, look) in enumerate(zip(runs, engines, LOOKS, strict=True))
            ],
        }),
        alt=f"Four plots over time of {title}: throughput, congestion window, smoothed RTT and queue on both engines.",
    )  # fmt: skip
