"""One condition flow by flow, for whoever mends a model: with counters that no summary has, of both engines.

The condition is measured again: engines in virtual time give the same bytes each time.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.summary import summarise
from dumbbell.metrics.window import Activity, Window
from dumbbell.spec import expand, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.comparison.campaigns import Sides
    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment, Point


def flows(experiment: Experiment, sides: Sides, jobs: int | None = None) -> list[dict[str, Any]]:
    """Every flow of every run of an experiment with one point: both engines, all seeds that are compared.

    Raises:
        EngineFailure: an engine could not finish a run.
    """
    (point,) = expand(experiment)
    runs = [(sides.reference, seed) for seed in sides.reference_seeds]
    runs += [(sides.candidate, seed) for seed in sides.candidate_seeds]
    with ThreadPoolExecutor(jobs or min(sides.candidate.slots(), sides.reference.slots())) as pool:
        return list(chain.from_iterable(pool.map(lambda run: list(_flows_of_run(point, *run)), runs)))


def _flows_of_run(point: Point, engine: Engine, seed: int) -> Iterator[dict[str, Any]]:
    """A flow's summary, what was counted of it in its part of the window, and the bottleneck's loss and queue."""
    resolved = resolve(point, seed)
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
