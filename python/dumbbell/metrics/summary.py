"""The summary of a run: every number that `dumbbell run --json` prints about its flows and its bottleneck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar, TypedDict

from dumbbell.engines.measurement import FlowMeasurement, Measurement, QueueMeasurement
from dumbbell.metrics.programs.report import SCHEMA, ProgramSummary
from dumbbell.metrics.sharing import jain, power, shares
from dumbbell.metrics.window import Activity, Window, ended_ns, ratio
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.metrics.completion import Completion
    from dumbbell.metrics.counter import Counter
    from dumbbell.spec.path import Hop, Path
    from dumbbell.spec.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSummary:
    """One flow: rates, counts and times of its own part of the window, unless said otherwise."""

    __pydantic_config__: ClassVar = SCHEMA

    flow: int
    """Index in the order of the spec."""
    name: str
    """Name of the `[[flows]]` table that it comes from, its group."""
    cc: str
    """Congestion control, as the spec wrote it; "ping", "udp" or "media" of datagrams, which have none."""
    start_s: float
    """When it called connect(), jitter included."""
    goodput_bps: float | None
    """Advance of the receiver's next expected byte over the flow's part of the window; null when it has none, and of a
    program that does not speak TCP."""
    goodput_whole_bps: float | None
    """The same from the flow's start to its end."""
    retransmits: int
    """Segments retransmitted."""
    retransmit_rate: float | None
    """Segments retransmitted / segments sent; null when none was sent."""
    throughput_bps: float | None
    """Its frames that left the bottleneck, headers included."""
    segments_sent: int
    """Data segments sent, retransmissions included."""
    rtt_mean_s: float | None
    """Mean of the smoothed RTT, sampled every `sample`; of a flow of pings the mean of their round-trip times."""
    rtt_p50_s: float | None
    """Median of the same samples."""
    rtt_p95_s: float | None
    """95th percentile of the same samples."""
    rtt_p99_s: float | None
    """99th percentile of the same samples."""
    rtt_min_s: float | None
    """The smallest raw RTT sample of the whole flow."""
    ack_rtt_mean_s: float | None
    """Mean of the single ACKs' RTTs in the window, exact; null on engines that do not see every ACK."""
    ack_rtt_p99_s: float | None
    """99th percentile of the same, from a histogram with bins at most 1.6 % wide."""
    cov: float | None
    """Population standard deviation / mean of the goodput in bins of 500 ms; null with fewer than two whole bins."""
    app_limited_s: float
    """Time with nothing to send."""
    rwnd_limited_s: float
    """Time held back by the receiver's window."""
    sndbuf_limited_s: float
    """Time held back by the send buffer."""
    fct_s: float | None
    """Completion time, from connect() to the last byte delivered; null for a workload without an end. Of a source of
    short transfers the mean of those that start in the window; null where one of them is not complete."""
    starved_s: float | None = None
    """Seconds, in bins of 1 s, with less than 5 % of its fair share; null of a flow by itself."""
    starved_longest_s: float | None = None
    """The longest time without a break in which it had so little."""
    late_mean_s: float | None = None
    """How long after it was due what a stream or trace wrote was delivered, mean of its writes; null of others."""
    late_p95_s: float | None = None
    """95th percentile of the same."""
    late_max_s: float | None = None
    """The most of the same."""
    stalls: int | None = None
    """How often a player of the whole stream, which starts with 1 s of it, has to wait; null where it never starts. Of
    a program that streams what its reports say."""
    stalled_s: float | None = None
    """How long it waits in all."""
    transfers: int | None = None
    """Of a source: how many short transfers start in the window; null of every other workload."""
    transfers_completed: int | None = None
    """How many of these are complete by the source's end."""
    fct_p50_s: float | None = None
    """Median of their completion times. One that is not complete counts as the slowest; null is what falls on it."""
    fct_p95_s: float | None = None
    """95th percentile of the same."""
    fct_p99_s: float | None = None
    """99th percentile of the same."""
    slowdown_mean: float | None = None
    """Completion time / (its frames at the line's rate + 2 base RTTs), mean of the same transfers; null as `fct_s` is.
    Of a single transfer its own."""
    slowdown_p50: float | None = None
    """Median of the slowdown of a source's transfers, as of the completion times."""
    slowdown_p95: float | None = None
    """95th percentile of the same."""
    slowdown_p99: float | None = None
    """99th percentile of the same."""
    pages: int | None = None
    """Of a client: how many pages that began in the window were loaded; null of every other workload."""
    page_load_p50_s: float | None = None
    """Median of their load times, from the first request to the last byte of the last object."""
    page_load_p95_s: float | None = None
    """95th percentile of the same."""
    pings: int | None = None
    """How many pings were sent in the window, up to the last one that was answered; null of every other workload."""
    pings_lost: int | None = None
    """How many of these were never answered."""
    datagrams: int | None = None
    """How many datagrams were sent in the window, up to the last one that arrived; null of pings and of TCP."""
    datagrams_lost: int | None = None
    """How many of these never arrived."""
    delay_mean_s: float | None = None
    """Mean of how long those that arrived were under way, one way."""
    delay_p50_s: float | None = None
    """Median of the same."""
    delay_p95_s: float | None = None
    """95th percentile of the same."""
    delay_p99_s: float | None = None
    """99th percentile of the same."""
    frames: int | None = None
    """How many frames media captured in the window, but for those that may still come in time; null of the others."""
    frames_late: int | None = None
    """How many of these were not complete within the deadline, or never."""
    frame_delay_mean_s: float | None = None
    """Mean time from the capture of a frame to the arrival of its last packet, of those that were complete."""
    frame_delay_p50_s: float | None = None
    """Median of the same."""
    frame_delay_p95_s: float | None = None
    """95th percentile of the same."""
    frame_delay_p99_s: float | None = None
    """99th percentile of the same."""
    program: ProgramSummary | None = None
    """What a program of the user's own said and how it ended; null of every other workload."""

    @property
    def program_goodput_bps(self) -> float | None:
        """What the program says it delivered."""
        return None if self.program is None else self.program.goodput_bps

    @property
    def program_speed(self) -> float | None:
        """The speed of the film that the program sent."""
        return None if self.program is None else self.program.speed


