"""How well a path was used, in one number."""

from __future__ import annotations

from dumbbell.metrics.window import ratio


def power(utilization: float, mean_rtt_s: float, base_rtt_s: float) -> float | None:
    """Utilization over the RTT's inflation: 1 at Kleinrock's operating point, a full line without a queue.

    >>> power(1.0, 0.050, 0.025)
    0.5
    """
    return ratio(utilization * base_rtt_s, mean_rtt_s)
