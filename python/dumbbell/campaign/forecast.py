"""How long a campaign will take on this machine: some of its runs are tried, and tell how fast the others are."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from dumbbell.campaign.execution import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec.run import ArrivalsWorkload, Flow, Run, StreamWorkload, TraceWorkload, TransferWorkload, Workload
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

BUDGET_S: Final = 1.0
"""Nothing more is tried after this long; what has begun is finished."""
TRIED_S: Final = 0.3
"""About as long a tried run takes; a longer one is tried for a part of its time."""
FIRST_PACKETS: Final = 20_000
"""Of a tried run while nothing is known of the speed."""
WARMING_PACKETS: Final = 500
SHORTEST_NS: Final = 1_000_000
LIVE_START_S: Final = 1.0
"""What a run in real time takes beside its duration: its network and its flows are set up and taken away."""


@dataclass(slots=True)
class _Tried:
    """What was tried: runs, their packets, and the wall time of all."""

    runs: int = 0
    packets: float = 0.0
    seconds: float = 0.0


def packets(run: Run) -> float:
    """What the bottleneck can carry at its first rate, or less where all flows together have less to send.

    The time of a run is nearly proportional to it on every engine that has a virtual clock.
    """
    carried_bytes = run.path.rate_bps * run.duration_ns / NS_PER_S / BITS_PER_BYTE
    return min(carried_bytes, sum(map(_asked_bytes, run.flows))) / run.path.frame_bytes


def live_s(runs: Iterable[Run]) -> float:
    """Seconds that runs take in real time, one after the other; fewer where a run may end before its duration does."""
    return sum(LIVE_START_S + run.duration_ns / NS_PER_S for run in runs)


def forecast_s(runs: Sequence[Planned], engine: Engine) -> float:
    """Seconds that these runs will take if none of them is in the store, as many at once as the machine can.

    In real time that is known, and nothing is tried.

    Some from all over the sweep are carried out for about a second, into a store that is then removed, so that all
    counts that a campaign does. Long ones are tried for two parts of their time: a run has a cost of its own beside
    that of its packets.

    Raises:
        EngineFailure: a run that was tried failed.
    """
    if engine.live:
        return live_s(each.resolved.run for each in runs)
    at_once = min(engine.slots(), len(runs))
    identity = engine.identity()
    spread = _spread(runs)
    with (
        tempfile.TemporaryDirectory(prefix="dumbbell-") as folder,
        Store.open(Path(folder), write=True) as store,
        ThreadPoolExecutor(at_once) as pool,
    ):

        def carry_out(planned: Planned) -> None:
            outcome, measurement = execute(planned, engine, identity)
            if outcome.status == "failed":
                raise EngineFailure(outcome.error)
            store.put(outcome, planned.resolved, measurement, identity=identity)

        def attempt(most_packets: float, tried: _Tried) -> None:
            batch = [_shortened(next(spread), most_packets) for _ in range(at_once)]
            began = time.perf_counter()
            list(pool.map(carry_out, batch))
            tried.seconds += time.perf_counter() - began
            tried.runs += at_once
            tried.packets += sum(packets(each.resolved.run) for each in batch)

        attempt(WARMING_PACKETS, _Tried())  # what is loaded once is not counted
        short, long = _Tried(), _Tried()
        began = time.perf_counter()
        attempt(FIRST_PACKETS, short)
        most_packets = max(FIRST_PACKETS, TRIED_S / short.seconds * short.packets / at_once)
        while time.perf_counter() - began < BUDGET_S - TRIED_S or not long.runs:
            attempt(most_packets, long)
    a_run_s, a_packet_s = _costs(short, long)
    return a_run_s * len(runs) + a_packet_s * sum(packets(each.resolved.run) for each in runs)


def _costs(short: _Tried, long: _Tried) -> tuple[float, float]:
    """Seconds of a run, and of each of its packets: those that explain both; or packets alone, where none do."""
    determinant = short.runs * long.packets - long.runs * short.packets
    if determinant > short.runs * long.packets / 2:  # runs of about one length tell no cost of a run
        a_run_s = (short.seconds * long.packets - long.seconds * short.packets) / determinant
        a_packet_s = (short.runs * long.seconds - long.runs * short.seconds) / determinant
        if a_run_s >= 0 and a_packet_s >= 0:
            return a_run_s, a_packet_s
    return 0.0, (short.seconds + long.seconds) / max(short.packets + long.packets, 1.0)


def _spread(runs: Sequence[Planned]) -> Iterator[Planned]:
    """The first run, then others from all over the sweep, again and again."""
    step = max(1, round(len(runs) * (math.sqrt(5) - 1) / 2))
    while math.gcd(step, len(runs)) > 1:
        step += 1
    place = 0
    while True:
        yield runs[place]
        place = (place + step) % len(runs)


def _shortened(planned: Planned, most_packets: float) -> Planned:
    """A run of so many packets at most: all its times are as much shorter, and what it transfers is as much less."""
    run = planned.resolved.run
    part = min(1.0, most_packets / max(packets(run), 1.0))
    if part == 1:
        return planned
    duration_ns = max(SHORTEST_NS, round(part * run.duration_ns))
    part = duration_ns / run.duration_ns
    flows = [
        flow.model_copy(
            update={
                "start_ns": round(part * flow.start_ns),
                "stop_ns": None if flow.stop_ns is None else max(round(part * flow.stop_ns), 1),
                "workload": _part_of(flow.workload, part),
            }
        )
        for flow in run.flows
    ]
    changes = tuple(each.model_copy(update={"at_ns": round(part * each.at_ns)}) for each in run.path.changes)
    begin_ns, end_ns = (round(part * each) for each in (run.measure.window_begin_ns, run.measure.window_end_ns))
    shorter = run.model_copy(
        update={
            "duration_ns": duration_ns,
            "flows": tuple(flows),
            "path": run.path.model_copy(update={"changes": changes}),
            "measure": run.measure.model_copy(update={"window_begin_ns": begin_ns, "window_end_ns": end_ns}),
        }
    )
    return replace(planned, resolved=replace(planned.resolved, run=shorter))


def _part_of(workload: Workload, part: float) -> Workload:
    match workload:
        case TransferWorkload(transfer=transfer):
            return TransferWorkload(
                transfer=transfer.model_copy(update={"bytes": max(1, round(part * transfer.bytes))})
            )
        case StreamWorkload(stream=stream):
            shorter = max(stream.every_ns, round(part * stream.for_ns))
            return StreamWorkload(stream=stream.model_copy(update={"for_ns": shorter}))
        case ArrivalsWorkload(arrivals=arrivals):
            first = arrivals.arrivals[: max(1, round(part * len(arrivals.arrivals)))]
            return ArrivalsWorkload(arrivals=arrivals.model_copy(update={"arrivals": first}))
        case _:
            return workload


def _asked_bytes(flow: Flow) -> float:
    """What a flow has to send; infinite of one that never ends."""
    match flow.workload:
        case TransferWorkload(transfer=transfer):
            return transfer.bytes
        case StreamWorkload(stream=stream):
            return stream.rate_bps * stream.for_ns / NS_PER_S / BITS_PER_BYTE
        case TraceWorkload(trace=trace):
            return sum(write.bytes for write in trace.writes)
        case ArrivalsWorkload(arrivals=arrivals):
            return sum(size for _, size in arrivals.arrivals)
        case _:
            return math.inf
