"""From trials to advice: which candidate, where that flips, what it costs if wrong, and what the others lose by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from math import hypot
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dumbbell.advice.outcome import NORMAL_95, Interval, Outcome, Seeds, evenness, known, outcome
from dumbbell.advice.question import DEFAULT
from dumbbell.advice.trials import OTHER_PACKETS, Case, Trials, given_s, packets_in, trials
from dumbbell.advice.validated import hosts_error, outside_of_validation
from dumbbell.metrics.contrast import MATTERS, TOLERABLE, against
from dumbbell.metrics.curve import changes
from dumbbell.metrics.sharing import gain
from dumbbell.metrics.statistics import three_alike

if TYPE_CHECKING:
    from dumbbell.advice.question import Company, Order, Question
    from dumbbell.engines.protocol import Engine
    from dumbbell.metrics.statistics import Floats
    from dumbbell.results.store import Store

Verdict: TypeAlias = Literal["no matter", "ahead", "open"]
Headline: TypeAlias = Literal["one", "no matter", "depends", "open"]
"""One candidate is right in most cases, it does not matter, it depends on the case, or nobody can say."""
WIDE: Final = 0.04
"""Half an interval that is worth more seeds, as a share of its value."""
BY_ORDER: Final = 0.1
"""What an order of starts changes at least where it is said to decide, as a share of the value."""
MOST: Final = Fraction(2, 3)
"""Of the cases that are decided: in so many a candidate has to be right to be advised for all."""
DECIDED: Final = Fraction(1, 2)
"""Of all cases: where fewer are decided, there is no advice."""
CHANCE: Final = 0.05
"""That orders of starts differ as much by chance, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A queue in some company: how each candidate does there, and which is right."""

    buffer_bytes: int
    company: Company
    outcomes: tuple[Outcome, ...]
    best: str
    """The candidate that is right there."""
    verdict: Verdict
    leader: str
    """The candidate that is ahead, by however little; empty where nobody is, or chance may have made it."""
    gain: float
    """Of the best over the default, or over the next one where that is the best: a share of the worse one's."""
    acceptable: tuple[str, ...]
    """Candidates with which nothing that matters is lost, and that harm nobody where that counts."""
    by_order: Mapping[Order, str]
    """Where the order of starts decides more than the algorithm: who is ahead in each, empty where nobody is."""

    def of(self, candidate: str) -> Outcome:
        return next(each for each in self.outcomes if each.candidate == candidate)

    @property
    def harmful(self) -> list[str]:
        """Candidates that harm the others too much, whether or not that counts for the goal."""
        return [each.candidate for each in self.outcomes if each.harms]

    def suits(self, candidate: str) -> bool | None:
        """Whether a candidate is right there; None where nobody can say."""
        return None if self.verdict == "open" else candidate in self.acceptable

    @property
    def right(self) -> str | None:
        """The only candidate that is right there; None where several are, or nobody can say."""
        return self.acceptable[0] if self.verdict != "open" and len(self.acceptable) == 1 else None

    def is_wide(self, candidate: str) -> bool:
        """Its goodput is known so little that more seeds are worth it."""
        goodput = self.of(candidate).goodput_bps
        return goodput is not None and goodput.half > WIDE * goodput.value


class Regret(NamedTuple):
    """What a candidate costs where another one is right, as a share of what that has."""

    most: float
    mean: float
    """Over places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The answer."""

    question: Question
    places: tuple[Place, ...]
    regret: Mapping[str, Regret]
    """By candidate."""
    chosen: str
    """The candidate that is right in most cases; where none is, or it does not matter, the default."""
    headline: Headline
    harm: Interval | None
    """The most that the chosen one does."""
    outside: str
    """Why the path lies outside of what was validated; empty if it does not."""
    seeds: tuple[int, int]
    """The fewest and the most."""

    @property
    def recommendation(self) -> str:
        """The chosen candidate, or "keep" where that is the default."""
        return "keep" if self.chosen == self.question.default else self.chosen

    @property
    def everywhere(self) -> bool:
        """The chosen candidate is right at every place that was tried."""
        return all(each.suits(self.chosen) for each in self.places)

    def of_company(self) -> Iterator[tuple[Company, list[Place]]]:
        """The places of each company, the shortest queue first."""
        for company, own in groupby(self.places, key=lambda each: each.company):
            yield company, list(own)

    def flips(self) -> Iterator[tuple[Company, str, str, float]]:
        """Where the right candidate changes: company, what is right before shorter queues and longer ones, bytes.

        Not where somebody cannot say what is right between the two.
        """
        for company, own in self.of_company():
            for is_open, decided in groupby(own, key=lambda each: each.verdict == "open"):
                rights = [(each.buffer_bytes, each.right) for each in decided if each.right and not is_open]
                for below, above, at in changes(rights):
                    yield company, below, above, at


