"""What the flows of a capture did, packet by packet: the columns that a measurement is made of.

Of a packet with data 48 bytes stay in memory, and 16 of an ACK.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dumbbell.captures.analysis import Sink, analyse
from dumbbell.captures.files import CLASSES
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.captures.connection import CapturedFlow, Columns

Integers: TypeAlias = npt.NDArray[np.int64]
Key: TypeAlias = tuple[int, int]

BIN_NS: Final = 10_000
"""How exactly it is known when data was acknowledged."""
NEW: Final = CLASSES.index("new")
TIMESTAMPS_BYTES: Final = 12
"""Of a segment, which its MSS does not count (RFC 6691)."""
AGAIN: Final = tuple(CLASSES.index(name) for name in ("fast", "timeout", "tail probe", "plain"))
"""As `Class::is_retransmission` of `crates/pcap/src/sink.rs`."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A count that changes at instants, in order of time."""

    at_ns: Integers
    total: Integers
    """After each."""

    @classmethod
    def of(cls, at_ns: Integers, amounts: Integers) -> Steps:
        """From so much at each instant, in any order."""
        order = np.argsort(at_ns, kind="stable")
        return cls(at_ns[order], np.cumsum(amounts[order]))

    def at(self, instants_ns: Integers) -> Integers:
        """The count at each instant, which it includes."""
        return np.concatenate(([0], self.total))[np.searchsorted(self.at_ns, instants_ns, side="right")]


class RttSamples(NamedTuple):
    """Round-trip times, in order of time."""

    at_ns: Integers
    rtt_ns: Integers

    @classmethod
    def of(cls, at_ns: Integers, rtt_ns: Integers) -> RttSamples:
        """Those that are not below zero, in any order."""
        known = np.flatnonzero(rtt_ns >= 0)
        order = known[np.argsort(at_ns[known], kind="stable")]
        return cls(at_ns[order], rtt_ns[order])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FlowTraffic:
    """One direction of a connection. Times are nanoseconds since 1970."""

    segments: Steps
    """Of data, as they were captured; a super-packet counts as its segments."""
    again: Steps
    """Those of them that were sent again."""
    wire_bytes: Steps
    """Of the frames of the data, all headers included."""
    arrived_bytes: Steps
    """Data that the receiver has acknowledged or reported, in order or not, as the sender knew when it sent data."""
    delivered_bytes: Steps
    """Data that was acknowledged cumulatively."""
    outstanding: Steps
    """Bytes sent, and neither acknowledged nor reported, after each packet with data."""
    acks: Steps
    """Packets of the other end."""
    rtts: RttSamples
    """What Linux gives its congestion control at each ACK (`crates/pcap/src/sink.rs`, `sender_rtt_ns`)."""
    smoothed_rtts: RttSamples
    """What Linux smooths (6.1 `tcp_ack_update_rtt`): from the first segment that an ACK newly covers, and not the last,
    so that a delayed ACK counts in full; where that was sent again, the same sample as above."""
    segment_bytes: int
    """Payload of a full one."""


def traffic(file: Path, flows: Sequence[CapturedFlow]) -> list[FlowTraffic]:
    """What each of these flows of a capture did; the file is read once.

    Raises:
        CaptureError: it cannot be read any more.
    """
    rows = _Rows(flows)
    start_ns = analyse(file, rows, BIN_NS / NS_PER_S).start_ns
    return [_of(flow, rows, start_ns) for flow in flows]


_DATA: Final = ("time_ns", "class", "wire_bytes", "payload_bytes", "sequence_bytes", "outstanding_bytes")
_REPLIES: Final = ("time_ns", "sender_rtt_ns")
_BINS: Final = ("bin", "acked_bytes")


