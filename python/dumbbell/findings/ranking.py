"""Who of several is best, where on the sweep, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from statistics import fmean
from typing import Final

from dumbbell.findings.amount import Amount
from dumbbell.findings.curves import Curve, Curves
from dumbbell.findings.points import PointRuns
from dumbbell.metrics.contrast import contrast
from dumbbell.metrics.number import amount as number
from dumbbell.metrics.number import counted

MOST_NAMED: Final = 3
"""Rivals that one sentence names."""
MOST_VERDICTS: Final = 3
"""Of which each has its own clause."""
INCOMPLETE: Final = "incomplete"
"""Of one that left transfers behind in some run, so that it has no time."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One of those that are compared."""

    label: str
    amount: Amount
    curve: Curve


@dataclass(frozen=True, slots=True)
class _Entry:
    label: str
    amount: Amount
    point: PointRuns
    outcome: str = ""
    """Of the contrast with the best; `INCOMPLETE` where there is nothing to compare."""

    @property
    def text(self) -> str:
        return f"{self.label} {self.amount.text(self.point)}"


def ranking(curves: Curves, contenders: Sequence[Contender], subject: str = "") -> str:
    """Who is best at each place of the sweep; places one after the other with the same verdict have one clause.

    With a `subject` the labels are conditions under which it was measured.
    """
    standings = _standings(curves, contenders)
    if not standings:
        return "no two of what is compared were measured at one place"
    stretches = [list(members) for _, members in groupby(standings, key=_verdict)]
    if len(stretches) > MOST_VERDICTS:
        first, last = (standing[0].point for standing in (standings[0], standings[-1]))
        return f"{curves.place(first, last)}, {_tally(standings, subject)}"
    return "; ".join(_clause(curves, stretch, subject) for stretch in stretches)


def tally(curves: Curves, sets: Sequence[Sequence[Contender]], subject: str = "") -> str:
    """At how many points each is best, of several sets that are compared within themselves only."""
    standings = [standing for each in sets for standing in _standings(curves, each)]
    if not standings:
        return "no two of what is compared were measured at one place"
    return _tally(standings, subject)


def _standings(curves: Curves, contenders: Sequence[Contender]) -> list[list[_Entry]]:
    places: dict[float, list[_Entry]] = {}
    for each in contenders:
        for point in each.curve.points if each.amount.quantity.needs_all else each.amount.at(each.curve):
            places.setdefault(curves.number(point), []).append(_Entry(each.label, each.amount, point))
    return [_standing(places[at]) for at in sorted(places) if len(places[at]) > 1]


def _standing(entries: Sequence[_Entry]) -> list[_Entry]:
    """Best first, each with what the contrast with the best says."""
    sign = -1.0 if entries[0].amount.quantity.better == "higher" else 1.0
    measured = [(each, each.amount.by_seed(each.point)) for each in entries]
    ranked = sorted(filter(itemgetter(1), measured), key=lambda own: sign * fmean(own[1].values()))
    seeds = entries[0].amount.seeds
    comparable = [
        replace(each, outcome=contrast(ranked[0][1], by_seed, seeds=seeds).outcome if number else "same")
        for number, (each, by_seed) in enumerate(ranked)
    ]
    return comparable + [replace(each, outcome=INCOMPLETE) for each, by_seed in measured if not by_seed]


def _verdict(standing: Sequence[_Entry]) -> tuple[list[str], ...]:
    """Those among whom nobody is better, those of whom that is not decided, and those that have no time."""
    return tuple(
        sorted(each.label for each in standing if each.outcome == outcome)
        for outcome in ("same", "undecided", INCOMPLETE)
    )


