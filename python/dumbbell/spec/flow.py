"""A flow of a run: its route, its algorithm, and what its application writes."""

from __future__ import annotations

from typing import Literal

from dumbbell.spec.pages import Pages
from dumbbell.spec.part import Count, RunPart, written
from dumbbell.spec.queue import Room
from dumbbell.units import NS_PER_S


class Route(RunPart, frozen=True, kw_only=True):
    """The places of the first hop and the last that a flow's packets pass; None: all of them."""

    data: tuple[Count, Count] | None = None
    acks: tuple[Count, Count] | None = None


class Controller(RunPart, frozen=True, kw_only=True):
    """An algorithm, and its parameters that differ from the defaults."""

    algorithm: str
    parameters: dict[str, float]


class Access(RunPart, frozen=True, kw_only=True):
    """A sender's own line before the bottleneck."""

    rate_bps: Count
    buffer: Room
    kind: Literal["device", "router"] = written("device")


class Transfer(RunPart, frozen=True, kw_only=True):
    """So many bytes, then close."""

    bytes: Count


class Stream(RunPart, frozen=True, kw_only=True):
    """Writes of one size at a steady pace."""

    rate_bps: Count
    for_ns: Count
    every_ns: Count


class Write(RunPart, frozen=True, kw_only=True):
    """One write of a traced application, after the flow's start."""

    at_ns: Count
    bytes: Count


class Trace(RunPart, frozen=True, kw_only=True):
    """Writes as listed."""

    writes: tuple[Write, ...]


class Arrivals(RunPart, frozen=True, kw_only=True):
    """Short transfers, each on a connection of its own: pairs of when it arrives, ns after the flow's start, and bytes.

    A pair is a pair in JSON too: a run has many.
    """

    arrivals: tuple[tuple[Count, Count], ...]


class Command(RunPart, frozen=True, kw_only=True):
    """Words of a program; what stands in braces for addresses and numbers, the engine fills in."""

    command: tuple[str, ...]
    """Started at the sender when the flow starts."""
    server: tuple[str, ...]
    """Started at the receiver before the run; empty: nothing is."""
    user: Literal["caller", "root"] = "caller"
    """Who both run as."""


class Ping(RunPart, frozen=True, kw_only=True):
    """UDP datagrams at even intervals, each of which the receiver sends back."""

    every_ns: Count
    bytes: Count
    """Payload of each."""


class Datagrams(RunPart, frozen=True, kw_only=True):
    """UDP datagrams of a rate, which nothing answers."""

    rate_bps: Count
    """Payload a second while it is on."""
    bytes: Count
    """Payload of each."""
    spacing: Literal["even", "poisson"]
    on_ns: Count
    """It sends for so long; 0: always."""
    off_ns: Count
    """And then is silent for so long."""


class DatagramTrace(RunPart, frozen=True, kw_only=True):
    """UDP datagrams as listed, which nothing answers."""

    datagrams: tuple[Write, ...]


class Media(RunPart, frozen=True, kw_only=True):
    """Live video over UDP that adapts its rate to the path."""

    least_bps: Count
    """The least rate that the encoder gives."""
    most_bps: Count
    frames: Count
    """A second, in the mean."""
    deadline_ns: Count
    """A frame that is not complete so long after its capture is late."""


class Work(RunPart, frozen=True, kw_only=True):
    """One of these."""

    transfer: Transfer | None = None
    stream: Stream | None = None
    trace: Trace | None = None
    arrivals: Arrivals | None = None
    pages: Pages | None = None
    command: Command | None = None
    ping: Ping | None = None
    datagrams: Datagrams | None = None
    datagram_trace: DatagramTrace | None = None
    media: Media | None = None


NO_WORK = Work()


class Flow(RunPart, frozen=True, kw_only=True):
    """One TCP connection and what it carries; or a source of many; or a client's; or datagrams, which are none."""

    name: str
    """Unique; names the flow's random streams."""
    cc: Controller | None = None
    """None: its workload is no connection's."""
    start_ns: Count
    stop_ns: Count | None
    workload: Literal["bulk"] | Work
    """What the application writes."""
    forward_delay_ns: Count
    """One-way delay of its data, those of its hops among it."""
    return_delay_ns: Count
    """The same of its ACKs."""
    access: Access | None
    direction: Literal["down", "up"] = "down"
    """Up: its data goes on the way back."""
    route: Route = Route()
    ecn: Literal["off", "classic", "accurate"] = "off"
    """What both of its hosts make of ECN."""

    def passes(self, hop: int) -> bool:
        """Whether its data pass the hop at this place of those that are not of the way back."""
        first, last = self.route.data or (hop, hop)
        return self.direction == "down" and first <= hop <= last

    @property
    def algorithm(self) -> str:
        """Its algorithm's name; of what has none, its workload's."""
        if self.cc is None:
            return "ping" if self.work.ping else "media" if self.work.media else "udp"
        return self.cc.algorithm

    @property
    def parameters(self) -> dict[str, float]:
        """Those of its algorithm that differ from the defaults."""
        return {} if self.cc is None else self.cc.parameters

    @property
    def connections(self) -> int:
        """How many it opens, at most."""
        if self.work.pages:
            return self.work.pages.connections
        return len(self.work.arrivals.arrivals) if self.work.arrivals else 1

    @property
    def base_rtt_ns(self) -> int:
        """Round-trip time without any queue."""
        return self.forward_delay_ns + self.return_delay_ns

    @property
    def base_rtt_s(self) -> float:
        """Round-trip time without any queue, in seconds."""
        return self.base_rtt_ns / NS_PER_S

    @property
    def work(self) -> Work:
        """Its workload as one of the kinds; a bulk flow has none of them."""
        return NO_WORK if self.workload == "bulk" else self.workload
