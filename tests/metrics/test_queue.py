from __future__ import annotations

import pytest

from dumbbell.metrics.queue import backlog, capacity_bits
from dumbbell.metrics.window import Window
from measured import SECOND, WINDOW, queue


def test_the_backlog_of_the_samples_in_the_window() -> None:
    series = queue(at_s=[5, 6, 7, 8, 9], backlog_bytes=[999, 0, 100, 200, 100]).series
    assert backlog(series, WINDOW) == pytest.approx((100, 185, 200))


def test_without_a_sample_there_is_no_backlog() -> None:
    assert backlog(queue().series, WINDOW) == (None, None, None)


@pytest.mark.parametrize(
    ("changes", "bits"),
    [
        ([], 50),
        ([(7 * SECOND, 20)], 20 + 60),
        ([(2 * SECOND, 30)], 150),
        ([(2 * SECOND, 30), (6 * SECOND, 0), (9 * SECOND, 100)], 30 + 0 + 100),
        ([(10 * SECOND, 30)], 50),
        ([(12 * SECOND, 30)], 50),
    ],
    ids=["no change", "in the window", "before it", "three", "at its end", "after it"],
)
def test_a_line_of_10_bit_s_whose_rate_changes(changes: list[tuple[int, int]], bits: float) -> None:
    assert capacity_bits(10, changes, WINDOW) == bits


def test_an_empty_window_carries_nothing() -> None:
    assert capacity_bits(10, [(4 * SECOND, 20)], Window(5 * SECOND, 4 * SECOND)) == 0
