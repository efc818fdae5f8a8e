"""A mean over seeds as text, and how many values it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.metrics.number import amount
from dumbbell.metrics.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence


def resting_on(values: Sequence[float]) -> str:
    """How many different values a mean rests on."""
    found = estimate(values)
    same = found.half_width is None and len(values) > 1
    return "deterministic, n\N{NO-BREAK SPACE}= 1" if same else f"n\N{NO-BREAK SPACE}= {found.n}"


def mean(values: Sequence[float]) -> str:
    """A mean, and its 95 % interval where something varied."""
    found = estimate(values)
    return amount(found.mean, found.half_width)
