"""What iperf3 would say of a window: its receiver counts until the test's last message has passed the queue.

When its time is over the client of iperf3 tells the server so on a connection of its own (TEST_END), which waits in the
bottleneck's queue like everything else. Until then the server reads on; both then divide what it has read by the time
that was asked for. Behind a queue of seconds it tells more than the line can carry.

A test of so many bytes (`-n`) is over for its client when the last of them is *written*, into the socket, not when it
is delivered: earlier by what the send buffer holds, two windows of CUBIC and three of BBR. No engine records what a
socket has taken; `time_to_write_s` reconstructs it from series.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.metrics.contention import delivered
from dumbbell.metrics.counter import Floats
from dumbbell.metrics.window import Window, ratio
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.measurement import Measurement
    from dumbbell.spec.run import Run

SEGMENT_MEMORY_BYTES: Final = 4352
"""What a distribution's Linux reserves for a segment of 1448 B of payload (`tcp_sndbuf_expand`).

Its data area is a power of two that holds an MSS of 1460 B, 320 B of `skb_shared_info` and MAX_TCP_HEADER, which is at
least 304 B with wireless devices and tunnels configured: 4096 B, and 256 B of descriptor. `ss -tm` shows it: tb87040
with a window of ten, twenty times 4352.
"""
BARE_SEGMENT_MEMORY_BYTES: Final = 2304
"""The same of the kernel of the engine `linux`, which has neither: with 192 B of headers 2048 B are enough."""
PAYLOAD_SHARE: Final = 65_160 / (65_160 + 768)
"""Of a send buffer: whole super-packets of 45 segments of 1448 B, each with a descriptor of 768 B (`truesize`)."""
FILLED_AGAIN_BELOW: Final = 2 / 3
"""Of a full buffer: the application is woken when a third of it is free (`sk_stream_is_writeable`)."""
LEAST_SEGMENTS: Final = 10
"""For which there is room from the beginning (`TCP_INIT_CWND`)."""


def goodputs_bps(run: Run, measurement: Measurement, window: Window) -> Sequence[float | None]:
    """Of each flow, in the run's order; None where the run is over before iperf3 would have stopped to count."""
    queue = measurement.bottleneck.series
    if not queue.at_ns.size:
        return [None] * len(run.flows)
    backlog_bytes = float(np.interp(window.end_ns, queue.at_ns.astype(np.float64), queue.backlog_bytes))
    end_notice_ns = run.path.carried_at_ns(BITS_PER_BYTE * backlog_bytes, window.end_ns, run.path.mtu_bytes)
    goodputs: list[float | None] = []
    for flow, measured in zip(run.flows, measurement.flows, strict=True):
        until_ns = end_notice_ns + flow.forward_delay_ns
        counter = delivered(measured)
        before, after = counter.at([window.begin_ns / NS_PER_S, until_ns / NS_PER_S])
        complete = until_ns <= measurement.ended_ns
        goodputs.append(ratio(BITS_PER_BYTE * float(after - before), window.seconds) if complete else None)
    return goodputs


@dataclass(frozen=True, slots=True, kw_only=True)
class SendBuffer:
    """What the socket of a sender takes, as `tcp_sndbuf_expand` and `sk_stream_write_space` have it."""

    windows: int
    """For how many windows there is room: 2, or 3 with BBR."""
    segment_memory_bytes: int = SEGMENT_MEMORY_BYTES
    """What each of their segments reserves."""
    most_bytes: float = math.inf
    """How far it may grow (`tcp_wmem`)."""

    def room_bytes(self, cwnd_segments: Floats) -> Floats:
        """Of payload, at each sample: the buffer does not shrink with the window."""
        segments = np.maximum.accumulate(np.maximum(cwnd_segments, LEAST_SEGMENTS))
        memory_bytes = np.minimum(self.windows * self.segment_memory_bytes * segments, self.most_bytes)
        return np.asarray(PAYLOAD_SHARE * memory_bytes, dtype=np.float64)


def time_to_write_s(
    at_s: Floats, acked_bytes: Floats, cwnd_segments: Floats, size_bytes: int, buffer: SendBuffer
) -> float | None:
    """When the last of so many bytes was written into the socket.

    `at_s`: instants, in seconds, of the samples; `acked_bytes`: what was acknowledged to the sender by then;
    `cwnd_segments`: its window then, of segments of 1448 B. None where it was not written by the last sample.

    The buffer has room for the largest window so far, and is filled again when a third is free. What this does not
    know: samples are the only instants, so that it is up to one of their intervals late; and each window is taken to
    be followed at once, which the kernel does only while the buffer is full and the window is not.
    """
    written = 0.0
    for now_s, acked, room in zip(at_s, acked_bytes, buffer.room_bytes(cwnd_segments), strict=True):
        if written - acked <= FILLED_AGAIN_BELOW * room:
            written = acked + room
        if written >= size_bytes:
            return float(now_s)
    return None