def answer(  # noqa: PLR0913 (of what, and how it is made)
    question: Question, engine: Engine, store: Store, *, jobs: int | None = None, seeds: int | None = None,
    progress: Callable[[], None] = lambda: None, so_far: Callable[[Advice], None] | None = None,
) -> Advice:  # fmt: skip
    """Runs what a question needs, and answers it. With `seeds` every case has so many.

    `so_far` has the answer after one seed of every case.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    budget = packets_in(given_s(question)) if engine.name == "sim" else OTHER_PACKETS
    return advice(question, trials(
        question, engine, store, budget=budget, jobs=jobs, undecided=undecided, seeds=seeds, progress=progress,
        so_far=so_far and (lambda first: so_far(advice(question, first))),
    ))  # fmt: skip


def advice(question: Question, case_trials: Trials) -> Advice:
    """The answer to a question, of its trials."""
    places = tuple(_places(question, case_trials))
    regret = {candidate: lost(question, places, candidate) for candidate in question.candidates}
    headline, chosen = judged(question, places)
    seeds = [len(each.run_ids) for each in case_trials.values()]
    return Advice(
        question=question, places=places, regret=regret, chosen=chosen, headline=headline,
        harm=worst(each.of(chosen).harm for each in places), outside=outside_of_validation(question),
        seeds=(min(seeds), max(seeds)),
    )  # fmt: skip


def judged(question: Question, places: Sequence[Place]) -> tuple[Headline, str]:
    """What can be said of some places together, and which candidate is right in most of those that are decided.

    Where none is in two thirds of them, or too few are decided, that is the default.
    """
    decided_places = [each for each in places if each.verdict != "open"]
    usual = question.default

    def suited(candidate: str) -> int:
        return sum(candidate in each.acceptable for each in decided_places)

    chosen = max(question.candidates, key=lambda each: (suited(each), each == usual))
    if len(decided_places) < DECIDED * len(places):
        return "open", usual
    if all(suited(each) == len(decided_places) for each in question.candidates):
        return "no matter", usual
    return ("one", chosen) if suited(chosen) >= MOST * len(decided_places) else ("depends", usual)


def _places(question: Question, case_trials: Trials) -> Iterator[Place]:
    for company in question.company:
        for buffer_bytes in question.buffers_bytes:
            yield place(question, case_trials, buffer_bytes, company)


def place(question: Question, case_trials: Trials, buffer_bytes: int, company: Company) -> Place:
    """How each candidate does before a queue in some company, and which is right there."""
    cases = [Case(name, buffer_bytes, company) for name in question.tried]
    seeds = {case.candidate: Seeds(question, case, case_trials[case]) for case in cases if case in case_trials}
    usual = question.default
    outcomes = tuple(outcome(seeds[name], seeds.get(DEFAULT, seeds[usual])) for name in question.candidates)
    scores = {each.candidate: score(question, each) for each in outcomes}
    considerate = question.goal == "balanced"
    allowed = [each.candidate for each in outcomes if not (considerate and each.harms)]
    ranked = sorted(allowed or [usual], key=scores.__getitem__, reverse=True)
    best, other = ranked[0], usual
    if best == usual and len(ranked) > 1:
        other = ranked[1]
    more = gain(scores[best], scores[other]) or 0.0
    by_order = _by_order(seeds[best], seeds[other]) if best != other else {}
    doubtful = considerate and any(each.may_harm and not each.harms for each in outcomes if each.candidate == best)
    verdict: Verdict = "no matter" if best == other else _verdict(question, seeds[best], seeds[other], more)
    if verdict == "ahead" and (doubtful or len(set(filter(None, by_order.values()))) > 1):
        verdict = "open"
    leads = verdict == "ahead" or (verdict == "no matter" and more and allowed)
    alone = len(allowed) == 1 < len(outcomes)  # the others harm too much
    alike = {best, other} & set(allowed) if verdict == "no matter" else set()
    return Place(
        buffer_bytes=buffer_bytes, company=company, outcomes=outcomes, best=best if verdict == "ahead" else usual,
        verdict=verdict, leader=best if leads or alone else "", gain=more, by_order=by_order,
        acceptable=tuple(each for each in ranked if each in alike or scores[each] >= (1 - MATTERS) * scores[ranked[0]]),
    )  # fmt: skip


def _verdict(question: Question, one: Seeds, other: Seeds, more: float) -> Verdict:
    """Of two candidates, of which the first has more by a share: by the seeds that both have.

    Times are compared by their ratios, since few long ones would hide how the others differ.
    """
    shared = min(len(one.point.run_ids), len(other.point.run_ids))  # a run that others share may have more seeds
    first, second = one.counted()[:shared], other.counted()[:shared]
    if np.isnan(first - second).all():
        return "open"
    size = max(float(np.nanmean(each)) for each in (first, second))
    apart = NORMAL_95 * hosts_error(question) * question.rate_bps  # two numbers of hosts are as far from the model's
    if one.counts_time:
        apart /= max(float(np.nanmean(one.goodputs_bps())), 1.0)
        late_s = question.way_s if question.job.kind == "stream" else 0.0
        first, second, size = np.log(late_s + second), np.log(late_s + first), 1.0
    difference = against(dict(enumerate(known(first - second).tolist())), 0.0, size)
    if more >= MATTERS and difference.difference.mean > hypot(difference.difference.half_width or 0.0, apart):
        return "ahead"
    return "no matter" if difference.outcome == "same" and apart < TOLERABLE * size else "open"


def _by_order(one: Seeds, other: Seeds) -> dict[Order, str]:
    """Who is ahead in each order of starts, if that decides more than which of both runs, and not by chance.

    Empty also where no order has two seeds: chance makes one as well.
    """
    one, other = (replace(each, apart=True) for each in (one, other))
    shared = min(len(one.point.run_ids), len(other.point.run_ids))
    orders, columns = one.orders[:shared], (one.counted()[:shared], other.counted()[:shared])
    groups = [[column[[order == each for each in orders]] for order in dict.fromkeys(orders)] for column in columns]
    if len(groups[0]) == 1 or min(each.size for each in groups[0]) < 2 or np.isnan(columns).any():  # noqa: PLR2004
        return {}
    gap = abs(columns[0].mean() - columns[1].mean())
    for column, own in zip(columns, groups, strict=True):
        means = [each.mean() for each in own]
        most = max(means) - min(means)
        if most > max(gap, BY_ORDER * column.mean()) and three_alike(own) < CHANCE:
            return {
                order: _ahead(one, other, mine, theirs)
                for order, mine, theirs in zip(dict.fromkeys(orders), *groups, strict=True)
            }
    return {}


def _ahead(one: Seeds, other: Seeds, mine: Floats, theirs: Floats) -> str:
    """Who has more in each seed of an order, by what matters; less, of times."""
    more = gain(float(mine.mean()), float(theirs.mean())) or 0.0
    if abs(more) < MATTERS or len(set(np.sign(mine - theirs))) > 1:
        return ""
    return (one if (more > 0) != one.counts_time else other).case.candidate


def undecided(question: Question, case_trials: Trials) -> list[Case]:
    """The cases that more seeds may help: where it is open who is right; if nowhere, where an interval is wide."""
    places = list(_places(question, case_trials))
    opened = [
        Case(name, where.buffer_bytes, where.company)
        for where in places
        if where.verdict == "open"
        for name in question.tried
    ]
    return opened or [
        Case(name, where.buffer_bytes, where.company)
        for where in places
        for name in filter(where.is_wide, question.candidates)
    ]


def score(question: Question, outcome: Outcome) -> float:
    """What the goal asks of a candidate: the more the better. Of times it is one over them.

    What is late comes on top of the way there: a millisecond more than none is no ratio.
    """
    if outcome.late_s is not None:
        return 1 / (question.way_s + outcome.late_s.value)
    if question.goal == "latency":
        return 1 / outcome.rtt_s.value if outcome.rtt_s and outcome.rtt_s.value else 0.0
    if question.goal == "fairness" and outcome.neighbour_bps and outcome.goodput_bps:
        return float(evenness(np.array(outcome.goodput_bps.value), np.array(outcome.neighbour_bps.value)))
    if outcome.completion_s is not None:
        return 1 / outcome.completion_s.value
    return outcome.goodput_bps.value if outcome.goodput_bps else 0.0


def score_name(question: Question) -> str:
    """What `score` is called: the more the better."""
    if question.job.kind == "stream" or question.goal == "latency":
        return "promptness"
    if question.goal == "fairness":
        return "fairness"
    return "goodput" if question.job.kind == "bulk" else "speed"


def lost(question: Question, places: Sequence[Place], candidate: str) -> Regret:
    """The most, and the mean, that a candidate leaves of what the best at each place has."""
    shares = []
    for each in places:
        own = score(question, each.of(candidate))
        most = own if each.verdict == "no matter" else score(question, each.of(each.best))
        shares.append(max(0.0, 1 - own / most) if most else 0.0)
    return Regret(max(shares), fmean(shares))


def worst(harms: Iterable[Interval | None]) -> Interval | None:
    """The greatest harm that is known."""
    return max(filter(None, harms), key=lambda each: each.value, default=None)
