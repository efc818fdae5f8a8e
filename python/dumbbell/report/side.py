"""What one engine says of a study, ready for its page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dumbbell.studies import total

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.results.schema import FailedRun, Result
    from dumbbell.spec import Experiment
    from dumbbell.studies import Shown, Standing, Total, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One engine."""

    engine: str
    verdicts: tuple[Verdict, ...] = ()
    """Those for which there are runs."""
    shown: tuple[Shown, ...] = ()
    """Figures and tables."""
    total: Total | None = None
    """How many of the verdicts hold; None where there are none."""
    rest: str = ""
    """What the study has beyond that, and how it is made, in one line; empty if nothing."""
    experiments: Mapping[str, Experiment] = field(default_factory=dict)
    """Those that have runs of whole seeds: with these seeds, by name."""
    outcomes: Mapping[str, Sequence[Result | FailedRun]]
    """The runs of these, by experiment."""

    @property
    def begun(self) -> bool:
        """Whether any run is there."""
        return any(self.outcomes.values())


def side(standing: Standing, *, comment: str = "") -> Side:
    """What a study's runs on an engine say; `comment` is how commands must be completed."""
    experiments = standing.experiments
    rest = standing.rest()
    return Side(
        engine=standing.engine,
        verdicts=standing.judged,
        shown=tuple(standing.shown()),
        total=total(standing) if standing.judged else None,
        rest=(f"{rest.removesuffix('.')} ({comment})." if rest and comment else rest).replace("`", ""),
        experiments=experiments,
        outcomes={
            title: [each for each in standing.evidence.outcomes[title] if each.seed in experiment.seed_values]
            for title, experiment in experiments.items()
        },
    )


def with_comment(command: str, comment: str) -> str:
    """A command, and how it is to be completed: a page names no machine's folders.

    >>> with_comment("dumbbell study run theory", "with the same --out")
    'dumbbell study run theory  # with the same --out'
    """
    return f"{command}  # {comment}" if comment else command
