"""What samples of a path say of its base RTT, rate, queue and random loss, each with its interval and reason.

Packets wait in the queue before the bottleneck: an echo's wait is what it took beyond the least. While packets wait,
frames arrive at the bottleneck's rate. When the flow loses something while packets wait for long, the queue was full.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from dumbbell.captures.connection import CapturedNumber
from dumbbell.engines.hosts.path_samples import Echoes, LoadSamples, PathSamples
from dumbbell.engines.path_check import RTT_TOLERANCE_NS
from dumbbell.metrics.number import counted, duration, percent
from dumbbell.spec.quantity import Time
from dumbbell.units import NS_PER_S

Ns = npt.NDArray[np.float64]

HOSTS_NS: Final = RTT_TOLERANCE_NS
"""What hosts themselves may add to a round trip where time is real."""
NO_WAIT_PART, NO_WAIT_NS = 64, 50_000
"""Of an RTT this part is no wait, nor is this time, as in `crates/pcap/src/path.rs`."""
PIECE_ROUNDS, PIECE_SEGMENTS = 4, 128
"""A rate is that of a piece of time as long, and with as many segments, as there."""
LEAST_PIECE_SEGMENTS: Final = 16
GAP_NS: Final = 50_000_000
"""Between echoes that are farther apart nobody knows whether packets waited."""
FULL_PART: Final = 0.5
"""Who loses something while packets wait at least this part of a long wait loses it to a full queue."""
LONG: Final = 0.99
"""Of all waits this quantile is a long one: longer ones may be hosts' own."""
INNER: Final = (0.1, 0.9)
"""Of several values those between these quantiles make the interval."""
LIMITED_PART: Final = 0.2
"""A flow that something held back for this part of its time was limited by it."""
Z: Final = 1.96
MOST: Final = 1e15
"""No path has as many bits a second, or a queue of as many bytes."""
ETHERNET_BYTES, SEGMENT_BYTES = 14, 66
"""Headers of a frame below IP's, and all of a data segment's with timestamps over IPv4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPath:
    """A path: nanoseconds, bits and bytes of frames of Ethernet, shares."""

    rtt_ns: CapturedNumber
    """Without a queue."""
    rate_bps: CapturedNumber
    queue_bytes: CapturedNumber
    """Room of the queue before the bottleneck."""
    random_loss: CapturedNumber
    """Of the flow's segments, those that were lost without a full queue."""
    jitter_ns: CapturedNumber
    """By how much 95 % of the echoes of the path without the flow took no longer than the fastest."""
    limit: str
    """What limited the flow."""
    sent_bytes: int
    """What the flow sent."""
    mtu_bytes: int | None

    def is_possible(self) -> bool:
        """No number of it is larger than any path's."""
        every = (self.rtt_ns, self.rate_bps, self.queue_bytes, self.random_loss, self.jitter_ns)
        ends = [end for each in every for end in (each.low, each.value, each.high) if end is not None]
        return all(0 <= end < MOST for end in ends)


def estimated(samples: PathSamples) -> MeasuredPath | None:
    """What they say; None: no echo came back, or no path is so."""
    measured = _estimated(samples)
    return measured if measured is not None and measured.is_possible() else None


def _estimated(samples: PathSamples) -> MeasuredPath | None:
    idle, loaded = _Waits(samples.idle), _Waits(samples.loaded)
    if not len(idle.rtt_ns):
        return None
    every_ns = np.concatenate([idle.rtt_ns, loaded.rtt_ns])
    base_ns, forward_ns = float(every_ns.min()), float(np.concatenate([idle.forward_ns, loaded.forward_ns]).min())
    spread_ns = float(np.quantile(idle.rtt_ns, 0.25)) - base_ns
    reason = f"the fastest of {len(every_ns)} small packets; hosts may have added {Time.show(HOSTS_NS)}"
    measured = MeasuredPath(
        rtt_ns=CapturedNumber(base_ns, max(base_ns - max(spread_ns, HOSTS_NS), 0.0), base_ns, reason),
        rate_bps=_unknown("not measured: needs --load"),
        queue_bytes=_unknown("not measured: needs --load"),
        random_loss=_unknown("not measured: needs --load"),
        jitter_ns=CapturedNumber(
            float(np.quantile(idle.rtt_ns, 0.95)) - base_ns, None, None, "95 % of small packets without the flow"
        ),
        limit="no flow was sent",
        sent_bytes=0,
        mtu_bytes=None,
    )
    if samples.load is None:
        return measured
    if not len(loaded.rtt_ns):
        return None
    flow = _LoadedPath(samples.load, loaded, base_ns, forward_ns, samples.echo_bytes)
    return flow.added(measured)


def _unknown(reason: str, low: float | None = None) -> CapturedNumber:
    return CapturedNumber(None, low, None, reason)


