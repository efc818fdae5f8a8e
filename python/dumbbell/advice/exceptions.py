"""Where another answer holds than the one that is given for most cases: with whom on the line, and under what load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import sqrt
from typing import TYPE_CHECKING

from dumbbell.advice.advice import judged

if TYPE_CHECKING:
    from dumbbell.advice.advice import Advice, Place
    from dumbbell.advice.question import Company


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighbouring queues in one company, at which the same candidate is right."""

    candidate: str
    companies: tuple[Company, ...]
    low_bytes: float | None
    """The queue at which it begins; None: no shorter one was tried."""
    high_bytes: float | None
    """The queue at which it ends; None: no longer one was tried."""
    places: tuple[Place, ...]

    @property
    def is_island(self) -> bool:
        """One queue alone, between two at which another candidate is right: nobody can act on that."""
        return len(self.places) == len(self.companies) and self.low_bytes is not None and self.high_bytes is not None


def segments(places: Sequence[Place], chosen: str) -> Iterator[Segment]:
    """The queues in a company, in order: where the chosen candidate is right it is that, else the one that is.

    A queue at which nobody can say is in none of them, and no segment reaches beyond it.
    """

    def right(each: Place) -> str | None:
        return {None: None, True: chosen, False: each.acceptable[0]}[each.suits(chosen)]

    begin = 0
    for candidate, own in groupby(places, key=right):
        some = tuple(own)
        end = begin + len(some)
        if candidate is not None:
            yield Segment(
                candidate, (some[0].company,), _edge(places, begin, begin - 1), _edge(places, end - 1, end), some
            )
        begin = end


def _edge(places: Sequence[Place], inner: int, outer: int) -> float | None:
    """Between two neighbouring queues; at the inner one, where nobody can say of the outer."""
    if not 0 <= outer < len(places):
        return None
    own, other = places[inner].buffer_bytes, places[outer]
    return float(own) if other.verdict == "open" else sqrt(own * other.buffer_bytes)


def exceptions(advice: Advice) -> list[Segment]:
    """Where another candidate than the chosen one is right, what covers the most cases first."""
    merged: dict[tuple[object, ...], Segment] = {}
    for company, places in advice.of_company():
        for each in segments(places, advice.chosen):
            if each.candidate == advice.chosen or each.is_island:
                continue
            key = (each.candidate, each.low_bytes, each.high_bytes, bool(company.flows), company.cc)
            if known := merged.get(key):
                merged[key] = replace(
                    known, companies=(*known.companies, company), places=(*known.places, *each.places)
                )
            else:
                merged[key] = each
    return sorted(merged.values(), key=lambda each: -len(each.places))


def by_company(advice: Advice) -> Iterator[tuple[tuple[Company, ...], list[Place]]]:
    """The companies, those with the same algorithm and the same answer together, and the places of the first."""
    question = advice.question
    answers: dict[tuple[object, ...], tuple[tuple[Company, ...], list[Place]]] = {}
    for company, places in advice.of_company():
        headline, chosen = judged(question, places)
        edges = tuple((each.candidate, each.low_bytes, each.high_bytes) for each in segments(places, chosen))
        key = (headline, chosen, bool(company.flows), company.cc, edges if headline == "depends" else ())
        companies, own = answers.get(key, ((), places))
        answers[key] = ((*companies, company), own)
    yield from answers.values()
