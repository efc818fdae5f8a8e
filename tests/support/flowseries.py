"""Series of a single flow, made by hand: a sawtooth's windows, and what a BBR flow reports of itself."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from dev.curves.loss_epoch import LossEpoch, loss_epochs

State: TypeAlias = tuple[str, float, float, float]
"""Phase, pacing gain, cwnd gain and window."""

STEP_S = 0.01
STARTUP: State = ("startup", 2.887, 2.887, 50.0)
DRAIN: State = ("drain", 0.3438, 2.887, 60.0)
PROBE_RTT: State = ("probe_rtt", 1.0, 1.0, 4.0)
UP, DOWN, CRUISE = (("probe_bw", gain, 2.0, 40.0) for gain in (1.25, 0.75, 1.0))
CYCLE = [(UP, 2), (DOWN, 2), (CRUISE, 12)]
VERSION_3 = [("probe_bw_up", 1.25, 2.25, 50.0), ("probe_bw_down", 0.9, 2.0, 40.0), ("probe_bw_cruise", 1.0, 2.0, 40.0)]
"""Its states in PROBE_BW but for REFILL."""
USUAL = [(STARTUP, 20), (DRAIN, 5), *CYCLE * 4, (PROBE_RTT, 22), *CYCLE * 4, (PROBE_RTT, 20), *CYCLE * 2]


def sawtooth(*lengths: int, w_max: float = 100.0, beta: float = 0.5) -> np.ndarray:
    """Windows that fall to a share of `w_max` and rise to it in so many samples each, after a slow start."""
    teeth = (np.linspace(beta * w_max, w_max, length) for length in lengths)
    return np.concatenate([np.linspace(10, 2 * w_max, 20), *teeth, [beta * w_max]])


def times_s(window: np.ndarray) -> np.ndarray:
    return STEP_S * np.arange(window.size)


def epochs_of(*lengths: int, w_max: float = 100.0, beta: float = 0.5) -> list[LossEpoch]:
    window = sawtooth(*lengths, w_max=w_max, beta=beta)
    return loss_epochs(times_s(window), window)


def bbr_series(stretches: list[tuple[State, int]], **gauges: Any) -> pd.DataFrame:
    """Samples in each state, so many of each; a sample before the handshake."""
    states = [("startup", 0.0, 0.0, 10.0), *(each for each, count in stretches for _ in range(count))]
    phase, pacing, cwnd_gain, cwnd = zip(*states, strict=True)
    srtt = np.full(len(states), 0.02)
    srtt[0] = np.nan
    return pd.DataFrame({
        "time_s": STEP_S * np.arange(len(states)), "srtt_s": srtt, "phase": phase, "pacing_gain": pacing,
        "cwnd_gain": cwnd_gain, "cwnd_segments": cwnd, "inflight_segments": cwnd, "bandwidth_bps": 1e7,
        "cc_min_rtt_s": 0.02, "bw_hi_bps": np.nan, "bw_lo_bps": np.nan, "inflight_hi_segments": np.nan,
        "inflight_lo_segments": np.nan,
    } | gauges)  # fmt: skip
