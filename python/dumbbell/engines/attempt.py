"""How far a run came that an engine was given little time for: what a forecast of the whole run starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.spec.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The part of a run that was simulated: the fields of `crates/sim/src/attempt.rs`."""

    ended: bool
    """The run has come to its own end."""
    ended_ns: int
    """Virtual time that has passed."""
    segments_sent: int
    """Data segments that all flows have sent, retransmissions included."""
    delivered_bytes: int
    transfers_started: int
    transfers_completed: int
    queued_packets: int
    """In the bottleneck's queue."""
    peak_packets: int
    """The most that were sampled there."""
    passed: Sequence[tuple[int, int]]
    """Times of samples, ns, and how many packets had left the queue by then, or had been dropped there."""


@runtime_checkable
class AttemptingEngine(Protocol):
    """An engine that can leave a run before its end."""

    def attempt(self, run: Run, most_s: float) -> Attempt:
        """Measures the run in this thread for so many seconds at most.

        Raises:
            EngineFailure: as `measure`.
        """
