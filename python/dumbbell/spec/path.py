"""The path of a run: queues and lines in a row, both ways. The fields are those of `crates/run/src/path.rs`."""

from __future__ import annotations

from typing import Literal

from dumbbell.spec.frame import ETHERNET_HEADER_BYTES, TCP_IP_HEADER_BYTES
from dumbbell.spec.line import CLEAR, PLAIN_POLICE, Change, Impairments, Police, VaryingLine
from dumbbell.spec.part import Count, written
from dumbbell.spec.queue import FIFO, QueueDiscipline, Room


class Hop(VaryingLine, frozen=True, kw_only=True):
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
    shaper: Literal["tbf", "htb", "police"] = "tbf"
    loss_ppb: Count = 0
    loss_at: Literal["before", "after"] = "before"
    police: Police = PLAIN_POLICE
    impairments: Impairments = CLEAR
    changes: tuple[Change, ...] = ()
    trace: str | None = None
    """The line as it was recorded (`crates/run/src/trace.rs`)."""


class Path(VaryingLine, frozen=True, kw_only=True):
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
    shaper: Literal["tbf", "htb", "police"] = "tbf"
    """How the token bucket reckons."""
    shaper_at: Literal["router", "receiver"] = "router"
    """Where it stands."""
    jitter_ns: Count | None = written(0)
    """Timing noise of the sending hosts, uniform below this for each burst; None: the machine's own."""
    loss_ppb: Count
    """Probability of random loss, in parts per billion."""
    loss_at: Literal["before", "after"]
    mtu_bytes: Count
    offload: bool
    police: Police = PLAIN_POLICE
    impairments: Impairments = CLEAR
    changes: tuple[Change, ...]
    trace: str | None = None
    """The line as it was recorded, in place of its rate."""
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
