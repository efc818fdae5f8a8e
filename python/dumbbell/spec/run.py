"""One run, resolved to integers in base units: what engines take. The fields are those of `crates/run/src/request.rs`.

`to_json` gives exactly the form that the engines read. A field with a default is one that stored runs of earlier
versions have not; the default is what they were, and is not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias, TypeVar

from msgspec import Meta, Struct, field
from msgspec.json import Decoder, encode

from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

Payload = TypeVar("Payload", float, "npt.NDArray[np.int64]")

ETHERNET_HEADER_BYTES = 14
TCP_IP_HEADER_BYTES = 52
"""IP, TCP, and its timestamps."""
MTU_BYTES = 1500
"""Of a path that says nothing of it."""
MSS_BYTES = MTU_BYTES - TCP_IP_HEADER_BYTES
FRAME_BYTES = MTU_BYTES + ETHERNET_HEADER_BYTES
"""Payload of a full packet at that MTU, and what the bottleneck charges for it."""


def wire_bytes(payload_bytes: Payload, mtu_bytes: int, overhead_bytes: int = ETHERNET_HEADER_BYTES) -> Payload:
    """Length of all frames of so much payload, headers included, in full segments and a last one; of arrays, each.

    >>> wire_bytes(1448, 1500), wire_bytes(1449, 1500)
    (1514, 1581)
    >>> wire_bytes(1448, 1500, overhead_bytes=38)
    1538
    """
    segments = -(-payload_bytes // (mtu_bytes - TCP_IP_HEADER_BYTES))
    return payload_bytes + segments * (TCP_IP_HEADER_BYTES + overhead_bytes)


Count: TypeAlias = Annotated[int, Meta(ge=0)]
Value = TypeVar("Value")


def _written(value: Value) -> Value:
    """A default that is written too: runs had the field before defaults were left out."""
    default: Value = field(default_factory=lambda: value)
    return default


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Room(_Part, frozen=True, kw_only=True):
    """Of a queue: for so many bytes of frames, or for so many frames of any size."""

    bytes: Count | None = None
    packets: Count | None = None

    def bytes_of(self, frame_bytes: int) -> int:
        """In bytes, where each frame has this length."""
        return (self.bytes or 0) + (self.packets or 0) * frame_bytes

    @property
    def count(self) -> tuple[int, Literal["B", "packets"]]:
        """How much, and of what."""
        return (self.bytes or 0, "B") if self.packets is None else (self.packets, "packets")

    def __str__(self) -> str:
        return " ".join(map(str, self.count))


class Codel(_Part, frozen=True, kw_only=True):
    """CoDel's control law."""

    target_ns: Count
    interval_ns: Count
    ecn: bool
    ce_threshold_ns: Count | None = None


Managing: TypeAlias = Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"]
"""Names of queue disciplines."""


class QueueDiscipline(_Part, frozen=True, kw_only=True):
    """How a queue is managed: `tc`'s name, and those parameters that it has (`crates/run/src/queue_discipline.rs`)."""

    kind: Managing = _written("fifo")
    target_ns: Count | None = None
    interval_ns: Count | None = None
    ecn: bool | None = None
    """Packets that understand it are marked and not dropped."""
    ce_threshold_ns: Count | None = None
    codel: Codel | None = None
    """Of `fq_codel`, that of each queue."""
    flows: Count | None = None
    quantum_bytes: Count | None = None
    initial_quantum_bytes: Count | None = None
    ce_threshold_selector: tuple[Count, Count] | None = None
    flow_limit_packets: Count | None = None
    orphan_mask: Count | None = None
    tupdate_ns: Count | None = None
    alpha: Count | None = None
    """In sixteenths a second of `pie`, in 256ths of `dualpi2`; so is `beta`."""
    beta: Count | None = None
    coupling: Count | None = None
    step_ns: Count | None = None
    min_bytes: Count | None = None
    max_bytes: Count | None = None
    probability_ppb: Count | None = None

    @property
    def marks(self) -> bool:
        """Whether it marks packets that understand it, some of them."""
        laws = (self, self.codel) if self.codel else (self,)
        always = self.kind in {"dualpi2", "cake"}
        return always or any(law.ecn or law.ce_threshold_ns is not None for law in laws)


FIFO: Final = QueueDiscipline()


class Change(_Part, frozen=True, kw_only=True):
    """From `at_ns` on, a line has another rate."""

    at_ns: Count
    rate_bps: Count


