"""What a run of BBR reports of itself: its phases, gains, bandwidth and minimum RTT, from the sampled gauges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.phases import entries_s

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.metrics.counter import Floats

Value: TypeAlias = float | str | None
"""Of a run: a number, words, or nothing where the run has no such thing."""

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = "startup", "drain", "probe_bw", "probe_rtt"
"""Version 3 has four phases in the place of PROBE_BW, whose names begin with it."""
LOW, HIGH = 0.05, 0.95
"""Quantiles that describe a distribution over time."""


def quantities(series: pd.DataFrame) -> dict[str, Value]:
    """Every quantity of a flow's series by its key, with windows in segments."""
    known = series[series["srtt_s"].notna()]  # before the handshake is done there are no gains
    cruising = known[_is_probe_bw(known)]
    gain = cruising["pacing_gain"].to_numpy()
    startup_ends_s, drain_ends_s = (_first_end_s(known, phase) for phase in (STARTUP, DRAIN))
    stays = stays_s(known, PROBE_RTT)
    bandwidth_bps = _quantiles(cruising["bandwidth_bps"], (LOW, 0.5, HIGH))
    return {
        "phases": _path(known["phase"]),
        "pacing_gains": ", ".join(_distinct(known, "pacing_gain")),
        "cwnd_gains": ", ".join(_distinct(known, "cwnd_gain")),
        "startup_s": _between_s(float(series["time_s"].iloc[0]), startup_ends_s),
        "drain_s": _between_s(startup_ends_s, drain_ends_s),
        "share_up": _reduced(np.mean, gain > 1),
        "share_down": _reduced(np.mean, gain < 1),
        "share_cruise": _reduced(np.mean, gain == 1),
        "probe_rtt_interval_s": _reduced(np.median, [late - early for (early, _), (late, _) in pairwise(stays)]),
        "probe_rtt_length_s": _reduced(np.median, [end - begin for begin, end in stays]),
        "probe_rtt_cwnd": _reduced(np.min, known[known["phase"] == PROBE_RTT]["cwnd_segments"]),
        "bandwidth_low_bps": bandwidth_bps[0],
        "bandwidth_bps": bandwidth_bps[1],
        "bandwidth_high_bps": bandwidth_bps[2],
        "min_rtt_s": _quantiles(known["cc_min_rtt_s"], (0.5,))[0],
        "cwnd": _quantiles(cruising["cwnd_segments"], (0.5,))[0],
        "inflight_hi": _quantiles(cruising["inflight_hi_segments"], (0.5,))[0],
        "inflight_lo": _quantiles(cruising["inflight_lo_segments"], (0.5,))[0],
        "bw_lo_bps": _quantiles(cruising["bw_lo_bps"], (0.5,))[0],
        "share_bounded": _reduced(np.mean, cruising["bw_lo_bps"].notna()) if known["bw_hi_bps"].any() else None,
    }


def _is_probe_bw(series: pd.DataFrame) -> pd.Series[bool]:
    return series["phase"].astype(str).str.startswith(PROBE_BW)


def stays_s(series: pd.DataFrame, phase: str) -> list[tuple[float, float]]:
    """When a phase was entered and left, each time that it was left before the end."""
    inside = np.where(series["phase"] == phase, "in", "out")
    begins, ends = (entries_s(series["time_s"], inside, where) for where in ("in", "out"))
    return [(float(begin), float(ends[ends > begin][0])) for begin in begins if (ends > begin).any()]


def probes_s(series: pd.DataFrame) -> Floats:
    """When a pacing gain above one began in PROBE_BW."""
    up = _is_probe_bw(series) & (series["pacing_gain"] > 1)
    return entries_s(series["time_s"], np.where(up, "up", ""), "up")


def probe_rtts_s(series: pd.DataFrame) -> list[float]:
    """When PROBE_RTT was entered, each time that it was left before the end."""
    return [begin_s for begin_s, _ in stays_s(series, PROBE_RTT)]


def around(series: pd.DataFrame, gauge: str, instants_s: Iterable[float], offsets_s: Floats) -> Iterator[Floats]:
    """A gauge at the same offsets around each instant, of those around which the run has all of them."""
    time_s, values = series["time_s"].to_numpy(), series[gauge].to_numpy()
    for instant_s in instants_s:
        if time_s[0] <= instant_s + offsets_s[0] and instant_s + offsets_s[-1] <= time_s[-1]:
            yield np.interp(instant_s + offsets_s, time_s, values)


def _first_end_s(series: pd.DataFrame, phase: str) -> float | None:
    """When a phase was first left; None where it never was."""
    return next((end_s for _, end_s in stays_s(series, phase)), None)


def _path(phases: pd.Series[str]) -> str:
    """The phases in order, each step from one to another when it was first made.

    Of version 3 the phases without an order: it waits a random time for its probes, and PROBE_RTT comes between.
    """
    visited = [str(phase) for phase, _ in groupby(phases)]
    if any(phase.startswith(f"{PROBE_BW}_") for phase in visited):
        return " ".join(sorted(set(visited)))
    steps = dict.fromkeys(pairwise(visited))
    return " ".join([*visited[:1], *(later for _, later in steps)])


def _distinct(series: pd.DataFrame, gauge: str) -> Iterator[str]:
    """The distinct values in each phase, in the order of the phases."""
    for phase in (STARTUP, DRAIN, PROBE_BW, PROBE_RTT):
        own = _is_probe_bw(series) if phase == PROBE_BW else series["phase"] == phase
        values = sorted(set(series[own][gauge]), reverse=True)
        if values:
            yield " ".join(f"{value:.4g}" for value in values)  # four digits tell 1/256 apart


def _between_s(begin_s: float | None, end_s: float | None) -> float | None:
    return None if begin_s is None or end_s is None else end_s - begin_s


def _reduced(reduce: Callable[[Floats], float], values: npt.ArrayLike) -> float | None:
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(reduce(known)) if known.size else None


def _quantiles(values: npt.ArrayLike, shares: Iterable[float]) -> list[float | None]:
    return [_reduced(partial(np.quantile, q=share), values) for share in shares]
