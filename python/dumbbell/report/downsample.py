"""Fewer points for a screen: a line of thousands of samples, drawn with those that decide how it looks.

This is for display only. Whatever is counted, averaged or judged uses all samples, and the store's Parquet files keep
them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from dumbbell.charts.chart import Layer

MOST_POINTS = 1500
"""Of one line, unless the page would become too large."""


def method(most: int) -> str:
    """How lines are thinned, in words."""
    return (
        f"A line of more than {most:,} samples is drawn with at most that many: its first, its last, and the lowest "
        f"and the highest of each of {max(1, (most - 2) // 2):,} stretches"
        " of equally many samples, so that no peak is lost."
    )


def thinned(layer: Layer, most: int = MOST_POINTS) -> Layer:
    """The layer with at most `most` points; the very same where it has no more than that."""
    if len(layer.x) <= most:
        return layer
    kept = lowest_and_highest(layer.y, most) if layer.y else _of_band(layer.low, layer.high, most)
    return replace(
        layer,
        x=_picked(layer.x, kept),
        y=_picked(layer.y, kept),
        low=_picked(layer.low, kept),
        high=_picked(layer.high, kept),
    )


def lowest_and_highest(values: Sequence[float], most: int) -> npt.NDArray[np.intp]:
    """Indices, in order, of the first and last value and of the extremes of each stretch; NaN is a value of none."""
    column = np.asarray(values, dtype=np.float64)
    edges = np.linspace(0, column.size, max(1, (most - 2) // 2) + 1).astype(np.intp)
    low, high = np.where(np.isnan(column), np.inf, column), np.where(np.isnan(column), -np.inf, column)
    kept = {0, column.size - 1}
    for begin, end in pairwise(edges):
        if begin < end:
            kept |= {begin + int(low[begin:end].argmin()), begin + int(high[begin:end].argmax())}
    return np.array(sorted(kept), dtype=np.intp)


def _of_band(low: Sequence[float], high: Sequence[float], most: int) -> npt.NDArray[np.intp]:
    """Where a band without a middle is lowest and where it is highest."""
    half = max(4, most // 2)
    return np.union1d(lowest_and_highest(low, half), lowest_and_highest(high, half))


def _picked(values: tuple[float, ...], kept: npt.NDArray[np.intp]) -> tuple[float, ...]:
    return tuple(values[index] for index in kept) if values else ()
