"""What every engine gives back: counters, gauges and histograms, as integers in the unit that each name carries.

The fields are those of `crates/run/src/measurement.rs`, which `crates/py/src/column.rs` hands over by their names.
There is no mean, no percentile and no verdict here: these are `dumbbell.metrics`' to compute, once for all engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dumbbell.spec.run import Run

    U8 = npt.NDArray[np.uint8]
    U16 = npt.NDArray[np.uint16]
    U32 = npt.NDArray[np.uint32]
    U64 = npt.NDArray[np.uint64]


UNSEEN = 2**64 - 1
"""Value of a counter that an engine cannot see, as engines write it."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Measurement:
    """The counters, gauges and histograms of one run."""

    ended_ns: int
    """When the run ended: its duration, or when the last transfer was complete."""
    flows: tuple[FlowMeasurement, ...]
    """One entry a flow, in the run's order."""
    bottleneck: QueueMeasurement
    hops: tuple[HopMeasurement, ...] = ()
    """Every queue of the path, the bottleneck's among them, where there is more than one: in the order in which data
    meets them, then those of the way back."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What it was measured on, for its provenance: kernel release, settings, queueing disciplines."""
    ss: tuple[SsSample, ...] = ()
    """What `ss` said of the senders' connections, if it was asked."""

    @classmethod
    def from_core(cls, raw: Mapping[str, Any]) -> Self:
        """Wraps what `_core.measure` and `_core.measurement` return; the arrays are not copied."""
        return cls(
            ended_ns=raw["ended_ns"],
            flows=tuple(FlowMeasurement.from_core(flow) for flow in raw["flows"]),
            bottleneck=QueueMeasurement.from_core(raw["bottleneck"]),
            hops=tuple(HopMeasurement(hop["name"], QueueMeasurement.from_core(hop["queue"])) for hop in raw["hops"]),
            facts=raw["facts"],
            ss=tuple(SsSample(**sample) for sample in raw["ss"]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class HopMeasurement:
    """One queue of several."""

    name: str
    queue: QueueMeasurement


@dataclass(frozen=True, slots=True, kw_only=True)
class SsSample:
    """What `ss -tin` printed at one instant."""

    at_ns: int
    text: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlowMeasurement:
    """Counters, samples and gauges of one flow.

    Of a source of short transfers, and of a client, all of its connections together: counters are sums over them,
    closed ones included; gauges are those of its open connections, with bytes (closed connections included), cwnd,
    segments in flight and rates summed, `srtt_us` the mean of those that have one, `min_rtt_us` the least; the others
    are "none".
    """

    started_ns: int
    """When it called connect(); of a source its start."""
    completed_ns: int | None
    """When its last byte was delivered, for a workload that has one; of a source when all that arrives was complete."""
    at_window_begin: FlowCounters
    at_window_end: FlowCounters
    at_end: FlowCounters
    """At the flow's end: when it stopped, or the run did."""
    rtt_min_ns: int | None
    """The smallest raw round-trip sample of the whole flow; None when no ACK came."""
    ack_rtt: Histogram
    """Per-ACK round-trip samples within the window, nanoseconds; of pings those of the ones sent within it."""
    series: FlowSeries
    acks: AckSamples
    """Per-ACK samples of the whole run, when the run records them."""
    phases: tuple[str, ...]
    """Names of the algorithm's phases; `series.phase` is an index into them."""
    transfers: Transfers | None = None
    """The short transfers of a source; None for every other workload."""
    pages: PageLoads | None = None
    """The pages of a client; None for every other workload."""
    program: Program | None = None
    """What a program of the user's own said and how it ended; None for every other workload."""
    datagrams: SentDatagrams | None = None
    """The datagrams of the window, pings among them; None for every other workload."""
    delay: Histogram | None = None
    """How long those that arrived were under way, nanoseconds; None for pings and for every other workload."""
    frames: MediaFrames | None = None
    """The frames of the window, of media; None for every other workload."""

    @property
    def is_unseen(self) -> bool:
        """Whether its program does not speak TCP: what it sends passes the queue, but nobody counts it."""
        return self.program is not None and not self.at_end.segments_sent and not self.at_end.delivered_bytes

    @classmethod
    def from_core(cls, raw: Mapping[str, Any]) -> Self:
        """Wraps one entry of `flows`."""
        return cls(
            started_ns=raw["started_ns"],
            completed_ns=raw["completed_ns"],
            at_window_begin=FlowCounters.from_core(raw["at_window_begin"]),
            at_window_end=FlowCounters.from_core(raw["at_window_end"]),
            at_end=FlowCounters.from_core(raw["at_end"]),
            rtt_min_ns=raw["rtt_min_ns"],
            ack_rtt=Histogram(**raw["ack_rtt"]),
            series=FlowSeries(**raw["series"]),
            acks=AckSamples(**raw["acks"]),
            phases=tuple(raw["phases"]),
            transfers=Transfers.from_core(raw.get("transfers")),
            pages=PageLoads.from_core(raw.get("pages")),
            program=Program.from_core(raw.get("program")),
            datagrams=None if raw.get("datagrams") is None else SentDatagrams(**raw["datagrams"]),
            delay=None if raw.get("delay") is None else Histogram(**raw["delay"]),
            frames=MediaFrames.from_core(raw.get("frames")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFrames:
    """Frames of a media source that were captured within the window, but for those that may still come in time."""

    captured: int
    late: int
    """Of them those that were not complete within the deadline, or never."""
    delay: Histogram
    """From the capture to the last packet's arrival, nanoseconds, of those that were complete at all."""

    @classmethod
    def from_core(cls, raw: Mapping[str, Any] | None) -> Self | None:
        """Wraps what the engine gave."""
        if raw is None:
            return None
        return cls(captured=raw["captured"], late=raw["late"], delay=Histogram(**raw["delay"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentDatagrams:
    """Datagrams that were sent within the window, up to the last one that arrived at all, of a ping its answer."""

    sent: int
    lost: int
    """Of them those that never arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program of the user's own, at both of its ends."""

    client: ProgramEnd
    """The command at the sender."""
    server: ProgramEnd | None
    """The server at the receiver, if there is one."""

    @classmethod
    def from_core(cls, raw: Mapping[str, Any] | None) -> Self | None:
        """Wraps both ends; None where there is no program."""
        if raw is None:
            return None
        server = raw["server"]
        return cls(client=ProgramEnd(**raw["client"]), server=None if server is None else ProgramEnd(**server))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """One process of a program."""

    argv: Sequence[str]
    """Its words as they were filled in."""
    began_ns: int
    """When it was started; 0 of a server, which is there before the run begins."""
    ended_ns: int | None
    """When it ended by itself; None: the flow's stop or the run's end ended it."""
    status: int | None
    """The status with which it ended by itself; None: as above."""
    stdout: str
    stderr: str


NEVER_NS = 2**64 - 1
"""An instant of `Transfers` or `PageLoads` that did not come, as engines write it."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Transfers:
    """The short transfers of a source: columns with one entry for each arrival of the run, in its order."""

    started_ns: U64
    """When it called connect(); `NEVER_NS`: it has not by the source's end (when that stopped, or the run ended)."""
    completed_ns: U64
    """When its last byte was delivered; `NEVER_NS`: not by the source's end."""
    segments_sent: U64
    """Data segments sent until it was complete, or the source's end; retransmissions included."""
    segments_retransmitted: U64

    @classmethod
    def from_core(cls, raw: Mapping[str, Any] | None) -> Self | None:
        """Wraps the columns; None where there are no transfers."""
        return cls(**raw) if raw is not None and len(raw["started_ns"]) else None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PageLoads:
    """The pages of a client: columns with one entry for each that it has begun, in order."""

    started_ns: U64
    """When the first request of the page was written."""
    loaded_ns: U64
    """When the last byte of its last object had arrived; `NEVER_NS`: not by the client's end."""
    bytes: U64
    """Payload of all its objects that were requested."""

    @classmethod
    def from_core(cls, raw: Mapping[str, Any] | None) -> Self | None:
        """Wraps the columns; None where there are no pages."""
        return cls(**raw) if raw is not None and len(raw["started_ns"]) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCounters:
    """Cumulative counters of one flow at one instant. None: the engine cannot see it; real stacks do not tell all."""

    at_ns: int
    delivered_bytes: int
    """Payload delivered in order: the receiver's next expected byte."""
    bottleneck_bytes: int
    """Bytes of its frames, headers included, that left the bottleneck."""
    segments_sent: int
    """Data segments sent, retransmissions included."""
    segments_retransmitted: int
    segments_lost: int | None
    """Segments that the sender marked lost."""
    acks: int
    """ACKs that arrived at the sender."""
    timeouts: int | None
    probes: int | None
    """Tail loss probes."""
    undos: int | None
    """Recoveries that were undone as spurious."""
    dropped_packets: int | None
    """Its frames that the bottleneck's queue dropped."""
    random_lost_packets: int | None
    marked_packets: int | None
    """Its frames that the queues of the path marked."""
    delivered_ce: int | None
    """Segments whose ACK had ECE."""
    cwr_reductions: int | None
    """Times that ECE began a reduction of the window."""
    app_limited_ns: int
    """Time with nothing to send."""
    rwnd_limited_ns: int
    """Time held back by the receiver's window."""
    sndbuf_limited_ns: int
    """Time held back by the send buffer."""

    @classmethod
    def from_core(cls, raw: Mapping[str, Any]) -> Self:
        """Wraps the counters of one instant."""
        counts: dict[str, Any] = {name: None if count == UNSEEN else count for name, count in raw.items()}
        return cls(**counts)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlowSeries:
    """Gauges of one flow, sampled from its start on: columns of equal length.

    With `record = "summary"` only `at_ns`, `srtt_us` and `delivered_bytes` are filled. The largest value of a type
    means "not known yet", "infinite" or "has none".
    """

    at_ns: U64
    srtt_us: U32
    """Smoothed RTT; 0 before the first sample."""
    delivered_bytes: U64
    """The receiver's next expected byte."""
    bottleneck_bytes: U64
    """Bytes of its frames that left the bottleneck."""
    cwnd_segments: U32
    ssthresh_segments: U32
    inflight_segments: U32
    min_rtt_us: U32
    """TCP's windowed minimum RTT."""
    cc_min_rtt_us: U32
    """The algorithm's own minimum RTT."""
    pacing_rate_bps: U64
    delivery_rate_bps: U64
    bandwidth_bps: U64
    """The algorithm's bandwidth estimate."""
    pacing_gain_256ths: U16
    cwnd_gain_256ths: U16
    bw_hi_bps: U64
    bw_lo_bps: U64
    inflight_hi_segments: U32
    inflight_lo_segments: U32
    alpha_ppm: U32
    phase: U8


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AckSamples:
    """Round-trip samples of single ACKs: columns of equal length."""

    at_ns: U64
    rtt_ns: U64


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QueueMeasurement:
    """Counters and gauges of the bottleneck's queue and line."""

    at_window_begin: QueueCounters
    at_window_end: QueueCounters
    at_end: QueueCounters
    series: QueueSeries
    sojourn: Histogram | None = None
    """How long frames were in the queue that left within the window, nanoseconds; None: the engine does not see it."""

    @classmethod
    def from_core(cls, raw: Mapping[str, Any]) -> Self:
        return cls(
            at_window_begin=QueueCounters(**raw["at_window_begin"]),
            at_window_end=QueueCounters(**raw["at_window_end"]),
            at_end=QueueCounters(**raw["at_end"]),
            series=QueueSeries(**raw["series"]),
            sojourn=None if raw["sojourn"] is None else Histogram(**raw["sojourn"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueCounters:
    """Cumulative counters of the bottleneck, in segments on the wire, random loss apart.

    At every instant `offered = sent + dropped + queued`. An engine that sees no queue leaves all of them None, whatever
    their type.
    """

    at_ns: int
    offered_packets: int
    sent_packets: int
    sent_bytes: int
    """Bytes of frames that left the bottleneck."""
    dropped_packets: int
    dequeue_dropped_packets: int | None = None
    """Of these, those that were to leave; None: the engine does not see which."""
    marked_packets: int
    """Those that the queue marked (CE) and did not drop."""
    random_lost_packets: int
    queued_packets: int
    queued_bytes: int
    low_latency_packets: int | None = None
    """Of those that wait, the ones in DualPI2's low-latency queue; None: none is there, or it is not seen."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class QueueSeries:
    """The queue's backlog over time: columns of equal length."""

    at_ns: U64
    backlog_bytes: U64
    backlog_packets: U32
    dropped_packets: U64
    marked_packets: U64
    sent_packets: U64
    low_latency_packets: U32
    """Of the backlog, in DualPI2's low-latency queue; the largest value: none is there, or it is not seen."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Histogram:
    """Counts of values in bins of 1/64 of an octave (at most 1.6 % wide), with the exact number and sum."""

    first_bin: int
    """Bin of `counts[0]`: nothing was smaller."""
    counts: U32
    """`counts[i]` counts the values in `[lower_bound(first_bin + i), lower_bound(first_bin + i + 1))`."""
    count: int
    sum: int

    @staticmethod
    def lower_bound(index: int) -> int:
        """The smallest value of a bin: bins are one wide below 64, then there are 64 an octave."""
        if index < 64:  # noqa: PLR2004
            return index
        octave, step = divmod(index, 64)
        return (64 + step) << (octave - 1)


def unseen_queue(run: Run, ended_ns: int) -> QueueMeasurement:
    """What an engine gives that sees no queue."""
    import numpy as np  # noqa: PLC0415 (most engines have arrays already)

    counts: dict[str, Any] = dict.fromkeys((each.name for each in fields(QueueCounters) if each.name != "at_ns"), None)
    begin, end, at_end = (
        QueueCounters(at_ns=min(at_ns, ended_ns), **counts)
        for at_ns in (run.measure.window_begin_ns, run.measure.window_end_ns, ended_ns)
    )
    none, few = np.empty(0, np.uint64), np.empty(0, np.uint32)
    series = QueueSeries(
        at_ns=none, backlog_bytes=none, backlog_packets=few, dropped_packets=none, marked_packets=none,
        sent_packets=none, low_latency_packets=few,
    )  # fmt: skip
    return QueueMeasurement(at_window_begin=begin, at_window_end=end, at_end=at_end, series=series)
