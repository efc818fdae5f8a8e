"""How long a campaign takes on this machine, and what memory and disk: some of its runs are simulated for a moment.

The simulator tells of each run how much there is to do, whatever engine is to do it: it goes as far as it comes in a
tenth of a second, and the rest is what the line carries meanwhile, used as much as before. What that costs on an engine
`campaign.cost` has, for a machine whose pace is measured.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final, TypeAlias

from msgspec import structs

import dumbbell.campaign.cost as cost
from dumbbell.campaign.pace import own_pace, pace_of
from dumbbell.campaign.size import (
    Size,
    active_flows,
    carried_packets,
    demand_packets,
    first_packets,
    longest_rtt_ns,
    span_ns,
)
from dumbbell.campaign.survey import spread
from dumbbell.engines.attempt import Attempt, AttemptingEngine
from dumbbell.engines.protocol import Engine
from dumbbell.engines.resources import memory_mb
from dumbbell.engines.sim import SimEngine
from dumbbell.engines.workers import serve
from dumbbell.errors import EngineFailure
from dumbbell.spec.flow import Controller, Flow
from dumbbell.spec.run import Run
from dumbbell.units import NS_PER_S, PPB

BUDGET_S: Final = 0.2
"""No other run is tried after this long."""
TRIED_S: Final = 0.07
"""How long one of several runs is tried."""
MOMENTS: Final = 8
"""Samples that tell whether more is sent than before."""
GROWS: Final = 1.25
"""What is sent in a part of the time over what was sent in the part before: the windows are growing."""
DOUBLES: Final = 1.6
"""The same in slow start."""
ROUND_TRIPS: Final = 3
"""A run that was not seen for so many has not shown how much it sends."""
LIVE_START_S: Final = 1.0
"""What a run in real time takes beside its duration: its network and its flows are set up and taken away."""
_STEPS: Final = 50
_MB = 10**6

Clock: TypeAlias = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a campaign will take on an engine, none of whose runs is in the store."""

    seconds: float
    """From the command's start to its end, on a machine that does nothing else; or what it takes at least."""
    at_once: int
    """Runs at the same time."""
    core_seconds: float
    """The same with one run at a time."""
    memory_bytes: float
    """Resident at most, in all processes."""
    disk_bytes: float
    """Of its store."""
    at_least: bool
    """The runs that were tried did not come far enough to tell more."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A run that was simulated for a moment."""

    size: Size
    """What the whole of it has, as far as that tells."""
    simulated_s: float
    """Seconds of a core that the simulator takes for the whole."""
    clear: bool
    """It came far enough to tell."""


@dataclass(frozen=True, slots=True)
class Trials:
    """Of some runs that stand for all of a campaign's: what was tried, and what follows for the others."""

    runs: Sequence[Run]
    sizes: Sequence[Size]
    """What each run has."""
    simulated_s: Sequence[float]
    """What the simulator takes for each."""
    clear: bool


def try_some(
    runs: Sequence[Run],
    engine: AttemptingEngine | None = None,
    *,
    clock: Clock = time.thread_time,
) -> Trials:
    """Simulates some of the runs, the largest first, each for a moment.

    `clock`: the seconds that this thread worked.

    Of those that are not tried as much more or less is expected than their specs allow as of the others.
    """
    engine = engine or SimEngine()
    bounds = [Size.of(run) for run in runs]
    units = [cost.SIM.units(size) for size in bounds]
    tried: dict[int, Trial] = {}
    began = time.perf_counter()
    most_s = BUDGET_S if len(runs) == 1 else TRIED_S
    largest = max(range(len(units)), key=units.__getitem__)
    for place in spread(len(units), first=largest):
        try:
            tried[place] = _tried(runs[place], bounds[place], engine, most_s, clock)
        except EngineFailure:  # `run` will say what is wrong
            break
        if time.perf_counter() - began > BUDGET_S:
            break
    a_unit_s = sum(trial.simulated_s for trial in tried.values()) / max(sum(units[place] for place in tried), 1)
    ratios = {name: _ratio(tried, bounds, attrgetter(name)) for name in ("packets", "in_flight", "open")}
    others = [replace(size, **{name: ratio * getattr(size, name) for name, ratio in ratios.items()}) for size in bounds]
    if not tried:
        a_unit_s = cost.SIM_PACKET_S * own_pace()
    return Trials(
        runs=runs,
        sizes=[tried[place].size if place in tried else size for place, size in enumerate(others)],
        simulated_s=[tried[place].simulated_s if place in tried else a_unit_s * own for place, own in enumerate(units)],
        clear=bool(tried) and all(trial.clear for trial in tried.values()),
    )


