"""Entries of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.charts.table import Amount
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.evidence import SeedSweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.studies.drawing.curve import Together


def entry(
    trials: Together,
    value: Callable[..., float | None],
    *,
    factor: float = 1.0,
    published: float | str | None = None,
) -> Amount:
    """The mean over seeds of a number of each seed's trial, or trials, with its interval, beside the document's.

    For a number of one run: `lambda trial: trial.only.result.flows[0].goodput_bps`.
    """
    told = [value(*((each,) if isinstance(each, SeedSweep) else each)) for each in trials]
    values = [factor * each for each in told if each is not None]
    if not values:
        return Amount(None, None, published)
    found = estimate(values)
    return Amount(found.mean, found.half_width, published)
