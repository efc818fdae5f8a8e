from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dumbbell.metrics.attainment import BIN_S, GroupSeries, attained_s

SAMPLE_S = 0.1


def flow(number: int, start_s: float, rates_bps: list[float], srtt_s: float) -> pd.DataFrame:
    """Samples of a flow with a rate each half second, from its start on."""
    steps = round(BIN_S / SAMPLE_S)
    each = np.repeat(np.array(rates_bps), steps) * SAMPLE_S / 8
    at = start_s + SAMPLE_S * np.arange(1, each.size + 1)
    return pd.DataFrame({"flow": number, "time_s": at, "delivered_bytes": np.cumsum(each), "srtt_s": srtt_s})


@pytest.fixture
def series() -> GroupSeries:
    samples = pd.concat([flow(0, 0.0, [2e6] * 8, 0.02), flow(1, 1.0, [0.0, 1e6, 2e6, 6e6], 0.05)])
    return GroupSeries(samples, {0: "bbr", 1: "cubic"}, {0: 0.0, 1: 1.0}, 3.0)


def test_bins_begin_at_the_start_of_the_group(series: GroupSeries) -> None:
    begin_s = series.start_s("cubic")
    assert begin_s == 1.0
    assert series.bins("goodput", "cubic", begin_s).tolist() == pytest.approx([0.0, 1e6, 2e6, 6e6])
    assert series.bins("share", "cubic", begin_s).tolist() == pytest.approx([0.0, 1 / 3, 0.5, 0.75])
    assert series.bins("rtt", "cubic", begin_s).tolist() == pytest.approx([0.05] * 4)
    assert series.start_s("reno") is None


def test_a_bin_without_a_sample_has_no_rtt(series: GroupSeries) -> None:
    assert np.isnan(series.bins("rtt", "cubic", 0.0)[0])
    assert series.bins("rtt", "cubic", 0.0)[2:] == pytest.approx([0.05] * 4)


def test_it_is_attained_at_the_begin_of_the_first_bin(series: GroupSeries) -> None:
    bins = series.bins("goodput", "cubic", 1.0)
    assert attained_s(bins >= 2e6 * (1 - 1e-9)) == 1.0
    assert attained_s(bins >= 7e6) is None
