"""What the claims measure where a number of one result is not enough. Base units: bit/s, seconds, segments."""

from __future__ import annotations

from statistics import fmean
from typing import Literal

import numpy as np

from dumbbell.metrics.counter import Floats, variation
from dumbbell.metrics.dynamics import Trough, intervals_s, plateau, rise_time_s, troughs
from dumbbell.metrics.window import ratio
from dumbbell.results.run_series import Samples, gauge, throughput_bps
from dumbbell.studies.evidence import RunData

MSS_BYTES = 8949
LATE = 0.8
"""CUBIC is on its plateau after this part of a transfer: in the logs after 4.8 of 6.7 s."""
VIDEO_LOGGED_S = 5.0
"""From here on the author's script looked at the video."""
HEAD_START_S = 3.0
SETTLED_S = 10.0
PAIR_BIN_S = 1.0
PROBING = 0.9
"""Of the median: a second with less than this has a PROBE_RTT in it (in the logs 0.74 to 0.79)."""
WINDOWED = 0.5
"""Of the median: a window below this is PROBE_RTT's."""


def plateau_window(run: RunData) -> float | None:
    """The median of the window in the last fifth of a transfer, segments."""
    return plateau(window(run).value, after=LATE)


def early_window(run: RunData) -> float | None:
    """The window one second after the start over that plateau."""
    start_s = run.result.flows[0].start_s
    seen = window(run, 0.0, start_s + 1.0).value
    return ratio(float(seen[-1]), plateau_window(run) or 0.0) if seen.size else None


def window_over_threshold(run: RunData, reduction: Literal["least", "largest"]) -> float | None:
    """The smallest or the largest of BBR's window / ssthresh when STARTUP is over.

    Where there is a threshold: BBR sets it to its bandwidth-delay product as STARTUP ends.
    """
    threshold, cwnd = gauge(run, 0, "ssthresh_bytes"), window(run)
    _, ours, theirs = np.intersect1d(cwnd.time_s, threshold.time_s, return_indices=True)
    ratios = cwnd.value[ours] / (threshold.value[theirs] / MSS_BYTES)
    return float(ratios.min() if reduction == "least" else ratios.max()) if ratios.size else None


def variation_of_window_outside_probes(run: RunData) -> float | None:
    """The same without what is below half of the median: PROBE_RTT."""
    windows = window(run, VIDEO_LOGGED_S).value
    return variation(windows[windows >= WINDOWED * np.median(windows)]) if windows.size else None


def length_of_window_dips(run: RunData) -> float | None:
    """How long the window is down, mean over the times that it is."""
    dips = _window_dips(run)
    return fmean(dip.end_s - dip.begin_s for dip in dips) if dips else None


def interval_of_window_dips(run: RunData) -> float | None:
    """From one such time to the next, mean."""
    gaps_s = intervals_s(_window_dips(run))
    return fmean(gaps_s) if gaps_s else None


def film_speed(run: RunData) -> float | None:
    """The film's own time over the time that it took, by the program that sends it."""
    program = run.result.flows[0].program
    return program.speed if program is not None else None


def early_rate(run: RunData) -> float | None:
    """The first flow's throughput in its first three seconds."""
    start_s = run.result.flows[0].start_s
    return float(throughput_bps(run, 0, start_s, start_s + HEAD_START_S, HEAD_START_S)[0])


def interval_of_rate_dips(run: RunData) -> float | None:
    """From one second in which the rate is down to the next, once it has risen; mean."""
    rates = rates_by_second(run)
    at = np.arange(rates.size, dtype=np.float64)
    later = at >= HEAD_START_S
    gaps_s = intervals_s(troughs(at[later], rates[later], below=PROBING))
    return fmean(gaps_s) if gaps_s else None


def rise_time(run: RunData) -> float | None:
    """Until the rate in bins of 1 s is at 90 % of its plateau: the middle of that bin."""
    rates = rates_by_second(run)
    return rise_time_s(np.arange(rates.size) + PAIR_BIN_S / 2, rates, 0.0)


def settled_variation(run: RunData) -> float | None:
    """Standard deviation / mean of the rate in bins of 1 s, from 10 s on."""
    return variation(rates_by_second(run)[int(SETTLED_S) :])


def window(run: RunData, begin_s: float = 0.0, end_s: float = float("inf")) -> Samples:
    """The congestion window of the first flow between two instants, segments."""
    cwnd = gauge(run, 0, "cwnd_bytes", begin_s, end_s)
    return Samples(cwnd.time_s, cwnd.value / MSS_BYTES)


def rates_by_second(run: RunData) -> Floats:
    """The first flow's throughput in whole seconds of its own."""
    flow = run.result.flows[0]
    return throughput_bps(run, 0, flow.start_s, flow.start_s + (flow.fct_s or 0.0), PAIR_BIN_S)


def _window_dips(run: RunData) -> list[Trough]:
    cwnd = window(run, VIDEO_LOGGED_S)
    return troughs(cwnd.time_s, cwnd.value, below=WINDOWED)
