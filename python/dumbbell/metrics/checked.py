"""A number by its seeds, and the bounds that it must keep: the one rule by which claims and expectations are judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Final, Literal

from dumbbell.metrics.number import ANY_NUMBER, Limits, amount, apart, counted, ends
from dumbbell.metrics.statistics import estimate

FEWEST_SEEDS: Final = 3
"""That decide anything where chance plays: the 95 % interval of two is 12.7 standard errors wide to either side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One number, by its seeds, and the bounds that it must keep: of a claim or of an expectation."""

    label: str
    """What it is and where, e.g. "loss at 0.5 BDP"."""
    value: float | None
    """Mean over seeds, in `unit`; None where the runs do not give it."""
    low: float | None
    """Lower end of its 95 % interval; None where nothing varied or there is one seed."""
    high: float | None
    """Upper end likewise."""
    n: int
    """How many different values it rests on; 1 where every seed gave the same."""
    median: float | None = None
    """Median over seeds, which decides unless each seed does; None where most seeds have no such number."""
    published: float | None = None
    """The document's own value; None where it states none."""
    least: float | None
    """The smallest value that keeps them; None: no such bound."""
    most: float | None
    """The largest value that keeps them; None: no such bound."""
    unit: str
    holds: bool
    """What is decided by: the median over seeds, most of the seeds, or the one number of all of them."""
    holding: int
    """Seeds whose own value keeps the bounds."""
    seeds: int
    """Seeds that were run."""
    without: int = 0
    """Seeds in which there is no such number: two curves that never cross, nothing that was sent."""
    weak: str = ""
    """Why it can hardly fail; empty: it binds."""
    by_count: bool = False
    """It has a share of its own of the seeds that must keep the bounds: each tells for itself, their mean nothing."""
    together: bool = False
    """It is one number of all seeds together: `low` and `high` are the ends of its spread, which must keep the bounds
    as well, and not of an interval over seeds."""

    @property
    def measured(self) -> str:
        """The value with the half-width of its interval and the unit; empty where there is none."""
        return measured_text(self.value, (self.low, self.high), self.unit, self)

    def keeps(self, value: float) -> bool:
        """Whether a value lies within the bounds."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    @property
    def few(self) -> bool:
        """Whether chance plays, and there are too few seeds to tell."""
        varied = self.seeds == 1 or self.together or self.n > 1 or 0 < self.without < self.seeds
        return self.seeds < FEWEST_SEEDS and varied

    @property
    def decided(self) -> bool:
        """Whether the seeds tell: its interval lies within the bounds where it holds, and not across one where not."""
        if self.few or self.by_count or self.low is None or self.high is None:
            return not self.few
        if self.holds:
            return self.keeps(self.low) and self.keeps(self.high)
        below = self.least is not None and self.high < self.least
        within = self.keeps(self.low) and self.keeps(self.high)
        return below or within or (self.most is not None and self.low > self.most)

    @property
    def word(self) -> Literal["yes", "no", "undecided"]:
        if not self.decided:
            return "undecided"
        return "yes" if self.holds else "no"

    @property
    def bounds(self) -> str:
        """In words, with the unit: "5.7 to 10.7 %", "at least 93 %"."""
        if self.least is None:
            return f"at most {self.most:g} {self.unit}".rstrip()
        if self.most is None:
            return f"at least {self.least:g} {self.unit}".rstrip()
        return f"{self.least:g} to {self.most:g} {self.unit}".rstrip()


def by_median(values: Sequence[float | None], limits: Limits = ANY_NUMBER, **facts: Any) -> Checked:  # noqa: ANN401
    """What the median over seeds decides; None of a seed without a number, which counts as outside the bounds.

    >>> [by_median(each, label="x", unit="", least=1.0, most=None).word for each in ([5, 6, 7], [0, 1, 5], [0.0] * 3)]
    ['yes', 'undecided', 'no']
    """
    checked = by_count(values, 1.0, limits, **facts)
    middle = _middle([value for value in values if value is not None], checked)
    return replace(checked, holds=checked.keeps(middle), by_count=False)


def by_count(
    values: Sequence[float | None],
    enough: float,
    limits: Limits = ANY_NUMBER,
    **facts: Any,  # noqa: ANN401
) -> Checked:
    """What is decided by whether this share of the seeds keep the bounds."""
    known = [value for value in values if value is not None]
    mean = estimate(known) if known else None
    low, high = interval(mean.mean, mean.half_width, limits) if mean else (None, None)
    checked = Checked(
        **facts, value=mean.mean if mean else None, low=low, high=high, n=mean.n if mean else 0, holds=False, holding=0,
        seeds=len(values), without=len(values) - len(known), by_count=True,
    )  # fmt: skip
    middle, holding = _middle(known, checked), sum(map(checked.keeps, known))
    return replace(
        checked,
        median=middle if math.isfinite(middle) else None,
        holds=holding >= enough * len(values),
        holding=holding,
    )


def interval(value: float | None, half_width: float | None, limits: Limits) -> tuple[float | None, float | None]:
    """Its ends, within what the number can be; None where there is none."""
    return (None, None) if value is None or half_width is None else ends(value, half_width, limits)


def _middle(values: Sequence[float], check: Checked) -> float:
    """The median over seeds; one without a number counts as outside the bounds, on whichever side is worse."""
    below, above = (median([*values, *[outside] * check.without]) for outside in (-math.inf, math.inf))
    return above if check.keeps(below) else below


def why_so(check: Checked) -> str:
    """A sentence on one that holds."""
    place = f"{check.label} is {_amount(check.value, check.unit)}, {_within(check)}"
    if check.value is not None and not check.keeps(check.value):
        middle, mean = _amount(check.median, check.unit), _outside(check.value, check)
        place = f"{check.label} is {middle} in the median over seeds, {_within(check)}; the mean, {mean}, is not"
    return f"{place}; it does not exist in {check.without} of {check.seeds} seeds" if check.without else place


def why_undecided(check: Checked) -> str:
    """A sentence on one that is not decided."""
    if check.few:
        return (
            f"{check.label} is {_amount(check.value, check.unit)} in {counted(check.seeds, 'seed')}: chance plays, and"
            f" {FEWEST_SEEDS} seeds are the fewest that tell"
        )
    interval = "spread" if check.together else "95 % interval of the mean"
    return (
        f"{check.label} is {_amount(check.value, check.unit)}, and its {interval}, {_reach(check)}, is not all"
        f" {'within' if check.holds else 'outside of'} {check.bounds}"
    )


def _reach(check: Checked) -> str:
    return f"{amount(check.low)} to {_amount(check.high, check.unit)}"


def why_not(check: Checked) -> str:
    """A sentence on one that does not hold."""
    if check.value is None:
        return f"{check.label} does not exist in {check.without} of {check.seeds} seeds"
    if check.keeps(check.value):
        none = f" (it does not exist in {check.without})" if check.without else ""
        failing = f"{check.seeds - check.holding} of {check.seeds} seeds{none}"
        return f"{check.label} is {_amount(check.value, check.unit)} on average, but not {_within(check)} in {failing}"
    return f"{check.label} is {_outside(check.value, check)}, not {_within(check)}"


def _within(check: Checked) -> str:
    return check.bounds if check.least is None or check.most is None else f"within {check.bounds}"


def _amount(value: float | None, unit: str) -> str:
    return "not known" if value is None else f"{amount(value)} {unit}".rstrip()


def _outside(value: float, check: Checked) -> str:
    """A value that breaks a bound, with as many digits as show it."""
    bound = check.least if check.least is not None and value < check.least else check.most
    return f"{apart(value, bound if bound is not None else value)} {check.unit}".rstrip()


def measured_text(
    value: float | None, interval: tuple[float | None, float | None], unit: str, check: Checked | None
) -> str:
    """A value that breaks a bound of a check has as many digits as show it."""
    if value is None:
        return ""
    low, high = interval
    if low is None or high is None:
        text = amount(value)
    elif math.isclose(value - low, high - value, rel_tol=1e-6):
        text = amount(value, value - low)
    else:
        text = amount(value, max(value - low, high - value), limits=(low, high))
    mean, space, rest = text.partition(" ")
    for bound in (check.least, check.most) if check and not check.keeps(value) else ():
        if bound is not None and float(mean) == bound:
            mean = apart(value, bound)
    return f"{mean}{space}{rest} {unit}".rstrip()
