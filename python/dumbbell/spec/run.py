"""One run, resolved to integers in base units: what engines take. The fields are those of `crates/run/src/request.rs`.

`to_json` gives exactly the form that the engines read. A field with a default is one that stored runs of earlier
versions have not; the default is what they were.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
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


Count: TypeAlias = Annotated[int, Field(ge=0, lt=2**64)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RoomBytes(_Part):
    """Room for so many bytes of frames."""

    bytes: Count

    def __str__(self) -> str:
        return f"{self.bytes} B"


class RoomPackets(_Part):
    """Room for so many frames of any size."""

    packets: Count

    def __str__(self) -> str:
        return f"{self.packets} packets"


Buffer: TypeAlias = RoomBytes | RoomPackets
"""What a queue counts, and how much."""


class Change(_Part):
    """From `at_ns` on, the bottleneck has another rate."""

    at_ns: Count
    rate_bps: Count


class Path(_Part):
    """One bottleneck between all senders and all receivers."""

    rate_bps: Count
    buffer: Buffer
    overhead_bytes: Count = Field(
        default=ETHERNET_HEADER_BYTES, exclude_if=lambda overhead_bytes: overhead_bytes == ETHERNET_HEADER_BYTES
    )
    """What the bottleneck counts a frame beyond its IP packet."""
    burst_bytes: Count
    """Depth of the token bucket; one frame or less: a plain line, unless the bucket may owe."""
    shaper: Literal["tbf", "htb"] = Field(default="tbf", exclude_if=lambda kind: kind == "tbf")
    """How the token bucket reckons. By default the run is what it was before there was this."""
    shaper_at: Literal["router", "receiver"] = Field(default="router", exclude_if=lambda place: place == "router")
    """Where it stands; the same."""
    jitter_ns: Count | None = 0
    """Timing noise of the sending hosts, uniform below this for each burst; None: the machine's own."""
    loss_ppb: Count
    """Probability of random loss, in parts per billion."""
    loss_at: Literal["before", "after"]
    mtu_bytes: Count
    offload: bool
    changes: tuple[Change, ...]

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
        return self.buffer.bytes if isinstance(self.buffer, RoomBytes) else self.buffer.packets * self.frame_bytes


class Controller(_Part):
    """An algorithm, and its parameters that differ from the defaults."""

    algorithm: str
    parameters: dict[str, float]


class Access(_Part):
    """A sender's own line before the bottleneck."""

    rate_bps: Count
    buffer: Buffer
    kind: Literal["device", "router"] = "device"


class Transfer(_Part):
    """So many bytes, then close."""

    bytes: Count


class Stream(_Part):
    """Writes of one size at a steady pace."""

    rate_bps: Count
    for_ns: Count
    every_ns: Count


class Write(_Part):
    """One write of a traced application, after the flow's start."""

    at_ns: Count
    bytes: Count


class Trace(_Part):
    """Writes as listed."""

    writes: tuple[Write, ...]


class Arrivals(_Part):
    """Short transfers, each on a connection of its own: pairs of when it arrives, ns after the flow's start, and bytes.

    A pair is a pair in JSON too: a run has many.
    """

    arrivals: tuple[tuple[Count, Count], ...]


class Command(_Part):
    """Words of a program; what stands in braces for addresses and numbers, the engine fills in."""

    command: tuple[str, ...]
    """Started at the sender when the flow starts."""
    server: tuple[str, ...]
    """Started at the receiver before the run; empty: nothing is."""
    user: Literal["caller", "root"] = Field(default="caller", exclude_if=lambda user: user == "caller")
    """Who both run as."""


class TransferWorkload(_Part):
    """A finite transfer."""

    transfer: Transfer


class StreamWorkload(_Part):
    """A stream."""

    stream: Stream


class TraceWorkload(_Part):
    """A traced application."""

    trace: Trace


class ArrivalsWorkload(_Part):
    """A source of short transfers."""

    arrivals: Arrivals


class CommandWorkload(_Part):
    """A program of the user's own."""

    command: Command


Workload: TypeAlias = (
    Literal["bulk"] | TransferWorkload | StreamWorkload | TraceWorkload | ArrivalsWorkload | CommandWorkload
)
"""What the application writes."""


class Flow(_Part):
    """One TCP connection and what it carries; or a source of many short ones."""

    name: str
    """Unique; names the flow's random streams."""
    cc: Controller
    start_ns: Count
    stop_ns: Count | None
    workload: Workload
    forward_delay_ns: Count
    """From the bottleneck to the receiver."""
    return_delay_ns: Count
    """From the receiver back to the sender."""
    access: Access | None

    @property
    def base_rtt_ns(self) -> int:
        """Round-trip time without any queue."""
        return self.forward_delay_ns + self.return_delay_ns

    @property
    def base_rtt_s(self) -> float:
        """Round-trip time without any queue, in seconds."""
        return self.base_rtt_ns / NS_PER_S


class MemoryBytes(_Part):
    """At most this much for each socket buffer."""

    bytes: Count


class Host(_Part):
    """The end hosts."""

    socket_memory: Literal["max", "default"] | MemoryBytes
    receive_window_bytes: Count | None
    initial_window_segments: Count
    qdisc: Literal["none", "fq"]
    sack_compression: bool
    gro: bool = False
    ack_aggregation_ns: Count = 0
    """At most once in this time a receiver's NIC hands over what has arrived; 0: every packet by itself."""


class Measure(_Part):
    """What to record, and when."""

    window_begin_ns: Count
    window_end_ns: Count
    sample_ns: Count
    record: Literal["summary", "series", "acks", "pcap"]
    ss_ns: Count | None = Field(default=None, exclude_if=lambda ns: ns is None)
    """Between two looks by `ss`; None: it does not look, and the run is what it was before there was this."""


class Run(_Part):
    """One point of an experiment with one seed."""

    seed: Count
    duration_ns: Count
    """When the run ends; with `until_done` the latest moment that it may."""
    until_done: bool
    path: Path
    flows: tuple[Flow, ...]
    host: Host
    measure: Measure

    def to_json(self) -> str:
        """Give the text that engines read."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote."""
        return cls.model_validate_json(text)

    def canonical(self) -> bytes:
        """Give the bytes that a run's id is made from: JSON without spaces, keys sorted."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":")).encode()
