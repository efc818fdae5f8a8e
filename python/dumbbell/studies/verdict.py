"""What became of a claim on one engine with one version of the algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

Word: TypeAlias = Literal["reproduced", "not reproduced", "not testable here", "not run yet"]

REPRODUCED: Final = "reproduced"
NOT_REPRODUCED: Final = "not reproduced"
NOT_TESTABLE: Final = "not testable here"
NOT_RUN: Final = "not run yet"
WORDS: Final = (REPRODUCED, NOT_REPRODUCED, NOT_TESTABLE, NOT_RUN)
"""In the order in which they are counted."""
OK: Final = "OK"
"""The flag of a claim that nothing speaks against before it is run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One number of a claim, beside the published one and the bounds that it must keep."""

    label: str
    """What it is and where, e.g. "loss at 0.5 BDP"."""
    value: float | None
    """Mean over seeds, in `unit`; None where the runs do not give it."""
    low: float | None
    """Lower end of its 95 % interval; None where nothing varied or there is one seed."""
    high: float | None
    """Upper end likewise."""
    n: int
    """How many different values it rests on; 1 where every seed gave the same."""
    median: float | None = None
    """Median over seeds, which decides a numeric claim; None where most seeds have no such number."""
    published: float | None
    """The document's own value; None where it states none."""
    least: float | None
    """The smallest value that still reproduces; None: no such bound."""
    most: float | None
    """The largest value that still reproduces; None: no such bound."""
    unit: str
    holds: bool
    holding: int
    """Seeds whose own value keeps the bounds."""
    seeds: int
    """Seeds that were run."""
    without: int = 0
    """Seeds in which there is no such number: two curves that never cross, nothing that was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flipped:
    """The same claim judged with something different that may make it hold."""

    by: str
    """What is different, in words that stand after "with"."""
    experiments: tuple[str, ...]
    """Whose runs were taken instead of the claim's; empty: it is the reading that differs."""
    verdict: Word
    reason: str
    """Why, as of a verdict."""
    checks: tuple[Checked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim judged. The numbers are those of the decisive check: the one that fails most, or holds most narrowly."""

    claim: str
    """The claim's id, e.g. "S8"."""
    section: str
    """Where the document makes it."""
    statement: str
    """In a form that can be checked."""
    engine: str
    variant: str
    """The version of the algorithm in question, as a spec writes it: "bbr", "bbr_4_17"."""
    verdict: Word
    label: str
    """What `value` is and where, e.g. "loss at 1.25 BDP"; empty of a claim that is untestable."""
    value: float | None
    """Mean over seeds, in `unit`."""
    low: float | None
    """Lower end of its 95 % interval (Student's t over seeds); None where there is none."""
    high: float | None
    n: int
    """How many different values it rests on; 1: deterministic, or one seed."""
    published: float | None
    tolerance: str
    """What was tolerated, in words; set from the document before the run."""
    unit: str
    flag: str
    """OK, SENS (depends on an unstated detail), ART (looks like a testbed's artefact), CONTRA (contradicted)."""
    reason: str
    """Why, in a sentence or two: what held or by how much it did not, and what the cause may be."""
    source: str
    """Where the published number comes from."""
    checks: tuple[Checked, ...] = ()
    """Every number that the claim rests on, in its order."""
    flips: tuple[Flipped, ...] = ()
    """Of a claim that is not reproduced: what may make it hold, as far as there are runs to judge it by."""

    @property
    def flipped(self) -> bool:
        """Whether something is known that makes it hold."""
        return any(each.verdict == REPRODUCED for each in self.flips)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """Of the claims flagged OK that one engine could judge, with any version of the algorithm."""

    judged: int
    hold: int
    flipped: int
    """Of those that do not hold, what something is known of that makes them hold."""


def sound(verdicts: Iterable[Verdict]) -> Sound:
    """How the claims stand that nothing speaks against beforehand, on one engine."""
    judged: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.flag == OK and verdict.verdict in {REPRODUCED, NOT_REPRODUCED}:
            judged.setdefault(verdict.claim, []).append(verdict)
    others = [each for each in judged.values() if all(one.verdict != REPRODUCED for one in each)]
    return Sound(
        judged=len(judged),
        hold=len(judged) - len(others),
        flipped=sum(any(one.flipped for one in each) for each in others),
    )
