"""One condition flow by flow, for whoever mends a model: counters that no summary keeps, of both engines.

The condition is measured again: engines in virtual time give the same bytes each time.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from dumbbell.agreement.record import Number
from dumbbell.metrics.summary import summarise
from dumbbell.metrics.window import Activity, Window
from dumbbell.spec import expand, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.agreement.gathering import Sides
    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment, Point


class FlowFigures(BaseModel):
    """One flow of one run, in its part of the window; null: the engine cannot see it."""

    model_config = ConfigDict(allow_inf_nan=False, extra="forbid", frozen=True, use_attribute_docstrings=True)

    engine: str
    """Which."""
    seed: int
    """Of the run."""
    flow: int
    """Its index."""
    name: str
    """Its group."""
    cc: str
    """Its algorithm."""
    start_s: Number
    """When it started, jitter included."""
    goodput_bps: Number | None
    """As in the summary."""
    rtt_mean_s: Number | None
    """As in the summary."""
    rtt_min_s: Number | None
    """As in the summary."""
    retransmit_rate: Number | None
    """As in the summary."""
    segments_sent: int
    """Data segments, retransmissions included."""
    retransmits: int
    """Segments retransmitted."""
    lost: int | None
    """Segments that the sender marked lost."""
    timeouts: int | None
    """Retransmission timeouts."""
    probes: int | None
    """Tail loss probes."""
    undos: int | None
    """Recoveries undone as spurious."""
    dropped: int | None
    """Its frames that the queue dropped."""
    random_lost: int | None
    """Its frames that random loss took."""
    acks: int
    """ACKs that came to the sender."""
    cwnd_mean_segments: Number | None
    """Mean of the gauge in the window."""
    app_limited_s: Number
    """Time with nothing to send."""
    rwnd_limited_s: Number
    """Time held back by the receiver's window."""
    loss_rate: Number | None
    """Of the bottleneck, for all flows."""
    queue_mean_bdp: Number | None
    """Of the bottleneck, for all flows."""


def flows(experiment: Experiment, sides: Sides, jobs: int | None = None) -> list[FlowFigures]:
    """Every flow of every run of an experiment with one point: both engines, all seeds that are compared.

    Raises:
        EngineFailure: an engine could not finish a run.
    """
    (point,) = expand(experiment)
    asked = [(sides.reference, seed) for seed in sides.reference_seeds]
    asked += [(sides.candidate, seed) for seed in sides.candidate_seeds]
    with ThreadPoolExecutor(jobs or min(sides.candidate.slots(), sides.reference.slots())) as pool:
        found = pool.map(lambda each: list(_of_a_run(point, *each)), asked)
        return [flow for of_a_run in found for flow in of_a_run]


def _of_a_run(point: Point, engine: Engine, seed: int) -> Iterator[FlowFigures]:
    resolved = resolve(point, seed)
    measurement = engine.measure(resolved.run)
    summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
    window = Window.of(resolved.run.measure, measurement.ended_ns)
    for told, measured in zip(summary.flows, measurement.flows, strict=True):
        activity = Activity.within(window, measured)
        counted, series = activity.counted, measured.series
        within = activity.window.holds(series.at_ns)
        cwnd = series.cwnd_segments[within] if len(series.cwnd_segments) else series.cwnd_segments
        yield FlowFigures(
            engine=engine.name,
            seed=seed,
            flow=told.flow,
            name=told.name,
            cc=told.cc,
            start_s=told.start_s,
            goodput_bps=told.goodput_bps,
            rtt_mean_s=told.rtt_mean_s,
            rtt_min_s=told.rtt_min_s,
            retransmit_rate=told.retransmit_rate,
            segments_sent=told.segments_sent,
            retransmits=told.retransmits,
            lost=counted.segments_lost,
            timeouts=counted.timeouts,
            probes=counted.probes,
            undos=counted.undos,
            dropped=counted.dropped_packets,
            random_lost=counted.random_lost_packets,
            acks=counted.acks,
            cwnd_mean_segments=float(cwnd.mean()) if cwnd.size else None,
            app_limited_s=told.app_limited_s,
            rwnd_limited_s=told.rwnd_limited_s,
            loss_rate=summary.bottleneck.loss_rate,
            queue_mean_bdp=summary.bottleneck.queue_mean_bdp,
        )
