"""A capture of real traffic as an engine: it measures a run by reading what its packets did.

What packets do not show is not known: the queue and its drops, a sender's cwnd, and far from the sender its RTTs.
`docs/model/pcap.md` says how each number is made.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

import dumbbell._core as _core
import dumbbell.cc as cc
from dumbbell.captures import experiment, text
from dumbbell.captures.analysis import Analysis, CaptureError, Sink, analyse
from dumbbell.captures.traffic import FlowTraffic, traffic
from dumbbell.engines import line_limits
from dumbbell.engines.catalogue import catalogue
from dumbbell.engines.identity import hash_of
from dumbbell.engines.measurement import (
    AckSamples,
    FlowCounters,
    FlowMeasurement,
    FlowSeries,
    Histogram,
    Measurement,
    unseen_queue,
)
from dumbbell.engines.programs import Program
from dumbbell.errors import DumbbellError, EngineFailure
from dumbbell.metrics.number import counted, percent
from dumbbell.problem import Problem
from dumbbell.spec.quantity import Bytes, Time
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import numpy.typing as npt

    from dumbbell.captures.connection import CapturedFlow
    from dumbbell.captures.traffic import Integers
    from dumbbell.spec.flow import Flow
    from dumbbell.spec.run import Run

SOURCES: Final = ("capture.py", "../captures/experiment.py", "../captures/traffic.py")
NEAR: Final = {0: "client", 1: "server"}
"""What is said of a capture near the sender of a flow, by `from_server`."""
SAME_SIZE: Final = 0.01
"""Transfers that differ by less are one."""
SHORT_NS: Final = NS_PER_S
"""What a capture may be shorter than the window: the duration of a spec of a capture is in whole seconds."""
SMOOTHING: Final = 8
"""Of the RTT: each sample counts an eighth (RFC 6298)."""
_BINS: Final = 64 * 52
"""Of a histogram: up to 2^57 ns."""
NS_PER_US: Final = 1_000
_Kind = TypeVar("_Kind", bound=np.unsignedinteger[Any])


class PairedFlow(NamedTuple):
    """A flow of a run, by its number, and that of the capture which stands for it."""

    number: int
    flow: Flow
    captured: CapturedFlow
    traffic: FlowTraffic


class Clock(NamedTuple):
    """When the capture shows what a flow's ends did at an instant of the run; nanoseconds."""

    zero_ns: int
    """The run's beginning, since 1970."""
    lead_ns: int
    """From what its sender does to the capture."""
    back_ns: int
    """From what its receiver does."""

    def sender(self, at_ns: Integers | int) -> Integers:
        return np.asarray(at_ns + self.zero_ns + self.lead_ns, np.int64)

    def receiver(self, at_ns: Integers | int) -> Integers:
        return np.asarray(at_ns + self.zero_ns + self.back_ns, np.int64)


class CaptureEngine:
    """Reads a file, of which each run is another view; needs nothing but the file."""

    live = False
    allows_programs = False

    def __init__(self, file: str) -> None:
        """Raises CaptureError: there is no such file."""
        self.file, self.name = Path(file), f"capture:{file}"
        if not self.file.is_file():
            problem = "it is no file" if self.file.exists() else "there is no such file"
            raise CaptureError(f"engine {self.name}: {problem}; write capture:FILE")
        self._lock = RLock()

    def identity(self) -> str:
        """SHA-256 over the capture, and what reads it."""
        return hash_of([self._sha256, _core.__version__], SOURCES)

    def algorithms(self) -> cc.Registry:
        """All that there are: a run says which its flows had, and packets seldom contradict it."""
        return catalogue()

    def programs(self, run: Run) -> list[Program]:
        """None."""
        del run
        return []

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """What of a run the capture is not: its flows, their sizes, its length; and records of what packets lack."""
        return list(_problems(run, self._flows, self._analysis))

    def ready(self) -> None:
        """Returns at once."""

    def slots(self) -> int:
        """One: it is read once, and what is left to do is short."""
        return 1

    def measure(self, run: Run) -> Measurement:
        """Reads from the capture what the run asks for."""
        try:
            with self._lock:
                analysis, flows, every = self._analysis, self._flows, self._traffic
        except DumbbellError as error:
            raise EngineFailure(str(error)) from None
        pairs = [
            PairedFlow(number, run.flows[number], flows[place], every[place])
            for number, place in enumerate(_assigned(run, flows))
        ]
        first = min(pairs, key=lambda pair: pair.captured.connection.start_ns)
        zero_ns = first.captured.connection.start_ns - first.flow.start_ns - _clock(first, 0).lead_ns
        clocks = [_clock(pair, zero_ns) for pair in pairs]
        last_ns = (analysis.report.end_ns or 0) - zero_ns - min(clock.back_ns for clock in clocks)
        ended_ns = max(0, min(run.duration_ns, last_ns))
        measured = [_measured(run, *each, ended_ns) for each in zip(pairs, clocks, strict=True)]
        done = [flow.completed_ns for flow in measured]
        if run.until_done and None not in done:
            ended_ns = max(each or 0 for each in done)
        return Measurement(
            ended_ns=ended_ns,
            flows=tuple(measured),
            bottleneck=unseen_queue(run, ended_ns),
            facts=dict(_facts(self.file, self._sha256, analysis, pairs)),
        )

    def stop(self) -> None:
        """Nothing: it leaves nothing behind."""

    @cached_property
    def _sha256(self) -> str:
        try:
            with self.file.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise CaptureError(f"{self.file}: {error.strerror or error}") from None

    @cached_property
    def _analysis(self) -> Analysis:
        return analyse(self.file, Sink())

    @cached_property
    def _flows(self) -> Sequence[CapturedFlow]:
        return experiment.in_order(experiment.one_way(self._analysis))

    @cached_property
    def _traffic(self) -> Sequence[FlowTraffic]:
        return traffic(self.file, self._flows)


