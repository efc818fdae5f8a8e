"""Loss epochs of a congestion window: cut at its reductions, laid over one another, and compared.

An epoch begins where the window first falls below the largest it had since the last reduction, and ends where the next
one begins. The first epoch is left out: its window is what slow start overshot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dumbbell.metrics.counter import Floats

REDUCED: Final = 0.9
"""A window below this much of its peak was reduced: Reno's to 0.5, CUBIC's to 0.7, and nothing else shrinks it."""
KINDS_APART: Final = 1.25
"""Epochs whose lengths differ by this factor are of two kinds: CUBIC with fast convergence aims at 0.85 W_max (RFC
9438, section 4.7), and by its cubic takes 1.58 times as long to come back to W_max as without."""
START_UP: Final = 1
"""Epochs that are left out."""


@dataclass(frozen=True, slots=True)
class LossEpoch:
    """From one reduction of the window to the next."""

    time_s: Floats
    """Of the samples, since the reduction began."""
    cwnd: Floats
    """Segments."""
    w_max: float
    """The window that was reduced."""
    length_s: float

    @property
    def w_min(self) -> float:
        """The smallest window of the epoch, segments."""
        return float(self.cwnd.min())


def loss_epochs(time_s: npt.ArrayLike, cwnd: npt.ArrayLike) -> list[LossEpoch]:
    """The complete epochs of a flow after its start-up; empty when there is none."""
    at, window = np.asarray(time_s, dtype=np.float64), np.asarray(cwnd, dtype=np.float64)
    return [
        LossEpoch(at[begin:end] - at[begin], window[begin:end], w_max, float(at[end] - at[begin]))
        for (begin, w_max), (end, _) in pairwise(_reductions(window)[START_UP:])
    ]


def _reductions(window: Floats) -> list[tuple[int, float]]:
    """Where the window began to fall, and from what."""
    reductions: list[tuple[int, float]] = []
    peak, last_at_peak, falling, least = -math.inf, 0, False, math.inf
    for index, segments in enumerate(window.tolist()):
        if falling and segments <= least:
            least = segments
        elif falling or segments >= peak:
            falling, peak, last_at_peak = False, segments, index
        elif segments < REDUCED * peak:
            reductions.append((last_at_peak + 1, peak))
            falling, least = True, segments
    return reductions


def kind_boundary_s(epochs: Sequence[LossEpoch]) -> float | None:
    """The length that separates long epochs from short ones; None where all are of one kind."""
    lengths = sorted(epoch.length_s for epoch in epochs)
    widest = max(pairwise(lengths), key=lambda pair: pair[1] / pair[0], default=None)
    if widest is None or widest[1] < KINDS_APART * widest[0]:
        return None
    return math.sqrt(widest[0] * widest[1])


def median_window(epochs: Sequence[LossEpoch], step_s: float) -> Floats:
    """The median window at 0, `step_s`, 2 `step_s`, … after the reduction, up to the median length; empty of none."""
    if not epochs:
        return np.empty(0)
    grid = np.arange(0, float(np.median([epoch.length_s for epoch in epochs])), step_s)
    windows = np.vstack([
        np.where(grid < epoch.length_s, np.interp(grid, epoch.time_s, epoch.cwnd, right=np.nan), np.nan)
        for epoch in epochs
    ])  # fmt: skip
    return np.asarray(np.nanmedian(windows[:, ~np.isnan(windows).all(axis=0)], axis=0), dtype=np.float64)


def relative_differences(candidate: Floats, reference: Floats) -> Floats:
    """How far one curve is from another, relative to the other, with its sign, over what both have.

    Where an epoch begins is known to one sample, in which a falling window loses several segments. So the reference's
    value is held against the range of the candidate's from one sample before to one after: within it there is no
    difference.
    """
    count = min(candidate.size, reference.size)
    if not count:
        return np.empty(0)
    padded = np.pad(candidate, 1, mode="edge")
    neighbours = np.vstack([padded[shift : shift + count] for shift in range(3)])
    low, high, other = neighbours.min(axis=0), neighbours.max(axis=0), reference[:count]
    return np.asarray((np.maximum(low - other, 0) - np.maximum(other - high, 0)) / other, dtype=np.float64)
