"""Numbers as a reader wants them: three digits that say something, no exponents, and words for what is not there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dumbbell.metrics.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

ABSENT = "\N{EN DASH}"
_HUNDRED, _TEN, _NOTHING = 100, 10, 5e-4


def short(value: float | None) -> str:
    """Three digits.

    >>> short(153.24), short(12.345), short(0.0123), short(0.0), short(-1.5)
    ('153', '12.3', '0.012', '0', '-1.50')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    size = abs(value)
    if size < _NOTHING:
        return "0" if value == 0 else "< 0.001" if value > 0 else "> -0.001"
    return f"{value:.{digits(value)}f}"


def digits(value: float) -> int:
    """Decimal places of `short`."""
    size = abs(value)
    return 0 if size >= _HUNDRED else 1 if size >= _TEN else 2 if size >= 1 else 3


def with_half_width(value: float, half_width: float) -> str:
    """A mean and the half-width of its interval, to the same place.

    >>> with_half_width(12.04, 1.369), with_half_width(0.994, 0.0001), with_half_width(0.0, 0.5)
    ('12.0 ± 1.4', '0.994 ± < 0.001', '0.000 ± 0.500')
    """
    places = digits(value)
    told = f"{half_width:.{places}f}"
    return f"{value:.{places}f} ± {told if float(told) else f'< {10**-places:g}'}"


def resting_on(values: Sequence[float]) -> str:
    """How many different values a mean rests on."""
    found = estimate(values)
    same = found.half_width is None and len(values) > 1
    return "deterministic, n\N{NO-BREAK SPACE}= 1" if same else f"n\N{NO-BREAK SPACE}= {found.n}"


def mean(values: Sequence[float]) -> str:
    """A mean, and its 95 % interval where something varied."""
    found = estimate(values)
    return short(found.mean) if found.half_width is None else with_half_width(found.mean, found.half_width)


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
