"""A connection of a capture: of the fields of `crates/pcap/src/summary.rs` those that are shown, as it names them.

Times are nanoseconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from dumbbell.units import NS_PER_S


class Endpoint(Struct, frozen=True):
    """An address and a port."""

    address: str
    port: int

    def __str__(self) -> str:
        """As programs write it, with an IPv6 address in brackets."""
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


class Rtts(Struct, frozen=True):
    """How round-trip times spread."""

    samples: int
    least_ns: int
    mean_ns: int
    p50_ns: int
    p95_ns: int
    p99_ns: int
    most_ns: int


class Retransmissions(Struct, frozen=True):
    """Packets that were sent again, by what caused it."""

    packets: int
    bytes: int
    fast: int
    timeout: int
    tail_probe: int
    plain: int
    timeouts: int
    recoveries: int
    spurious: int


class Reordering(Struct, frozen=True):
    """Packets that others overtook."""

    packets: int
    most_packets: int
    most_ns: int


class OfferedWindow(Struct, frozen=True):
    """The receive window that an end offered."""

    scale: int | None
    most_bytes: int
    zero_windows: int
    zero_ns: int


class Ecn(Struct, frozen=True):
    """Marks that an end's packets had."""

    ect0: int
    ect1: int
    ce: int
    ece: int
    cwr: int


class Limits(Struct, frozen=True):
    """For how long what limited a sender."""

    application_ns: int
    receiver_ns: int
    congestion_ns: int


class CapturedNumber(Struct, frozen=True):
    """A number that packets tell, with its interval and why; None: they do not tell it, or not that end."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


class AlgorithmEstimate(Struct, frozen=True):
    """Which congestion control a sender runs: `bbr`, `cubic`, `reno`, `vegas`, or `cannot_tell`."""

    algorithm: str
    confidence: float
    """From 0 to 1."""
    reason: str


class FlowEstimate(Struct, frozen=True):
    """What a flow was, and met: bytes, nanoseconds, shares."""

    size_bytes: CapturedNumber
    base_rtt_ns: CapturedNumber
    queue_bytes: CapturedNumber
    buffer_bytes: CapturedNumber
    random_loss: CapturedNumber
    application_limited: CapturedNumber


class Direction(Struct, frozen=True):
    """What one end sent, and what became of it."""

    packets: int
    data_packets: int
    wire_bytes: int
    payload_bytes: int
    unique_bytes: int
    acked_bytes: int
    unseen_bytes: int
    first_data_ns: int | None
    last_data_ns: int | None
    last_acked_ns: int | None
    mss: int | None
    sack_permitted: bool
    timestamps: bool
    ack_rtt: Rtts | None
    timestamp_rtt: Rtts | None
    retransmissions: Retransmissions
    reordering: Reordering
    super_packets: int
    dsacks: int
    most_outstanding_bytes: int
    window: OfferedWindow
    ecn: Ecn
    wireshark: Mapping[str, int]
    limits: Limits | None
    algorithm: AlgorithmEstimate | None = None
    flow: FlowEstimate | None = None


class Handshake(Struct, frozen=True):
    """The packets that open a connection."""

    rtt_ns: int | None


class CapturedConnection(Struct, frozen=True):
    """A connection, with what its client and its server sent."""

    connection: int
    client: Endpoint
    server: Endpoint
    start_ns: int
    end_ns: int
    midstream: bool
    ended: str
    capture_point: str
    handshake: Handshake
    ecn: str
    directions: tuple[Direction, Direction]

    @property
    def flows(self) -> Iterator[CapturedFlow]:
        """Its directions that have data."""
        ends = (self.client, self.server)
        for place, sent in enumerate(self.directions):
            if sent.data_packets:
                yield CapturedFlow(self, place, ends[place], ends[1 - place], sent)


class CapturedFlow(NamedTuple):
    """The data of one direction of a connection."""

    connection: CapturedConnection
    from_server: int
    source: Endpoint
    target: Endpoint
    sent: Direction

    @property
    def key(self) -> tuple[int, int]:
        """What tells its rows in columns."""
        return self.connection.connection, self.from_server

    @property
    def active_s(self) -> float | None:
        """From its first data to the last acknowledgement of some, or its last data; None: that is one instant."""
        last = max(filter(None, (self.sent.last_acked_ns, self.sent.last_data_ns)), default=None)
        first = self.sent.first_data_ns
        return None if first is None or last is None or last <= first else (last - first) / NS_PER_S

    @property
    def goodput_bps(self) -> float | None:
        """Data that arrived, each byte once, over that time; None of a flow of one instant."""
        arrived = max(self.sent.acked_bytes, 0) or self.sent.unique_bytes
        return None if self.active_s is None else 8 * arrived / self.active_s

    @property
    def retransmitted(self) -> float:
        """Of its packets with data, the share that was sent again."""
        return self.sent.retransmissions.packets / max(self.sent.data_packets, 1)

    @property
    def rtt(self) -> Rtts | None:
        """By acknowledgements, and where there is none by timestamps."""
        return self.sent.ack_rtt or self.sent.timestamp_rtt

    @property
    def limited(self) -> dict[str, float]:
        """The shares of its time that each limit had; empty where that cannot be told."""
        limits = self.sent.limits
        if limits is None:
            return {}
        each = {
            "application": limits.application_ns, "receiver": limits.receiver_ns, "congestion": limits.congestion_ns,
        }  # fmt: skip
        full = sum(each.values())
        return {name: ns / full for name, ns in each.items()} if full else {}


Columns = Mapping[str, Any]
"""Columns of a batch, by name: arrays of the same length."""