class Hop(_Part, frozen=True, kw_only=True):
    """A queue, the line that empties it, and the delay behind it."""

    name: str
    """Unique within the path."""
    rate_bps: Count
    buffer: Room
    qdisc: QueueDiscipline = FIFO
    delay_ns: Count = 0
    """One way, to the next hop or the end."""
    overhead_bytes: Count = ETHERNET_HEADER_BYTES
    burst_bytes: Count
    shaper: Literal["tbf", "htb"] = "tbf"
    loss_ppb: Count = 0
    loss_at: Literal["before", "after"] = "before"
    changes: tuple[Change, ...] = ()


class Path(_Part, frozen=True, kw_only=True):
    """What lies between all senders and all receivers: one bottleneck, or where there are `hops` these in a row.

    Its own rate, overhead, buffer, burst, shaper, loss and changes are the bottleneck's, wherever that stands.
    """

    rate_bps: Count
    overhead_bytes: Count = ETHERNET_HEADER_BYTES
    """What the bottleneck counts a frame beyond its IP packet."""
    buffer: Room
    qdisc: QueueDiscipline = FIFO
    """How its queue is managed."""
    burst_bytes: Count
    """Depth of the token bucket; one frame or less: a plain line, unless the bucket may owe."""
    shaper: Literal["tbf", "htb"] = "tbf"
    """How the token bucket reckons."""
    shaper_at: Literal["router", "receiver"] = "router"
    """Where it stands."""
    jitter_ns: Count | None = _written(0)
    """Timing noise of the sending hosts, uniform below this for each burst; None: the machine's own."""
    loss_ppb: Count
    """Probability of random loss, in parts per billion."""
    loss_at: Literal["before", "after"]
    mtu_bytes: Count
    offload: bool
    changes: tuple[Change, ...]
    hops: tuple[Hop, ...] = ()
    """In the order in which data meets them; empty: the bottleneck alone."""
    bottleneck: Count = 0
    """Which of the hops it is."""
    back: tuple[Hop, ...] = ()
    """On the way back, in the order in which ACKs meet them; empty: delay alone."""

    def lines(self, direction: Literal["down", "up"]) -> tuple[Path | Hop, ...]:
        """Every queue and line of a direction, in the order in which packets meet them."""
        return self.back if direction == "up" else self.hops or (self,)

    @property
    def queues(self) -> dict[str, Path | Hop]:
        """Every queue, by the table of the spec that describes it."""
        down: dict[str, Path | Hop] = {f"hops[{place}]": hop for place, hop in enumerate(self.hops)}
        up = {
            "path.back" if hop.name == "back" else f"path.back.hops[{place}]": hop
            for place, hop in enumerate(self.back)
        }
        return (down or {"path": self}) | up

    @property
    def frame_bytes(self) -> int:
        """Length of a full frame, as the bottleneck counts it."""
        return self.mtu_bytes + self.overhead_bytes

    @property
    def mss_bytes(self) -> int:
        """Payload of a full segment."""
        return self.mtu_bytes - TCP_IP_HEADER_BYTES

    @property
    def buffer_bytes(self) -> int:
        """Room of the bottleneck's queue, in bytes of full frames."""
        return self.buffer.bytes_of(self.frame_bytes)


class Route(_Part, frozen=True, kw_only=True):
    """The places of the first hop and the last that a flow's packets pass; None: all of them."""

    data: tuple[Count, Count] | None = None
    acks: tuple[Count, Count] | None = None


class Controller(_Part, frozen=True, kw_only=True):
    """An algorithm, and its parameters that differ from the defaults."""

    algorithm: str
    parameters: dict[str, float]


class Access(_Part, frozen=True, kw_only=True):
    """A sender's own line before the bottleneck."""

    rate_bps: Count
    buffer: Room
    kind: Literal["device", "router"] = _written("device")


class Transfer(_Part, frozen=True, kw_only=True):
    """So many bytes, then close."""

    bytes: Count


class Stream(_Part, frozen=True, kw_only=True):
    """Writes of one size at a steady pace."""

    rate_bps: Count
    for_ns: Count
    every_ns: Count


class Write(_Part, frozen=True, kw_only=True):
    """One write of a traced application, after the flow's start."""

    at_ns: Count
    bytes: Count


class Trace(_Part, frozen=True, kw_only=True):
    """Writes as listed."""

    writes: tuple[Write, ...]


class Arrivals(_Part, frozen=True, kw_only=True):
    """Short transfers, each on a connection of its own: pairs of when it arrives, ns after the flow's start, and bytes.

    A pair is a pair in JSON too: a run has many.
    """

    arrivals: tuple[tuple[Count, Count], ...]


