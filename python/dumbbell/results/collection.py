"""The outcomes of an experiment, in the order of its expansion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from dumbbell.results.schema import FailedRun, Result


@dataclass(frozen=True, slots=True)
class Results(Sequence[Result | FailedRun]):
    """What `dumbbell.run` gives: every outcome, and apart from each other what was measured and what failed."""

    outcomes: tuple[Result | FailedRun, ...]

    @property
    def summaries(self) -> list[Result]:
        """The runs that were measured."""
        return [outcome for outcome in self.outcomes if isinstance(outcome, Result)]

    @property
    def failures(self) -> list[FailedRun]:
        """The runs that the engine could not finish."""
        return [outcome for outcome in self.outcomes if isinstance(outcome, FailedRun)]

    def __len__(self) -> int:
        return len(self.outcomes)

    @overload
    def __getitem__(self, index: int) -> Result | FailedRun: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Result | FailedRun, ...]: ...
    def __getitem__(self, index: int | slice) -> Result | FailedRun | tuple[Result | FailedRun, ...]:
        return self.outcomes[index]
