"""Single flows on two engines: how a window moves, and what BBR says of itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.agreement import curves
from dumbbell.agreement.curves import words
from dumbbell.agreement.curves.conditions import experiments
from dumbbell.agreement.curves.gathering import judged
from dumbbell.agreement.curves.record import Curves
from dumbbell.agreement.gathering import runs
from dumbbell.validation.agreement import compared, failures, sides_of
from dumbbell.validation.part import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dumbbell.agreement.gathering import Sides
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvesPart:
    """As the plan has it."""

    name: str
    candidate: str
    reference: str
    seeds: int
    floor: int

    @property
    def engines(self) -> tuple[str, ...]:
        """Both."""
        return (self.reference, self.candidate)

    @property
    def whole(self) -> bool:
        """As with all comparisons."""
        return True

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs."""
        return runs(list(experiments()), self._sides(engines))

    def measure(self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]) -> Found:
        """Runs what is missing, and judges every curve."""
        sides = self._sides(engines)
        conditions, both = compared(store, list(experiments()), sides, jobs, progress)
        found = judged(store, conditions, (), both, sides.floor_seeds)
        return Found(kept=found.model_dump_json() + "\n", failures=failures(conditions))

    def told(self, kept: str) -> str:
        """The section in Markdown."""
        return curves.section(json.loads(kept))

    def verdict(self, kept: str) -> str:
        """Which limits hold."""
        return words.summary(Curves.model_validate_json(kept))

    def draw(self, kept: str, folder: Path) -> list[Path]:
        """Its figure."""
        return curves.draw(json.loads(kept), folder)

    def _sides(self, engines: Sequence[Engine]) -> Sides:
        return sides_of(engines, self.candidate, self.reference, self.seeds, self.floor)
