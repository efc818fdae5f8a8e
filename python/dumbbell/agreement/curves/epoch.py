"""Loss epochs of a congestion window: cut at its reductions, laid over one another, and compared.

An epoch begins where the window first falls below the largest it had since the last reduction, and ends where the next
one begins. The first epoch is left out: its window is what slow start overshot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats: TypeAlias = npt.NDArray[np.float64]

REDUCED: Final = 0.9
"""A window below this much of its peak was reduced: Reno's to 0.5, CUBIC's to 0.7, and nothing else shrinks it."""
APART: Final = 1.25
"""Epochs whose lengths differ by this factor are of two kinds: CUBIC with fast convergence aims at 0.85 W_max (RFC
9438, section 4.7), and by its cubic takes 1.58 times as long to come back to W_max as without."""
START_UP: Final = 1
"""Epochs that are left out."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """From one reduction to the next."""

    time_s: Floats
    """Of the samples, since the reduction began."""
    cwnd: Floats
    """Segments."""
    w_max: float
    """The window that was reduced."""
    length_s: float
    """To the next reduction."""

    @property
    def w_min(self) -> float:
        """The smallest window."""
        return float(self.cwnd.min())


def cut(time_s: npt.ArrayLike, cwnd: npt.ArrayLike) -> list[Epoch]:
    """The whole epochs of a flow after its start-up; empty when there is none."""
    at, window = np.asarray(time_s, dtype=np.float64), np.asarray(cwnd, dtype=np.float64)
    begins = _reductions(window)[START_UP:]
    return [
        Epoch(at[begin:end] - at[begin], window[begin:end], w_max, float(at[end] - at[begin]))
        for (begin, w_max), (end, _) in pairwise(begins)
    ]


def _reductions(window: Floats) -> list[tuple[int, float]]:
    """Where the window began to fall, and from what."""
    found: list[tuple[int, float]] = []
    peak, last_at_peak, falling, least = -math.inf, 0, False, math.inf
    for index, segments in enumerate(window.tolist()):
        if falling and segments <= least:
            least = segments
        elif falling or segments >= peak:
            falling, peak, last_at_peak = False, segments, index
        elif segments < REDUCED * peak:
            found.append((last_at_peak + 1, peak))
            falling, least = True, segments
    return found


def boundary_s(epochs: Sequence[Epoch]) -> float | None:
    """The length that tells long epochs from short ones; None where all are of one kind."""
    lengths = sorted(epoch.length_s for epoch in epochs)
    widest = max(pairwise(lengths), key=lambda pair: pair[1] / pair[0], default=None)
    if widest is None or widest[1] < APART * widest[0]:
        return None
    return math.sqrt(widest[0] * widest[1])


def median_curve(epochs: Sequence[Epoch], step_s: float) -> Floats:
    """The median window at 0, `step_s`, 2 `step_s`, … after the reduction, up to the median length."""
    length_s = float(np.median([epoch.length_s for epoch in epochs]))
    grid = np.arange(0, length_s, step_s)
    laid = [np.interp(grid, epoch.time_s, epoch.cwnd, right=np.nan) for epoch in epochs]
    reaching = [np.where(grid < epoch.length_s, curve, np.nan) for epoch, curve in zip(epochs, laid, strict=True)]
    stacked = np.vstack(reaching)
    known = ~np.isnan(stacked).all(axis=0)
    found: Floats = np.nanmedian(stacked[:, known], axis=0)
    return found


def differences(ours: Floats, theirs: Floats) -> Floats:
    """How far one curve is from another, relative to the other, with its sign, over what both have.

    Where an epoch begins is known to one sample, in which a falling window loses several segments. So the other curve's
    value is held against the range that ours has from one sample before to one after: within it there is no difference.
    """
    count = min(ours.size, theirs.size)
    if not count:
        return np.empty(0)
    padded = np.pad(ours, 1, mode="edge")
    neighbours = np.vstack([padded[shift : shift + count] for shift in range(3)])
    low, high, other = neighbours.min(axis=0), neighbours.max(axis=0), theirs[:count]
    found: Floats = (np.maximum(low - other, 0) - np.maximum(other - high, 0)) / other
    return found
