"""What a candidate comes to at a place: each value with the interval in which a host's own trials would lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Final

from dumbbell.decide.trials import duration_s, whole_transfer
from dumbbell.decide.validated import model_error
from dumbbell.metrics.sharing import harm
from dumbbell.metrics.statistics import estimate
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from dumbbell.decide.question import Company, Question
    from dumbbell.decide.trials import Case, Tried

TRIALS: Final = 5
"""Of a host, whose mean the intervals are about: what somebody who measures would make."""
NORMAL_95: Final = 1.96
"""Standard deviations of 95 %."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, and within which half-width the mean of five trials on hosts would lie, 95 times of 100.

    It holds the chance of these seeds, that of the trials, and the model's error.
    """

    value: float
    half: float
    least: float = 0.0
    """What the quantity cannot be below."""

    @property
    def low(self) -> float:
        """Its lower end."""
        return max(self.least, self.value - self.half)

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
    resent: Interval | None
    """Segments sent again, a share of those sent."""
    other_bps: Interval | None
    """Goodput of each neighbour."""
    harm: Interval | None
    """What the others lose beside it, of what they have beside one flow more of the default; negative: they gain."""
    delay_harm: Interval | None
    """By how much it lengthens the others' RTT, 95th percentile, beyond what one flow more of the default does."""

    @property
    def harms(self) -> float:
        """What the others lose; nothing where nobody is there."""
        return self.harm.value if self.harm else 0.0


def outcome(asked: Question, case: Case, tried: Tried, default: tuple[str, Tried]) -> Outcome:
    """What a candidate's trials come to, beside those of the default."""
    name, company = case.candidate, case.company
    error = model_error(asked, case.buffer_bytes, company)
    goodput = predicted(goodputs(asked, name, tried, company), error)
    done = predicted(completions_s(asked, name, tried, company), error)
    beside = others(asked, name, tried, company)
    harm_, delay_harm = (
        (Interval(0.0, 0.0), Interval(0.0, 0.0))
        if name == default[0]
        else (
            _harm(others(asked, *default, company), beside, error),
            _harm(default[1].others.get("rtt_p95", []), tried.others.get("rtt_p95", []), error, more_is_better=False),
        )
    )
    return Outcome(
        candidate=name, goodput_bps=goodput, rtt_s=predicted(tried.mine.get("rtt"), error), done_s=done,
        late_s=predicted(tried.mine.get("late_p95"), error), resent=predicted(tried.mine.get("retransmits"), 0.0),
        other_bps=predicted([each / company.flows for each in beside], error) if beside else None,
        harm=harm_ if beside else None, delay_harm=delay_harm if beside else None,
    )  # fmt: skip


def completions_s(asked: Question, name: str, tried: Tried, company: Company) -> list[float]:
    """How long the transfer takes, a value a seed, or the 95th percentile of the requests; empty for other jobs.

    A transfer that is longer than a run goes on as the run's second half did.
    """
    if asked.job.kind != "transfer" or whole_transfer(asked):
        return tried.mine.get({"transfer": "fct", "requests": "fct_p95"}.get(asked.job.kind, ""), [])
    bits, ran_s = BITS_PER_BYTE * asked.job.size_bytes, duration_s(asked)
    whole, late = (of_alike(asked, name, tried, company, each) for each in ("goodput", "second_half"))
    return [
        bits / mean if bits <= mean * ran_s else ran_s + (bits - mean * ran_s) / later
        for mean, later in zip(whole, late, strict=True)
        if mean and later
    ]


def counted(asked: Question, name: str, tried: Tried, company: Company) -> list[float]:
    """What the goal asks of a candidate, a value a seed: a rate, or a time."""
    if asked.goal == "latency" and asked.job.kind != "stream":
        return tried.mine.get("rtt", [])
    if asked.job.kind in {"transfer", "requests"}:
        return completions_s(asked, name, tried, company)
    return tried.mine.get("late_p95", []) if asked.job.kind == "stream" else goodputs(asked, name, tried, company)


def goodputs(asked: Question, name: str, tried: Tried, company: Company) -> list[float]:
    """Of the flow that is asked about, a value a seed."""
    return of_alike(asked, name, tried, company, "goodput")


def of_alike(asked: Question, name: str, tried: Tried, company: Company, quantity: str) -> list[float]:
    """A rate of the flow that is asked about; where all run the same, each of them might be it: their mean."""
    own, rest = tried.mine.get(quantity, []), tried.others.get(quantity, [])
    if not _alike(asked, name, company) or len(own) != len(rest):
        return own
    return [(mine + theirs) / (1 + company.flows) for mine, theirs in zip(own, rest, strict=True)]


def others(asked: Question, name: str, tried: Tried, company: Company) -> list[float]:
    """What all others have together, a value a seed; where all run the same, as often what each has in the mean."""
    if not company.flows or not tried.others.get("goodput"):
        return []
    if _alike(asked, name, company):
        return [company.flows * each for each in goodputs(asked, name, tried, company)]
    return tried.others["goodput"]


def predicted(values: Sequence[float] | None, error: float) -> Interval | None:
    """The mean of seeds' values, and where that of `TRIALS` on hosts would lie; `error`: the model's, a share."""
    if not values:
        return None
    found = estimate(values)
    return Interval(found.mean, hypot(_chance(found.half_width, found.n), NORMAL_95 * error * found.mean))


def _chance(half_width: float | None, n: int) -> float:
    """Of a mean of n seeds and one of `TRIALS` more: both vary alike."""
    return (half_width or 0.0) * sqrt(1 + n / TRIALS)


def _harm(
    without: Sequence[float], beside: Sequence[float], error: float, *, more_is_better: bool = True
) -> Interval | None:  # fmt: skip
    """Of the means, with the intervals of both."""
    usual, now = predicted(without, error), predicted(beside, error)
    if usual is None or now is None or not usual.value or not now.value:
        return None
    value = harm(usual.value, now.value, more_is_better=more_is_better)
    half = now.value / usual.value * hypot(usual.half / usual.value, now.half / now.value)
    return None if value is None else Interval(value, half, least=-inf)


def _alike(asked: Question, name: str, company: Company) -> bool:
    """All flows are alike but for their names: any of them might be the one that is asked about."""
    endless = asked.job.kind == "bulk" or (asked.job.kind == "transfer" and not whole_transfer(asked))
    return endless and company.flows > 0 and company.cc_beside(name) == name
