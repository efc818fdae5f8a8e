"""Single numbers for how well a path was used, and what a neighbour cost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.window import ratio


def power(utilization: float, mean_rtt_s: float, base_rtt_s: float) -> float | None:
    """Utilization over the RTT's inflation: 1 at Kleinrock's operating point, a full line without a queue.

    >>> power(1.0, 0.050, 0.025)
    0.5
    """
    return ratio(utilization * base_rtt_s, mean_rtt_s)


def harm(alone: float, beside: float, *, more_is_better: bool = True) -> float | None:
    """What a neighbour cost, as a share (Ware et al. 2019): 0 nothing, 1 everything; negative: it helped.

    >>> harm(80.0, 20.0), harm(0.025, 0.050, more_is_better=False)
    (0.75, 0.5)
    """
    return ratio(alone - beside, alone) if more_is_better else ratio(beside - alone, beside)


def gain(ours: float, theirs: float) -> float | None:
    """How much more one has than the other, as a share of the other's: Cao et al.'s goodput gain.

    >>> gain(150.0, 100.0)
    0.5
    """
    return ratio(ours - theirs, theirs)


def decrease(ours: float, theirs: float) -> float | None:
    """How much less one takes than the other, as a share of the other's: Cao et al.'s latency decrease.

    >>> decrease(4.0, 5.0)
    0.2
    """
    return ratio(theirs - ours, theirs)


def standing_queue_bdp(
    time_s: npt.ArrayLike, backlog_bytes: npt.ArrayLike, bdp_bytes: float, begin_s: float, end_s: float
) -> tuple[float, float, float] | None:
    """Mean, 95th percentile and maximum of the samples after `begin_s` up to `end_s`, in BDP; None without any."""
    at, backlog = np.asarray(time_s, dtype=np.float64), np.asarray(backlog_bytes, dtype=np.float64)
    inside = backlog[(at > begin_s) & (at <= end_s)] / bdp_bytes
    if inside.size == 0:
        return None
    return float(inside.mean()), float(np.quantile(inside, 0.95)), float(inside.max())
