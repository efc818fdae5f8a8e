"""Cells of a grid: a path on which each of two algorithms ran alone, which of them got more there, and by how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, expm1, log
from statistics import fmean
from typing import Literal, TypeAlias

from dumbbell.advice.rules import Says
from dumbbell.metrics.contrast import MATTERS, beyond_chance
from dumbbell.metrics.statistics import estimate

Ties: TypeAlias = Literal["out", "in"]
"""Whether cells in which neither is ahead are left out, or labelled by the sign of the mean like all others."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One path, and what BBR got there of what CUBIC did."""

    rate_bps: float
    rtt_s: float
    buffer_bytes: float
    log_gains: tuple[float, ...]
    """ln(goodput of BBR / goodput of CUBIC), one a seed: ratios are averaged by their logarithms, because a gain has a
    floor of -100 % and no ceiling."""

    @property
    def bdp_bytes(self) -> float:
        return self.rate_bps * self.rtt_s / 8

    @property
    def buffer_bdp(self) -> float:
        return self.buffer_bytes / self.bdp_bytes

    @property
    def log_gain(self) -> float:
        return fmean(self.log_gains)

    @property
    def gain(self) -> float:
        """BBR's goodput over CUBIC's, less 1."""
        return expm1(self.log_gain)

    @property
    def label(self) -> Says:
        """Which of them got more in the mean."""
        return "bbr" if self.log_gain > 0 else "cubic"

    @property
    def is_tie(self) -> bool:
        """A gain below 2 %, or one whose paired 95 % interval has 0 in it.

        A simulator has so little noise that every difference is significant: the margin decides there.
        """
        half = estimate(self.log_gains).half_width
        return abs(self.gain) < MATTERS or not beyond_chance(self.log_gain, half)

    def regret(self, says: Says) -> float:
        """The share of the better one's goodput that is lost by taking the one that is said."""
        return 0.0 if says == self.label else 1 - exp(-abs(self.log_gain))


def cell(
    rate_bps: float, rtt_s: float, buffer_bytes: float, bbr_bps: Iterable[float], cubic_bps: Iterable[float]
) -> Cell:
    """A cell of both algorithms' goodputs, seed by seed.

    Raises:
        ValueError: they have not the same seeds, or one got nothing, of which there is no ratio.
    """
    pairs = list(zip(bbr_bps, cubic_bps, strict=True))
    if not pairs or min(map(min, pairs)) <= 0:
        raise ValueError("a cell needs a goodput of both algorithms in at least one seed, above 0 in each")
    return Cell(rate_bps, rtt_s, buffer_bytes, tuple(log(bbr / cubic) for bbr, cubic in pairs))


def counting_cells(cells: Iterable[Cell], ties: Ties) -> tuple[Cell, ...]:
    return tuple(each for each in cells if ties == "in" or not each.is_tie)
