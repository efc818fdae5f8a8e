"""The values of a candidate at a place: each with the interval in which trials of Linux would lie, or of real hosts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from dumbbell.advice.trials import ME, OTHERS, TIME_LIMIT_S, duration_s, requests_s, time_limit_s
from dumbbell.advice.validated import hosts_error, model_error
from dumbbell.comparison.strata import RESENDS
from dumbbell.metrics.number import AMOUNT, Limits, ends
from dumbbell.metrics.sharing import harm
from dumbbell.metrics.statistics import Estimate, Floats, estimate
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from dumbbell.advice.question import Order, Question
    from dumbbell.advice.trials import Case
    from dumbbell.results.measured import MeasuredPoint

TRIALS: Final = 5
"""Of who measures, whose mean the intervals are about: what somebody who measures would make."""
NORMAL_95: Final = 1.96
"""Standard deviations of 95 %."""
MOST_HARM: Final = 0.1
"""That balanced advice may do to the others, beyond what one flow more of the default does."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, and within which half-width the mean of five trials would lie, 95 times of 100: of Linux, or of hosts.

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
        """The others lose too much, and not by chance."""
        return self.may_harm and self.harm is not None and self.harm.low > 0

    @property
    def may_harm(self) -> bool:
        """The others lose too much, if it is not by chance."""
        return self.harm is not None and self.harm.value > MOST_HARM


VALUES: Final = tuple(each.name for each in fields(Outcome))[1:]
"""The names of an outcome's values."""


def outcome(seeds: Seeds, default: Seeds) -> Outcome:
    """The values of a candidate's trials, harm by those of the default."""
    question, case = seeds.question, seeds.case
    error = model_error(question, case.buffer_bytes, case.company)
    hosts_bps = hosts_error(question) * question.rate_bps
    others_bps, mine = seeds.others_bps(), seeds.goodputs_bps()
    of_times = hypot(error, hosts_bps / mean_bps) if (mean_bps := float(mine.mean())) else error
    flows = case.company.flows or 1
    itself = case.candidate == default.case.candidate
    return Outcome(
        candidate=case.candidate, goodput_bps=predicted(mine, error, hosts_bps),
        completion_s=predicted(seeds.completions_s(), of_times), late_s=predicted(seeds.of("late_p95"), error),
        rtt_s=predicted(seeds.of("rtt"), error), retransmit_rate=predicted(
            seeds.of("retransmits"), model_error(question, case.buffer_bytes, case.company, RESENDS)
        ),
        neighbour_bps=predicted(known(others_bps) / flows, error, hosts_bps / flows),
        harm=_harm(default.others_bps(), others_bps, error, hosts_bps, itself=itself),
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
    apart: bool = False
    """Each order of starts apart, where nobody knows it."""

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

    @property
    def counts_time(self) -> bool:
        """The less of what counts, the better."""
        kind, goal = self.question.job.kind, self.question.goal
        return goal == "latency" or kind == "stream" or (goal != "fairness" and kind in {"transfer", "requests"})

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
            return np.nan_to_num(self.of("fct"), nan=time_limit_s(question, self.case.company))
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
        """What all others have together; where all are alike, as often what each has in the mean."""
        flows = self.case.company.flows
        return np.where(self._alike, flows * self.goodputs_bps(), self.of("goodput", OTHERS))

    @property
    def orders(self) -> list[Order]:
        """When the flow that is asked about starts, in the run of each seed."""
        return [self.question.order(seed) for seed in self.point.run_ids]

    def _of_alike(self, rate: str) -> Floats:
        """A rate of the flow that is asked about; where all are alike, each of them might be it: their mean."""
        own, flows = self.of(rate), self.case.company.flows
        return np.where(self._alike, (own + self.of(rate, OTHERS)) / (1 + flows), own)

    @property
    def _alike(self) -> npt.NDArray[np.bool_]:
        """Seeds in which all flows are alike but for their names: which of them is asked about makes no difference.

        So it is where they start together, and where nobody knows who comes first: then it has any of their parts.
        """
        company, candidate = self.case.company, self.case.candidate
        same = self.question.endless and company.flows > 0 and company.neighbours_cc(candidate) == candidate
        any_part = len(self.question.starts) > 1 and not self.apart
        return np.array([same and (any_part or order == "together") for order in self.orders], dtype=bool)


def evenness(own: Floats, other: Floats) -> Floats:
    """The lesser over the greater: 1 where both have the same, 0 where nobody has anything."""
    most = np.maximum(own, other)
    return np.divide(np.minimum(own, other), most, out=np.zeros_like(most), where=most != 0)


def known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def predicted(values: Floats, error: float, apart: float = 0.0) -> Interval | None:
    """The mean of seeds' values, and where that of `TRIALS` of the measurer would lie.

    `error`: the model's standard deviation from it, a share; `apart`: the same in the values' unit.

    None where a seed has no value: the mean of the others would be another thing.
    """
    if not values.size or np.isnan(values).any():
        return None
    sample = estimate(values.tolist())
    return Interval(sample.mean, hypot(_of_trials(sample), NORMAL_95 * error * sample.mean, NORMAL_95 * apart))


def _harm(  # noqa: PLR0913 (of what, and how far off it may be)
    without: Floats, alongside: Floats, error: float, apart: float = 0.0, *, itself: bool, times: bool = False
) -> Interval | None:  # fmt: skip
    """Of the means, by differences seed for seed, since a seed has the same starts; the default harms nobody."""
    shared = min(without.size, alongside.size)
    usual, now = predicted(without, error), predicted(alongside, error)
    if usual is None or now is None or not usual.value:
        return None
    if itself:
        return Interval(0.0, 0.0)
    value = harm(usual.value, now.value, more_is_better=not times)
    change = estimate((without[:shared] - alongside[:shared]).tolist())
    half = hypot(_of_trials(change), 2**0.5 * NORMAL_95 * error * now.value, NORMAL_95 * apart) / usual.value
    return None if value is None else Interval(value, half, (-inf, inf if times else 1.0))


def _of_trials(sample: Estimate) -> float:
    """Half the interval of the mean of `TRIALS` more values, which has the chance of these and of those."""
    return (sample.half_width or 0.0) * sqrt(1 + sample.n / TRIALS)
