"""How fast the runs of studies were carried out: runs and data packets a second of a real clock."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.results.schema import Result


@dataclass(slots=True)
class Speed:
    """What was carried out, without the runs that the stores had."""

    runs: int = 0
    packets: int = 0
    """Data segments that the flows sent within the windows of these runs, retransmissions included."""
    seconds: float = 0.0

    @contextmanager
    def measuring(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - began

    def count(self, result: Result) -> None:
        """Counts a run that was measured within."""
        self.runs += 1
        self.packets += sum(flow.segments_sent for flow in result.flows)

    def text(self) -> str:
        from dumbbell.metrics.number import counted, elapsed

        rate, packets = self.runs / self.seconds, self.packets / self.seconds
        runs = f"{counted(self.runs, 'run')} in {elapsed(self.seconds)}"
        return f"{runs}: {rate:.3g} runs/s, {packets:,.0f} data packets/s"
