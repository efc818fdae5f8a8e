"""Who of several is best, where on the sweep, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import Final

from dumbbell.experiment.curves import Curve, Curves
from dumbbell.experiment.phrase import Phrase
from dumbbell.metrics.contrast import contrast
from dumbbell.metrics.number import amount as number
from dumbbell.metrics.number import counted
from dumbbell.results.measured import MeasuredPoint

MOST_NAMED: Final = 3
"""Rivals that one sentence names."""
MOST_VERDICTS: Final = 3
"""Of which each has its own clause."""
INCOMPLETE: Final = "incomplete"
"""Of one that left transfers behind in some run, so that it has no time."""
INCOMPARABLE: Final = "no two of what is compared were measured at one place"


@dataclass(frozen=True, slots=True)
class Contender:
    """One of those that are compared."""

    label: str
    phrase: Phrase
    curve: Curve


@dataclass(slots=True)
class _Entry:
    """A contender at one place."""

    label: str
    phrase: Phrase
    point: MeasuredPoint
    by_seed: dict[int, float]
    outcome: str = INCOMPLETE
    """Of the contrast with the best; `INCOMPLETE` where there is nothing to compare."""

    @property
    def text(self) -> str:
        return f"{self.label} {self.phrase.text(self.point)}"


def ranking(curves: Curves, contenders: Sequence[Contender], subject: str = "") -> str:
    """Who is best at each place of the sweep; places one after the other with the same verdict have one clause.

    With a `subject` the labels are conditions under which it was measured.
    """
    standings = _standings(curves, contenders)
    if not standings:
        return INCOMPARABLE
    stretches = [list(members) for _, members in groupby(standings, key=_verdict)]
    if len(stretches) > MOST_VERDICTS:
        first, last = (standing[0].point for standing in (standings[0], standings[-1]))
        return f"{curves.place(first, last)}, {_tally(standings, subject)}"
    return "; ".join(_clause(curves, stretch, subject) for stretch in stretches)


def tally(curves: Curves, sets: Sequence[Sequence[Contender]], subject: str = "") -> str:
    """At how many points each is best, of several sets that are compared within themselves only."""
    standings = [standing for each in sets for standing in _standings(curves, each)]
    return _tally(standings, subject) if standings else INCOMPARABLE


def _standings(curves: Curves, contenders: Sequence[Contender]) -> list[list[_Entry]]:
    """Those that are at each place, the best first, each with what the contrast with the best says."""
    places: dict[float, list[_Entry]] = {}
    for each in contenders:
        for point in each.curve.points:
            by_seed = each.phrase.by_seed(point)
            if by_seed or each.phrase.quantity.needs_all:
                places.setdefault(curves.number(point), []).append(_Entry(each.label, each.phrase, point, by_seed))
    return [_standing(places[at]) for at in sorted(places) if len(places[at]) > 1]


def _standing(entries: Sequence[_Entry]) -> list[_Entry]:
    higher = entries[0].phrase.quantity.better == "higher"
    ranked = sorted(
        filter(lambda own: own.by_seed, entries), key=lambda own: fmean(own.by_seed.values()) * (-1 if higher else 1)
    )
    for each in ranked:
        best = each is ranked[0]
        each.outcome = (
            "same" if best else contrast(ranked[0].by_seed, each.by_seed, seeds=entries[0].phrase.seeds).outcome
        )
    return ranked + [each for each in entries if not each.by_seed]


def _verdict(standing: Sequence[_Entry]) -> tuple[list[str], ...]:
    """Those among whom nobody is better, those of whom that is not decided, and those that have no time."""
    return tuple(
        sorted(each.label for each in standing if each.outcome == outcome)
        for outcome in ("same", "undecided", INCOMPLETE)
    )


def _tally(standings: Sequence[Sequence[_Entry]], subject: str) -> str:
    """At how many places each is best, where the order changes again and again."""
    best = [same[0] if len(same) == 1 and not undecided else "" for same, undecided, _ in map(_verdict, standings)]
    verdicts = Counter(best)
    certain = [f"{_leads(standings[0], subject, label)} at {count}" for label, count in verdicts.items() if label]
    uncertain = [f"there is no difference that is certain at {verdicts['']}"] * bool(verdicts[""])
    return f"{enumerated([*certain, *uncertain])} of {counted(len(standings), 'place')}"


def _leads(standing: Sequence[_Entry], subject: str, label: str) -> str:
    """That one of these is best: "BBR has most", or of a subject "BBR is fastest at 10 ms"."""
    phrase, several = standing[0].phrase, len(standing) > 2  # noqa: PLR2004
    if phrase.quantity.better == "lower":
        of = phrase.of if phrase.quantity.name == "fct_p50" else ""
        verb = f"is {'fastest' if several else 'faster'}{of}"
    else:
        verb = f"has {'most' if several else 'more'}"
    return f"{subject} {verb} {label}" if subject else f"{label} {verb}"


def _clause(curves: Curves, stretch: Sequence[Sequence[_Entry]], subject: str) -> str:
    """The verdict of places one after the other, with the amounts at the last of them."""
    first, last = stretch[0][0].point, stretch[-1][0].point
    verdict, amounts = _verdict_text(stretch[-1], subject)
    if curves.axis is None:
        return f"{verdict}: {amounts}"
    if len(stretch) == 1:
        return f"{curves.place(first)}, {verdict}: {amounts}"
    return f"{curves.place(first, last)}, {verdict} (at {curves.text(last)}: {amounts})"


def _verdict_text(standing: Sequence[_Entry], subject: str) -> tuple[str, str]:
    """Who is best, and the amounts."""
    best = standing[0]
    same, undecided, incomplete = _verdict(standing)
    complete = [each for each in standing if each.outcome != INCOMPLETE]
    start = f"for {subject}, " if subject else ""
    texts = ", ".join(each.text for each in standing)
    if len(complete) <= 1 and incomplete:
        only = f"only {best.label}" if complete else "under none of these conditions" if subject else "none"
        return f"{subject} completes in every run {only}" if subject else f"{only} completes in every run", texts
    lone_seed = len(same) == len(standing) and min(len(each.by_seed) for each in complete) == 1
    if undecided or lone_seed:  # of one seed nobody knows what chance does
        rivals = [each for each in complete if each.outcome not in {"higher", "lower"}]
        seeds = min(len(each.by_seed) for each in rivals)
        names = "these" if subject or len(rivals) > MOST_NAMED else enumerated([each.label for each in rivals])
        return f"{start}{'one seed' if seeds == 1 else f'{seeds} seeds'} cannot tell {names} apart", texts
    if len(same) == len(standing):  # so that all are complete
        return f"{start}there is no difference in {best.phrase.quantity.label}", texts
    lower = best.phrase.quantity.better == "lower"
    if len(same) > 1:
        equal = enumerated([each.label for each in standing if each.outcome == "same"])
        return f"{start}{equal} {'are fastest' if lower else 'have most'}", texts
    verdict = _leads(standing, subject, best.label)
    if len(standing) > 2:  # noqa: PLR2004
        return verdict, texts
    other = standing[1]
    difference = contrast(other.by_seed, best.by_seed).difference
    apart = number(abs(difference.mean), difference.half_width, 1.0, best.phrase.unit)
    rival = f"{other.phrase.text(other.point)} {'' if subject else 'of '}{other.label}"
    return verdict, f"{best.phrase.text(best.point)} against {rival}, {apart} {'less' if lower else 'more'}"


def enumerated(parts: Sequence[str]) -> str:
    """Parts of a sentence.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
