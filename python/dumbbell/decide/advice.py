"""From trials to advice: which candidate, where that flips, what it costs if wrong, and what the others lose by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dumbbell.comparison.agreement import stored_bands
from dumbbell.comparison.random_conditions import PLAIN, strata
from dumbbell.decide.question import FRAME_BYTES
from dumbbell.decide.trials import Case, Tried, whole_transfer
from dumbbell.metrics.sharing import harm
from dumbbell.metrics.statistics import estimate

if TYPE_CHECKING:
    from dumbbell.decide.question import Company, Question

Verdict: TypeAlias = Literal["no matter", "ahead", "open"]
DEFAULT: Final = "cubic"
"""What hosts have unless somebody changes it: kept where nothing speaks against it."""
MATTERS: Final = 0.02
"""A difference of less is none."""
MOST_HARM: Final = 0.1
"""That balanced advice may do to the others, beyond what one flow more of the default does."""
SHORT_BYTES: Final = 20 * FRAME_BYTES
"""A shorter queue is of the stratum of few packets."""
MOST_PLAIN_LOSS_PPB: Final = 20_000_000
"""Of the plain path."""
NEARLY: Final = 0.99
"""Queues are whole bytes."""
BANDS_ARE: Final = 1.5
"""Times what was measured."""
P90: Final = 1.645
"""Standard deviations within which nine tenths of normal errors lie."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval: the seeds' and the model's error together."""

    value: float
    half: float

    @property
    def low(self) -> float:
        """Its lower end; not below nothing."""
        return max(0.0, self.value - self.half)

    @property
    def high(self) -> float:
        """Its upper end."""
        return self.value + self.half


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a candidate comes to at a place."""

    candidate: str
    goodput_bps: Interval | None
    rtt_s: Interval | None
    done_s: Interval | None
    """Completion of the transfer, or of a request, 95th percentile."""
    late_s: Interval | None
    """Of a stream, 95th percentile."""
    resent: float | None
    other_bps: float | None
    """Goodput of each neighbour."""
    harm: float | None
    """What the others lose beside it, of what they have beside one flow more of the default; negative: they gain."""


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

    def of(self, candidate: str) -> Outcome:
        """A candidate's."""
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

    asked: Question
    recommendation: str
    """A candidate, or "keep": nothing that matters speaks against the default."""
    everywhere: bool
    """It is right at every place that was tried."""
    places: tuple[Place, ...]
    flips: tuple[Flip, ...]
    regret: Mapping[str, tuple[float, float]]
    """By candidate: what it costs at most, and in the mean over places, as a share of what the best one has there."""
    harm: float | None
    """The most that the recommended one does."""
    inside_validated: bool
    outside: str
    """Why not; empty if it is."""
    seeds: tuple[int, int]
    """The fewest and the most."""


def advice(asked: Question, found: Mapping[Case, Tried]) -> Advice:
    """The answer to a question, of its trials."""
    places = tuple(place(asked, found, buffer, company) for company in asked.company for buffer in asked.buffers_bytes)
    regret = {candidate: lost(asked, places, candidate) for candidate in asked.candidates}
    recommended = _recommended(asked, places, regret)
    rights = {each.best for each in places}
    kept = recommended == DEFAULT or all(each.verdict == "no matter" for each in places)
    outside = outside_of_validation(asked)
    harms = [own for each in places if (own := each.of(recommended).harm) is not None]
    seeds = [len(each.seeds) for each in found.values()]
    return Advice(
        asked=asked, recommendation="keep" if kept else recommended, everywhere=len(rights) == 1, places=places,
        flips=tuple(flips(places)), regret=regret, harm=max(harms, default=None), inside_validated=not outside,
        outside=outside, seeds=(min(seeds), max(seeds)),
    )  # fmt: skip


def place(asked: Question, found: Mapping[Case, Tried], buffer_bytes: int, company: Company) -> Place:
    """What each candidate comes to before a queue in some company, and which is right there."""
    own = {name: found[Case(name, buffer_bytes, company)] for name in asked.candidates}
    usual = DEFAULT if DEFAULT in own else asked.candidates[0]
    outcomes = tuple(_outcome(asked, name, tried, own[usual], company, buffer_bytes) for name, tried in own.items())
    by_name = {each.candidate: each for each in outcomes}
    allowed = [each for each in outcomes if asked.goal != "balanced" or (each.harm or 0.0) <= MOST_HARM] or [
        by_name[usual]
    ]
    ranked = sorted(allowed, key=lambda each: score(asked, each), reverse=True)
    best, other = ranked[0], by_name[usual]
    if best.candidate == usual and len(ranked) > 1:
        other = ranked[1]
    gain = _gain(score(asked, best), score(asked, other))
    decided = best is other or _decided(asked, company, best, own[best.candidate], other, own[other.candidate])
    verdict: Verdict = "no matter" if abs(gain) < MATTERS else "ahead" if decided else "open"
    right = best.candidate if verdict == "ahead" else usual
    return Place(
        buffer_bytes=buffer_bytes, company=company, outcomes=outcomes, best=right, verdict=verdict, gain=gain,
        harmful=tuple(each.candidate for each in outcomes if (each.harm or 0.0) > MOST_HARM),
    )  # fmt: skip


