"""What became of a claim on one engine with one version of the algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dumbbell.metrics.checked import Checked, measured_text

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
OK: Final = "OK"
"""The flag of a claim that nothing speaks against before it is run."""
Kind: TypeAlias = Literal["explains", "would need", "fitted"]
EXPLAINS: Final = "explains"
KINDS: Final = (EXPLAINS, "would need", "fitted")
"""What makes a claim hold: it agrees with all that is known of the testbed; it contradicts something that is known; it
has more than one free parameter. Only the first is a cause."""


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
        return measured_text(self.value, (self.low, self.high), self.unit, self.decisive)

    @property
    def decisive(self) -> Checked | None:
        """The check whose numbers these are."""
        return next((check for check in self.checks if check.label == self.label), None)


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
