"""Round-trip times: the sender's smoothed one as it was sampled, and single ACKs' from their histogram."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell.engines.measurement import Histogram
from dumbbell.spec.quantity import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.measurement import FlowSeries
    from dumbbell.metrics.window import Window

MICROSECONDS = 1_000_000
"""In a second."""


class SmoothedRtt(NamedTuple):
    """Mean, median and 95th percentile of the gauge's samples, seconds; None without a sample."""

    mean_s: float | None
    p50_s: float | None
    p95_s: float | None


def smoothed_rtt(series: FlowSeries, window: Window) -> SmoothedRtt:
    """The smoothed RTT in a stretch of time. Samples before the first round trip are 0 and left out."""
    srtt_us = series.srtt_us[window.holds(series.at_ns) & (series.srtt_us > 0)]
    if srtt_us.size == 0:
        return SmoothedRtt(None, None, None)
    p50, p95 = np.percentile(srtt_us, [50, 95])
    return SmoothedRtt(float(srtt_us.mean()) / MICROSECONDS, float(p50) / MICROSECONDS, float(p95) / MICROSECONDS)


def histogram_mean_s(histogram: Histogram) -> float | None:
    """The exact mean of the recorded nanoseconds, in seconds; None when there is none."""
    return histogram.sum / histogram.count / NS_PER_S if histogram.count else None


def histogram_quantile_s(histogram: Histogram, share: float) -> float | None:
    """The value, in seconds, that `share` of the recorded nanoseconds do not exceed; None when there is none.

    Interpolated within its bin as if values were spread evenly there, so at most one bin's width (1.6 %) off.
    """
    if histogram.count == 0:
        return None
    wanted = share * histogram.count
    reached = np.cumsum(histogram.counts, dtype=np.uint64)
    index = int(np.searchsorted(reached, wanted))
    bin_index = histogram.first_bin + index
    lower, upper = Histogram.lower_bound(bin_index), Histogram.lower_bound(bin_index + 1)
    inside = 1 - (float(reached[index]) - wanted) / float(histogram.counts[index])
    return (lower + inside * (upper - lower)) / NS_PER_S