def undecided(asked: Question, found: Mapping[Case, Tried]) -> list[Case]:
    """The cases of places of which more seeds may decide which candidate is right."""
    open_ = {
        (each.buffer_bytes, each.company)
        for company in asked.company
        for buffer in asked.buffers_bytes
        if (each := place(asked, found, buffer, company)).verdict == "open"
    }
    return [case for case in found if (case.buffer_bytes, case.company) in open_]


def flips(places: Sequence[Place]) -> Iterator[Flip]:
    """Where the right candidate changes from one queue to the next, half way between them (geometric)."""
    for before, after in pairwise(places):
        if before.company == after.company and before.best != after.best:
            middle = sqrt(before.buffer_bytes * after.buffer_bytes)
            yield Flip(company=before.company, below=before.best, above=after.best, buffer_bytes=middle)


def score(asked: Question, outcome: Outcome) -> float:
    """What the goal asks of a candidate: the more the better. Of times it is one over them."""
    if asked.goal == "latency":
        told = outcome.late_s if asked.job.kind == "stream" else outcome.rtt_s
        return 1 / told.value if told and told.value else 0.0
    if asked.goal == "fairness" and outcome.other_bps and outcome.goodput_bps:
        own, other = outcome.goodput_bps.value, outcome.other_bps
        return min(own, other) / max(own, other) if max(own, other) else 0.0
    if outcome.done_s is not None:
        return 1 / outcome.done_s.value
    if outcome.late_s is not None and outcome.late_s.value:
        return 1 / outcome.late_s.value
    return outcome.goodput_bps.value if outcome.goodput_bps else 0.0


def outside_of_validation(asked: Question) -> str:
    """Why a path lies outside of what was held against the kernel (docs/validation.md); empty where it does not."""
    every = strata()
    plain = every[PLAIN]
    rate, rtt = asked.rate_bps / 1e6, asked.rtt_ns / 1e6
    if not plain.rate[0] <= rate <= plain.rate[1]:
        return f"rates from {plain.rate[0]:g} to {plain.rate[1]:g} Mbit/s were, and {rate:g} was not"
    if not plain.rtt[0] <= rtt <= plain.rtt[1]:
        return f"RTTs from {plain.rtt[0]:g} to {plain.rtt[1]:g} ms were, and {rtt:g} was not"
    if max(each.flows for each in asked.company) >= every["many"].flows[1]:
        return f"up to {every['many'].flows[1]} flows were"
    queues = [asked.buffer_bdp(each) for each in asked.buffers_bytes if each >= SHORT_BYTES]
    if queues and max(queues) > every["deep"].buffer[1]:
        return f"queues of up to {every['deep'].buffer[1]:g} BDP were"
    if queues and min(queues) < NEARLY * plain.buffer[0]:
        return f"queues from {plain.buffer[0]:g} BDP on were; in shorter ones CUBIC is slower on real hosts"
    return ""


def stratum(asked: Question, buffer_bytes: int, company: Company) -> str:
    """Of which stratum of the validation a case is."""
    plain = strata()[PLAIN]
    if asked.job.kind in {"transfer", "requests"} and (asked.job.kind == "requests" or whole_transfer(asked)):
        return "transfers"
    if buffer_bytes < SHORT_BYTES:
        return "short"
    if asked.buffer_bdp(buffer_bytes) > plain.buffer[1]:
        return "deep"
    if asked.loss_ppb > MOST_PLAIN_LOSS_PPB:
        return "loss"
    return "many" if company.flows >= plain.flows[1] else "plain"


def model_error(asked: Question, buffer_bytes: int, company: Company) -> float:
    """Standard deviation of the simulator's goodput from the kernel's in that stratum, a share of it."""
    bands = stored_bands()[stratum(asked, buffer_bytes, company)]
    return float(bands["group_goodput"]["p90"]) / BANDS_ARE / P90


