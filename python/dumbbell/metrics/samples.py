"""From one measurement's samples and histograms to numbers: round-trip times, backlog, capacity, steadiness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dumbbell.engines.measurement import FlowMeasurement, FlowSeries, Histogram, QueueSeries
from dumbbell.metrics.window import Window, ratio
from dumbbell.units import NS_PER_S


class Times(NamedTuple):
    """Mean, median, 95th and 99th percentile of samples, seconds; None without a sample."""

    mean_s: float | None = None
    p50_s: float | None = None
    p95_s: float | None = None
    p99_s: float | None = None


def smoothed_rtt(series: FlowSeries, window: Window) -> Times:
    """The smoothed RTT in a stretch of time. Samples before the first round trip are 0 and left out."""
    srtt_us = series.srtt_us[window.holds(series.at_ns) & (series.srtt_us > 0)]
    if srtt_us.size == 0:
        return Times()
    percentiles = np.percentile(srtt_us, [50, 95, 99])
    return Times(*(float(each) / 1e6 for each in (srtt_us.mean(), *percentiles)))


def times(histogram: Histogram) -> Times:
    """Those of a histogram, as of the round-trip times of pings."""
    quantiles = (histogram_quantile_s(histogram, share) for share in (0.5, 0.95, 0.99))
    return Times(histogram_mean_s(histogram), *quantiles)


def histogram_mean_s(histogram: Histogram) -> float | None:
    """The exact mean of the recorded nanoseconds, in seconds; None when there is none."""
    return histogram.sum / histogram.count / NS_PER_S if histogram.count else None


def histogram_share_below(histogram: Histogram, bound_ns: int) -> float | None:
    """Share of the values in bins that end at a bound at the latest; None: there are no values."""
    if not histogram.count:
        return None
    below = sum(
        int(count)
        for index, count in enumerate(histogram.counts, start=histogram.first_bin + 1)
        if Histogram.lower_bound(index) <= bound_ns
    )
    return below / histogram.count


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


def dual_backlog(series: QueueSeries, window: Window) -> tuple[float | None, float | None]:
    """Mean packets in the low-latency queue and in the classic one of DualPI2; None where there are none."""
    seen = series.low_latency_packets
    there = window.holds(series.at_ns) & (seen < np.iinfo(np.uint32).max)
    if not there.any():
        return None, None
    low_latency = float(seen[there].mean())
    return low_latency, float(series.backlog_packets[there].mean()) - low_latency


def coefficient_of_variation(flow: FlowMeasurement, window: Window, bin_ns: int = 500_000_000) -> float | None:
    """Population standard deviation over mean of the goodput in the window's whole bins.

    Bytes at a bin's edge are interpolated between the samples on both sides. None where that would invent what it
    measures or there is nothing to compare: samples further apart than a bin, fewer than two bins, or no goodput.
    """
    bins = (window.end_ns - window.begin_ns) // bin_ns
    at_ns = np.concatenate(([flow.started_ns], flow.series.at_ns)).astype(np.float64)
    if bins < 2 or np.diff(at_ns).max(initial=bin_ns) > bin_ns:  # noqa: PLR2004
        return None
    delivered = np.concatenate(([0], flow.series.delivered_bytes)).astype(np.float64)
    edges = window.begin_ns + bin_ns * np.arange(bins + 1)
    goodput = np.diff(np.interp(edges, at_ns, delivered))
    return ratio(float(goodput.std()), float(goodput.mean()))


def loss_events(series: QueueSeries, window: Window, round_trip_ns: int) -> int | None:
    """How often the queue began to drop: what it drops within a round trip of an event's first drop belongs to it.

    As known from samples, each of which tells whether it dropped since the one before. None without samples.
    """
    if series.at_ns.size == 0:
        return None
    dropped = np.diff(series.dropped_packets, prepend=series.dropped_packets[:1]) > 0
    events, over_ns = 0, -1
    for at_ns in series.at_ns[dropped & window.holds(series.at_ns)].tolist():
        if at_ns > over_ns:
            events, over_ns = events + 1, at_ns + round_trip_ns
    return events
