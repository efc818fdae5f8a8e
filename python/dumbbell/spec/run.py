"""One run, resolved to integers in base units: what engines take. The fields are those of `crates/run/src/request.rs`.

`to_json` gives exactly the form that the engines read. A field with a default is one that stored runs of earlier
versions have not; the default is what they were, and is not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec.json import Decoder, encode

from dumbbell.spec.flow import Flow
from dumbbell.spec.part import Count, RunPart, written
from dumbbell.spec.path import Path

if TYPE_CHECKING:
    from collections.abc import Callable


class MemoryBytes(RunPart, frozen=True, kw_only=True):
    """At most this much for each socket buffer."""

    bytes: Count


class Host(RunPart, frozen=True, kw_only=True):
    """The end hosts."""

    socket_memory: Literal["max", "default"] | MemoryBytes
    receive_window_bytes: Count | None
    initial_window_segments: Count
    qdisc: Literal["none", "fq"]
    sack_compression: bool
    gro: bool = written(value=False)
    ack_aggregation_ns: Count = written(0)
    """At most once in this time a receiver's NIC hands over what has arrived; 0: every packet by itself."""


CAPTURE_POINTS: Final = ("senders", "bottleneck", "receivers")
"""In the order in which data meets them."""


class Measure(RunPart, frozen=True, kw_only=True):
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


class Run(RunPart, frozen=True, kw_only=True, weakref=True):
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
