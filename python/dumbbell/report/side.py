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


def side(standing: Standing, *, how: str = "") -> Side:
    """What a study's runs on an engine say; `how` is what must be said with a command, where it is not all."""
    return Side(
        engine=standing.engine,
        verdicts=standing.verdicts,
        shown=tuple(standing.shown()),
        gaps=tuple(standing.gaps()),
        missing=standing.runs[1] - standing.runs[0],
        command=with_words(standing.command(), how),
        outcomes=standing.evidence.outcomes,
    )


def with_words(command: str, how: str) -> str:
    """A command, and in a comment how it is to be given: a page tells no machine's folders.

    >>> with_words("dumbbell study run theory", "with the same --out")
    'dumbbell study run theory  # with the same --out'
    """
    return f"{command}  # {how}" if how else command