def forecast(
    trials: Trials, engine: Engine, runs: int, jobs: int | None = None, start_s: float | None = None
) -> Forecast:
    """What so many runs will take, of which those that were tried are a sample.

    `jobs`: runs at once. `start_s`: what the command takes beside them, where that is known better than by the pace of
    a loop.
    """
    at_once = min(jobs or engine.slots(), runs)
    share, pace = runs / len(trials.runs), own_pace()
    overheads_s = [pace * cost.overhead_s(size, run) for size, run in zip(trials.sizes, trials.runs, strict=True)]
    if engine.live:
        engine_s = [live_s([run]) for run in trials.runs]
    elif engine.name == SimEngine.name:
        engine_s = list(trials.simulated_s)
    else:
        packet_s = pace_of(engine) * cost.LINUX_PACKET_S
        engine_s = [pace * cost.LINUX_START_S + packet_s * cost.LINUX.units(size) for size in trials.sizes]
    each_s = [own + overhead_s for own, overhead_s in zip(engine_s, overheads_s, strict=True)]
    start_s = pace * cost.START_S if start_s is None else start_s
    core_seconds = start_s + share * sum(each_s)
    workers = serve(engine, runs, at_once)
    serial_s = (cost.STORED if workers else 1.0) * share * sum(overheads_s)
    seconds = start_s + max(*each_s, share * sum(each_s) / at_once, serial_s)
    sized = zip(trials.sizes, trials.runs, strict=True)
    memory_bytes = max(_memory_bytes(size, run, engine) for size, run in sized) + (cost.WORKER_BYTES if workers else 0)
    return Forecast(
        seconds=seconds,
        at_once=at_once,
        core_seconds=core_seconds,
        memory_bytes=cost.PROCESS_BYTES + at_once * memory_bytes,
        disk_bytes=cost.STORE_BYTES + share * sum(map(cost.disk_bytes, trials.sizes, trials.runs)),
        at_least=not (trials.clear or engine.live),
    )


def rough_s(runs: Sequence[Run], engine: Engine, count: int) -> float:
    """Seconds of a core that so many runs like these take, quickly told by what they may send, and mostly too many."""
    if engine.live:
        return count / len(runs) * live_s(runs)
    packet_s = cost.SIM_PACKET_S if engine.name == SimEngine.name else cost.LINUX_PACKET_S
    weights = cost.SIM if engine.name == SimEngine.name else cost.LINUX
    sizes = map(Size.of, runs)
    each_s = (
        packet_s * weights.units(size) + cost.overhead_s(size, run) for size, run in zip(sizes, runs, strict=True)
    )
    return own_pace() * count / len(runs) * sum(each_s)


def live_s(runs: Iterable[Run]) -> float:
    """Seconds that runs take in real time, one after the other; fewer where a run may end before its duration does."""
    return sum(LIVE_START_S + run.duration_ns / NS_PER_S for run in runs)


def _memory_bytes(size: Size, run: Run, engine: Engine) -> float:
    """What a run holds while an engine measures it, in this process and in a guest."""
    if engine.name == SimEngine.name:
        return cost.memory_bytes(size, run)
    own = cost.memory_bytes(replace(size, in_flight=0.0, open=0.0), run)
    if engine.live:  # the kernel that works is the machine's own
        return own
    return own + min(cost.guest_bytes(size), (memory_mb(run) or math.inf) * _MB)


def _tried(run: Run, bound: Size, engine: AttemptingEngine, most_s: float, clock: Clock) -> Trial:
    began, work_began_s = time.perf_counter(), clock()
    attempt = engine.attempt(_simulated(run), most_s)
    worked_s, took_s = clock() - work_began_s, time.perf_counter() - began
    flown = _expected(run, bound, attempt)
    if attempt.ended:
        return Trial(flown, worked_s, clear=True)
    going_s = worked_s * min(1.0, most_s / max(took_s, 1e-9))  # the rest is how it was set up
    if not attempt.segments_sent:
        total_s = max(worked_s, own_pace() * cost.SIM_PACKET_S * cost.SIM.units(flown))
        return Trial(flown, total_s, clear=False)
    part = cost.SIM.units(_done(run, bound, attempt))
    total_s = worked_s + going_s * (max(1.0, cost.SIM.units(flown) / max(part, 1.0)) - 1)
    return Trial(flown, total_s, clear=_is_clear(run, attempt))


def _is_clear(run: Run, attempt: Attempt) -> bool:
    begin_ns, _ = span_ns(run)
    return attempt.segments_sent > 0 and attempt.ended_ns > begin_ns + ROUND_TRIPS * longest_rtt_ns(run)


