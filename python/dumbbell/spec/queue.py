"""A queue of a run: its room, and what manages it. The fields are those of `crates/run/src/queue_discipline.rs`."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from dumbbell.spec.part import Count, RunPart, written


class Room(RunPart, frozen=True, kw_only=True):
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


class Codel(RunPart, frozen=True, kw_only=True):
    """CoDel's control law."""

    target_ns: Count
    interval_ns: Count
    ecn: bool
    ce_threshold_ns: Count | None = None


Managing: TypeAlias = Literal["fifo", "codel", "fq_codel", "fq", "pie", "red", "dualpi2", "cake"]
"""Names of queue disciplines."""


class QueueDiscipline(RunPart, frozen=True, kw_only=True):
    """How a queue is managed: `tc`'s name, and those parameters that it has (`crates/run/src/queue_discipline.rs`)."""

    kind: Managing = written("fifo")
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
