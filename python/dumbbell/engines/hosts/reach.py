"""Whether hosts carry a path's rate: a flow of each sender fills it for some seconds, and its queue counts what passes.

Hosts have lines, cores and a path of their own, any of which may be slower than the line that a run asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from dumbbell.engines.measurement import Measurement
from dumbbell.spec.quantity import Rate, Time
from dumbbell.spec.queue import Room
from dumbbell.spec.run import Measure, Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

_RATE_SHARE: Final = 0.99
"""A token bucket of Linux is within 0.5 % of its rate (`path_check`), and so much again is the window's: the agent
looks at its ends within some ms."""
_RTT_SHARE: Final = 0.01
_OWN_RTT_NS: Final = 1_000_000
"""What hosts of a LAN, its switch and the way through the path's maker may add."""
_FILLING_RTTS: Final = 20
"""Slow start doubles with each: 20 fill a million segments, and what it loses then is sent again."""
_WATCHED_NS: Final = 2 * NS_PER_S
_ROOM_NS: Final = 50_000_000
"""Of the queue beyond a BDP, so that Reno, which halves its window, never leaves it empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What hosts carry of a path."""

    rate_bps: int
    """Of frames, as `path.rate`, over 2 s in which the path was filled."""
    rtt_ns: tuple[int | None, ...]
    """The least of each flow; None: nothing came back."""


def filling(path: Run, senders: int) -> Run:
    """A run that fills a path: Reno from each sender, without random loss and in a queue that is deep enough.

    `path`: as `path_check.path_of` has it, with a flow for each way through it.
    """
    longest_ns = max(flow.base_rtt_ns for flow in path.flows)
    room_bytes = path.path.rate_bps * (longest_ns + _ROOM_NS) // (BITS_PER_BYTE * NS_PER_S)
    begin_ns = NS_PER_S + _FILLING_RTTS * longest_ns
    end_ns = begin_ns + _WATCHED_NS
    flows = (structs.replace(flow, name=f"{flow.name}-{nth}") for nth in range(senders) for flow in path.flows)
    return structs.replace(
        path,
        duration_ns=end_ns,
        path=structs.replace(path.path, buffer=Room(bytes=room_bytes), loss_ppb=0),
        flows=tuple(flows),
        measure=Measure(window_begin_ns=begin_ns, window_end_ns=end_ns, sample_ns=NS_PER_S, record="summary"),
    )


def reach(measurement: Measurement) -> Reach:
    """What came of such a run."""
    begin, end = measurement.bottleneck.at_window_begin, measurement.bottleneck.at_window_end
    sent_bits = (end.sent_bytes - begin.sent_bytes) * BITS_PER_BYTE
    return Reach(
        rate_bps=sent_bits * NS_PER_S // max(1, end.at_ns - begin.at_ns),
        rtt_ns=tuple(flow.rtt_min_ns for flow in measurement.flows),
    )


def shortfalls(run: Run, seen: Reach) -> Iterator[str]:
    """Where hosts do not carry the path of a run as it asks: with what they allow."""
    if seen.rate_bps < _RATE_SHARE * run.path.rate_bps:
        allowed = Rate.show(seen.rate_bps, digits=3)
        yield f"path.rate: {Rate.show(run.path.rate_bps)} is more than these hosts carry, {allowed}"
    requested_ns = min(flow.base_rtt_ns for flow in run.flows)
    seen_ns = min((rtt_ns for rtt_ns in seen.rtt_ns if rtt_ns is not None), default=None)
    if seen_ns is None:
        yield "path: no packet came back"
    elif abs(seen_ns - requested_ns) > _RTT_SHARE * requested_ns + _OWN_RTT_NS:
        own = Time.show(max(0, seen_ns - requested_ns), digits=3)
        yield f"path.rtt: the hosts' own path adds {own} to {Time.show(requested_ns)}"
