"""How flows come to share a path, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.counter import Counter, Floats, rates_bps
from dumbbell.metrics.fairness import jain
from dumbbell.spec.quantity import BITS_PER_BYTE

if TYPE_CHECKING:
    from collections.abc import Sequence

MEAN_OVER_S = 5.0
"""A flow's rate is its mean over this long: a shorter one never converges, because of BBR's PROBE_RTT."""
WITHIN = 0.2
"""Of the fair share."""
FOR_S = 10.0
STEP_S = 0.1


def jain_in_bins(
    flows: Sequence[Counter], begin_s: float, end_s: float, bin_s: float = MEAN_OVER_S
) -> list[float | None]:
    """Jain's index of the flows' rates in each whole bin; None in a bin in which nothing flowed."""
    rates = np.array([rates_bps(flow, begin_s, end_s, bin_s) for flow in flows])
    return [jain([float(rate) for rate in column]) for column in rates.T]


def centred_rates_bps(flow: Counter, instants_s: npt.ArrayLike, over_s: float = MEAN_OVER_S) -> Floats:
    """A flow's mean rate around each instant."""
    at = np.asarray(instants_s, dtype=np.float64)
    found: Floats = BITS_PER_BYTE * (flow.at(at + over_s / 2) - flow.at(at - over_s / 2)) / over_s
    return found


def convergence_time_s(  # noqa: PLR0913 (each is a part of the definition)
    flows: Sequence[Counter],
    start_s: float,
    end_s: float,
    *,
    within: float = WITHIN,
    for_s: float = FOR_S,
    over_s: float = MEAN_OVER_S,
) -> float | None:
    """How long after `start_s` all flows are, for 10 s, within 20 % of an equal share in their centred 5-s means.

    The instants are 0.1 s apart. None if that does not come about before `end_s`, or too late to be seen. `within`,
    `for_s` and `over_s` stand for other numbers than these.
    """
    instants = start_s + STEP_S * np.arange(max(0, int((end_s - over_s / 2 - start_s) / STEP_S + 1e-9) + 1))
    rates = np.array([centred_rates_bps(flow, instants, over_s) for flow in flows])
    fair = rates.mean(axis=0)
    near = (np.abs(rates - fair) <= within * fair).all(axis=0) & (fair > 0)
    needed = round(for_s / STEP_S) + 1
    # how many of the last instants, up to each one, were near without a break
    far_before = np.maximum.accumulate(np.where(near, -1, np.arange(near.size)))
    long_enough = np.flatnonzero(np.arange(near.size) - far_before >= needed)
    return None if long_enough.size == 0 else float((long_enough[0] - needed + 1) * STEP_S)
