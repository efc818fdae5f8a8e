"""Who of several is best, where on the sweep, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from dumbbell.findings.amount import Amount
from dumbbell.findings.contrast import contrast
from dumbbell.findings.curves import Curve, Curves
from dumbbell.findings.points import PointRuns
from dumbbell.metrics.number import amount as number
from dumbbell.metrics.number import counted

MOST_VERDICTS: Final = 3
"""Of which each has its own clause."""


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
    """Of the contrast with the best."""

    @property
    def text(self) -> str:
        return f"{self.label} {self.amount.text(self.point)}"


def ranking(curves: Curves, contenders: Sequence[Contender], subject: str = "") -> str:
    """Who is best at each place of the sweep; places one after the other with the same verdict have one clause.

    With a `subject` the labels are conditions under which it was measured.
    """
    places: dict[float, list[_Entry]] = {}
    for each in contenders:
        for point in each.amount.at(each.curve):
            places.setdefault(curves.number(point), []).append(_Entry(each.label, each.amount, point))
    standings = [_standing(places[at]) for at in sorted(places) if len(places[at]) > 1]
    if not standings:
        return "no two of what is compared were measured at one place"
    stretches = [list(members) for _, members in groupby(standings, key=_verdict)]
    if len(stretches) > MOST_VERDICTS:
        return _tally(curves, standings, subject)
    return "; ".join(_clause(curves, stretch, subject) for stretch in stretches)


def _standing(entries: Sequence[_Entry]) -> list[_Entry]:
    """Best first, each with what the contrast with the best says."""
    sign = -1.0 if entries[0].amount.quantity.better == "higher" else 1.0
    ranked = sorted(entries, key=lambda entry: sign * entry.amount.level(entry.point))
    best = ranked[0].amount.by_seed(ranked[0].point)
    found = (contrast(best, each.amount.by_seed(each.point)).outcome for each in ranked)
    return [_Entry(each.label, each.amount, each.point, outcome) for each, outcome in zip(ranked, found, strict=True)]


def _verdict(standing: Sequence[_Entry]) -> tuple[list[str], list[str]]:
    """Those among whom nobody is better, and those of whom that is not decided."""
    same, undecided = (
        sorted(each.label for each in standing if each.outcome == outcome) for outcome in ("same", "undecided")
    )
    return (same, undecided)


def _tally(curves: Curves, standings: Sequence[Sequence[_Entry]], subject: str) -> str:
    """At how many places each is best, where the order changes again and again."""
    first, last = (standing[0].point for standing in (standings[0], standings[-1]))
    verdicts = Counter(map(_best, standings))
    lower = standings[0][0].amount.quantity.better == "lower"
    degree = ("fastest" if lower else "most") if len(standings[0]) > 2 else ("faster" if lower else "more")  # noqa: PLR2004
    verb = f"{'is' if lower else 'has'} {degree}"
    tallies = [
        f"{f'{subject} {verb} {label}' if subject else f'{label} {verb}'} at {count}"
        for label, count in verdicts.items()
        if label
    ]
    open_ = [f"there is no difference that is certain at {verdicts['']}"] * bool(verdicts[""])
    return f"{curves.place(first, last)}, {enumerated([*tallies, *open_])} of {counted(len(standings), 'place')}"


def _best(standing: Sequence[_Entry]) -> str:
    """Who is best for certain; nobody where others may be."""
    return standing[0].label if all(each.outcome == "differ" for each in standing[1:]) else ""


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
    same, undecided = _verdict(standing)
    led = f"for {subject}, " if subject else ""
    texts = ", ".join(each.text for each in standing)
    if undecided:
        seeds = counted(len(best.point.run_ids), "seed")
        rivals = enumerated([each.label for each in standing if each.outcome != "differ"])
        return f"{led}{seeds} cannot tell {'these' if subject else rivals} apart", texts
    if len(same) == len(standing):
        return f"{led}there is no difference in {best.amount.quantity.label}", texts
    lower = best.amount.quantity.better == "lower"
    if len(same) > 1:
        equal = enumerated([each.label for each in standing if each.outcome == "same"])
        return f"{led}{equal} {'are fastest' if lower else 'have most'}", texts
    degree = ("fastest" if lower else "most") if len(others) > 1 else ("faster" if lower else "more")
    verb = f"{'is' if lower else 'has'} {degree}"
    verdict = f"{subject} {verb} {best.label}" if subject else f"{best.label} {verb}"
    if len(others) > 1:
        return verdict, texts
    (other,) = others
    found = contrast(other.amount.by_seed(other.point), best.amount.by_seed(best.point)).difference
    apart = number(abs(found.mean), found.half_width, 1.0, best.amount.unit)
    rival = f"{other.amount.text(other.point)} {'' if subject else 'of '}{other.label}"
    return verdict, f"{best.amount.text(best.point)} against {rival}, {apart} {'less' if lower else 'more'}"


def enumerated(parts: Sequence[str]) -> str:
    """Parts of a sentence.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