class Command(_Part, frozen=True, kw_only=True):
    """Words of a program; what stands in braces for addresses and numbers, the engine fills in."""

    command: tuple[str, ...]
    """Started at the sender when the flow starts."""
    server: tuple[str, ...]
    """Started at the receiver before the run; empty: nothing is."""
    user: Literal["caller", "root"] = "caller"
    """Who both run as."""


class Ping(_Part, frozen=True, kw_only=True):
    """UDP datagrams at even intervals, each of which the receiver sends back."""

    every_ns: Count
    bytes: Count
    """Payload of each."""


class Work(_Part, frozen=True, kw_only=True):
    """One of these."""

    transfer: Transfer | None = None
    stream: Stream | None = None
    trace: Trace | None = None
    arrivals: Arrivals | None = None
    command: Command | None = None
    ping: Ping | None = None


NO_WORK = Work()


class Flow(_Part, frozen=True, kw_only=True):
    """One TCP connection and what it carries; or a source of many short ones; or pings, which are no connection."""

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
        return "ping" if self.cc is None else self.cc.algorithm

    @property
    def parameters(self) -> dict[str, float]:
        """Those of its algorithm that differ from the defaults."""
        return {} if self.cc is None else self.cc.parameters

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


class MemoryBytes(_Part, frozen=True, kw_only=True):
    """At most this much for each socket buffer."""

    bytes: Count


class Host(_Part, frozen=True, kw_only=True):
    """The end hosts."""

    socket_memory: Literal["max", "default"] | MemoryBytes
    receive_window_bytes: Count | None
    initial_window_segments: Count
    qdisc: Literal["none", "fq"]
    sack_compression: bool
    gro: bool = _written(value=False)
    ack_aggregation_ns: Count = _written(0)
    """At most once in this time a receiver's NIC hands over what has arrived; 0: every packet by itself."""


CAPTURE_POINTS: Final = ("senders", "bottleneck", "receivers")
"""In the order in which data meets them."""


class Measure(_Part, frozen=True, kw_only=True):
    """What to record, and when."""

    window_begin_ns: Count
    window_end_ns: Count
    sample_ns: Count
    record: Literal["summary", "series", "acks"]
    snap_bytes: Count | None = None
    """So much of each frame is captured; None: nothing is."""
    capture_at: tuple[Literal["senders", "bottleneck", "receivers"], ...] = CAPTURE_POINTS
    """Where, if anything is."""
    qlog: bool = False
    """What each sender does is logged."""
    ss_ns: Count | None = None
    """Between two looks by `ss`; None: it does not look."""

    @property
    def is_captured(self) -> bool:
        """Whether the run has captures or logs."""
        return self.qlog or self.snap_bytes is not None


class Run(_Part, frozen=True, kw_only=True, weakref=True):
    """One point of an experiment with one seed."""

    seed: Count
    duration_ns: Count
    """When the run ends; with `until_done` the latest moment that it may."""
    until_done: bool
    path: Path
    flows: tuple[Flow, ...]
    host: Host
    measure: Measure

    @property
    def connected(self) -> list[int]:
        """The numbers of the flows that are connections, or sources of them."""
        return [index for index, flow in enumerate(self.flows) if flow.cc is not None]

    @property
    def at_bottleneck(self) -> list[int]:
        """The numbers of those whose data pass the bottleneck."""
        return [index for index in self.connected if self.flows[index].passes(self.path.bottleneck)]

    @property
    def has_one_way(self) -> bool:
        """Whether the data of all connections pass the same queues."""
        return len({(self.flows[index].direction, self.flows[index].route.data) for index in self.connected}) == 1

    def to_json(self) -> str:
        """Give the text that engines read."""
        return encode(self).decode()

    @staticmethod
    def from_json(text: str | bytes) -> Run:
        """Read what `to_json` wrote."""
        return _DECODER.decode(text)

    def __reduce__(self) -> tuple[Callable[[str], Run], tuple[str]]:
        """Pickle the text: of fields that are pickled one by one a default is written where it was left out."""
        return Run.from_json, (self.to_json(),)

    def canonical(self) -> bytes:
        """Give bytes that are the same for equal runs: keys are sorted."""
        return encode(self, order="sorted")


_DECODER: Final = Decoder(Run)
"""Made while this module is imported, which one thread does: msgspec learns what a type is when it first reads one, and
two threads that do so at once end the process (msgspec 0.22)."""