class _Rows(Sink):
    """Takes some columns of some flows."""

    def __init__(self, flows: Sequence[CapturedFlow]) -> None:
        super().__init__(packets=self._take)
        self._numbers = {2 * flow.connection.connection + flow.from_server: flow.key for flow in flows}
        self._parts: defaultdict[tuple[Key, str], list[Integers]] = defaultdict(list)

    def bins(self, columns: Columns) -> None:
        """Bins that are complete: none is for a figure."""
        self._keep(columns, columns["from_server"], _BINS)

    def column(self, flow: CapturedFlow, name: str) -> Integers:
        """A column of a flow: of its data, of the other end's packets (`reply_…`), or of its bins."""
        return np.concatenate([np.empty(0, np.int64), *self._parts[flow.key, name]])

    def _take(self, columns: Columns) -> None:
        with_data = columns["payload_bytes"] > 0
        self._keep(
            {name: column[with_data] for name, column in columns.items()}, columns["from_server"][with_data], _DATA
        )
        self._keep(columns, 1 - columns["from_server"], _REPLIES, "reply_")

    def _keep(self, columns: Columns, side: Integers, names: Sequence[str], prefix: str = "") -> None:
        """Rows of the flows of that side, by the names of their columns."""
        numbers = 2 * columns["connection"].astype(np.int64) + side
        for number in np.unique(numbers).tolist():
            if key := self._numbers.get(number):
                own = numbers == number
                for name in names:
                    self._parts[key, prefix + name].append(columns[name][own].astype(np.int64))


def _of(flow: CapturedFlow, rows: _Rows, start_ns: int) -> FlowTraffic:
    at_ns, payload, sequence, kind = (
        rows.column(flow, name) for name in ("time_ns", "payload_bytes", "sequence_bytes", "class")
    )
    first = sequence.min(initial=np.iinfo(np.int64).max)
    ends, again, order = sequence + payload - first, np.isin(kind, AGAIN), np.argsort(at_ns, kind="stable")
    outstanding = rows.column(flow, "outstanding_bytes")[order]
    segment_bytes = _segment_bytes(flow)
    segments = -(-payload // segment_bytes)
    bin_ns = start_ns + BIN_NS * rows.column(flow, "bin") + BIN_NS // 2
    delivered = Steps.of(bin_ns, rows.column(flow, "acked_bytes"))
    replied_ns, rtt_ns = (rows.column(flow, f"reply_{name}") for name in _REPLIES)
    rtts = RttSamples.of(replied_ns, rtt_ns)
    return FlowTraffic(
        segments=Steps.of(at_ns, segments),
        again=Steps.of(at_ns, np.where(again, segments, 0)),
        wire_bytes=Steps.of(at_ns, rows.column(flow, "wire_bytes")),
        arrived_bytes=Steps(at_ns[order], np.maximum.accumulate(np.maximum.accumulate(ends[order]) - outstanding)),
        delivered_bytes=delivered,
        outstanding=Steps(at_ns[order], outstanding),
        acks=Steps.of(replied_ns, np.ones_like(replied_ns)),
        rtts=rtts,
        smoothed_rtts=_smoothed(rtts, delivered, at_ns[kind == NEW], ends[kind == NEW], ends[again]),
        segment_bytes=segment_bytes,
    )


def _smoothed(
    rtts: RttSamples, delivered: Steps, sent_ns: Integers, ends: Integers, ends_again: Integers
) -> RttSamples:
    """By the first byte that each acknowledgement newly covers, and the segment that had it first."""
    order = np.argsort(ends, kind="stable")
    sent_ns, ends = sent_ns[order], ends[order]
    place = np.searchsorted(delivered.at_ns, rtts.at_ns - BIN_NS // 2)  # the bin that has the instant
    before = np.concatenate(([0], delivered.total))[place]
    segment = np.searchsorted(ends, before, side="right")
    advances = np.append(delivered.at_ns, 0)[place] <= rtts.at_ns + BIN_NS // 2
    once = advances & (segment < ends.size) & ~np.isin(segment, np.searchsorted(ends, ends_again))
    return RttSamples(rtts.at_ns, np.where(once, rtts.at_ns - np.append(sent_ns, 0)[segment], rtts.rtt_ns))


def _segment_bytes(flow: CapturedFlow) -> int:
    """By the smaller of both MSS, of which timestamps take a part; without a handshake a packet is a segment."""
    announced = [each.mss for each in flow.connection.directions if each.mss]
    if not announced:
        return 2**31
    return max(1, min(announced) - TIMESTAMPS_BYTES * flow.sent.timestamps)
