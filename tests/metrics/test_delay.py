from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.engines.measurement import Histogram
from dumbbell.metrics.delay import histogram_mean_s, histogram_quantile_s, smoothed_rtt
from measured import WINDOW, flow_series, histogram

MS = 1_000_000


def test_smoothed_rtt_is_taken_from_the_samples_in_the_window() -> None:
    series = flow_series([4, 5, 6, 7, 8, 11], [90_000, 90_000, 30_000, 40_000, 20_000, 90_000])
    assert smoothed_rtt(series, WINDOW) == pytest.approx((0.030, 0.030, 0.039))


def test_samples_before_the_first_round_trip_are_left_out() -> None:
    assert smoothed_rtt(flow_series([6, 7], [0, 30_000]), WINDOW) == pytest.approx((0.030, 0.030, 0.030))


def test_without_a_sample_there_is_no_rtt() -> None:
    assert smoothed_rtt(flow_series([6, 7]), WINDOW) == (None, None, None)


def test_bins_are_one_wide_below_64_and_then_64_an_octave() -> None:
    bounds = [Histogram.lower_bound(index) for index in (0, 1, 63, 64, 65, 127, 128, 129, 192)]
    assert bounds == [0, 1, 63, 64, 65, 127, 128, 130, 256]


def test_the_mean_of_a_histogram_is_exact() -> None:
    assert histogram_mean_s(histogram(25 * MS, 26 * MS, 30 * MS)) == 0.027


def test_a_quantile_lies_within_its_bin() -> None:
    ninety_nine = histogram(*[25 * MS] * 99, 60 * MS)
    assert histogram_quantile_s(ninety_nine, 0.99) == pytest.approx(0.025, rel=1 / 64)
    assert histogram_quantile_s(ninety_nine, 1) == pytest.approx(0.060, rel=1 / 64)


def test_small_values_are_read_from_bins_of_one() -> None:
    assert histogram_quantile_s(histogram(*range(10)), 0.5) == pytest.approx(5e-9)


def test_an_empty_histogram_has_neither() -> None:
    assert histogram_mean_s(histogram()) is None
    assert histogram_quantile_s(histogram(), 0.99) is None


@given(st.lists(st.integers(0, 10**11), min_size=1, max_size=30), st.floats(0.01, 1))
def test_a_quantile_is_never_more_than_a_bin_off(values: list[int], share: float) -> None:
    quantile_s = histogram_quantile_s(histogram(*values), share)
    rank = next(value for index, value in enumerate(sorted(values), 1) if index >= share * len(values))
    assert quantile_s is not None
    assert abs(quantile_s * 1e9 - rank) <= max(1, rank / 64)
