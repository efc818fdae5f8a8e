"""How long a flow starves: seconds in which it has next to nothing of what would be fair.

Arun, Alizadeh and Balakrishnan (Starvation in End-to-End Congestion Control, SIGCOMM 2022) call a flow starved whose
share can become arbitrarily small beside another one's. Of a run that ends a number must be said: a flow starves in a
second in which it delivers less than `STARVED_SHARE` of its fair share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.counter import Counter, Floats, edges, rates_bps

STARVED_SHARE = 0.05
"""Of the fair share: who has less in a bin starves in it."""
BIN_S = 1.0
TWO = 2


class Starvation(NamedTuple):
    """How long a flow starved."""

    total_s: float
    longest_s: float
    """The longest time without a break."""


def time_below(rates: npt.ArrayLike, levels: npt.ArrayLike, bin_s: float) -> Starvation:
    """How long rates in bins of time are below a level, in all and at a stretch; NaN is not below anything.

    >>> time_below([5.0, 0.0, 0.0, 5.0, 0.0], 1.0, 1.0)
    Starvation(total_s=3.0, longest_s=2.0)
    """
    under = np.asarray(rates, dtype=np.float64) < np.asarray(levels, dtype=np.float64)
    changes = np.flatnonzero(np.diff(np.concatenate(([False], under, [False]))))
    longest = int((changes[1::2] - changes[::2]).max(initial=0))
    return Starvation(float(under.sum()) * bin_s, longest * bin_s)


def starvation(
    flows: Sequence[Counter],
    stretches_s: Sequence[tuple[float, float]],
    demands_bps: Sequence[float | None],
    begin_s: float,
    end_s: float,
) -> list[Starvation | None]:
    """How long each flow starves between two instants, in whole bins of 1 s.

    In a bin count the flows that are there for all of it: `stretches_s` has when each comes and goes. The fair share is
    the mean of their rates, and at most what the flow's application asks for, `demands_bps`: infinity of one that takes
    all it gets, None where that is not known. None of a flow that is never there with another one, or whose demand is
    not known.
    """
    at = edges(begin_s, end_s, BIN_S)
    rates: Floats = np.full((len(flows), at.size - 1), np.nan)
    for own, flow, (first_s, last_s) in zip(rates, flows, stretches_s, strict=True):
        there = (at[:-1] >= first_s) & (at[1:] <= last_s)
        own[there] = rates_bps(flow, begin_s, end_s, BIN_S)[there]
    present = ~np.isnan(rates)
    together = present.sum(axis=0)
    fair = np.nansum(rates, axis=0) / np.maximum(together, 1)
    starvations: list[Starvation | None] = []
    for own, there, demand_bps in zip(rates, present, demands_bps, strict=True):
        if demand_bps is None or not (there & (together >= TWO)).any():
            starvations.append(None)
        else:
            levels = np.where(together >= TWO, STARVED_SHARE * np.minimum(fair, demand_bps), 0.0)
            starvations.append(time_below(own, levels, BIN_S))
    return starvations
