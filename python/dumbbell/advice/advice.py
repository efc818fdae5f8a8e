"""From trials to advice: which candidate, where that flips, what it costs if wrong, and what the others lose by it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dumbbell.advice.outcome import Interval, Outcome, Seeds, evenness, known, outcome
from dumbbell.advice.question import DEFAULT
from dumbbell.advice.trials import OTHER_PACKETS, Case, Trials, given_s, packets_in, trials
from dumbbell.advice.validated import outside_of_validation
from dumbbell.metrics.contrast import MATTERS, against, beyond_chance
from dumbbell.metrics.curve import changes
from dumbbell.metrics.sharing import gain
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.question import Company, Question
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store

Verdict: TypeAlias = Literal["no matter", "ahead", "open"]
WIDE: Final = 0.1
"""Half an interval that is worth more seeds, as a share of its value."""


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

    def of(self, candidate: str) -> Outcome:
        return next(each for each in self.outcomes if each.candidate == candidate)

    @property
    def harmful(self) -> list[str]:
        """Candidates that harm the others too much, whether or not that counts for the goal."""
        return [each.candidate for each in self.outcomes if each.harms]

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
    recommendation: str
    """A candidate, or "keep": nothing that matters speaks against the default."""
    harm: Interval | None
    """The most that the recommended one does."""
    outside: str
    """Why the path lies outside of what was validated; empty if it does not."""
    seeds: tuple[int, int]
    """The fewest and the most."""

    @property
    def chosen(self) -> str:
        """The candidate that is advised: the default, where it is kept."""
        return self.question.default if self.recommendation == "keep" else self.recommendation

    @property
    def everywhere(self) -> bool:
        """One candidate is right at every place that was tried."""
        return len({each.best for each in self.places}) == 1

    def flips(self) -> Iterator[tuple[Company, str, str, float]]:
        """Where the right candidate changes: company, what is right before shorter queues and longer ones, bytes."""
        for company, own in groupby(self.places, key=lambda each: each.company):
            for below, above, at in changes([(each.buffer_bytes, each.best) for each in own]):
                yield company, below, above, at

    def exceptions(self) -> Iterator[tuple[Company, str, float | None, float | None]]:
        """Where another candidate than the advised one is right: company, candidate, between which queues, in bytes.

        None: from the shortest one that was tried, or to the longest. Where it does not matter the advised one is
        right.
        """
        chosen = self.chosen
        for company, own in groupby(self.places, key=lambda each: each.company):
            rights = [
                (each.buffer_bytes, chosen if each.verdict != "ahead" and chosen not in each.harmful else each.best)
                for each in own
            ]
            edges = list(changes(rights))
            names = [rights[0][1], *(above for _, above, _ in edges)]
            for name, (low, high) in zip(names, pairwise([None, *(at for *_, at in edges), None]), strict=True):
                if name != chosen:
                    yield company, name, low, high


def answer(  # noqa: PLR0913 (of what, and how it is made)
    question: Question, engine: Engine, store: Store, *, jobs: int | None = None, seeds: int | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Advice:  # fmt: skip
    """Runs what a question needs, and answers it. With `seeds` every case has so many.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    budget = packets_in(given_s(question)) if engine.name == "sim" else OTHER_PACKETS
    return advice(question, trials(
        question, engine, store, budget=budget, jobs=jobs, undecided=undecided, seeds=seeds, progress=progress
    ))  # fmt: skip


def advice(question: Question, case_trials: Trials) -> Advice:
    """The answer to a question, of its trials."""
    places = tuple(_places(question, case_trials))
    regret = {candidate: lost(question, places, candidate) for candidate in question.candidates}
    harmful = {candidate for each in places for candidate in each.harmful}
    right = recommended(question, {name: each.most for name, each in regret.items()}, harmful)
    keeps_default = right == DEFAULT or all(each.verdict == "no matter" for each in places)
    seeds = [len(each.run_ids) for each in case_trials.values()]
    return Advice(
        question=question, places=places, regret=regret, recommendation="keep" if keeps_default else right,
        harm=worst(each.of(right).harm for each in places), outside=outside_of_validation(question),
        seeds=(min(seeds), max(seeds)),
    )  # fmt: skip


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
    allowed = [each.candidate for each in outcomes if question.goal != "balanced" or not each.harms]
    ranked = sorted(allowed or [usual], key=scores.__getitem__, reverse=True)
    best, other = ranked[0], usual
    if best == usual and len(ranked) > 1:
        other = ranked[1]
    more = gain(scores[best], scores[other]) or 0.0
    verdict: Verdict = "no matter"
    if abs(more) >= MATTERS:
        verdict = "ahead" if _differ(seeds[best], seeds[other]) else "open"
    leads = verdict == "ahead" or (verdict == "no matter" and more and allowed)
    alone = len(allowed) == 1 < len(outcomes)  # the others harm too much
    return Place(
        buffer_bytes=buffer_bytes, company=company, outcomes=outcomes, best=best if verdict == "ahead" else usual,
        verdict=verdict, leader=best if leads or alone else "", gain=more,
    )  # fmt: skip


def _differ(one: Seeds, other: Seeds) -> bool:
    """The interval of the difference of what counts, by seeds that both have, excludes 0."""
    shared = min(len(one.point.run_ids), len(other.point.run_ids))  # a run that others share may have more seeds
    differences = known(one.counted()[:shared] - other.counted()[:shared])
    if not differences.size:
        return False
    difference = against(dict(enumerate(differences.tolist())), 0.0).difference
    return beyond_chance(difference.mean, difference.half_width)


def undecided(question: Question, case_trials: Trials) -> list[Case]:
    """The cases that more seeds may help: of places where it is open who is right, and those with a wide interval."""
    return [
        Case(name, where.buffer_bytes, where.company)
        for where in _places(question, case_trials)
        for name in (question.tried if where.verdict == "open" else filter(where.is_wide, question.candidates))
    ]


def score(question: Question, outcome: Outcome) -> float:
    """What the goal asks of a candidate: the more the better. Of times it is one over them.

    What is late comes on top of the way there: a millisecond more than none is no ratio.
    """
    if outcome.late_s is not None:
        return 1 / (question.rtt_ns / NS_PER_S / 2 + outcome.late_s.value)
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


def recommended(question: Question, regret: Mapping[str, float], harmful: Collection[str]) -> str:
    """The candidate with the least regret, of those that harm nobody too much where that counts.

    Where it has less by no more than matters it is the default.
    """
    usual = question.default
    allowed = [each for each in question.candidates if question.goal != "balanced" or each not in harmful] or [usual]
    least = min(allowed, key=regret.__getitem__)
    return usual if usual in allowed and regret[usual] - regret[least] < MATTERS else least