def _problems(run: Run, flows: Sequence[CapturedFlow], analysis: Analysis) -> Iterator[Problem]:
    if len(run.flows) != len(flows):
        message = (
            f"{counted(len(run.flows), 'flow')}, and the capture has {counted(len(flows), 'flow')} with data one way"
        )
        yield Problem("flows", message, f"`dumbbell pcap {analysis.file} --spec FILE` writes a spec that has as many")
        return
    if not run.has_one_way:
        message = "flows that go different ways, and the data of one way is measured"
        yield Problem("flows", message, "let all flows have the same direction and route")
    for field in line_limits.fields(run):
        yield Problem(field, "the capture is of the path that it was taken on", "leave it out")
    if run.measure.qlog:
        yield Problem("measure.record", '"qlog" is of what a sender does within, which no packet shows', "leave it out")
    if run.measure.ss_ns:
        yield Problem("measure.ss", "`ss` is of a running host, and a capture has ended", "leave it out")
    window_ns, length_ns = run.measure.window_end_ns, (analysis.report.end_ns or 0) - flows[0].connection.start_ns
    for number, place in enumerate(_assigned(run, flows)):
        flow, captured = run.flows[number], flows[place]
        is_complete = captured.sent.flow is not None and captured.sent.flow.size_bytes.value is not None
        yield from _of_workload(f"flows[{number}].workload", flow, captured, is_complete=is_complete)
        if not is_complete and window_ns - flow.start_ns > length_ns + SHORT_NS:
            message = f"ends at {Time.show(window_ns)}, and the capture after {Time.show(length_ns, 4)}"
            yield Problem("measure.window", message, "let it end there at the latest")
            return


def _of_workload(path: str, flow: Flow, captured: CapturedFlow, *, is_complete: bool) -> Iterator[Problem]:
    work = flow.work
    if work.arrivals or work.pages or work.command or flow.cc is None:
        what = (
            "many connections"
            if work.arrivals or work.pages
            else "what a program said"
            if work.command
            else "datagrams"
        )
        yield Problem(path, f"{what}, and a flow of a capture is one connection", 'workload = "bulk", or a transfer')
    sent = captured.sent.unique_bytes
    if (
        work.transfer
        and (is_complete or sent > work.transfer.bytes)
        and abs(sent / work.transfer.bytes - 1) > SAME_SIZE
    ):
        sizes = (Bytes.show(work.transfer.bytes), Bytes.show(sent))
        yield Problem(path, "a transfer of {}, and the capture's flow has {}".format(*sizes), "write as much")


def _assigned(run: Run, flows: Sequence[CapturedFlow]) -> list[int]:
    """The flow of the capture that stands for each flow of the run, by its place.

    Both are taken in the order in which they start: those of one algorithm by themselves, where the packets say that
    there are as many of each as in the run.
    """
    ours = [flow.algorithm for flow in run.flows]
    theirs = [experiment.algorithm_of(flow) or "" for flow in flows]
    known = sorted(ours) == sorted(theirs)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(theirs):
        places[name if known else ""].append(place)
    assigned = [0] * len(ours)
    for number in sorted(range(len(ours)), key=lambda number: run.flows[number].start_ns):
        assigned[number] = places[ours[number] if known else ""].pop(0)
    return assigned


