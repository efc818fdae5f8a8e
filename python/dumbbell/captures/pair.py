"""Two captures of the same traffic, as `crates/pcap/src/pair` compares them: times are nanoseconds since 1970."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

import dumbbell._core as _core
from dumbbell.captures.analysis import BIN_S, STANDARD_INPUT, CaptureError
from dumbbell.captures.connection import Endpoint, Rtts
from dumbbell.units import NS_PER_S


class Clocks(Struct, frozen=True):
    """How the second capture's clock runs, by the first one's."""

    reference_ns: int
    offset_ns: int | None
    """How far it was ahead at the reference; None: not known."""
    offset_bound_ns: int | None
    drift_ppm: float
    drift_bounds_ppm: tuple[float, float] | None
    rtt_ns: int | None
    """The shortest time from one place to the other and back."""
    samples: tuple[int, int]
    same: bool
    backwards_ns: int
    """By how much packets arrive before they were sent, of one clock."""


class Passage(Struct, frozen=True):
    """What became of the packets of one direction between the places."""

    sent: int
    sent_bytes: int
    lost: int
    lost_bytes: int
    under_way: int
    duplicated: int
    overtaken: int
    unsent: int
    outside: int
    given_up: int
    delay: Rtts | None
    queueing: Rtts | None


class PairConnection(Struct, frozen=True):
    """A connection that both captures have, as the first one names it."""

    client: Endpoint
    server: Endpoint
    translated: tuple[Endpoint, Endpoint] | None
    first_is_near_client: bool
    directions: tuple[Passage, Passage]

    @property
    def flows(self) -> Iterator[PairFlow]:
        """Its directions, the one with the most data first."""
        ends = (self.client, self.server)
        flows = (PairFlow(self, side, ends[side], ends[1 - side], self.directions[side]) for side in (0, 1))
        yield from sorted(flows, key=lambda flow: -flow.passage.sent_bytes)


class PairFlow(NamedTuple):
    """One direction of a connection."""

    connection: PairConnection
    from_server: int
    source: Endpoint
    target: Endpoint
    passage: Passage

    @property
    def name(self) -> str:
        """Where its packets come from and go."""
        return f"{self.source} > {self.target}"

    @property
    def sent_at(self) -> int:
        """Which place is nearer to its sender: 0 or 1."""
        return int(self.connection.first_is_near_client == bool(self.from_server))


class PairPlace(Struct, frozen=True):
    """One of the captures."""

    frames: Mapping[str, Any]
    cut: Mapping[str, Any] | None
    damage: str | None
    own_connections: int
    own_segments: int


class PairBin(Struct, frozen=True):
    """Packets of the largest connection that were sent in a bin of time."""

    from_server: bool
    bin: int
    arrived: int
    lost: int
    queueing_sum_ns: int
    queueing_most_ns: int


class PairReport(Struct, frozen=True):
    """What two captures say together."""

    places: tuple[PairPlace, PairPlace]
    clocks: Clocks
    common_ns: tuple[int, int] | None
    """When both ran, by the first one's clock."""
    connections: Sequence[PairConnection]
    """The one with the most data first."""
    assumed: int
    passed_over: int
    bins: Sequence[PairBin]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two captures, and what they say together."""

    files: tuple[str, str]
    bin_s: float
    report: PairReport
    text: str
    """The report's JSON."""

    @property
    def flows(self) -> list[PairFlow]:
        """Directions of which packets are in both captures, connection by connection."""
        every = (flow for each in self.report.connections for flow in each.flows)
        return [flow for flow in every if flow.passage.sent]


def compare_files(first: Path, second: Path, bin_s: float = BIN_S, *, same_clock: bool = False) -> Pair:
    """Compares two captures of the same traffic. Each is read three times.

    Raises:
        CaptureError: one is no capture, or they have no packet in common.
    """
    if STANDARD_INPUT in {str(first), str(second)}:
        raise CaptureError("two captures are read more than once, so that neither can come through a pipe: name files")
    try:
        text = _core.compare_captures(first, second, round(bin_s * NS_PER_S), same_clock)
    except (ValueError, OSError) as error:
        name = next(iter(getattr(error, "__notes__", ())), f"{first}, {second}")
        raise CaptureError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    return Pair((str(first), str(second)), bin_s, msgspec.json.decode(text, type=PairReport), text)
