"""What a candidate comes to at a place: each value with the interval in which a host's own trials would lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Final, TypeAlias

from dumbbell.decide.trials import TIME_LIMIT_S, requests_s, runs_full_transfer
from dumbbell.decide.validated import model_error
from dumbbell.metrics.number import AMOUNT, Limits, ends
from dumbbell.metrics.sharing import harm
from dumbbell.metrics.statistics import estimate
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from dumbbell.decide.question import Question
    from dumbbell.decide.trials import Case, Tried

Values: TypeAlias = Sequence[float | None]
TRIALS: Final = 5
"""Of a host, whose mean the intervals are about: what somebody who measures would make."""
NORMAL_95: Final = 1.96
"""Standard deviations of 95 %."""
MOST_HARM: Final = 0.1
"""That balanced advice may do to the others, beyond what one flow more of the default does."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, and within which half-width the mean of five trials on hosts would lie, 95 times of 100.

    It holds the chance of these seeds, that of the trials, and the model's error.
    """

    value: float
    half: float
    limits: Limits = AMOUNT

    @property
    def low(self) -> float:
        return ends(self.value, self.half, self.limits)[0]

    @property
    def high(self) -> float:
        return ends(self.value, self.half, self.limits)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a candidate comes to at a place, by the names that JSON has."""

    candidate: str
    goodput_bps: Interval | None = None
    completion_s: Interval | None = None
    """Of the transfer, or of a request, 95th percentile."""
    late_s: Interval | None = None
    """Of a stream, 95th percentile."""
    rtt_s: Interval | None = None
    retransmit_rate: Interval | None = None
    neighbour_bps: Interval | None = None
    """Goodput of each neighbour."""
    harm: Interval | None = None
    """What the others lose beside it, of what they have beside one flow more of the default; negative: they gain."""
    delay_harm: Interval | None = None
    """By how much it lengthens the others' RTT, 95th percentile, beyond what one flow more of the default does."""

    @property
    def harms(self) -> bool:
        """The others lose too much."""
        return self.harm is not None and self.harm.value > MOST_HARM


VALUES: Final = tuple(each.name for each in fields(Outcome))[1:]
"""The names of an outcome's values."""


