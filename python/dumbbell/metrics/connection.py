"""A TCP connection as `ss` or iperf3 shows it, and all that a file has of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

REORDERING: Final = 3
"""Segments out of order that TCP allows for before it saw any (`net.ipv4.tcp_reordering`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One, as `ss` or iperf3 shows it. None: it does not show it. Times are of its life unless said otherwise."""

    local: str
    peer: str
    """Addresses with ports."""
    state: str
    """Empty where `ss` was asked for one state only and did not repeat it."""
    cc: str = ""
    min_rtt_s: float | None = None
    """The smallest of the last five minutes (`net.ipv4.tcp_min_rtt_wlen`); of kernels from 4.6 on."""
    srtt_s: float | None = None
    delivery_bps: float | None = None
    """Payload delivered in the last round trip that the application did not limit, or the fastest that it did limit
    since; of kernels from 4.9 on. With BBR what it holds for the bandwidth."""
    app_limited: bool = False
    """That rate is the application's: the path has at least as much."""
    mss_bytes: int | None = None
    sent_bytes: float = 0.0
    """Payload, resent data included."""
    received_bytes: float = 0.0
    resent_bytes: float = 0.0
    resent_segments: int = 0
    reorderings: int = 0
    """How often an ACK showed packets out of order (`reord_seen`; of kernels from 4.19 on)."""
    reordering_segments: int = REORDERING
    """How far out of order they came, as TCP saw it (`reordering`, which `ss` prints where it grew)."""
    duplicates: int = 0
    """Segments that arrived twice, so that one was resent for nothing (`dsack_dups`)."""
    cwnd_segments: int | None = None
    ssthresh_segments: int | None = None
    busy_s: float | None = None
    """With data to send or in flight."""
    rwnd_limited_s: float = 0.0
    sndbuf_limited_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """What a file had."""

    name: str
    connections: tuple[Connection, ...]
    """Each once: of several captures in one file the last, with the longest RTT of all."""
    other_sockets: int
    """That carry no data: listening, opening, closed."""
    source: Literal["ss", "iperf3"] = "ss"
