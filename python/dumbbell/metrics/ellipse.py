"""The ellipse of two quantities over many samples: RFC 7928 section 2.7, after Winstein and Balakrishnan (2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.metrics.counter import Floats

FEWEST: int = 3
"""Samples that have a covariance in every direction."""
STEPS: int = 48
"""Places along x at which an outline is known."""


@dataclass(frozen=True, slots=True)
class Ellipse:
    """The 1-sigma contour of the Gaussian distribution with the samples' mean and covariance, and their medians."""

    median: tuple[float, float]
    x: Floats
    """Places from the left end to the right one; empty: there are too few samples, or all lie on a line."""
    low: Floats
    high: Floats
    """The outline at these."""


def ellipse(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Ellipse | None:
    """The ellipse of samples; None of no sample.

    >>> round_one = ellipse([-1, 1, 0, 0], [0, 0, -1, 1])
    >>> round_one.median, float(round_one.x[0].round(3)), float(round_one.high.max().round(3))
    ((0.0, 0.0), -0.707, 0.707)
    """
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not across.size:
        return None
    median, none = (float(np.median(across)), float(np.median(up))), np.empty(0)
    (of_x, shared), (_, of_y) = np.cov(across, up, bias=True)
    if across.size < FEWEST or not of_x or of_y * of_x <= shared**2:
        return Ellipse(median, none, none, none)
    angle = np.linspace(np.pi, 0, STEPS)
    from_mean = np.sqrt(of_x) * np.cos(angle)
    middle = up.mean() + shared / of_x * from_mean
    half = np.sqrt(of_y - shared**2 / of_x) * np.sin(angle)
    return Ellipse(median, across.mean() + from_mean, middle - half, middle + half)
