"""From a measurement to how its flows share the path in time: whether they converge, and which of them starve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.metrics.counter import Counter
from dumbbell.metrics.dynamics import FOR_S, MEAN_OVER_S, convergence_time_s
from dumbbell.metrics.starvation import BIN_S, TWO, Starvation, starvation
from dumbbell.metrics.window import Activity, Window
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.spec.flow import Flow
    from dumbbell.spec.run import Run


class Convergence(NamedTuple):
    """Whether the flows came to equal rates, and how long after the last one's start."""

    converged: bool | None
    """None: one flow, one whose application asks for less, queues that not all pass, or too little time with all."""
    time_s: float | None


def convergence(run: Run, flows: Sequence[FlowMeasurement], delivered: Sequence[Counter]) -> Convergence:
    """Of a run; `delivered` has what each flow delivered."""
    there = run.connected
    greedy = all(math.isinf(demand_bps(run.flows[index]) or 0.0) for index in there)
    if not _comparable(run) or not greedy:
        return Convergence(None, None)
    start_s = max(flows[index].started_ns for index in there) / NS_PER_S
    end_s = min(Activity.lifetime(flows[index]).window.end_ns for index in there) / NS_PER_S
    if end_s - start_s < FOR_S + MEAN_OVER_S / 2:
        return Convergence(None, None)
    time_s = convergence_time_s([delivered[index] for index in there], start_s, end_s)
    return Convergence(time_s is not None, time_s)


def starvations(
    run: Run, flows: Sequence[FlowMeasurement], delivered: Sequence[Counter], window: Window
) -> Sequence[Starvation | None]:
    """Of each flow, in the window."""
    if not _comparable(run) or not window.seconds:
        return [None] * len(flows)
    there = run.connected
    lifetimes = [Activity.lifetime(flows[index]).window for index in there]
    starved = starvation(
        [delivered[index] for index in there],
        [(lifetime.begin_ns / NS_PER_S, lifetime.end_ns / NS_PER_S) for lifetime in lifetimes],
        [demand_bps(run.flows[index]) for index in there],
        window.begin_ns / NS_PER_S,
        window.end_ns / NS_PER_S,
    )
    of_flow = dict(zip(there, starved, strict=True))
    return [of_flow.get(index) for index in range(len(flows))]


def delivered(flow: FlowMeasurement) -> Counter:
    """Payload that a flow delivered in order up to each sample, and to its end."""
    earlier = flow.series.at_ns < flow.at_end.at_ns
    at_ns = np.concatenate((flow.series.at_ns[earlier], [flow.at_end.at_ns]))
    counted = np.concatenate((flow.series.delivered_bytes[earlier], [flow.at_end.delivered_bytes]))
    return Counter.of(at_ns / NS_PER_S, counted, start_s=flow.started_ns / NS_PER_S)


def demand_bps(flow: Flow) -> float | None:
    """What an application would send on an endless path: a stream its rate; None where that is not one number."""
    if flow.work.stream:
        return float(flow.work.stream.rate_bps)
    return math.inf if flow.workload == "bulk" or flow.work.transfer else None


def _comparable(run: Run) -> bool:
    """Whether several flows share the same queues, and samples are close enough for bins of a second."""
    return len(run.connected) >= TWO and run.has_one_way and run.measure.sample_ns <= BIN_S * NS_PER_S
