"""What one engine says of a study, ready for its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dumbbell.results.schema import FailedRun, Result
    from dumbbell.studies import Gap, Shown, Standing, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One engine."""

    engine: str
    verdicts: tuple[Verdict, ...] = ()
    shown: tuple[Shown, ...] = ()
    """Figures and tables."""
    gaps: tuple[Gap, ...] = ()
    """What is missing, by experiment and version."""
    missing: int = 0
    """Runs in all: one that several versions need is missing once."""
    command: str = ""
    """What makes it."""
    outcomes: Mapping[str, tuple[Result | FailedRun, ...]]
    """The runs that are there, by experiment."""

    @property
    def begun(self) -> bool:
        """Whether any run is there."""
        return any(self.outcomes.values())


def side(standing: Standing) -> Side:
    """What a study's runs on an engine say."""
    return Side(
        engine=standing.engine,
        verdicts=standing.verdicts,
        shown=tuple(standing.shown()),
        gaps=tuple(standing.gaps()),
        missing=standing.runs[1] - standing.runs[0],
        command=standing.command(),
        outcomes=standing.evidence.outcomes,
    )