def _outcome(  # noqa: PLR0913, PLR0917 (what a case is)
    asked: Question, name: str, tried: Tried, usual: Tried, company: Company, buffer_bytes: int
) -> Outcome:
    error = model_error(asked, buffer_bytes, company)
    goodput = _interval(_goodputs(asked, name, tried, company), error)
    done = _interval(tried.mine.get("fct_p95" if asked.job.kind == "requests" else "fct"), error)
    if asked.job.kind == "transfer" and done is None and goodput is not None and goodput.value:
        seconds = 8 * asked.job.size_bytes / goodput.value
        done = Interval(seconds, seconds * goodput.half / goodput.value)
    default = DEFAULT if DEFAULT in asked.candidates else asked.candidates[0]
    beside, without = _others(asked, name, tried, company), _others(asked, default, usual, company)
    return Outcome(
        candidate=name, goodput_bps=goodput, rtt_s=_interval(tried.mine.get("rtt"), error), done_s=done,
        late_s=_interval(tried.mine.get("late_p95"), error),
        resent=fmean(own) if (own := tried.mine.get("retransmits")) else None,
        other_bps=beside / company.flows if beside is not None else None,
        harm=harm(without, beside) if beside is not None and without else None,
    )  # fmt: skip


def _goodputs(asked: Question, name: str, tried: Tried, company: Company) -> list[float]:
    """Of the flow that is asked about, a value a seed; where all run the same, each of them might be it: their mean."""
    own, others = tried.mine.get("goodput", []), tried.others.get("goodput", [])
    if asked.job.kind in {"stream", "requests"} or company.cc_beside(name) != name or len(own) != len(others):
        return own
    return [(mine + rest) / (1 + company.flows) for mine, rest in zip(own, others, strict=True)]


def _others(asked: Question, name: str, tried: Tried, company: Company) -> float | None:
    """What all others have together; where all run the same, as many times what each of them has in the mean."""
    if not company.flows or not tried.others.get("goodput"):
        return None
    if company.cc_beside(name) == name and asked.job.kind in {"bulk", "transfer"}:
        return company.flows * fmean(_goodputs(asked, name, tried, company))
    return fmean(tried.others["goodput"])


def _interval(values: Sequence[float] | None, error: float) -> Interval | None:
    if not values:
        return None
    found = estimate(values)
    return Interval(found.mean, hypot(found.half_width or 0.0, 1.96 * error * found.mean))


def _decided(  # noqa: PLR0913, PLR0917 (two candidates with their trials)
    asked: Question, company: Company, best: Outcome, a: Tried, other: Outcome, b: Tried
) -> bool:
    """The interval of the paired differences of what counts excludes 0."""
    name = {"bulk": "goodput", "transfer": "goodput", "requests": "fct_p95", "stream": "late_p95"}[asked.job.kind]
    if asked.goal == "latency" and asked.job.kind != "stream":
        name = "rtt"
    if asked.job.kind == "transfer" and whole_transfer(asked):
        name = "fct"
    if name == "goodput":
        mine = [_goodputs(asked, each.candidate, tried, company) for each, tried in ((best, a), (other, b))]
    else:
        mine = [tried.mine.get(name, []) for tried in (a, b)]
    differences = [one - two for one, two in zip(*mine, strict=False)]
    if not differences:
        return False
    found = estimate(differences)
    return bool(found.mean) if found.half_width is None else abs(found.mean) > found.half_width


def _gain(best: float, other: float) -> float:
    return best / other - 1 if other else 0.0


def lost(asked: Question, places: Sequence[Place], candidate: str) -> tuple[float, float]:
    """The most, and the mean, that a candidate leaves of what the best at each place has."""
    shares = []
    for each in places:
        most = score(asked, each.of(each.best)) if each.verdict != "no matter" else score(asked, each.of(candidate))
        shares.append(max(0.0, 1 - score(asked, each.of(candidate)) / most) if most else 0.0)
    return max(shares), fmean(shares)


def _recommended(asked: Question, places: Sequence[Place], regret: Mapping[str, tuple[float, float]]) -> str:
    """The one with the least regret at worst, of those that harm nobody too much where that counts."""

    def harms(candidate: str) -> bool:
        return asked.goal == "balanced" and any((each.of(candidate).harm or 0.0) > MOST_HARM for each in places)

    allowed = [each for each in asked.candidates if not harms(each)] or [
        DEFAULT if DEFAULT in asked.candidates else asked.candidates[0]
    ]
    return min(allowed, key=lambda each: (round(regret[each][0], 3), each != DEFAULT))
