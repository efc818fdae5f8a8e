from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.engines.measurement import FlowMeasurement, Histogram
from dumbbell.metrics.samples import (
    backlog,
    coefficient_of_variation,
    histogram_mean_s,
    histogram_quantile_s,
    histogram_share_below,
    smoothed_rtt,
)
from dumbbell.metrics.window import Window
from measured import SECOND, WINDOW, flow, flow_series, histogram, known, queue

MS = 1_000_000


@pytest.mark.parametrize(
    ("at_s", "srtt_us", "expected"),
    [
        ([4, 5, 6, 7, 8, 11], [90_000, 90_000, 30_000, 40_000, 20_000, 90_000], (0.030, 0.030, 0.039)),
        ([6, 7], [0, 30_000], (0.030, 0.030, 0.030)),
        ([6, 7], [0, 0], (None, None, None)),
    ],
    ids=["those in the window", "not before the first round trip", "none"],
)
def test_smoothed_rtt(at_s: list[float], srtt_us: list[int], expected: tuple[float | None, ...]) -> None:
    assert smoothed_rtt(flow_series(at_s, srtt_us), WINDOW)[:3] == pytest.approx(expected)


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
    quantile_s = known(histogram_quantile_s(histogram(*values), share))
    rank = next(value for index, value in enumerate(sorted(values), 1) if index >= share * len(values))
    assert abs(quantile_s * 1e9 - rank) <= max(1, rank / 64)


def test_the_backlog_of_the_samples_in_the_window() -> None:
    series = queue(at_s=[5, 6, 7, 8, 9], backlog_bytes=[999, 0, 100, 200, 100]).series
    assert backlog(series, WINDOW) == pytest.approx((100, 185, 200))


def test_without_a_sample_there_is_no_backlog() -> None:
    assert backlog(queue().series, WINDOW) == (None, None, None)


def delivering(*half_seconds: int, sample_s: float = 0.5) -> FlowMeasurement:
    """A flow that delivers this many bytes in each half second, sampled evenly."""
    at_s, delivered = [0.5 * (index + 1) for index in range(len(half_seconds))], running_sum(half_seconds)
    step = round(sample_s / 0.5)
    return flow(series=flow_series(at_s[step - 1 :: step], delivered_bytes=delivered[step - 1 :: step]))


def running_sum(values: Sequence[int]) -> list[int]:
    return [sum(values[: index + 1]) for index in range(len(values))]


@pytest.mark.parametrize(
    ("measured", "window", "expected"),
    [
        (delivering(*[7] * 20), WINDOW, 0),
        (delivering(*[50, 150] * 10), WINDOW, 0.5),
        (delivering(*[1_000] * 10, *[7] * 10), WINDOW, 0),
        (delivering(5, 15, 900), Window(0, 14 * SECOND // 10), 0.5),
        (delivering(5, 15), Window(0, SECOND), 0.5),
    ],
    ids=["even", "half and one and a half", "only the window", "whole bins only", "before the first sample"],
)
def test_how_a_flow_varies(measured: FlowMeasurement, window: Window, expected: float) -> None:
    assert coefficient_of_variation(measured, window) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measured", "window"),
    [
        (delivering(*[7] * 20), Window(0, SECOND - 1)),
        (delivering(*[0] * 20), WINDOW),
        (delivering(*[7] * 20, sample_s=1), WINDOW),
        (flow(), WINDOW),
        (delivering(*[7] * 20), Window(5 * SECOND, 4 * SECOND)),
    ],
    ids=["one bin", "nothing delivered", "samples too far apart", "no samples", "no window"],
)
def test_where_it_is_undefined(measured: FlowMeasurement, window: Window) -> None:
    assert coefficient_of_variation(measured, window) is None


def test_a_share_below_counts_whole_bins() -> None:
    few = Histogram(first_bin=10, counts=np.array([1, 2, 0, 5], np.uint32), count=8, sum=0)
    assert [histogram_share_below(few, bound) for bound in (10, 11, 12, 13, 14)] == [0, 1 / 8, 3 / 8, 3 / 8, 1]
    assert histogram_share_below(Histogram(first_bin=0, counts=np.array([], np.uint32), count=0, sum=0), 5) is None