def _tally(standings: Sequence[Sequence[_Entry]], subject: str) -> str:
    """At how many places each is best, where the order changes again and again."""
    verdicts = Counter(map(_best, standings))
    lower = standings[0][0].amount.quantity.better == "lower"
    verb = f"{'is' if lower else 'has'} {_degree(standings[0][0].amount, len(standings[0]))}"
    tallies = [
        f"{f'{subject} {verb} {label}' if subject else f'{label} {verb}'} at {count}"
        for label, count in verdicts.items()
        if label
    ]
    open_ = [f"there is no difference that is certain at {verdicts['']}"] * bool(verdicts[""])
    return f"{enumerated([*tallies, *open_])} of {counted(len(standings), 'place')}"


def _best(standing: Sequence[_Entry]) -> str:
    """Who is best for certain; nobody where others may be."""
    certain = standing[0].outcome != INCOMPLETE and all(
        each.outcome in {"higher", "lower", INCOMPLETE} for each in standing[1:]
    )
    return standing[0].label if certain else ""


def _degree(amount: Amount, count: int) -> str:
    """What the best of so many is or has."""
    several = count > 2  # noqa: PLR2004
    if amount.quantity.better == "higher":
        return "most" if several else "more"
    return f"{'fastest' if several else 'faster'}{amount.of if amount.quantity.name == 'fct_p50' else ''}"


def _clause(curves: Curves, stretch: Sequence[Sequence[_Entry]], subject: str) -> str:
    """The verdict of places one after the other, with the amounts at the last of them."""
    first, last = stretch[0][0].point, stretch[-1][0].point
    verdict, amounts = _said(stretch[-1], subject)
    if curves.axis is None:
        return f"{verdict}: {amounts}"
    if len(stretch) == 1:
        return f"{curves.place(first)}, {verdict}: {amounts}"
    return f"{curves.place(first, last)}, {verdict} (at {curves.text(last)}: {amounts})"


def _said(standing: Sequence[_Entry], subject: str) -> tuple[str, str]:
    best, *others = standing
    same, undecided, incomplete = _verdict(standing)
    complete = [each for each in standing if each.outcome != INCOMPLETE]
    led = f"for {subject}, " if subject else ""
    texts = ", ".join(each.text for each in standing)
    if len(complete) <= 1 and incomplete:
        where = f"only {best.label}" if complete else "under none of these conditions"
        who = f"only {best.label}" if complete else "none"
        return f"{subject} completes in every run {where}" if subject else f"{who} completes in every run", texts
    seeds = min(len(each.amount.by_seed(each.point)) for each in complete)
    if undecided or (seeds == 1 and len(same) == len(standing)):  # of one seed nobody knows what chance does
        rivals = [each for each in complete if each.outcome not in {"higher", "lower"}]
        seeds = min(len(each.amount.by_seed(each.point)) for each in rivals)
        names = "these" if subject or len(rivals) > MOST_NAMED else enumerated([each.label for each in rivals])
        return f"{led}{'one seed' if seeds == 1 else f'{seeds} seeds'} cannot tell {names} apart", texts
    if len(same) == len(standing):  # so that all are complete
        return f"{led}there is no difference in {best.amount.quantity.label}", texts
    lower = best.amount.quantity.better == "lower"
    if len(same) > 1:
        equal = enumerated([each.label for each in standing if each.outcome == "same"])
        return f"{led}{equal} {'are fastest' if lower else 'have most'}", texts
    verb = f"{'is' if lower else 'has'} {_degree(best.amount, len(standing))}"
    verdict = f"{subject} {verb} {best.label}" if subject else f"{best.label} {verb}"
    if len(others) > 1:
        return verdict, texts
    (other,) = others
    difference = contrast(other.amount.by_seed(other.point), best.amount.by_seed(best.point)).difference
    apart = number(abs(difference.mean), difference.half_width, 1.0, best.amount.unit)
    rival = f"{other.amount.text(other.point)} {'' if subject else 'of '}{other.label}"
    return verdict, f"{best.amount.text(best.point)} against {rival}, {apart} {'less' if lower else 'more'}"


def enumerated(parts: Sequence[str]) -> str:
    """Parts of a sentence.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
