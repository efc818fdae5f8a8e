from __future__ import annotations

from collections.abc import Sequence

import pytest

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.metrics.variation import coefficient_of_variation
from dumbbell.metrics.window import Window
from measured import SECOND, WINDOW, flow, flow_series


def delivering(*half_seconds: int, sample_s: float = 0.5) -> FlowMeasurement:
    """A flow that delivers this many bytes in each half second, sampled evenly."""
    at_s, delivered = [0.5 * (index + 1) for index in range(len(half_seconds))], running_sum(half_seconds)
    step = round(sample_s / 0.5)
    return flow(series=flow_series(at_s[step - 1 :: step], delivered_bytes=delivered[step - 1 :: step]))


def running_sum(values: Sequence[int]) -> list[int]:
    return [sum(values[: index + 1]) for index in range(len(values))]


def test_an_even_flow_does_not_vary() -> None:
    assert coefficient_of_variation(delivering(*[7] * 20), WINDOW) == 0


def test_a_flow_that_alternates_between_half_and_one_and_a_half() -> None:
    assert coefficient_of_variation(delivering(*[50, 150] * 10), WINDOW) == pytest.approx(0.5)


def test_only_the_window_counts() -> None:
    assert coefficient_of_variation(delivering(*[1_000] * 10, *[7] * 10), WINDOW) == 0


def test_a_bin_that_is_not_whole_is_left_out() -> None:
    assert coefficient_of_variation(delivering(5, 15, 900), Window(0, 14 * SECOND // 10)) == pytest.approx(0.5)


def test_the_time_before_the_first_sample_counts_from_the_start() -> None:
    assert coefficient_of_variation(delivering(5, 15), Window(0, SECOND)) == pytest.approx(0.5)


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
