"""Whether two sets of values differ by more than chance, and by enough to matter: the one place that decides it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dumbbell.metrics.statistics import Estimate, estimate, values_needed

BySeed: TypeAlias = Mapping[int, float]
"""A value a seed."""
MATTERS: Final = 0.02
"""A smaller difference does not matter, however certain it is."""
TOLERABLE: Final = 0.05
"""Where the whole interval of a difference is smaller, there is none that matters."""
Outcome: TypeAlias = Literal["higher", "lower", "same", "undecided"]
"""Of the second set against the first."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of means with its 95 % interval, and what follows."""

    difference: Estimate
    """Second less first."""
    outcome: Outcome

    @property
    def differs(self) -> bool:
        """By more than chance, and by enough to matter."""
        return self.outcome in {"higher", "lower"}


def beyond_chance(difference: float, half_width: float | None) -> bool:
    """Whether the 95 % interval of a difference excludes 0; without one, nothing of it is by chance.

    >>> beyond_chance(1.0, 0.5), beyond_chance(-0.2, 0.5), beyond_chance(0.1, None), beyond_chance(0.0, None)
    (True, False, True, False)
    """
    return abs(difference) > (half_width or 0.0)


def verdict(outcome: str, better: str | None) -> str:
    """Better or worse, where one can say so: `better` is the quantity's better direction.

    >>> verdict("higher", "lower"), verdict("higher", None), verdict("same", "lower")
    ('worse', 'higher', 'same')
    """
    if outcome not in {"higher", "lower"} or better is None:
        return outcome
    return "better" if outcome == better else "worse"


def contrast(first: BySeed, second: BySeed, reference: float | None = None, seeds: int = 1) -> Contrast:
    """The difference of two sets, paired by seed where they share seeds, and not just one of several.

    `reference` is what a difference is a part of when it is asked whether it matters; the larger mean if none is given.
    Without an interval (one seed, or nothing varied) the difference itself decides; but where there are more `seeds`
    elsewhere, one value does not say that there is no difference.

    >>> apart = contrast({1: 50.0, 2: 52.0}, {1: 60.1, 2: 61.9}, 100.0)
    >>> apart.outcome, apart.difference.mean
    ('higher', 10.0)
    >>> contrast({1: 50.0, 2: 52.0}, {1: 51.0, 2: 51.1}, 100.0).outcome
    'undecided'
    >>> contrast({1: 50.0, 2: 90.0, 3: 10.0}, {3: 20.0, 4: 40.0, 5: 90.0}).outcome  # one pair tells of no variation
    'undecided'
    >>> contrast({1: 50.0}, {1: 50.1}).outcome, contrast({1: 50.0}, {1: 50.1}, seeds=5).outcome
    ('same', 'undecided')

    Raises:
        ValueError: a set is empty.
    """
    shared = [seed for seed in first if seed in second]
    if len(shared) > 1 or len(shared) == len(first) == len(second):
        difference = estimate([second[seed] - first[seed] for seed in shared])
    else:
        one, other = estimate(list(first.values())), estimate(list(second.values()))
        halves = [each.half_width for each in (one, other) if each.half_width is not None]
        difference = Estimate(other.mean - one.mean, math.hypot(*halves) if halves else None, min(one.n, other.n))
    size = reference or max(abs(sum(each.values()) / len(each)) for each in (first, second))
    change, half = abs(difference.mean), difference.half_width or 0.0
    if change >= MATTERS * size and beyond_chance(change, half):
        return Contrast(difference, "higher" if difference.mean > 0 else "lower")
    fewest = min(len(first), len(second))
    alone = fewest == 1 and max(len(first), len(second), seeds) > 1
    return Contrast(difference, "same" if change + half <= TOLERABLE * size and not alone else "undecided")


def against(values: BySeed, level: float, reference: float | None = None, seeds: int = 1) -> Contrast:
    """The same of one set and a number: values less level."""
    return contrast(dict.fromkeys(values, level), values, reference, seeds)


@dataclass(frozen=True, slots=True)
class Resolution:
    """How far a difference of pairs is known, and how many pairs a difference of `TOLERABLE` takes."""

    relative: Estimate
    """The difference as a part of the larger mean."""
    pairs: int | None
    """That show it in four of five cases; None: more than anybody takes."""


def resolution(first: BySeed, second: BySeed) -> Resolution | None:
    """Of two sets that are paired by seed; None where they share one seed, or nothing varied, or all is 0.

    >>> resolution({1: 50.0, 2: 52.0, 3: 51.0}, {1: 52.1, 2: 51.9, 3: 53.0}).pairs
    7
    """
    shared = [seed for seed in first if seed in second]
    one, other = ({seed: each[seed] for seed in shared} for each in (first, second))
    if not any((*one.values(), *other.values())):
        return None
    size = max(abs(sum(each.values()) / len(shared)) for each in (one, other))
    difference = contrast(one, other).difference
    if difference.half_width is None:
        return None
    relative = Estimate(difference.mean / size, difference.half_width / size, difference.n)
    return Resolution(relative, values_needed(relative, TOLERABLE))