def outcome(seeds: Seeds, default: Seeds) -> Outcome:
    """What a candidate's trials come to, beside those of the default."""
    question, case, mine = seeds.question, seeds.case, seeds.tried.mine
    error = model_error(question, case.buffer_bytes, case.company)
    others_bps = seeds.others_bps()
    usual_rtts_s, rtts_s = [each.tried.others.get("rtt_p95", []) for each in (default, seeds)]
    itself = case.candidate == default.case.candidate
    return Outcome(
        candidate=case.candidate, goodput_bps=predicted(seeds.goodputs_bps(), error),
        completion_s=predicted(seeds.completions_s(), error), late_s=predicted(mine.get("late_p95"), error),
        rtt_s=predicted(mine.get("rtt"), error), retransmit_rate=predicted(mine.get("retransmits"), 0.0),
        neighbour_bps=predicted([each / case.company.flows for each in known(others_bps)], error),
        harm=_harm(default.others_bps(), others_bps, error, itself=itself),
        delay_harm=_harm(usual_rtts_s, rtts_s, error, itself=itself, times=True),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seeds:
    """A case's trials, read as a question needs them: a value a seed, None where that has none."""

    question: Question
    case: Case
    tried: Tried

    def counted(self) -> Values:
        """What the goal asks for: a rate, a time, or how even the shares are."""
        question = self.question
        if question.job.kind == "stream":
            return self.tried.mine.get("late_p95", [])
        if question.goal == "latency":
            return self.tried.mine.get("rtt", [])
        if question.goal == "fairness" and self.case.company.flows:
            each_other = [None if all_ is None else all_ / self.case.company.flows for all_ in self.others_bps()]
            return [
                None if own is None or other is None else evenness(own, other)
                for own, other in zip(self.goodputs_bps(), each_other, strict=True)
            ]
        return self.completions_s() if question.job.kind in {"transfer", "requests"} else self.goodputs_bps()

    def completions_s(self) -> Values:
        """How long the transfer takes, or the 95th percentile of the requests; empty for other jobs.

        A transfer that is longer than a run goes on as the run's second half did. What is not complete when a run is
        over took at least as long as the run.
        """
        job, mine = self.question.job, self.tried.mine
        if job.kind == "requests":
            return [requests_s(self.question) if each is None else each for each in mine.get("fct_p95", [])]
        if job.kind != "transfer":
            return []
        if runs_full_transfer(self.question):
            return [TIME_LIMIT_S if each is None else each for each in mine.get("fct", [])]
        bits, ran_s = BITS_PER_BYTE * job.size_bytes, self.tried.run_s
        rates = zip(self.goodputs_bps(), self._of_alike("second_half"), strict=True)
        return [_goes_on_s(bits, ran_s, mean or 0.0, mean if later is None else later) for mean, later in rates]

    def goodputs_bps(self) -> Values:
        """Of the flow that is asked about."""
        return self._of_alike("goodput")

    def others_bps(self) -> Values:
        """What all others have together; where all run the same, as often what each has in the mean."""
        flows = self.case.company.flows
        if not flows:
            return []
        if self._alike:
            return [None if each is None else flows * each for each in self.goodputs_bps()]
        return self.tried.others.get("goodput", [])

    def _of_alike(self, rate: str) -> Values:
        """A rate of the flow that is asked about; where all run the same, each of them might be it: their mean."""
        own = self.tried.mine.get(rate, [])
        if not self._alike:
            return own
        rest, flows = self.tried.others.get(rate, []), self.case.company.flows
        return [
            None if mine is None or theirs is None else (mine + theirs) / (1 + flows)
            for mine, theirs in zip(own, rest, strict=True)
        ]

    @property
    def _alike(self) -> bool:
        """All flows are alike but for their names: any of them might be the one that is asked about."""
        job, company = self.question.job, self.case.company
        endless = job.kind == "bulk" or (job.kind == "transfer" and not runs_full_transfer(self.question))
        return endless and company.flows > 0 and company.neighbours_cc(self.case.candidate) == self.case.candidate


def evenness(own: float, other: float) -> float:
    """The lesser over the greater: 1 where both have the same."""
    return min(own, other) / max(own, other) if max(own, other) else 0.0


def known(values: Values) -> list[float]:
    return [each for each in values if each is not None]


def predicted(values: Values | None, error: float) -> Interval | None:
    """The mean of seeds' values, and where that of `TRIALS` on hosts would lie; `error`: the model's, a share.

    None where a seed has no value: the mean of the others would be another thing.
    """
    if not values or None in values:
        return None
    sample = estimate(known(values))
    chance = (sample.half_width or 0.0) * sqrt(1 + sample.n / TRIALS)  # of a mean of n seeds and one of `TRIALS` more
    return Interval(sample.mean, hypot(chance, NORMAL_95 * error * sample.mean))


def _goes_on_s(bits: float, ran_s: float, mean_bps: float, later_bps: float | None) -> float:
    """How long a transfer takes that ran for so long at a mean rate, and goes on at another one."""
    carried = mean_bps * ran_s
    if carried >= bits:
        return ran_s * bits / carried
    return ran_s + (bits - carried) / later_bps if later_bps else TIME_LIMIT_S + ran_s


def _harm(without: Values, alongside: Values, error: float, *, itself: bool, times: bool = False) -> Interval | None:
    """Of the means, with the intervals of both; none of the default by itself."""
    usual, now = predicted(without, error), predicted(alongside, error)
    if usual is None or now is None or not usual.value:
        return None
    if itself:
        return Interval(0.0, 0.0)
    value = harm(usual.value, now.value, more_is_better=not times)
    half = hypot(now.half, now.value * usual.half / usual.value) / usual.value
    return None if value is None else Interval(value, half, (-inf, inf if times else 1.0))
