"""From trials to advice: which candidate, where that flips, what it costs if wrong, and what the others lose by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dumbbell.decide.outcome import Interval, Outcome, Seeds, Values, evenness, outcome
from dumbbell.decide.question import DEFAULT
from dumbbell.decide.trials import Case, Tried
from dumbbell.decide.validated import outside_of_validation
from dumbbell.metrics.contrast import MATTERS, beyond_chance
from dumbbell.metrics.sharing import gain
from dumbbell.metrics.statistics import estimate
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.decide.question import Company, Question

Verdict: TypeAlias = Literal["no matter", "ahead", "open"]
WIDE: Final = 0.1
"""Half an interval that is worth more seeds, as a share of its value."""
MOST_HARM: Final = 0.1
"""That balanced advice may do to the others, beyond what one flow more of the default does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A queue in some company: what each candidate comes to there, and which is right."""

    buffer_bytes: int
    company: Company
    outcomes: tuple[Outcome, ...]
    best: str
    """The candidate that is right there."""
    verdict: Verdict
    gain: float
    """Of the best over the default, or over the next one where that is the best: a share of the worse one's."""
    harmful: tuple[str, ...]
    """Candidates that harm the others too much, whether or not that counts for the goal."""
    may_harm: tuple[str, ...]
    """Those of which that cannot be excluded: by their interval."""

    def spares(self, candidate: str) -> bool:
        """Nothing that matters speaks against a candidate here."""
        return self.verdict != "ahead" and candidate not in self.harmful

    def of(self, candidate: str) -> Outcome:
        return next(each for each in self.outcomes if each.candidate == candidate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Where the advice changes, in one company."""

    company: Company
    below: str
    """What is right before shorter queues."""
    above: str
    buffer_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The answer."""

    question: Question
    recommendation: str
    """A candidate, or "keep": nothing that matters speaks against the default."""
    everywhere: bool
    """It is right at every place that was tried."""
    places: tuple[Place, ...]
    flips: tuple[Flip, ...]
    regret: Mapping[str, tuple[float, float]]
    """By candidate: what it costs at most, and in the mean over places, as a share of what the best one has there."""
    harm: Interval | None
    """The most that the recommended one does."""
    inside_validated: bool
    outside: str
    """Why not; empty if it is."""
    seeds: tuple[int, int]
    """The fewest and the most."""

    @property
    def chosen(self) -> str:
        """The candidate that is advised: the default, where it is kept."""
        return self.question.default if self.recommendation == "keep" else self.recommendation


def advice(question: Question, case_trials: Mapping[Case, Tried]) -> Advice:
    """The answer to a question, of its trials."""
    places = tuple(
        place(question, case_trials, buffer, company)
        for company in question.company
        for buffer in question.buffers_bytes
    )
    regret = {candidate: lost(question, places, candidate) for candidate in question.candidates}
    recommended = _recommended(question, places, regret)
    rights = {each.best for each in places}
    keeps_default = recommended == DEFAULT or all(each.verdict == "no matter" for each in places)
    outside = outside_of_validation(question)
    harms = [own for each in places if (own := each.of(recommended).harm) is not None]
    seeds = [len(each.seeds) for each in case_trials.values()]
    return Advice(
        question=question, recommendation="keep" if keeps_default else recommended, everywhere=len(rights) == 1,
        places=places, flips=tuple(flips(places)), regret=regret,
        harm=max(harms, key=lambda each: each.value, default=None), inside_validated=not outside,
        outside=outside, seeds=(min(seeds), max(seeds)),
    )  # fmt: skip


def place(question: Question, case_trials: Mapping[Case, Tried], buffer_bytes: int, company: Company) -> Place:
    """What each candidate comes to before a queue in some company, and which is right there."""
    cases = [Case(name, buffer_bytes, company) for name in question.tried]
    seeds = {case.candidate: Seeds(question, case, case_trials[case]) for case in cases if case in case_trials}
    usual = question.default
    outcomes = tuple(outcome(seeds[name], seeds.get(DEFAULT, seeds[usual])) for name in question.candidates)
    by_name = {each.candidate: each for each in outcomes}
    allowed = [each for each in outcomes if question.goal != "balanced" or each.harms <= MOST_HARM] or [by_name[usual]]
    ranked = sorted(allowed, key=lambda each: score(question, each), reverse=True)
    best, other = ranked[0], by_name[usual]
    if best.candidate == usual and len(ranked) > 1:
        other = ranked[1]
    more = gain(score(question, best), score(question, other)) or 0.0
    decided = best is other or _decided(*(seeds[each.candidate].counted() for each in (best, other)))
    verdict: Verdict = "no matter" if abs(more) < MATTERS else "ahead" if decided else "open"
    right = best.candidate if verdict == "ahead" else usual
    return Place(
        buffer_bytes=buffer_bytes, company=company, outcomes=outcomes, best=right, verdict=verdict, gain=more,
        harmful=tuple(each.candidate for each in outcomes if each.harms > MOST_HARM),
        may_harm=tuple(each.candidate for each in outcomes if each.harm and each.harm.high > MOST_HARM),
    )  # fmt: skip


def undecided(question: Question, case_trials: Mapping[Case, Tried]) -> list[Case]:
    """The cases that more seeds may help: of places where it is open who is right, and those with a wide interval."""
    places = {
        (buffer, company): place(question, case_trials, buffer, company)
        for company in question.company
        for buffer in question.buffers_bytes
    }
    return [
        case
        for case in case_trials
        if (there := places[case.buffer_bytes, case.company]).verdict == "open" or _wide(there.of(case.candidate))
    ]


def _wide(own: Outcome) -> bool:
    goodput = own.goodput_bps
    return goodput is not None and goodput.half > WIDE * goodput.value


def exceptions(answer: Advice) -> Iterator[tuple[Company, str, float | None, float | None]]:
    """Where another candidate than the advised one is right: company, candidate, and between which queues, in bytes.

    None: from the shortest one that was tried, or to the longest. Where it does not matter the advised one is right.
    """
    for company, group in groupby(answer.places, key=lambda each: each.company):
        own = [(answer.chosen if each.spares(answer.chosen) else each.best, each.buffer_bytes) for each in group]
        runs = [list(run) for _, run in groupby(own, key=lambda each: each[0])]
        edges = [half_way(before[-1][1], after[0][1]) for before, after in pairwise(runs)]
        for nth, run in enumerate(runs):
            if run[0][0] != answer.chosen:
                yield company, run[0][0], edges[nth - 1] if nth else None, edges[nth] if nth < len(edges) else None


def flips(places: Sequence[Place]) -> Iterator[Flip]:
    """Where the right candidate changes from one queue to the next."""
    for before, after in pairwise(places):
        if before.company == after.company and before.best != after.best:
            edge = half_way(before.buffer_bytes, after.buffer_bytes)
            yield Flip(company=before.company, below=before.best, above=after.best, buffer_bytes=edge)


def half_way(shorter: float, longer: float) -> float:
    """Half way between two queues that were tried: their geometric mean."""
    return sqrt(shorter * longer)


def score(question: Question, outcome: Outcome) -> float:
    """What the goal asks of a candidate: the more the better. Of times it is one over them.

    What is late comes on top of the way there: a millisecond more than none is no ratio.
    """
    if outcome.late_s is not None:
        return 1 / (question.rtt_ns / NS_PER_S / 2 + outcome.late_s.value)
    if question.goal == "latency":
        return 1 / outcome.rtt_s.value if outcome.rtt_s and outcome.rtt_s.value else 0.0
    if question.goal == "fairness" and outcome.other_bps and outcome.goodput_bps:
        return evenness(outcome.goodput_bps.value, outcome.other_bps.value)
    if outcome.done_s is not None:
        return 1 / outcome.done_s.value
    return outcome.goodput_bps.value if outcome.goodput_bps else 0.0


def score_name(question: Question) -> str:
    """What `score` is called: the more the better."""
    if question.job.kind == "stream" or question.goal == "latency":
        return "promptness"
    if question.goal == "fairness":
        return "fairness"
    return "speed" if question.job.kind in {"transfer", "requests"} else "goodput"


def _decided(one: Values, other: Values) -> bool:
    """The interval of the differences of what counts, seed by seed, excludes 0."""
    pairs = zip(one, other, strict=False)  # a run that others share may have more seeds
    differences = [mine - theirs for mine, theirs in pairs if mine is not None and theirs is not None]
    if not differences:
        return False
    difference = estimate(differences)
    return beyond_chance(difference.mean, difference.half_width)


def lost(question: Question, places: Sequence[Place], candidate: str) -> tuple[float, float]:
    """The most, and the mean, that a candidate leaves of what the best at each place has."""
    shares = []
    for each in places:
        most = (
            score(question, each.of(each.best)) if each.verdict != "no matter" else score(question, each.of(candidate))
        )
        shares.append(max(0.0, 1 - score(question, each.of(candidate)) / most) if most else 0.0)
    return max(shares), fmean(shares)


def _recommended(question: Question, places: Sequence[Place], regret: Mapping[str, tuple[float, float]]) -> str:
    """The one with the least regret at worst, of those that harm nobody too much where that counts.

    Where it has less by no more than matters it is the default.
    """

    def harms(candidate: str) -> bool:
        return question.goal == "balanced" and any(each.of(candidate).harms > MOST_HARM for each in places)

    usual = question.default
    allowed = [each for each in question.candidates if not harms(each)] or [usual]
    least = min(allowed, key=lambda each: regret[each][0])
    return usual if usual in allowed and regret[usual][0] - regret[least][0] < MATTERS else least
