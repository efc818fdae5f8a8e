from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.counter import (
    Counter,
    edges,
    least_rate_bps,
    rates_bps,
    ratio_in_bins,
    summed_quantiles,
    variation,
)

TEN_BYTES_A_SECOND = Counter.of([0, 10], [0, 100])


def test_between_samples_a_counter_goes_straight_and_before_the_first_it_is_0() -> None:
    counter = Counter.of([2, 4, 6], [10, 20, 20])
    assert counter.at([0, 1.99, 2, 3, 5, 9]) == pytest.approx([0, 0, 10, 15, 20, 20])


def test_a_counter_is_0_at_its_start() -> None:
    assert Counter.of([2, 4], [10, 20], start_s=1).at([1, 1.5, 2]) == pytest.approx([0, 5, 10])
    assert Counter.of([2, 4], [10, 20], start_s=2).at([2]) == pytest.approx([10])


def test_an_empty_counter_counts_nothing() -> None:
    assert Counter.of([], []).at([1, 2]) == pytest.approx([0, 0])
    assert rates_bps(Counter.of([], []), 0, 2, 1) == pytest.approx([0, 0])


@pytest.mark.parametrize(
    ("begin", "end", "width", "expected"),
    [(0, 2, 0.5, [0, 0.5, 1, 1.5, 2]), (1, 1.9, 0.5, [1, 1.5]), (0, 0.3, 0.1, [0, 0.1, 0.2, 0.3]), (3, 2, 0.5, [3])],
)
def test_only_whole_bins(begin: float, end: float, width: float, expected: list[float]) -> None:
    assert edges(begin, end, width) == pytest.approx(expected)


def test_rates_are_bits_per_second() -> None:
    assert rates_bps(TEN_BYTES_A_SECOND, 1, 3, 0.5) == pytest.approx([80, 80, 80, 80])
    assert rates_bps(Counter.of([0, 1, 2], [0, 0, 1_000_000]), 0, 2, 1) == pytest.approx([0, 8e6])


def test_variation() -> None:
    assert variation([1, 3]) == pytest.approx(0.5)
    assert variation([2, 2, 2]) == 0
    assert variation([2]) is None
    assert variation([0, 0]) is None


def test_quantiles_of_flows_that_take_turns_are_summed_flow_by_flow() -> None:
    one, other = [0, 0, 10, 10], [10, 10, 0, 0]
    assert summed_quantiles([one, other], (0.25, 0.5, 0.75)) == pytest.approx([0, 10, 20])
    assert summed_quantiles([np.add(one, other)], (0.25, 0.75)) == pytest.approx([10, 10])
    assert summed_quantiles([[1, 2, 3, 4, 5]], (0.25, 0.75)) == pytest.approx([2, 4])


def test_dropped_over_sent_in_bins() -> None:
    dropped, sent = Counter.of([0, 1, 2, 3], [0, 1, 1, 1]), Counter.of([0, 1, 2, 3], [0, 10, 30, 30])
    ratios = ratio_in_bins(dropped, sent, 0, 3, 1)
    assert ratios[:2] == pytest.approx([0.1, 0])
    assert np.isnan(ratios[2])


def test_the_smallest_rate_after_a_join() -> None:
    dipping = Counter.of([0, 10, 11, 20], [0, 100, 101, 191])
    assert least_rate_bps(dipping, 8, 13, 1) == pytest.approx(8)
    assert least_rate_bps(dipping, 12, 14, 1) == pytest.approx(80)
    assert least_rate_bps(dipping, 12, 12.5, 1) is None
