"""What is right on most of a mix of paths, and on which side of one number something else is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from dumbbell.advice.advice import DECIDED
from dumbbell.advice.advice import MOST as MOST_CASES
from dumbbell.metrics.contrast import MATTERS
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.advice import Place
    from dumbbell.advice.question import Question

Quantity: TypeAlias = Literal["rate", "rtt"]
ROUNDING: Final = 1e-9
"""Shares are sums of weights."""
MOST: Final = float(MOST_CASES) - ROUNDING
LEAST_DECIDED: Final = float(DECIDED) - ROUNDING
LEAST_EXCEPTION: Final = 0.02
"""Of the connections: fewer are counted with the rest."""
MOST_EXCEPTIONS: Final = 2


class Vote(NamedTuple):
    """A path with one of the queues that it may have."""

    weight: float
    rate: float
    """In Mbit/s."""
    rtt: float
    """In ms."""
    right: frozenset[str]
    """Candidates that are within 2 % of the best there, and harm nobody too much where that counts; none: open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Paths on one side of a number, and what is right there."""

    quantity: Quantity
    above: bool
    at: float
    """In the unit of a vote."""
    candidate: str
    share: float
    """Of all connections: those over such paths, where that is decided."""

    def has(self, vote: Vote) -> bool:
        value: float = getattr(vote, self.quantity)
        return (value > self.at) is self.above


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What votes come to."""

    kind: Literal["one", "split", "each", "undecided"]
    """One candidate; one on each side of a number; one a path, and no number separates them; nothing."""
    candidate: str = ""
    """Of "one"."""
    sides: tuple[Threshold, ...] = ()
    """Exceptions to the one, or both sides."""
    decided: float = 0.0
    """Share of all connections."""
    wrong: float = 0.0
    """Share of all connections: where it is decided that something else is right, beyond the exceptions."""


def right_at(place: Place) -> frozenset[str]:
    """The candidates that are right before a queue; none where that is open."""
    return frozenset(() if place.verdict == "open" else place.acceptable)


def votes(questions: Iterable[tuple[Question, Sequence[Place], int]]) -> Iterator[Vote]:
    """Of connections over alike paths; each queue that theirs may be counts alike."""
    for question, places, connections in questions:
        for place in places:
            yield Vote(
                connections / len(places), question.rate_bps / 1e6, 1e3 * question.rtt_ns / NS_PER_S,
                right_at(place),
            )  # fmt: skip


def ruling(every: Sequence[Vote], candidates: Sequence[str], usual: str, regret: Mapping[str, float]) -> Ruling:
    """What is right on two thirds of what is decided, `usual` where another leaves little more of the best in the mean.

    Else what is right on each side of a rate, or of an RTT.
    """
    total = sum(each.weight for each in every)
    known = [each for each in every if each.right]
    decided = sum(each.weight for each in known) / total if total else 0.0
    if decided < LEAST_DECIDED:
        return Ruling(kind="undecided", decided=decided)
    shares = {each: _share(known, each) for each in candidates}
    enough = [each for each in candidates if shares[each] >= MOST]
    if not enough:
        sides = _split(known, candidates, total)
        wrong = sum(
            vote.weight for vote in known for side in sides if side.has(vote) and side.candidate not in vote.right
        )
        return Ruling(kind="split" if sides else "each", sides=sides, decided=decided, wrong=wrong / total)
    least = min(regret[each] for each in enough)
    chosen = max(enough, key=lambda each: (shares[each], each == usual))
    if usual in enough and regret[usual] - least < MATTERS:
        chosen = usual
    rest = [each for each in known if chosen not in each.right]
    sides = tuple(_exceptions(known, rest, [each for each in candidates if each != chosen], total))
    left = [each for each in rest if not any(side.has(each) for side in sides)]
    return Ruling(
        kind="one", candidate=chosen, sides=sides, decided=decided, wrong=sum(each.weight for each in left) / total
    )


def _share(some: Sequence[Vote], candidate: str) -> float:
    """Of these, where a candidate is right."""
    total = sum(each.weight for each in some)
    return sum(each.weight for each in some if candidate in each.right) / total if total else 0.0


def _exceptions(
    known: Sequence[Vote], rest: Sequence[Vote], others: Sequence[str], total: float
) -> Iterator[Threshold]:
    """Sides on which another candidate is right and the chosen one is not, on most of what is decided there."""
    numbers, left = list(_numbers(known)), list(rest)
    every = [side for above in (False, True) for side in _sides(known, others, total, numbers, above=above)]
    for _ in range(MOST_EXCEPTIONS):
        weights = [_weight_against(known, left, side) for side in every]
        most = max(weights, default=0.0)
        if most < LEAST_EXCEPTION * total:
            return
        best = every[weights.index(most)]
        yield best
        left = [each for each in left if not best.has(each)]


def _weight_against(known: Sequence[Vote], left: Sequence[Vote], side: Threshold) -> float:
    """On a side, of the paths that are `left`; 0 where they are not most of it, or its candidate is not right there."""
    inside = sum(each.weight for each in known if side.has(each))
    against = sum(each.weight for each in left if side.has(each))
    return against if against >= MOST * inside and _right(known, side)[0] >= MOST else 0.0


def _split(known: Sequence[Vote], candidates: Sequence[str], total: float) -> tuple[Threshold, ...]:
    """The number on both sides of which most is right, with another candidate on each."""
    best: tuple[Threshold, ...] = ()
    most = 0.0
    for quantity, at in _numbers(known):
        sides = tuple(
            max(_sides(known, candidates, total, [(quantity, at)], above=above), key=lambda side: _right(known, side))
            for above in (False, True)
        )
        rights = [_right(known, side) for side in sides]
        weight = sum(own for _, own in rights)
        if sides[0].candidate != sides[1].candidate and min(rights)[0] >= MOST and weight > most:
            best, most = sides, weight
    return best


def _right(known: Sequence[Vote], side: Threshold) -> tuple[float, float]:
    """On a side, where its candidate is right: the share of what is there, and the weight."""
    inside = [each for each in known if side.has(each)]
    share = _share(inside, side.candidate)
    return share, share * sum(each.weight for each in inside)


def _numbers(known: Sequence[Vote]) -> Iterator[tuple[Quantity, float]]:
    """Between paths."""
    quantities: tuple[Quantity, ...] = ("rate", "rtt")
    for quantity in quantities:
        values = sorted({float(getattr(each, quantity)) for each in known})
        yield from ((quantity, _between(low, high)) for low, high in pairwise(values))


def _sides(
    known: Sequence[Vote], candidates: Sequence[str], total: float, numbers: Iterable[tuple[Quantity, float]],
    *, above: bool,
) -> Iterator[Threshold]:  # fmt: skip
    """One side of each number, with every candidate."""
    for quantity, at in numbers:
        weight = sum(each.weight for each in known if (getattr(each, quantity) > at) is above)
        for candidate in candidates:
            yield Threshold(quantity=quantity, above=above, at=at, candidate=candidate, share=weight / total)


def _between(low: float, high: float) -> float:
    """A number between two, of one digit or two if there is one: paths above it are those from `high` on."""
    middle = sqrt(low * high)
    return next((at for digits in (1, 2) if low <= (at := float(f"{middle:.{digits}g}")) < high), low)