def _done(run: Run, bound: Size, attempt: Attempt) -> Size:
    """What the part of a run had that was simulated."""
    part = min(1.0, attempt.ended_ns / run.duration_ns)
    return replace(
        bound,
        packets=attempt.segments_sent,
        flows=sum(flow.start_ns <= attempt.ended_ns for flow in run.flows),
        transfers=attempt.transfers_started,
        moments=part * bound.moments,
        looks=part * bound.moments * (attempt.transfers_started - attempt.transfers_completed) / 2,
        samples=active_flows(run, 0, attempt.ended_ns) * attempt.ended_ns / run.measure.sample_ns,
    )


def _expected(run: Run, bound: Size, attempt: Attempt) -> Size:
    """What the whole of a run has, after a part of it."""
    if attempt.ended:
        peak = attempt.peak_packets + carried_packets(run, 0, longest_rtt_ns(run))
        part = attempt.ended_ns / run.duration_ns
        return replace(
            bound,
            packets=attempt.segments_sent,
            moments=part * bound.moments,
            samples=part * bound.samples,
            in_flight=min(bound.in_flight, attempt.segments_sent, peak),
        )
    begin_ns, end_ns = span_ns(run)
    since_ns = max(begin_ns, attempt.ended_ns)
    rest = _usage(run, attempt) * carried_packets(run, since_ns, end_ns)
    lost = 1 - run.path.mean_loss_ppb / PPB
    remaining_packets = max(0.0, demand_packets(run) - attempt.delivered_bytes / run.path.mss_bytes) / lost
    packets = max(attempt.segments_sent + min(rest, remaining_packets), first_packets(run))
    return replace(bound, packets=packets, in_flight=min(bound.in_flight, packets))


def _usage(run: Run, attempt: Attempt) -> float:
    """Packets that are sent for each that the line could carry, in the rest of a run."""
    begin_ns, end_ns = span_ns(run)
    since_ns, rest_ns = attempt.ended_ns, max(1, end_ns - attempt.ended_ns)
    if not attempt.segments_sent:
        return 1.0
    lost = 1 - run.path.mean_loss_ppb / PPB if run.path.loss_at == "before" else 1.0
    seen = attempt.passed[bisect_left(attempt.passed, (begin_ns, 0)) :]
    if len(seen) < MOMENTS:
        passed_packets = max(attempt.segments_sent * lost - attempt.queued_packets, 1.0)
        usage, before, recent_ns = passed_packets / max(carried_packets(run, begin_ns, since_ns), 1.0), 0.0, 0.0
        early_ns = begin_ns
    else:
        moments = (seen[len(seen) // 2], seen[3 * len(seen) // 4], seen[-1])
        (early_ns, middle_ns, late_ns), counts = zip(*moments, strict=True)
        before = (counts[1] - counts[0]) / max(carried_packets(run, early_ns, middle_ns), 1e-9)
        after = (counts[2] - counts[1]) / max(carried_packets(run, middle_ns, late_ns), 1e-9)
        usage = (counts[2] - counts[0]) / max(carried_packets(run, early_ns, late_ns), 1e-9)
        recent_ns = late_ns - middle_ns
        if before > 0 and after > GROWS * before and after < 1 and _is_clear(run, attempt):
            return _grown(before, after, rest_ns / recent_ns) / lost
    if usage < 1:
        flows = active_flows(run, early_ns, since_ns) or 1.0
        usage = min(1.0, usage * active_flows(run, since_ns, end_ns) / flows)
    return usage / lost


def _grown(before: float, after: float, rest: float) -> float:
    """The mean usage of a rest of so many parts of time, of which the last two had these."""
    growth = after / before

    def at(part: float) -> float:
        if growth > DOUBLES:
            return after * math.exp(min(part * math.log(growth), -math.log(after)))
        return after + part * (after - before)

    return sum(min(1.0, at(rest * (step + 0.5) / _STEPS)) for step in range(_STEPS)) / _STEPS


def _simulated(run: Run) -> Run:
    """A run that the simulator can take for one that it cannot: programs send what they can, and every ACK counts."""
    known = SimEngine().algorithms()

    def simulated(flow: Flow) -> Flow:
        if flow.cc is None or (flow.algorithm in known and not flow.work.command):
            return flow
        cc = flow.cc if flow.algorithm in known else Controller(algorithm="cubic", parameters={})
        return structs.replace(flow, cc=cc, workload="bulk" if flow.work.command else flow.workload)

    flows = tuple(map(simulated, run.flows))
    path = run.path if run.path.jitter_ns is not None else structs.replace(run.path, jitter_ns=0)
    measure = structs.replace(run.measure, ss_ns=None)
    return structs.replace(run, flows=flows, path=path, measure=measure)


def _ratio(tried: dict[int, Trial], bounds: Sequence[Size], part: Callable[[Size], float]) -> float:
    """What the runs that were tried have of what their specs allow."""
    allowed = sum(part(bounds[place]) for place in tried)
    return sum(part(trial.size) for trial in tried.values()) / allowed if allowed else 1.0
