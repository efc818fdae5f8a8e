"""How many blocks of a live experiment a difference takes: said after the first ones, and at the end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

from dumbbell.campaign.plan import compared
from dumbbell.experiment.group_labels import algorithm, subjects
from dumbbell.experiment.phrase import Phrase, phrases
from dumbbell.experiment.points import ExperimentRuns, point_key
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.contrast import TOLERABLE, Resolution, resolution
from dumbbell.metrics.number import counted, percent, trimmed
from dumbbell.metrics.statistics import MOST_VALUES
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec.point_text import point_text

FIRST: Final = 3
"""Blocks after which it is said: fewer tell too little of how much they differ."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two points, or two groups of one point."""

    names: tuple[str, str]
    place: Mapping[str, Any]
    """What both have of the sweep."""
    label: str
    """The quantity."""
    resolution: Resolution

    @property
    def difficulty(self) -> tuple[float, float]:
        return self.resolution.pairs or math.inf, self.resolution.relative.half_width or 0.0


def blocks_text(runs: ExperimentRuns, blocks: int) -> str | None:
    """What so many blocks say of the pair that is the hardest to tell apart; None where there is no pair.

    Pairs are points that differ in their algorithms only, else in the first swept field, or groups of the only point.
    """
    pairs = list(_pairs(runs)) if any(point.run_ids for point in runs.points) else []
    if not pairs:
        return None
    worst = max(pairs, key=lambda pair: pair.difficulty)
    relative, needed = worst.resolution.relative, worst.resolution.pairs
    place = f" at {point_text(worst.place)}" if worst.place else ""
    difference = percent(abs(relative.mean), relative.half_width)
    least = trimmed(100 * TOLERABLE, " %")
    if needed is None:
        then = f"more than {counted(MOST_VALUES, 'block')} would be needed to show a difference of {least}"
    elif needed <= blocks:
        then = f"{counted(blocks, 'block')} are enough to show a difference of {least}"
    else:
        then = f"about {counted(needed, 'block')} would show a difference of {least}"
    names = " and ".join(worst.names)
    return f"after {counted(blocks, 'block')}: {names}{place} differ by {difference} in {worst.label}; {then}"


def _pairs(runs: ExperimentRuns) -> Iterator[_Pair]:
    points = {point_key(point.swept): point for point in runs.points if point.run_ids}
    about = [_of_rate(each) for each in phrases(runs, subjects(runs))]
    if runs.experiment is None:
        return
    for numbers in compared(runs.experiment):
        keys = [point_key(runs.experiment.point(number).values) for number in numbers]
        there = [points[key] for key in keys if key in points]
        if len(keys) > 1:
            for one, other in combinations(there, 2):
                yield from _of_points(one, other, about)
        for point in there if len(keys) == 1 else ():
            for first, second in combinations(about, 2):
                if known := resolution(first.by_seed(point), second.by_seed(point)):
                    names = (first.subject.name, second.subject.name)
                    yield _Pair(names, point.swept, first.quantity.label, known)


def _of_points(one: MeasuredPoint, other: MeasuredPoint, about: Sequence[Phrase]) -> Iterator[_Pair]:
    """Of each group, or of those only whose algorithm is what differs."""
    place = {path: value for path, value in one.swept.items() if other.swept.get(path) == value}
    ccs = [[point.ccs[each.subject.group(point)] for point in (one, other)] for each in about]
    exchanged = [len(set(own)) > 1 for own in ccs]
    for each, own, is_exchanged in zip(about, ccs, exchanged, strict=True):
        if any(exchanged) and not is_exchanged:
            continue
        known = resolution(each.by_seed(one), each.by_seed(other))
        if known is None:
            continue
        values = [
            point_text({path: value for path, value in point.swept.items() if path not in place})
            for point in (one, other)
        ]
        names = list(map(algorithm, own)) if is_exchanged else values
        label = (
            each.quantity.label
            if is_exchanged or len(about) == 1
            else f"the {each.quantity.label} of {each.subject.name}"
        )
        yield _Pair((names[0], names[1]), place, label, known)


def _of_rate(phrase: Phrase) -> Phrase:
    """Of a share, which is one group's against another's, the goodput behind it."""
    return replace(phrase, quantity=QUANTITIES["goodput"]) if phrase.quantity.name == "share" else phrase