class _Waits:
    """Echoes in columns, in the order in which they were sent, without those that cannot be so."""

    def __init__(self, echoes: Echoes) -> None:
        table = np.array(
            [(each.sent_ns, each.there_ns, each.left_ns, each.back_ns) for each in echoes.echoes], np.int64
        ).reshape(-1, 4)
        table = table[np.argsort(table[:, 0], kind="stable")]
        rtt_ns = (table[:, 3] - table[:, 0]) - (table[:, 2] - table[:, 1])
        table = table[rtt_ns > 0]
        self.sent_ns, self.there_ns = table[:, 0], table[:, 1]
        self.rtt_ns: Ns = rtt_ns[rtt_ns > 0].astype(np.float64)
        self.forward_ns: Ns = (table[:, 1] - table[:, 0]).astype(np.float64)
        """With how far the receiver's clock is ahead."""


class _LoadedPath:
    """A path with a flow on it."""

    def __init__(self, load: LoadSamples, echoes: _Waits, base_ns: float, forward_ns: float, echo_bytes: int) -> None:
        self._load, self._echoes, self._base_ns, self._echo_bytes = load, echoes, base_ns, echo_bytes
        # Clocks run apart, and ACKs wait on the way back: what waited before the bottleneck is no more than either.
        waits_ns = np.minimum(echoes.forward_ns - forward_ns, echoes.rtt_ns - base_ns)
        self._waits_ns: Ns = np.maximum(waits_ns, 0.0)
        self._frame_bytes = min(load.mss_bytes + SEGMENT_BYTES, load.mtu_bytes + ETHERNET_BYTES)
        self._no_wait_ns = base_ns / NO_WAIT_PART + NO_WAIT_NS

    def added(self, measured: MeasuredPath) -> MeasuredPath:
        """The same path, with what the flow says of it."""
        rate_bps = self._rate_bps()
        full, elsewhere, idly = self._losses(queue_stood=rate_bps.value is not None)
        segments = self._load.sent[-1].segments if self._load.sent else 0
        return MeasuredPath(
            rtt_ns=measured.rtt_ns,
            rate_bps=rate_bps,
            queue_bytes=self._queue_bytes(rate_bps, full),
            random_loss=_share(idly, elsewhere, segments),
            jitter_ns=measured.jitter_ns,
            limit=self._limit(rate_bps, full),
            sent_bytes=self._load.sent_bytes,
            mtu_bytes=self._load.mtu_bytes,
        )

    def _rate_bps(self) -> CapturedNumber:
        pieces = list(self._pieces())
        if not pieces:
            arrived = self._load.arrived
            elapsed_ns = arrived[-1].at_ns - arrived[0].at_ns if arrived else 0
            segments = arrived[-1].segments - arrived[0].segments if arrived else 0
            mean_bps = segments * self._frame_bytes * 8 * NS_PER_S / elapsed_ns if elapsed_ns > 0 else None
            return _unknown(self._why_no_queue(), mean_bps)
        rates_bps, spans_ns, frames = np.array(pieces).T
        low_bps, value_bps, high_bps = _quantiles(rates_bps, spans_ns, (INNER[0], 0.5, INNER[1]))
        # Each piece begins and ends within a frame.
        blur = 1 / float(np.median(frames))
        reason = f"frames arrived so fast in {duration(float(spans_ns.sum()) / NS_PER_S)} in which packets waited"
        return CapturedNumber(value_bps, low_bps * (1 - blur), high_bps * (1 + blur), reason)

    def _why_no_queue(self) -> str:
        own_ns = 1_000 * float(np.median([each.rtt_us for each in self._load.sent])) if self._load.sent else 0.0
        if own_ns - self._base_ns > 2 * self._no_wait_ns:
            return "the flow waited and small packets did not: each flow may have a queue of its own there"
        return "no queue stood for long enough: the flow did not fill the path"

    def _pieces(self) -> Iterator[tuple[float, float, float]]:
        """Rate, duration and frames of each piece of time in which packets waited."""
        order = np.argsort(self._echoes.there_ns, kind="stable")
        there_ns, waits_ns = self._echoes.there_ns[order], self._waits_ns[order]
        at_ns = np.array([each.at_ns for each in self._load.arrived], np.int64)
        segments = np.array([each.segments for each in self._load.arrived], np.float64)
        if not len(at_ns) or (np.diff(at_ns) <= 0).any():
            return
        inside = (there_ns >= at_ns[0]) & (there_ns <= at_ns[-1])
        there_ns, waits_ns = there_ns[inside], waits_ns[inside]
        zero_ns = int(at_ns[0])
        came = np.interp((there_ns - zero_ns).astype(np.float64), (at_ns - zero_ns).astype(np.float64), segments)
        waited = waits_ns > self._no_wait_ns
        first = 0
        for place in range(1, len(there_ns) + 1):
            goes_on = place < len(there_ns) and waited[place - 1] and waited[place]
            goes_on = goes_on and there_ns[place] - there_ns[place - 1] <= GAP_NS
            last = place - 1
            elapsed_ns, frames = float(there_ns[last] - there_ns[first]), float(came[last] - came[first])
            round_ns = self._base_ns + float(waits_ns[first:place].max())
            is_long = elapsed_ns >= PIECE_ROUNDS * round_ns and frames >= PIECE_SEGMENTS
            if goes_on and not is_long:
                continue
            if elapsed_ns > 0 and frames >= LEAST_PIECE_SEGMENTS:
                wire_bytes = frames * self._frame_bytes + (last - first) * self._echo_bytes
                yield wire_bytes * 8 * NS_PER_S / elapsed_ns, elapsed_ns, frames
            first = last if goes_on else place

    def _losses(self, *, queue_stood: bool) -> tuple[list[float], int, int]:
        """The longest wait before each loss in a full queue, ns; segments lost elsewhere; of these, with no queue."""
        long_ns = float(np.quantile(self._waits_ns, LONG))
        least_ns = max(FULL_PART * long_ns, self._no_wait_ns) if queue_stood else math.inf
        waits_ns: list[float] = []
        elsewhere, idly, episodes, ended_ns, wait_ns = 0, 0, 0, -math.inf, 0.0
        for before, sample in zip(self._load.sent, self._load.sent[1:], strict=False):
            lost, rtt_ns = sample.again - before.again, 1_000 * sample.rtt_us
            if lost <= 0:
                continue
            if sample.at_ns > ended_ns:  # no more of the same recovery
                episodes += 1
                since_ns = sample.at_ns - 2 * rtt_ns - GAP_NS
                recent = (self._echoes.sent_ns >= since_ns) & (self._echoes.sent_ns <= sample.at_ns)
                wait_ns = float(self._waits_ns[recent].max(initial=0.0))
                if wait_ns >= least_ns:
                    waits_ns.append(wait_ns)
            ended_ns = sample.at_ns + 2 * rtt_ns
            if episodes == 1:  # slow start, which overflows a short queue between two echoes
                continue
            elsewhere += lost if wait_ns < least_ns else 0
            idly += lost if wait_ns <= self._no_wait_ns else 0
        return waits_ns, elsewhere, idly

    def _queue_bytes(self, rate_bps: CapturedNumber, full: list[float]) -> CapturedNumber:
        rate, least_bps, most_bps = rate_bps.value, rate_bps.low, rate_bps.high
        if rate is None or least_bps is None or most_bps is None:
            return _unknown("no packet waited for long enough")
        bytes_a_ns = 1 / 8 / NS_PER_S
        if not full:
            longest_ns = float(np.quantile(self._waits_ns, LONG))
            return _unknown("the flow did not fill it; at least so much waited", longest_ns * least_bps * bytes_a_ns)
        low_ns, value_ns, high_ns = _quantiles(np.array(full), np.ones(len(full)), (INNER[0], 0.5, INNER[1]))
        # A frame is dropped where less than one is free, and of the first a part may have left: half of each.
        frame = self._frame_bytes
        return CapturedNumber(
            value_ns * rate * bytes_a_ns + frame,
            max(low_ns - HOSTS_NS, 0.0) * least_bps * bytes_a_ns,
            (high_ns + HOSTS_NS) * most_bps * bytes_a_ns + 2 * frame,
            f"so much waited when it overflowed, {counted(len(full), 'time')}",
        )

    def _limit(self, rate_bps: CapturedNumber, full: list[float]) -> str:
        busy_us = max(self._load.busy_us, 1)
        for limited_us, what in (
            (self._load.window_limited_us, "the receiver's window"),
            (self._load.buffer_limited_us, "the sender's buffer"),
        ):
            if limited_us > LIMITED_PART * busy_us:
                return f"{what}, for {percent(min(limited_us / busy_us, 1.0))} of its time"
        if full:
            return f"the path: its queue overflowed {counted(len(full), 'time')}"
        if rate_bps.value is not None:
            return "the path, but its queue never overflowed"
        return "neither the path nor the hosts: loss elsewhere, or too little time"


def _quantiles(values: Ns, weights: Ns, shares: tuple[float, ...]) -> list[float]:
    """Each the least value up to which at least such a share of the weight lies."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    return [float(values[order][np.searchsorted(below, share - 1e-9)]) for share in shares]


def _share(idly: int, elsewhere: int, segments: int) -> CapturedNumber:
    """Of segments, those that were lost with no queue, and at most all that were not lost to a full one."""
    if segments <= 0:
        return _unknown("the flow sent nothing")
    reason = f"of {segments:,} segments {idly:,} were lost with no queue, {elsewhere:,} while it was not full"
    return CapturedNumber(idly / segments, _wilson(idly, segments)[0], _wilson(elsewhere, segments)[1], reason)


def _wilson(count: int, of: int) -> tuple[float, float]:
    """The interval of a share (Wilson, Journal of the American Statistical Association 22, 1927)."""
    share, width = min(count / of, 1.0), 1 + Z**2 / of
    middle = (share + Z**2 / (2 * of)) / width
    half = Z * math.sqrt(share * (1 - share) / of + (Z / (2 * of)) ** 2) / width
    return (max(middle - half, 0.0) if count else 0.0), min(middle + half, 1.0)
