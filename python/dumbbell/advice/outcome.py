"""The values of a candidate at a place: each with the interval in which a host's own trials would lie."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.advice.trials import ME, OTHERS, TIME_LIMIT_S, duration_s, requests_s
from dumbbell.advice.validated import model_error
from dumbbell.metrics.number import AMOUNT, Limits, ends
from dumbbell.metrics.sharing import harm
from dumbbell.metrics.statistics import Floats, estimate
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from dumbbell.advice.question import Question
    from dumbbell.advice.trials import Case
    from dumbbell.results.measured import MeasuredPoint

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
    """The values of a candidate at a place, by the names that JSON has."""

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
    """The values of a candidate's trials, harm by those of the default."""
    case = seeds.case
    error = model_error(seeds.question, case.buffer_bytes, case.company)
    others_bps = seeds.others_bps()
    itself = case.candidate == default.case.candidate
    return Outcome(
        candidate=case.candidate, goodput_bps=predicted(seeds.goodputs_bps(), error),
        completion_s=predicted(seeds.completions_s(), error), late_s=predicted(seeds.of("late_p95"), error),
        rtt_s=predicted(seeds.of("rtt"), error), retransmit_rate=predicted(seeds.of("retransmits"), 0.0),
        neighbour_bps=predicted(known(others_bps) / (case.company.flows or 1), error),
        harm=_harm(default.others_bps(), others_bps, error, itself=itself),
        delay_harm=_harm(
            default.of("rtt_p95", OTHERS), seeds.of("rtt_p95", OTHERS), error, itself=itself, times=True
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seeds:
    """A case's trials, read as a question needs them: a value a seed, NaN where that has none."""

    question: Question
    case: Case
    point: MeasuredPoint

    def of(self, quantity: str, group: str = ME) -> Floats:
        """A quantity of the catalogue."""
        return np.array(self.point.numbers.get((quantity, group), [np.nan] * len(self.point.run_ids)))

    def counted(self) -> Floats:
        """What the goal asks for: a rate, a time, or how even the shares are."""
        kind, goal, flows = self.question.job.kind, self.question.goal, self.case.company.flows
        if kind == "stream":
            return self.of("late_p95")
        if goal == "latency":
            return self.of("rtt")
        if goal == "fairness" and flows:
            return evenness(self.goodputs_bps(), self.others_bps() / flows)
        return self.completions_s() if kind in {"transfer", "requests"} else self.goodputs_bps()

    def completions_s(self) -> Floats:
        """How long the transfer takes, or the 95th percentile of the requests; empty for other jobs.

        A transfer that is longer than a run goes on as the run's second half did. What is not complete when a run is
        over took at least as long as the run.
        """
        question, kind = self.question, self.question.job.kind
        if kind == "requests":
            return np.nan_to_num(self.of("fct_p95"), nan=requests_s(question))
        if kind != "transfer":
            return np.array([])
        if question.full_transfer:
            return np.nan_to_num(self.of("fct"), nan=TIME_LIMIT_S)
        bits, run_s = BITS_PER_BYTE * question.job.size_bytes, duration_s(question)
        mean_bps, later_bps = self.goodputs_bps(), self._of_alike("second_half")
        carried = np.nan_to_num(mean_bps) * run_s
        later_bps = np.nan_to_num(np.where(np.isnan(later_bps), mean_bps, later_bps))
        with np.errstate(divide="ignore", invalid="ignore"):
            more_s = np.where(later_bps, (bits - carried) / later_bps, TIME_LIMIT_S)
            return np.where(carried >= bits, run_s * bits / carried, run_s + more_s)

    def goodputs_bps(self) -> Floats:
        """Of the flow that is asked about."""
        return self._of_alike("goodput")

    def others_bps(self) -> Floats:
        """What all others have together; where all run the same, as often what each has in the mean."""
        return self.case.company.flows * self.goodputs_bps() if self._alike else self.of("goodput", OTHERS)

    def _of_alike(self, rate: str) -> Floats:
        """A rate of the flow that is asked about; where all run the same, each of them might be it: their mean."""
        own = self.of(rate)
        return (own + self.of(rate, OTHERS)) / (1 + self.case.company.flows) if self._alike else own

    @property
    def _alike(self) -> bool:
        """All flows are alike but for their names: any of them might be the one that is asked about."""
        company, candidate = self.case.company, self.case.candidate
        return self.question.endless and company.flows > 0 and company.neighbours_cc(candidate) == candidate


def evenness(own: Floats, other: Floats) -> Floats:
    """The lesser over the greater: 1 where both have the same, 0 where nobody has anything."""
    most = np.maximum(own, other)
    return np.divide(np.minimum(own, other), most, out=np.zeros_like(most), where=most != 0)


def known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def predicted(values: Floats, error: float) -> Interval | None:
    """The mean of seeds' values, and where that of `TRIALS` on hosts would lie; `error`: the model's, a share.

    None where a seed has no value: the mean of the others would be another thing.
    """
    if not values.size or np.isnan(values).any():
        return None
    sample = estimate(values.tolist())
    chance = (sample.half_width or 0.0) * sqrt(1 + sample.n / TRIALS)  # of a mean of n seeds and one of `TRIALS` more
    return Interval(sample.mean, hypot(chance, NORMAL_95 * error * sample.mean))


def _harm(without: Floats, alongside: Floats, error: float, *, itself: bool, times: bool = False) -> Interval | None:
    """Of the means, with the intervals of both; none of the default by itself."""
    usual, now = predicted(without, error), predicted(alongside, error)
    if usual is None or now is None or not usual.value:
        return None
    if itself:
        return Interval(0.0, 0.0)
    value = harm(usual.value, now.value, more_is_better=not times)
    half = hypot(now.half, now.value * usual.half / usual.value) / usual.value
    return None if value is None else Interval(value, half, (-inf, inf if times else 1.0))
