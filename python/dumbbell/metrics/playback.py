"""What a stream's receiver sees: how late its data comes, and how often and how long playing it would stall.

A write is due when it was written plus what an empty path takes: the one-way delay, and the time of its frames on the
line. When it was delivered is known to within one `measure.sample`, as the delivered bytes are sampled: between two
samples it is interpolated, but for at most twice the lateness that is certain. So what may have been in time was.

Playback is that of a player which starts as soon as it has `STARTUP_S` of the stream, plays in the time in which the
stream was written, and, when what comes next is not there, waits until it has as much again. Number and length of these
stalls are what ITU-T P.1203.3 rates (its stalling events without the initial loading, which no stall counts here).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.metrics.counter import Floats
from dumbbell.metrics.window import Window
from dumbbell.spec.flow import Flow, Stream, Trace
from dumbbell.spec.frame import wire_bytes
from dumbbell.spec.path import Path
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

STARTUP_S = 1.0
"""How much of the stream a player has before it plays, at the start and after a stall."""
MOST_WRITES = 100_000
"""Of a stream, that are looked at one by one."""


class Lateness(NamedTuple):
    """Of writes that were due in a stretch of time, seconds; 0 of one that was in time."""

    mean_s: float
    p95_s: float
    max_s: float


class Stalls(NamedTuple):
    """When playing waits for data."""

    times: int
    total_s: float


class Writes(NamedTuple):
    """What a stream's application writes, and what became of it; arrays with an entry a write, in order."""

    at_s: Floats
    """When it is written, in the stream's own time, which begins as the connection is established."""
    due_s: Floats
    """When an empty path would have delivered it, in the run's time."""
    delivered_s: Floats
    """When it was, in the run's time, and not before it was due; infinity: not by the flow's end."""


def writes_of(path: Path, flow: Flow, measured: FlowMeasurement) -> Writes | None:
    """The writes of a stream or a trace, and when they were delivered; None of another workload."""
    if flow.work.stream:
        at_ns, upto = _of_stream(flow.work.stream)
    elif flow.work.trace:
        at_ns, upto = _of_trace(flow.work.trace)
    else:
        return None
    payload = np.diff(upto, prepend=0.0).astype(np.int64)
    on_lines_s = wire_bytes(payload, path.mtu_bytes, path.overhead_bytes) * (BITS_PER_BYTE / path.rate_bps)
    if flow.access:
        on_lines_s += wire_bytes(payload, path.mtu_bytes) * (BITS_PER_BYTE / flow.access.rate_bps)
    at_s = at_ns / NS_PER_S
    due_s = _established_s(measured) + at_s + flow.forward_delay_ns / NS_PER_S + on_lines_s
    return Writes(at_s, due_s, _delivered_s(measured, upto, due_s))


def lateness(writes: Writes, window: Window, ended_s: float) -> Lateness | None:
    """How late the writes come that are due in a window; None where none is.

    What was not delivered when the flow ended counts as late until then.
    """
    begin_s, end_s = window.begin_ns / NS_PER_S, min(window.end_ns / NS_PER_S, ended_s)
    inside = (writes.due_s > begin_s) & (writes.due_s <= end_s)
    late_s = np.minimum(writes.delivered_s[inside], ended_s) - writes.due_s[inside]
    if late_s.size == 0:
        return None
    return Lateness(float(late_s.mean()), float(np.percentile(late_s, 95)), float(late_s.max()))


def stalls(writes: Writes, ended_s: float, startup_s: float = STARTUP_S) -> Stalls | None:
    """How often and how long a player waits from its start to the flow's end; None where it never starts."""
    there_s = np.maximum.accumulate(writes.delivered_s)
    # how far a player must have come behind the stream's own time for each write to be there when it is played
    lags_s = there_s - writes.at_s
    enough = np.searchsorted(writes.at_s, writes.at_s + startup_s) - 1
    lag_s, times, total_s, index = float(there_s[enough[0]] - writes.at_s[0]), 0, 0.0, 0
    if not there_s[enough[0]] < ended_s:
        return None
    while True:
        missing = np.flatnonzero(lags_s[index:] > lag_s)
        if missing.size == 0:
            return Stalls(times, total_s)
        index += int(missing[0])
        begin_s, again_s = float(writes.at_s[index] + lag_s), float(there_s[enough[index]])
        if begin_s >= ended_s:
            return Stalls(times, total_s)
        times, total_s = times + 1, total_s + min(again_s, ended_s) - begin_s
        if again_s >= ended_s:
            return Stalls(times, total_s)
        lag_s = again_s - float(writes.at_s[index])


def _of_stream(stream: Stream) -> tuple[Floats, Floats]:
    """When it writes, ns, and how many bytes it has written by then; very many writes are taken several at a time."""
    step_ns = stream.every_ns * -(-stream.for_ns // (stream.every_ns * MOST_WRITES))
    until_ns = [*range(step_ns, stream.for_ns, step_ns), stream.for_ns]
    at_ns = np.array([(until - 1) // stream.every_ns * stream.every_ns for until in until_ns], dtype=np.float64)
    upto = np.array([until * stream.rate_bps // (BITS_PER_BYTE * NS_PER_S) for until in until_ns], dtype=np.float64)
    some = np.diff(upto, prepend=0.0) > 0  # a slow stream has less than a byte at times
    return at_ns[some], upto[some]


def _of_trace(trace: Trace) -> tuple[Floats, Floats]:
    at_ns = np.array([write.at_ns for write in trace.writes], dtype=np.float64)
    return at_ns, np.cumsum([write.bytes for write in trace.writes], dtype=np.float64)


def _established_s(measured: FlowMeasurement) -> float:
    """When the connection was there: one round trip after connect(), between the samples that have none and one."""
    at_ns, srtt_us = measured.series.at_ns, measured.series.srtt_us
    known = np.flatnonzero(srtt_us)
    if known.size == 0:
        return measured.started_ns / NS_PER_S
    first = int(known[0])
    before_ns = int(at_ns[first - 1]) if first else measured.started_ns
    guess_ns = measured.started_ns + 1000 * int(srtt_us[first])
    return min(max(guess_ns, before_ns), int(at_ns[first])) / NS_PER_S


def _delivered_s(measured: FlowMeasurement, upto: Floats, due_s: Floats) -> Floats:
    """When each write was delivered; `upto` counts bytes."""
    times: npt.NDArray[np.float64] = measured.series.at_ns.astype(np.float64)
    counts = measured.series.delivered_bytes.astype(np.float64)
    last_ns = measured.at_end.at_ns if measured.completed_ns is None else measured.completed_ns
    earlier = times < last_ns
    times = np.concatenate(([measured.started_ns], times[earlier], [last_ns])) / NS_PER_S
    counts = np.concatenate(([0.0], counts[earlier], [measured.at_end.delivered_bytes]))
    after = np.searchsorted(counts, upto)
    there = after < counts.size
    after = np.minimum(after, counts.size - 1)
    grown = np.maximum(counts[after] - counts[after - 1], 1)
    part = (upto - counts[after - 1]) / grown
    between_s = times[after - 1] + part * (times[after] - times[after - 1])
    certainly_s = np.maximum(times[after - 1] - due_s, 0.0)
    late_s = np.clip(between_s - due_s, 0.0, 2 * certainly_s)
    return np.where(there, due_s + late_s, np.inf)
