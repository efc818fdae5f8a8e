"""The bottleneck: how busy it was, what it dropped, and how much stood before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell.spec.quantity import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dumbbell.engines.measurement import QueueSeries
    from dumbbell.metrics.window import Window


class Backlog(NamedTuple):
    """Mean, 95th percentile and maximum of the backlog's samples, bytes of frames; None without a sample."""

    mean_bytes: float | None
    p95_bytes: float | None
    max_bytes: int | None


def backlog(series: QueueSeries, window: Window) -> Backlog:
    """The backlog in a stretch of time."""
    backlog_bytes = series.backlog_bytes[window.holds(series.at_ns)]
    if backlog_bytes.size == 0:
        return Backlog(None, None, None)
    return Backlog(float(backlog_bytes.mean()), float(np.percentile(backlog_bytes, 95)), int(backlog_bytes.max()))


def capacity_bits(rate_bps: int, changes: Iterable[tuple[int, int]], window: Window) -> float:
    """What the line can carry in a stretch of time, when its rate becomes `(at_ns, rate_bps)` in this order."""
    total = 0
    begin_ns = window.begin_ns
    for at_ns, next_rate_bps in changes:
        until_ns = max(begin_ns, min(at_ns, window.end_ns))
        total += rate_bps * (until_ns - begin_ns)
        begin_ns, rate_bps = until_ns, next_rate_bps
    return (total + rate_bps * max(0, window.end_ns - begin_ns)) / NS_PER_S
