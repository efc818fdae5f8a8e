"""What became of a claim on one engine with one version of the algorithm."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dumbbell.metrics.number import amount, apart

Word: TypeAlias = Literal["reproduced", "not reproduced", "undecided", "not testable here", "not run yet"]

REPRODUCED: Final = "reproduced"
NOT_REPRODUCED: Final = "not reproduced"
UNDECIDED: Final = "undecided"
NOT_TESTABLE: Final = "not testable here"
NOT_RUN: Final = "not run yet"
VERDICTS: Final = (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_TESTABLE, NOT_RUN)
"""In the order in which they are counted."""
SIGNS: Final[Mapping[str, str]] = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", UNDECIDED: "?", NOT_TESTABLE: "○"}
"""What stands for them where there is little room."""
FEWEST_SEEDS: Final = 3
"""That decide anything where chance plays: the 95 % interval of two is 12.7 standard errors wide to either side."""
OK: Final = "OK"
"""The flag of a claim that nothing speaks against before it is run."""
Kind: TypeAlias = Literal["explains", "would need", "fitted"]
EXPLAINS: Final = "explains"
KINDS: Final = (EXPLAINS, "would need", "fitted")
"""What makes a claim hold: it agrees with all that is known of the testbed; it contradicts something that is known; it
has more than one free parameter. Only the first is a cause."""


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
    """What is decided by: the median over seeds, most of the seeds, or the one number of all of them."""
    holding: int
    """Seeds whose own value keeps the bounds."""
    seeds: int
    """Seeds that were run."""
    without: int = 0
    """Seeds in which there is no such number: two curves that never cross, nothing that was sent."""
    weak: str = ""
    """Why it can hardly fail; empty: it binds."""
    by_count: bool = False
    """It has a share of its own of the seeds that must keep the bounds: each tells for itself, their mean nothing."""
    together: bool = False
    """It is one number of all seeds together: `low` and `high` are the ends of its spread, which must keep the bounds
    as well, and not of an interval over seeds."""

    @property
    def measured(self) -> str:
        """The value with the half-width of its interval and the unit; empty where there is none."""
        return _measured(self.value, (self.low, self.high), self.unit, self)

    def keeps(self, value: float) -> bool:
        """Whether a value lies within the bounds."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    @property
    def few(self) -> bool:
        """Whether chance plays, and there are too few seeds to tell."""
        varied = self.seeds == 1 or self.together or self.n > 1 or 0 < self.without < self.seeds
        return self.seeds < FEWEST_SEEDS and varied

    @property
    def decided(self) -> bool:
        """Whether the seeds tell: its interval lies within the bounds where it holds, and not across one where not."""
        if self.few or self.by_count or self.low is None or self.high is None:
            return not self.few
        if self.holds:
            return self.keeps(self.low) and self.keeps(self.high)
        below = self.least is not None and self.high < self.least
        within = self.keeps(self.low) and self.keeps(self.high)
        return below or within or (self.most is not None and self.low > self.most)

    @property
    def word(self) -> Literal["yes", "no", "undecided"]:
        if not self.decided:
            return "undecided"
        return "yes" if self.holds else "no"

    @property
    def bounds(self) -> str:
        """In words, with the unit: "5.7 to 10.7 %", "at least 93 %"."""
        if self.least is None:
            return f"at most {self.most:g} {self.unit}".rstrip()
        if self.most is None:
            return f"at least {self.least:g} {self.unit}".rstrip()
        return f"{self.least:g} to {self.most:g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flipped:
    """The same claim judged with something different that may make it hold."""

    kind: Kind
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
    """The algorithm in question, as a spec writes it: a version of the study's ("bbr", "bbr_4_17"), or what a claim is
    about that contains none of them ("cubic, reno")."""
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
    versions: tuple[str, ...] = ()
    """The versions of the study in whose totals it counts: its own, or all where it contains none."""
    seeds: int = 0
    """How many it was judged by; the fewest, where checks differ."""
    binding: Literal["yes", "weak"] = "yes"
    """Weak where no check binds: totals count it apart."""
    why_weak: str = ""
    hypothesis: str = ""
    """What it supposes that the study does not say; such a verdict counts in no total."""
    kind: Kind | None = None
    """Of what makes it hold, the best: `KINDS` in this order; None where nothing does, or nothing needs to."""

    @property
    def measured(self) -> str:
        """The number that decides, as text; empty where there is none."""
        return _measured(self.value, (self.low, self.high), self.unit, self.decisive)

    @property
    def decisive(self) -> Checked | None:
        """The check whose numbers these are."""
        return next((check for check in self.checks if check.label == self.label), None)


def _measured(
    value: float | None, interval: tuple[float | None, float | None], unit: str, check: Checked | None
) -> str:
    """A value that breaks a bound of a check has as many digits as show it."""
    if value is None:
        return ""
    low, high = interval
    if low is None or high is None:
        text = amount(value)
    elif math.isclose(value - low, high - value, rel_tol=1e-6):
        text = amount(value, value - low)
    else:
        text = amount(value, max(value - low, high - value), limits=(low, high))
    mean, space, rest = text.partition(" ")
    for bound in (check.least, check.most) if check and not check.keeps(value) else ():
        if bound is not None and float(mean) == bound:
            mean = apart(value, bound)
    return f"{mean}{space}{rest} {unit}".rstrip()


def disputed(verdicts: Iterable[Verdict]) -> set[tuple[str, str]]:
    """Claims with versions that one engine reproduces and another does not."""
    judgements = {
        (each.claim, each.variant, each.verdict) for each in verdicts if each.verdict in {REPRODUCED, NOT_REPRODUCED}
    }
    counts = Counter((claim, variant) for claim, variant, _ in judgements)
    return {key for key, count in counts.items() if count > 1}


def in_order(verdicts: Iterable[Iterable[Verdict]]) -> list[Verdict]:
    """The verdicts of several engines, what they say of a claim with a version beside one another."""
    ungrouped = [verdict for own in verdicts for verdict in own]
    order = {key: place for place, key in enumerate(dict.fromkeys((each.claim, each.variant) for each in ungrouped))}
    return sorted(ungrouped, key=lambda each: order[each.claim, each.variant])
