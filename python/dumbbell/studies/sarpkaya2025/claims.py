"""What the figures over time are of: goodput by the second, and when the document says that it has settled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dumbbell.metrics.counter import Counter, Floats, rates_bps
from dumbbell.studies.evidence import RunData

SECOND_S = 1.0
"""iperf3's interval."""
MEAN_OVER = 120
"""Seconds that a mean is taken over."""
CHANGE = 0.001
"""Largest change, of the earlier mean, from one mean to the next."""


def settling_time(run: RunData) -> float | None:
    """When BBR's goodput has settled, seconds after its start; None where it never does."""
    return settled_s(goodputs_bps(run, 0))


def settled_s(goodputs: Sequence[float] | Floats) -> float | None:
    """The first second from which on the mean of 120 s is, to 0.1 %, that of the 120 s before; None: there is none.

    Source: `find_convergence` of the document's notebook (run_new.ipynb, cell 66, called with 0.1 and 120 in cell 67).
    Before 240 s the earlier mean is of fewer seconds: of all that there are. An earlier mean of 0 counts as no change.
    A second is named by its end, as iperf3 names it: the earliest answer is 2.

    >>> settled_s([5.0] * 120), settled_s([5.0] * 121), settled_s([9.0, *[5.0] * 240])
    (None, 2.0, 122.0)
    """
    sums = np.concatenate(([0.0], np.cumsum(goodputs)))
    ends = np.arange(1, sums.size)
    begins = np.maximum(ends - MEAN_OVER, 0)
    means = (sums[ends] - sums[begins]) / (ends - begins)
    before, after = means[:-MEAN_OVER], means[MEAN_OVER:]
    settled = np.flatnonzero((np.abs(after - before) <= CHANGE * before) | (before == 0))
    return float(settled[0] + 2) if settled.size else None


def goodputs_bps(run: RunData, flow: int) -> Floats:
    """Bytes that a flow delivered in order in each second from its start on, as iperf3 tells them at the receiver."""
    own, start_s = run.flow_series(), run.result.flows[flow].start_s
    own = own[own["flow"] == flow]
    delivered = Counter.of(own["time_s"], own["delivered_bytes"], start_s=start_s)
    return rates_bps(delivered, start_s, run.window_s[1], SECOND_S)