@dataclass(frozen=True, slots=True, kw_only=True)
class _QueueSummary:
    __pydantic_config__: ClassVar = SCHEMA

    utilization: float | None
    """Bits that left it / what its rate, as it changed in time, could carry; above 1 by at most the burst."""
    offered_packets: int | None
    """Packets that came to its queue; null, as every count of a queue, where the engine does not see the queue."""
    sent_packets: int | None
    """Packets that left it."""
    dropped_packets: int | None
    """Packets that the queue dropped: they found it full, or what manages it dropped them."""
    loss_rate: float | None
    """Dropped / offered."""
    loss_per_sent: float | None
    """Dropped / sent, as Claypool et al. count."""
    random_lost_packets: int | None
    """Packets lost at random; in neither of the loss rates."""
    queue_mean_bytes: float | None
    """Mean of the backlog, sampled every `sample`, in bytes of frames."""
    queue_p95_bytes: float | None
    """95th percentile of the same samples."""
    queue_max_bytes: int | None
    """Largest of the same samples."""
    marked_packets: int | None = None
    """Packets that the queue marked (CE of RFC 3168) and did not drop."""
    mark_rate: float | None = None
    """Marked / sent."""
    dequeue_dropped_packets: int | None = None
    """Of the dropped packets, those that were to leave; null where the engine does not see which."""
    low_latency_mean_packets: float | None = None
    """Mean backlog of DualPI2's low-latency queue; null of others, and where the engine does not see it."""
    classic_mean_packets: float | None = None
    """The same of its classic queue."""
    sojourn_mean_s: float | None = None
    """Mean of how long frames were in the queue that left it; null where the engine does not see that, as of `fifo`."""
    sojourn_p95_s: float | None = None
    """95th percentile of the same times."""
    sojourn_p99_s: float | None = None
    """99th percentile of the same times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BottleneckSummary(_QueueSummary):
    """The bottleneck within the window, in segments on the wire."""

    queue_mean_bdp: float | None
    """Mean of the backlog in bandwidth-delay products of the path as the run began."""
    power: float | None = None
    """Utilization / (the flows' mean RTT / their mean RTT without a queue): 1 of a full line without a queue."""
    converged: bool | None = None
    """Whether the flows came to equal rates after the last one's start; null where that cannot be told."""
    convergence_s: float | None = None
    """How long that took: until each one's mean over 5 s was within 20 % of an equal share for 10 s."""
    loss_events: int | None = None
    """Drops within a round trip of the first, by the longest path and the full queue, are one loss event (RFC 5348)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HopSummary(_QueueSummary):
    """One queue of several within the window, in segments on the wire: ACKs among them where they pass it."""

    name: str
    """As in the spec; "back" of a way back with one queue."""
    offered_packets: int
    sent_packets: int
    dropped_packets: int
    random_lost_packets: int
    direction: str
    """Whose way it is on: "down" that of flows by default, "up" the way back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """The flows of one `[[flows]]` table together."""

    __pydantic_config__: ClassVar = SCHEMA

    goodput_bps: float | None
    """Their bytes over the whole window, so that the groups add up to what the path carried; null of pings, and of
    programs that do not speak TCP."""
    share: float | None
    """Of the goodput of all groups of connections whose data goes the same way; null when nothing was delivered, and
    where a program does not speak TCP."""
    goodput_first_half_bps: float | None = None
    """The same in the first half of the window; null where a flow was absent for over a tenth of it, the line's rate
    changed in it, or samples lie too far apart to tell."""
    goodput_second_half_bps: float | None = None
    """The same in the second half."""
    goodput_trend: float | None = None
    """Kendall's rank correlation of the goodput in ten bins of the window with time: 1 where it always rises."""
    goodput_iperf3_bps: float | None = None
    """What iperf3 would say of a test that is the window: bytes delivered until its last message has passed the queue,
    over the window's length; null where the run ends before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a run came to."""

    window_s: tuple[float, float]
    flows: tuple[FlowSummary, ...]
    bottleneck: BottleneckSummary
    hops: tuple[HopSummary, ...]
    """Every queue, where there are several."""
    groups: dict[str, GroupSummary]
    jain: float | None


def summarise(
    run: Run, measurement: Measurement, bdp_bytes: float, names: Sequence[str], ccs: Sequence[str]
) -> Summary:
    """The summary of `measurement`, which some engine took of `run`.

    `names` and `ccs` have one entry a flow: its group, and its congestion control in the spec's words.
    """
    window = Window.of(run.measure, measurement.ended_ns)
    from dumbbell.metrics import contention  # noqa: PLC0415 (late: who reads summaries needs no numpy)
    from dumbbell.metrics.completion import completion  # noqa: PLC0415 (as above)

    delivered = [contention.delivered(flow) for flow in measurement.flows]
    converged = contention.convergence(run, measurement.flows, delivered)
    in_time = _in_time(run, measurement, window, delivered)
    flows = tuple(
        _flow(index, name, cc, flow, window, completed=completion(run.path, run_flow, flow, window), in_time=more)
        for index, (name, cc, run_flow, flow, more) in enumerate(
            zip(names, ccs, run.flows, measurement.flows, in_time, strict=True)
        )
    )
    queue = _bottleneck(run, measurement, window, bdp_bytes)
    there = [flows[index] for index in run.at_bottleneck]
    unseen = any(flow.is_unseen for flow in measurement.flows)
    return Summary(
        window_s=(window.begin_ns / NS_PER_S, window.end_ns / NS_PER_S),
        flows=flows,
        bottleneck=replace(
            queue,
            power=_power(run, there, queue.utilization),
            converged=converged.converged,
            convergence_s=converged.time_s,
        ),
        hops=tuple(_hops(run, measurement, window)),
        groups=_groups(run, names, measurement, window),
        jain=None if unseen else jain([flow.goodput_bps for flow in there if flow.goodput_bps is not None]),
    )


def _flow(  # noqa: PLR0913 (what a summary has)
    index: int, name: str, cc: str, flow: FlowMeasurement, window: Window, *, completed: Completion, in_time: InTime
) -> FlowSummary:
    import dumbbell.metrics.samples as samples  # noqa: PLC0415 (late: who reads summaries needs no numpy)
    from dumbbell.metrics.pages import page_times  # noqa: PLC0415 (as above)

    activity = Activity.within(window, flow)
    counted = activity.counted
    pings, datagrams = (flow.datagrams, None) if flow.delay is None else (None, flow.datagrams)
    rtt = samples.smoothed_rtt(flow.series, activity.window) if pings is None else samples.times(flow.ack_rtt)
    delay = samples.Times() if flow.delay is None else samples.times(flow.delay)
    frames = flow.frames
    frame_delay = samples.Times() if frames is None else samples.times(frames.delay)
    lifetime = Activity.lifetime(flow)
    is_unknown = pings is not None or flow.is_unseen
    return FlowSummary(
        flow=index,
        name=name,
        cc=cc,
        start_s=flow.started_ns / NS_PER_S,
        goodput_bps=None if is_unknown else activity.rate_bps(counted.delivered_bytes),
        goodput_whole_bps=None if is_unknown else lifetime.rate_bps(lifetime.counted.delivered_bytes),
        retransmits=counted.segments_retransmitted,
        retransmit_rate=ratio(counted.segments_retransmitted, counted.segments_sent),
        throughput_bps=None if flow.is_unseen else activity.rate_bps(counted.bottleneck_bytes),
        segments_sent=counted.segments_sent,
        rtt_mean_s=rtt.mean_s,
        rtt_p50_s=rtt.p50_s,
        rtt_p95_s=rtt.p95_s,
        rtt_p99_s=rtt.p99_s,
        rtt_min_s=None if flow.rtt_min_ns is None else flow.rtt_min_ns / NS_PER_S,
        ack_rtt_mean_s=samples.histogram_mean_s(flow.ack_rtt),
        ack_rtt_p99_s=samples.histogram_quantile_s(flow.ack_rtt, 0.99),
        cov=samples.coefficient_of_variation(flow, activity.window),
        app_limited_s=counted.app_limited_ns / NS_PER_S,
        rwnd_limited_s=counted.rwnd_limited_ns / NS_PER_S,
        sndbuf_limited_s=counted.sndbuf_limited_ns / NS_PER_S,
        pings=None if pings is None else pings.sent,
        pings_lost=None if pings is None else pings.lost,
        datagrams=None if datagrams is None else datagrams.sent,
        datagrams_lost=None if datagrams is None else datagrams.lost,
        delay_mean_s=delay.mean_s,
        delay_p50_s=delay.p50_s,
        delay_p95_s=delay.p95_s,
        delay_p99_s=delay.p99_s,
        **page_times(flow.pages, window)._asdict(),
        frames=None if frames is None else frames.captured,
        frames_late=None if frames is None else frames.late,
        frame_delay_mean_s=frame_delay.mean_s,
        frame_delay_p50_s=frame_delay.p50_s,
        frame_delay_p95_s=frame_delay.p95_s,
        frame_delay_p99_s=frame_delay.p99_s,
        **asdict(completed),
        **in_time,
    )


class InTime(TypedDict, total=False):
    """What of a flow's summary follows from its series beside the others', or from what its program says."""

    starved_s: float
    starved_longest_s: float
    late_mean_s: float
    late_p95_s: float
    late_max_s: float
    stalls: int | None
    stalled_s: float | None
    program: ProgramSummary


def _in_time(run: Run, measurement: Measurement, window: Window, delivered: Sequence[Counter]) -> Iterator[InTime]:
    """Of each flow."""
    from dumbbell.metrics import contention, playback  # noqa: PLC0415 (as above)

    starvations = contention.starvations(run, measurement.flows, delivered, window)
    for flow, measured, starved in zip(run.flows, measurement.flows, starvations, strict=True):
        in_time = InTime()
        if starved is not None:
            in_time |= InTime(starved_s=starved.total_s, starved_longest_s=starved.longest_s)
        writes = playback.writes_of(run.path, flow, measured)
        if writes is not None:
            ended_s = Activity.lifetime(measured).window.end_ns / NS_PER_S
            late, waits = playback.lateness(writes, window, ended_s), playback.stalls(writes, ended_s)
            if late is not None:
                in_time |= InTime(late_mean_s=late.mean_s, late_p95_s=late.p95_s, late_max_s=late.max_s)
            if waits is not None:
                in_time |= InTime(stalls=waits.times, stalled_s=waits.total_s)
        if measured.program is not None:
            from dumbbell.metrics.programs.reader import summary  # noqa: PLC0415 (late: few runs have programs)

            report = summary(measured.program, ended_ns(measured))
            in_time |= InTime(program=report, stalls=report.stalls, stalled_s=report.stalled_s)
        yield in_time


def _power(run: Run, flows: Sequence[FlowSummary], utilization: float | None) -> float | None:
    known = [(flow.rtt_mean_s, run.flows[flow.flow].base_rtt_s) for flow in flows if flow.rtt_mean_s is not None]
    if utilization is None or not known:
        return None
    return power(utilization, *map(fmean, zip(*known, strict=True)))


def _bottleneck(run: Run, measurement: Measurement, window: Window, bdp_bytes: float) -> BottleneckSummary:
    import dumbbell.metrics.samples as samples  # noqa: PLC0415 (as above)

    own = _queue(run.path, measurement.bottleneck, window, run.path.mtu_bytes)
    return BottleneckSummary(
        **asdict(own),
        queue_mean_bdp=None if own.queue_mean_bytes is None else ratio(own.queue_mean_bytes, bdp_bytes),
        loss_events=samples.loss_events(measurement.bottleneck.series, window, _longest_round_trip_ns(run)),
    )


def _hops(run: Run, measurement: Measurement, window: Window) -> Iterator[HopSummary]:
    """In the order in which data meets them, then those of the way back."""
    lines = [(line, direction) for direction in ("down", "up") for line in run.path.lines(direction)]
    mtu_bytes = run.path.mtu_bytes
    if measurement.hops:
        for (line, direction), hop in zip(lines, measurement.hops, strict=True):
            yield HopSummary(name=hop.name, direction=direction, **asdict(_queue(line, hop.queue, window, mtu_bytes)))


def _queue(line: Path | Hop, queue: QueueMeasurement, window: Window, mtu_bytes: int) -> _QueueSummary:
    import dumbbell.metrics.samples as samples  # noqa: PLC0415 (as above)

    counted = window.advance(queue.at_window_begin, queue.at_window_end)
    capacity_bits = line.capacity_bits(window.begin_ns, window.end_ns, mtu_bytes)
    standing = samples.backlog(queue.series, window)
    low_latency, classic = samples.dual_backlog(queue.series, window)
    return _QueueSummary(
        utilization=ratio(counted.sent_bytes, capacity_bits / BITS_PER_BYTE),
        offered_packets=counted.offered_packets,
        sent_packets=counted.sent_packets,
        dropped_packets=counted.dropped_packets,
        loss_rate=ratio(counted.dropped_packets, counted.offered_packets),
        loss_per_sent=ratio(counted.dropped_packets, counted.sent_packets),
        random_lost_packets=counted.random_lost_packets,
        queue_mean_bytes=standing.mean_bytes,
        queue_p95_bytes=standing.p95_bytes,
        queue_max_bytes=standing.max_bytes,
        marked_packets=counted.marked_packets,
        mark_rate=ratio(counted.marked_packets, counted.sent_packets),
        dequeue_dropped_packets=counted.dequeue_dropped_packets,
        low_latency_mean_packets=low_latency,
        classic_mean_packets=classic,
        **_sojourn(queue),
    )


def _sojourn(queue: QueueMeasurement) -> dict[str, float | None]:
    import dumbbell.metrics.samples as samples  # noqa: PLC0415 (as above)

    if queue.sojourn is None:
        return {}
    return {
        "sojourn_mean_s": samples.histogram_mean_s(queue.sojourn),
        "sojourn_p95_s": samples.histogram_quantile_s(queue.sojourn, 0.95),
        "sojourn_p99_s": samples.histogram_quantile_s(queue.sojourn, 0.99),
    }


def _longest_round_trip_ns(run: Run) -> int:
    """Of the longest path, with a full queue."""
    base_ns = max((flow.base_rtt_ns for flow in run.flows), default=0)
    return base_ns + BITS_PER_BYTE * NS_PER_S * run.path.buffer_bytes // run.path.rate_bps


def _groups(run: Run, names: Sequence[str], measurement: Measurement, window: Window) -> dict[str, GroupSummary]:
    from dumbbell.metrics import iperf3, stationarity  # noqa: PLC0415 (as above)

    delivered: dict[str, int] = {}
    one_way: dict[str, dict[str, int]] = {}
    members: dict[str, list[FlowMeasurement]] = {}
    iperf3_goodputs: dict[str, list[float | None]] = {}
    for name, run_flow, flow, iperf3_bps in zip(
        names, run.flows, measurement.flows, iperf3.goodputs_bps(run, measurement, window), strict=True
    ):
        if run_flow.work.ping or flow.is_unseen:
            continue
        counted = window.advance(flow.at_window_begin, flow.at_window_end)
        delivered[name] = delivered.get(name, 0) + counted.delivered_bytes
        if run_flow.cc is not None:
            one_way.setdefault(run_flow.direction, {})[name] = delivered[name]
        members.setdefault(name, []).append(flow)
        iperf3_goodputs.setdefault(name, []).append(iperf3_bps)
    changes_ns = [change.at_ns for change in run.path.changes_in_time]
    unseen = {run_flow.direction for run_flow, flow in zip(run.flows, measurement.flows, strict=True) if flow.is_unseen}
    share = {
        name: own for way, carried in one_way.items() if way not in unseen for name, own in shares(carried).items()
    }
    part = stationarity.present([measurement.flows[index] for index in run.connected], changes_ns, window)
    return dict.fromkeys(names, GroupSummary(goodput_bps=None, share=None)) | {
        name: GroupSummary(
            goodput_bps=ratio(8 * advanced, window.seconds),
            share=share.get(name),
            goodput_first_half_bps=(halves := stationarity.steadiness(members[name], part)).first_half_bps,
            goodput_second_half_bps=halves.second_half_bps,
            goodput_trend=halves.trend,
            goodput_iperf3_bps=_sum_of_all(iperf3_goodputs[name]),
        )
        for name, advanced in delivered.items()
    }


def _sum_of_all(values: Sequence[float | None]) -> float | None:
    """None where one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
