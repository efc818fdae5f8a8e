"""Every flow of every run of one condition, with counters that no summary has: why two engines differ there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import chain
from typing import Any, Final

from dumbbell.comparison.campaigns import Sides, points
from dumbbell.engines.protocol import Engine
from dumbbell.errors import ComparisonError
from dumbbell.metrics.summary import summarise
from dumbbell.metrics.window import Activity, Window
from dumbbell.problem import suggestion
from dumbbell.spec import Experiment, Point, expand, load, resolve
from dumbbell.tables.table import Amount, Table

COLUMNS: Final = {
    "flow": ("flow", 1.0), "name": ("name", 1.0), "engine": ("engine", 1.0), "seed": ("seed", 1.0),
    "Mbit/s": ("goodput_bps", 1e-6), "RTT ms": ("rtt_mean_s", 1e3), "min ms": ("rtt_min_s", 1e3),
    "cwnd": ("cwnd_mean_segments", 1.0), "sent": ("segments_sent", 1.0), "retrans %": ("retransmit_rate", 100.0),
    "lost": ("lost", 1.0), "dropped": ("dropped", 1.0), "timeouts": ("timeouts", 1.0), "probes": ("probes", 1.0),
    "undos": ("undos", 1.0), "acks": ("acks", 1.0), "path loss %": ("loss_rate", 100.0),
    "queue BDP": ("queue_mean_bdp", 1.0),
}  # fmt: skip
"""Heading, key and scale."""


def chosen(experiments: Sequence[Experiment], name: str) -> Experiment:
    """The condition of that name, or of that number, with nothing swept.

    Raises:
        ComparisonError: there is none.
    """
    conditions = [pair for experiment in experiments for pair in points(experiment)]
    for number, (known, point) in enumerate(conditions, start=1):
        if name in (known, str(number)):
            return load(point)
    names = [known for known, _ in conditions]
    raise ComparisonError(f'--show: there is no condition "{name}"; {suggestion(name, names)}')


def flows(experiment: Experiment, sides: Sides, jobs: int | None = None) -> list[dict[str, Any]]:
    """Every flow of every run of an experiment with one point, with counters that no summary has.

    All seeds that are compared are measured again on both engines, which in virtual time gives the same bytes.

    Raises:
        EngineFailure: an engine could not finish a run.
    """
    (point,) = expand(experiment)
    requests = [(sides.reference, seed) for seed in sides.reference_seeds]
    requests += [(sides.candidate, seed) for seed in sides.candidate_seeds]
    with ThreadPoolExecutor(jobs or min(engine.slots() for engine, _ in requests)) as pool:
        return list(chain.from_iterable(pool.map(lambda run: list(_flows_of_run(point, *run)), requests)))


def table(measured: Sequence[dict[str, Any]]) -> Table:
    """A row a flow of a run, those of one flow together."""
    rows = [
        [
            value if isinstance(value, str | int) else Amount(value, factor=scale)
            for value, scale in ((flow[key], scale) for key, scale in COLUMNS.values())
        ]
        for flow in sorted(measured, key=lambda flow: int(flow["flow"]))
    ]
    return Table.of(COLUMNS, rows)


def _flows_of_run(point: Point, engine: Engine, seed: int) -> Iterator[dict[str, Any]]:
    """A flow's summary, what was counted of it in its part of the window, and the bottleneck's loss and queue."""
    resolved = resolve(point, seed, live=engine.live)
    measurement = engine.measure(resolved.run)
    summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
    window = Window.of(resolved.run.measure, measurement.ended_ns)
    for flow, measured in zip(summary.flows, measurement.flows, strict=True):
        activity = Activity.within(window, measured)
        counted, series = activity.counted, measured.series
        cwnd = series.cwnd_segments
        cwnd = cwnd[activity.window.holds(series.at_ns)] if len(cwnd) else cwnd
        yield {
            "engine": engine.name,
            "seed": seed,
            **asdict(flow),
            "lost": counted.segments_lost,
            "timeouts": counted.timeouts,
            "probes": counted.probes,
            "undos": counted.undos,
            "dropped": counted.dropped_packets,
            "random_lost": counted.random_lost_packets,
            "acks": counted.acks,
            "cwnd_mean_segments": float(cwnd.mean()) if cwnd.size else None,
            "loss_rate": summary.bottleneck.loss_rate,
            "queue_mean_bdp": summary.bottleneck.queue_mean_bdp,
        }