def _near_sender(flow: CapturedFlow) -> bool:
    return flow.connection.capture_point == NEAR[flow.from_server]


def _clock(pair: PairedFlow, zero_ns: int) -> Clock:
    """Its base RTT is the run's: an ACK was sent one way back earlier, and a packet a way there."""
    if _near_sender(pair.captured):
        return Clock(zero_ns, 0, pair.flow.return_delay_ns)
    far = pair.captured.connection.capture_point == NEAR[1 - pair.captured.from_server]
    return Clock(zero_ns, pair.flow.forward_delay_ns if far else 0, 0)


def _measured(run: Run, pair: PairedFlow, clock: Clock, ended_ns: int) -> FlowMeasurement:
    data, measure, sent = pair.traffic, run.measure, pair.captured.sent
    started_ns = max(0, pair.captured.connection.start_ns - int(clock.sender(0)))
    last_ns = _completed_ns(pair, clock)
    over_ns = max(started_ns, min(each for each in (ended_ns, pair.flow.stop_ns, last_ns) if each is not None))
    ends_ns = [min(measure.window_begin_ns, ended_ns), min(measure.window_end_ns, ended_ns), over_ns]
    begin, end, at_end = (_counters(pair, clock, at_ns, (started_ns, over_ns)) for at_ns in ends_ns)
    near = _near_sender(pair.captured)
    rtt_at_ns, rtt_ns = data.rtts.at_ns - int(clock.sender(0)), data.rtts.rtt_ns
    seen = (rtt_at_ns <= over_ns) & near
    within = seen & (rtt_at_ns > measure.window_begin_ns) & (rtt_at_ns <= measure.window_end_ns)
    sampled_ns = measure.sample_ns * np.arange(started_ns // measure.sample_ns + 1, over_ns // measure.sample_ns + 1)
    return FlowMeasurement(
        started_ns=started_ns,
        completed_ns=None if pair.flow.workload == "bulk" else last_ns,
        at_window_begin=begin,
        at_window_end=end,
        at_end=at_end,
        rtt_min_ns=sent.ack_rtt.least_ns if sent.ack_rtt and near else None,
        ack_rtt=_histogram(rtt_ns[within]),
        series=_series(pair, clock, sampled_ns),
        acks=AckSamples(at_ns=rtt_at_ns[seen].astype(np.uint64), rtt_ns=rtt_ns[seen].astype(np.uint64)),
        phases=(),
    )


def _completed_ns(pair: PairedFlow, clock: Clock) -> int | None:
    """When its last byte was delivered: of a transfer of its size, or before its end; None: the capture has it not."""
    sent, delivered = pair.captured.sent, pair.traffic.delivered_bytes
    last_ns = sent.last_acked_ns if sent.flow and sent.flow.size_bytes.value is not None else None
    if pair.flow.work.transfer:
        reached = np.searchsorted(delivered.total, pair.flow.work.transfer.bytes)
        last_ns = int(delivered.at_ns[reached]) if reached < delivered.at_ns.size else last_ns
    return None if last_ns is None else last_ns - int(clock.receiver(0))


def _counters(pair: PairedFlow, clock: Clock, at_ns: int, life_ns: tuple[int, int]) -> FlowCounters:
    """Up to an instant. What limits a sender is known of its life only, and is spread evenly over it."""
    data, limits = pair.traffic, pair.captured.sent.limits
    begin_ns, end_ns = life_ns
    part = min(1.0, max(0, at_ns - begin_ns) / max(1, end_ns - begin_ns))
    sender, receiver = clock.sender(at_ns), clock.receiver(at_ns)
    return FlowCounters(
        at_ns=at_ns,
        delivered_bytes=int(data.delivered_bytes.at(receiver)),
        bottleneck_bytes=int(_passed_bytes(pair, clock, np.array([at_ns]))[0]),
        segments_sent=int(data.segments.at(sender)),
        segments_retransmitted=int(data.again.at(sender)),
        acks=int(data.acks.at(sender)),
        app_limited_ns=round(part * limits.application_ns) if limits else 0,
        rwnd_limited_ns=round(part * limits.receiver_ns) if limits else 0,
        sndbuf_limited_ns=0,
        **dict.fromkeys(
            (
                "segments_lost",
                "timeouts",
                "probes",
                "undos",
                "dropped_packets",
                "random_lost_packets",
                "marked_packets",
                "delivered_ce",
                "cwr_reductions",
            ),
            None,
        ),
    )


def _passed_bytes(pair: PairedFlow, clock: Clock, at_ns: Integers) -> Integers:
    """Bytes of its frames that left the bottleneck: as captured; near the sender by the data that arrived."""
    data = pair.traffic
    if not _near_sender(pair.captured):
        return data.wire_bytes.at(clock.receiver(at_ns))
    instants = clock.receiver(at_ns)
    arrived = np.maximum(data.arrived_bytes.at(instants), data.delivered_bytes.at(instants))
    sent = pair.captured.sent
    return np.round(arrived * (int(data.wire_bytes.total[-1]) / sent.payload_bytes)).astype(np.int64)


def _series(pair: PairedFlow, clock: Clock, at_ns: Integers) -> FlowSeries:
    data, near = pair.traffic, _near_sender(pair.captured)
    sender, receiver = clock.sender(at_ns), clock.receiver(at_ns)

    def unknown(kind: type[_Kind]) -> npt.NDArray[_Kind]:
        return np.full(at_ns.size, np.iinfo(kind).max, kind)

    samples = data.smoothed_rtts
    opening = [pair.captured.connection.handshake.rtt_ns] if pair.captured.connection.handshake.rtt_ns else []
    smoothed_ns = list(
        accumulate([*opening, *samples.rtt_ns.tolist()], lambda srtt, rtt: srtt + (rtt - srtt) / SMOOTHING)
    )
    last = np.searchsorted(samples.at_ns, sender, side="right") - 1 + len(opening)
    srtt_us = np.where((last >= 0) & near, np.array([*smoothed_ns, 0])[last] / NS_PER_US, 0)
    segments = -(-data.outstanding.at(sender) // data.segment_bytes)
    return FlowSeries(
        at_ns=at_ns.astype(np.uint64),
        srtt_us=srtt_us.astype(np.uint32),
        delivered_bytes=data.delivered_bytes.at(receiver).astype(np.uint64),
        bottleneck_bytes=_passed_bytes(pair, clock, at_ns).astype(np.uint64),
        inflight_segments=segments.astype(np.uint32) if near else unknown(np.uint32),
        cwnd_segments=unknown(np.uint32), ssthresh_segments=unknown(np.uint32), min_rtt_us=unknown(np.uint32),
        cc_min_rtt_us=unknown(np.uint32), pacing_rate_bps=unknown(np.uint64), delivery_rate_bps=unknown(np.uint64),
        bandwidth_bps=unknown(np.uint64), pacing_gain_256ths=unknown(np.uint16), cwnd_gain_256ths=unknown(np.uint16),
        bw_hi_bps=unknown(np.uint64), bw_lo_bps=unknown(np.uint64), inflight_hi_segments=unknown(np.uint32),
        inflight_lo_segments=unknown(np.uint32), alpha_ppm=unknown(np.uint32), phase=np.zeros(at_ns.size, np.uint8),
    )  # fmt: skip


def _histogram(values_ns: Integers) -> Histogram:
    bounds = np.array([Histogram.lower_bound(index) for index in range(_BINS)])
    bins = np.searchsorted(bounds, values_ns, side="right") - 1
    first = int(bins.min(initial=_BINS)) if bins.size else 0
    counts = np.bincount(bins - first).astype(np.uint32)
    return Histogram(first_bin=first, counts=counts, count=values_ns.size, sum=int(values_ns.sum()))


def _facts(file: Path, sha256: str, analysis: Analysis, pairs: Sequence[PairedFlow]) -> Iterator[tuple[str, str]]:
    yield "capture.file", file.name
    yield "capture.sha256", sha256
    yield "capture.frames", str(analysis.report.frames["frames"])
    yield "capture.connections", str(analysis.report.connections)
    for pair in pairs:
        flow = f"flows[{pair.number}]"
        source, target = pair.captured.source, pair.captured.target
        yield f"{flow}.sender", str(source)
        yield f"{flow}.receiver", str(target)
        yield f"{flow}.captured", text.NEAR.get(pair.captured.connection.capture_point, "it is not known where")
        if not _near_sender(pair.captured):
            yield f"{flow}.unseen", "RTTs, what was in flight, and packets that were lost before the capture"
        said = experiment.algorithm_of(pair.captured)
        if said is not None and said != pair.flow.algorithm:
            sure = pair.captured.sent.algorithm
            yield f"{flow}.cc", f"{said} by its packets" + (f", sure to {percent(sure.confidence)}" if sure else "")
    if notes := "; ".join(text.notices(analysis)):
        yield "capture.notes", notes
