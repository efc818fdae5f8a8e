"""How large a run is, by what decides its time and its memory: packets, flows, samples. Bounds that its spec sets."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dumbbell.spec.flow import Flow
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

_OPEN_ROUND_TRIPS = 5
"""A short transfer lasts as long where the line is not full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Of one run."""

    packets: float
    """Data packets that its hosts send."""
    flows: int
    transfers: int
    """Of its sources: short transfers, each of which has a connection."""
    moments: float
    """When its gauges are sampled."""
    samples: float
    """Of all flows, at all moments at which they are there."""
    looks: float
    """Connections of its sources, open ones, at all moments."""
    in_flight: float
    """Packets between the hosts at one time."""
    open: float
    """Connections of its sources at one time."""

    @classmethod
    def of(cls, run: Run) -> Size:
        """What a run can have at most, as its spec says."""
        sent = packets(run)
        transfers = sum(len(_arrivals(flow)) for flow in run.flows)
        stays_ns = sum(_end_ns(flow, run) - flow.start_ns for flow in run.flows)
        opened, moments = _open_transfers(run, transfers), run.duration_ns / run.measure.sample_ns
        return cls(
            packets=sent,
            flows=len(run.flows),
            transfers=transfers,
            moments=moments,
            samples=max(0, stays_ns) / run.measure.sample_ns,
            looks=moments * opened / 2,
            in_flight=min(sent, first_packets(run) + _room_packets(run), _window_packets(run)),
            open=opened,
        )


def packets(run: Run) -> float:
    """The data packets that a run may send: what flows ask for, or what the bottleneck carries and first windows hold.

    The time of a run is nearly proportional to it on every engine that has a virtual clock.
    """
    return min(demand_packets(run), carried_packets(run, *span_ns(run)) + first_packets(run))


def span_ns(run: Run) -> tuple[int, int]:
    """When the first of its flows starts, and the last stops."""
    begin_ns = min((flow.start_ns for flow in run.flows), default=0)
    return begin_ns, max((_end_ns(flow, run) for flow in run.flows), default=0)


def longest_rtt_ns(run: Run) -> int:
    """The base RTT of the flow that has the longest."""
    return max((flow.base_rtt_ns for flow in run.flows), default=0)


def carried_packets(run: Run, begin_ns: float, end_ns: float) -> float:
    """What the bottleneck can carry between two instants, in full packets, whatever rates it has meanwhile."""
    return run.path.capacity_bits(begin_ns, end_ns, run.path.mtu_bytes) / BITS_PER_BYTE / run.path.frame_bytes


def demand_packets(run: Run) -> float:
    """What all flows have to send; infinite where one never ends."""
    return sum(_demand_packets(flow, run.path.mss_bytes) for flow in run.flows)


def active_flows(run: Run, begin_ns: float, end_ns: float) -> float:
    """How many flows are there between two instants, in the mean."""
    there_ns = sum(max(0, min(end_ns, _end_ns(flow, run)) - max(begin_ns, flow.start_ns)) for flow in run.flows)
    return there_ns / max(end_ns - begin_ns, 1)


def _demand_packets(flow: Flow, mss_bytes: int) -> float:
    if flow.work.transfer:
        return -(-flow.work.transfer.bytes // mss_bytes)
    if stream := flow.work.stream:
        total_bytes = stream.rate_bps * stream.for_ns / NS_PER_S / BITS_PER_BYTE
        return max(total_bytes / mss_bytes, stream.for_ns // stream.every_ns)
    if flow.work.trace:
        return sum(-(-write.bytes // mss_bytes) for write in flow.work.trace.writes)
    if flow.work.arrivals:
        return sum(-(-size // mss_bytes) for _, size in flow.work.arrivals.arrivals)
    return math.inf


def first_packets(run: Run) -> float:
    """What all flows send before anything of it is acknowledged, however slow the line: initial windows."""
    return sum(_first_packets(flow, run) for flow in run.flows)


def _first_packets(flow: Flow, run: Run) -> float:
    window, mss_bytes = run.host.initial_window_segments, run.path.mss_bytes
    last_ns = _end_ns(flow, run) - flow.start_ns - flow.base_rtt_ns
    """Who connects later has no answer before the end."""
    if flow.work.arrivals:
        return sum(min(window, -(-size // mss_bytes)) for at_ns, size in flow.work.arrivals.arrivals if at_ns < last_ns)
    return flow.connections * min(window, _demand_packets(flow, mss_bytes)) if last_ns > 0 else 0.0


def _room_packets(run: Run) -> float:
    """What fits between the senders and the receivers, apart from what senders hold."""
    frame_bytes = run.path.frame_bytes
    fastest_bps = max(run.path.rate_bps, *(rate_bps for _, rate_bps in run.path.rates_in_time), 0)
    room_bytes = run.path.buffer_bytes + fastest_bps * longest_rtt_ns(run) / NS_PER_S / BITS_PER_BYTE
    for flow in run.flows:
        if flow.access:
            room_bytes += flow.access.buffer.bytes_of(frame_bytes)
    return room_bytes / frame_bytes


def _window_packets(run: Run) -> float:
    """What receivers let into the network."""
    window_bytes = run.host.receive_window_bytes
    connections = sum(max(1, flow.connections) for flow in run.flows)
    return math.inf if window_bytes is None else connections * (window_bytes // run.path.mss_bytes + 1)


def _open_transfers(run: Run, transfers: int) -> float:
    """So many of its short transfers may be open at one time: those that the line is too slow for, and a few more."""
    if not transfers:
        return 0.0
    begin_ns, end_ns = span_ns(run)
    waiting = 1 - carried_packets(run, begin_ns, end_ns) / max(demand_packets(run), 1.0)
    return transfers * max(waiting, min(1.0, _OPEN_ROUND_TRIPS * longest_rtt_ns(run) / max(end_ns - begin_ns, 1)))


def _arrivals(flow: Flow) -> tuple[tuple[int, int], ...]:
    return flow.work.arrivals.arrivals if flow.work.arrivals else ()


def _end_ns(flow: Flow, run: Run) -> int:
    return run.duration_ns if flow.stop_ns is None else min(flow.stop_ns, run.duration_ns)
