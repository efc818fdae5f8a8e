"""What BBR reports of itself, from gauges by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dev.curves.bbr import around, probes_s, quantities, stays_s
from flowseries import PROBE_RTT, STARTUP, USUAL, bbr_series


def test_phases_gains_times_and_shares_are_those_of_the_samples() -> None:
    values = quantities(bbr_series(USUAL))
    assert values["phases"] == "startup drain probe_bw probe_rtt probe_bw"
    assert values["pacing_gains"] == "2.887, 0.3438, 1.25 1 0.75, 1"
    assert values["cwnd_gains"] == "2.887, 2.887, 2, 1"
    numbers = {key: value for key, value in values.items() if isinstance(value, float)}
    assert numbers == pytest.approx({
        "startup_s": 0.21, "drain_s": 0.05, "share_up": 0.125, "share_down": 0.125, "share_cruise": 0.75,
        "probe_rtt_interval_s": 0.86, "probe_rtt_length_s": 0.21, "probe_rtt_cwnd": 4, "bandwidth_low_bps": 1e7,
        "bandwidth_bps": 1e7, "bandwidth_high_bps": 1e7, "min_rtt_s": 0.02, "cwnd": 40,
    })  # fmt: skip


def test_a_stay_that_lasts_to_the_end_has_no_length() -> None:
    assert len(stays_s(bbr_series(USUAL), "probe_rtt")) == 2
    assert len(stays_s(bbr_series([*USUAL, (PROBE_RTT, 3)]), "probe_rtt")) == 2


def test_probes_are_where_a_gain_above_one_begins_and_startup_is_none() -> None:
    assert probes_s(bbr_series(USUAL)).size == 10


def test_a_run_without_a_phase_has_nothing_of_it() -> None:
    values = quantities(bbr_series([(STARTUP, 20)]))
    assert {key for key, value in values.items() if value is not None} == {
        "phases", "pacing_gains", "cwnd_gains", "min_rtt_s",
    }  # fmt: skip


def test_a_gauge_around_an_instant_is_that_of_the_run_where_the_run_reaches_as_far() -> None:
    series = bbr_series([(STARTUP, 2), (PROBE_RTT, 3)])
    (row,) = around(series, "cwnd_segments", [0.0, 0.02, 0.05], np.array([-0.01, 0.0, 0.01, 0.02]))
    assert row.tolist() == [50.0, 50.0, 4.0, 4.0]
