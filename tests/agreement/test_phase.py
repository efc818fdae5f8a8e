"""What BBR says of itself, from gauges by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell.agreement.curves.comparison import Roles
from dumbbell.agreement.curves.model_based import compared
from dumbbell.agreement.curves.phase import figures, probe_rtts, probes

STEP_S, RTT_S = 0.01, 0.02
STARTUP, DRAIN, PROBE_RTT = (
    ("startup", 2.887, 2.887, 50.0),
    ("drain", 0.3438, 2.887, 60.0),
    ("probe_rtt", 1.0, 1.0, 4.0),
)
UP, DOWN, CRUISE = (("probe_bw", gain, 2.0, 40.0) for gain in (1.25, 0.75, 1.0))
CYCLE = [(UP, 2), (DOWN, 2), (CRUISE, 12)]
USUAL = [(STARTUP, 20), (DRAIN, 5), *CYCLE * 4, (PROBE_RTT, 22), *CYCLE * 4, (PROBE_RTT, 20), *CYCLE * 2]


def frame(stretches: list[tuple[tuple[str, float, float, float], int]], **gauges: Any) -> pd.DataFrame:
    """Samples of each phase, pacing gain, cwnd gain and window, so many of each; a sample before the handshake."""
    told = [("startup", 0.0, 0.0, 10.0), *(each for each, count in stretches for _ in range(count))]
    phase, pacing, cwnd_gain, cwnd = zip(*told, strict=True)
    srtt = np.full(len(told), 0.02)
    srtt[0] = np.nan
    return pd.DataFrame({
        "time_s": STEP_S * np.arange(len(told)), "srtt_s": srtt, "phase": phase, "pacing_gain": pacing,
        "cwnd_gain": cwnd_gain, "cwnd_segments": cwnd, "inflight_segments": cwnd, "bandwidth_bps": 1e7,
        "cc_min_rtt_s": 0.02,
    } | gauges)  # fmt: skip


def test_phases_gains_times_and_shares_are_those_of_the_samples() -> None:
    found = figures(frame(USUAL))
    assert found["phases"] == "startup drain probe_bw probe_rtt probe_bw"
    assert found["pacing_gains"] == "2.887, 0.3438, 1.25 1 0.75, 1"
    assert found["cwnd_gains"] == "2.887, 2.887, 2, 1"
    numbers = {key: value for key, value in found.items() if isinstance(value, float)}
    assert numbers == pytest.approx({
        "startup_s": 0.21, "drain_s": 0.05, "share_up": 0.125, "share_down": 0.125, "share_cruise": 0.75,
        "probe_rtt_interval_s": 0.86, "probe_rtt_length_s": 0.21, "probe_rtt_cwnd": 4, "bandwidth_low_bps": 1e7,
        "bandwidth_bps": 1e7, "bandwidth_high_bps": 1e7, "min_rtt_s": 0.02, "cwnd": 40,
    })  # fmt: skip


def test_a_dip_that_lasts_to_the_end_has_no_length() -> None:
    assert len(probe_rtts(frame(USUAL))) == 2
    assert len(probe_rtts(frame([*USUAL, (PROBE_RTT, 3)]))) == 2


def test_probes_are_where_a_gain_above_one_begins_and_startup_is_none() -> None:
    assert probes(frame(USUAL)).size == 10


def test_what_a_run_does_not_have_is_nothing_and_not_compared() -> None:
    found = figures(frame([(STARTUP, 20)]))
    assert [key for key, value in found.items() if value is not None] == [
        "phases", "pacing_gains", "cwnd_gains", "min_rtt_s",
    ]  # fmt: skip
    short = [frame([(STARTUP, 20)])]
    assert {each.key for each in compared(Roles(short, short, short), RTT_S, STEP_S)[0]} == {
        "phases", "pacing_gains", "cwnd_gains", "min_rtt_s",
    }  # fmt: skip


def test_equal_runs_hold_every_limit_and_have_three_curves() -> None:
    runs = [frame(USUAL), frame(USUAL)]
    comparisons, curves = compared(Roles(runs, runs, runs), RTT_S, STEP_S)
    assert len(comparisons) == 16
    assert all(each.holds and not each.difference and not each.noise for each in comparisons)
    assert {curve.key for curve in curves} == {"start_up", "cycle", "probe_rtt"}


@pytest.mark.parametrize(
    ("other", "broken"),
    [
        (frame([(STARTUP, 23), *USUAL[1:]]), {"startup_s"}),
        (frame([(STARTUP, 22), *USUAL[1:]]), set()),
        (frame([USUAL[0], *USUAL[2:]]), {"phases", "pacing_gains", "cwnd_gains", "drain_s"}),
        (frame(USUAL, bandwidth_bps=1.06e7), {"bandwidth_low_bps", "bandwidth_bps", "bandwidth_high_bps"}),
        (frame(USUAL, cc_min_rtt_s=0.0205), set()),
        (frame(USUAL, cc_min_rtt_s=0.0215), {"min_rtt_s"}),
        (frame([(STARTUP, 20)]), {
            "phases", "pacing_gains", "cwnd_gains", "startup_s", "drain_s", "share_up", "share_down", "share_cruise",
            "probe_rtt_interval_s", "probe_rtt_length_s", "probe_rtt_cwnd", "bandwidth_low_bps", "bandwidth_bps",
            "bandwidth_high_bps", "cwnd",
        }),
    ],
)  # fmt: skip
def test_a_run_that_differs_breaks_the_limits_of_what_differs(other: pd.DataFrame, broken: set[str]) -> None:
    comparisons, _ = compared(Roles([other], [frame(USUAL)], []), RTT_S, STEP_S)
    assert {each.key for each in comparisons if not each.holds} == broken


def test_seeds_that_say_different_words_are_both_told_and_differ() -> None:
    other = frame([USUAL[0], *USUAL[2:]])
    comparisons, _ = compared(Roles([frame(USUAL), other], [frame(USUAL)] * 2, []), RTT_S, STEP_S)
    phases = next(each for each in comparisons if each.key == "phases")
    assert phases.candidate == "startup drain probe_bw probe_rtt probe_bw; startup probe_bw probe_rtt probe_bw"
    assert (phases.difference, phases.holds) == (1.0, False)
