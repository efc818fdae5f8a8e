"""What a run of BBR says of itself: its phases, gains, bandwidth and minimum RTT, from the sampled gauges."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.metrics.phases import entries_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt
    import pandas as pd

    from dumbbell.agreement.curves.comparison import Figure
    from dumbbell.agreement.curves.epoch import Floats

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = "startup", "drain", "probe_bw", "probe_rtt"
LOW, HIGH = 0.05, 0.95
"""Quantiles that a distribution over time is told by."""


def figures(frame: pd.DataFrame) -> dict[str, Figure]:
    """Every quantity of a run by its key; None where the run has no such thing."""
    begin_s = float(frame["time_s"].iloc[0])
    told = frame[frame["srtt_s"].notna()]  # before the handshake is done there are no gains
    cruising = told[told["phase"] == PROBE_BW]
    startup_ends_s, drain_ends_s = _left_s(told, STARTUP), _left_s(told, DRAIN)
    stays = probe_rtts(told)
    gain = cruising["pacing_gain"].to_numpy()
    bandwidth = cruising["bandwidth_bps"].to_numpy()
    return {
        "phases": _walk(told["phase"]),
        "pacing_gains": _gains(told, "pacing_gain"),
        "cwnd_gains": _gains(told, "cwnd_gain"),
        "startup_s": _between_s(begin_s, startup_ends_s),
        "drain_s": _between_s(startup_ends_s, drain_ends_s),
        "share_up": _mean(gain > 1),
        "share_down": _mean(gain < 1),
        "share_cruise": _mean(gain == 1),
        "probe_rtt_interval_s": _median([late - early for (early, _), (late, _) in pairwise(stays)]),
        "probe_rtt_length_s": _median([end - begin for begin, end in stays]),
        "probe_rtt_cwnd": _least(told[told["phase"] == PROBE_RTT]["cwnd_segments"].to_numpy()),
        "bandwidth_low_bps": _quantile(bandwidth, LOW),
        "bandwidth_bps": _quantile(bandwidth, 0.5),
        "bandwidth_high_bps": _quantile(bandwidth, HIGH),
        "min_rtt_s": _quantile(told["cc_min_rtt_s"].to_numpy(), 0.5),
        "cwnd": _quantile(cruising["cwnd_segments"].to_numpy(), 0.5),
    }


def probe_rtts(frame: pd.DataFrame) -> list[tuple[float, float]]:
    """When PROBE_RTT was entered and left, each time that it was left before the end."""
    time_s, inside = frame["time_s"], frame["phase"] == PROBE_RTT
    begins, ends = (entries_s(time_s, np.where(inside, "in", "out"), where) for where in ("in", "out"))
    return [(float(begin), float(ends[ends > begin][0])) for begin in begins if (ends > begin).any()]


def probes(frame: pd.DataFrame) -> Floats:
    """When a pacing gain above one began in PROBE_BW."""
    up = (frame["phase"] == PROBE_BW) & (frame["pacing_gain"] > 1)
    return entries_s(frame["time_s"], np.where(up, "up", ""), "up")


def around(frame: pd.DataFrame, gauge: str, instants: Sequence[float] | Floats, offsets_s: Floats) -> Floats:
    """A gauge at the same offsets around each instant, as far as the run has them: a row an instant."""
    time_s, values = frame["time_s"].to_numpy(), frame[gauge].to_numpy()
    rows = [
        np.interp(instant + offsets_s, time_s, values)
        for instant in instants
        if time_s[0] <= instant + offsets_s[0] and instant + offsets_s[-1] <= time_s[-1]
    ]
    return np.vstack(rows) if rows else np.empty((0, offsets_s.size))


def _left_s(frame: pd.DataFrame, phase: str) -> float | None:
    """When a phase was first left; None where it never was."""
    after = np.flatnonzero((frame["phase"] == phase).to_numpy())
    if not after.size:
        return None
    outside = frame[frame["phase"] != phase]
    later = outside["time_s"].to_numpy()
    later = later[later > float(frame["time_s"].iloc[int(after[0])])]
    return float(later[0]) if later.size else None


def _walk(phases: pd.Series[str]) -> str:
    """The phases in order, each step from one to another when it was first made."""
    walked = [str(phase) for phase, _ in groupby(phases)]
    steps = dict.fromkeys(pairwise(walked))
    return " ".join([walked[0], *(later for _, later in steps)]) if walked else ""


def _gains(frame: pd.DataFrame, gauge: str) -> str:
    """The distinct values in each phase, in the order of the phases."""
    return ", ".join(_distinct(frame, gauge))


def _distinct(frame: pd.DataFrame, gauge: str) -> Iterator[str]:
    for phase in (STARTUP, DRAIN, PROBE_BW, PROBE_RTT):
        values = sorted(set(frame[frame["phase"] == phase][gauge]), reverse=True)
        if values:
            yield " ".join(f"{value:.4g}" for value in values)  # four digits tell 1/256 apart


def _between_s(begin_s: float | None, end_s: float | None) -> float | None:
    return None if begin_s is None or end_s is None else end_s - begin_s


def _of(reduce: Callable[[Floats], float]) -> Callable[[npt.ArrayLike], float | None]:
    def reduced(values: npt.ArrayLike) -> float | None:
        known = np.asarray(values, dtype=np.float64)
        known = known[~np.isnan(known)]
        return float(reduce(known)) if known.size else None

    return reduced


_mean, _median, _least = _of(np.mean), _of(np.median), _of(np.min)


def _quantile(values: Floats, share: float) -> float | None:
    return _of(lambda known: float(np.quantile(known, share)))(values)
