from __future__ import annotations

import pytest

from dumbbell.metrics.curve import crossover, interpolated, linear_r2


def test_how_straight_the_published_curve_is() -> None:
    """The reference has 0.992 of the raw curve of Claypool's Figure 7."""
    assert linear_r2([0.25, 0.5, 0.75, 1.25, 1.5], [12.4, 11.0, 8.2, 2.5, 0.0]) == pytest.approx(0.992, abs=1e-3)


def test_lines_and_what_is_none() -> None:
    assert linear_r2([1, 2, 4], [8, 6, 2]) == pytest.approx(1)
    assert linear_r2([1, 2, 3], [0, 1, 0]) == pytest.approx(0)
    assert linear_r2([1, 2], [0, 1]) is None
    assert linear_r2([1, 1, 1], [0, 1, 2]) is None
    assert linear_r2([1, 2, 3], [5, 5, 5]) is None


def test_interpolation_ends_with_the_points() -> None:
    assert interpolated([0.75, 1.25], [8.2, 2.5], 1.0) == pytest.approx(5.35)
    assert interpolated([0.75, 1.25], [8.2, 2.5], 1.25) == pytest.approx(2.5)
    assert interpolated([0.75, 1.25], [8.2, 2.5], 1.3) is None
    assert interpolated([], [], 1) is None


def test_where_the_published_curves_cross() -> None:
    """The reference has 5.2 BDP for two BBR beside two CUBIC."""
    found = crossover([2, 4, 8], [53.2, 43.4, 26.8], [21.8, 33.9, 50.2])
    assert found == pytest.approx(4 + 4 * 9.5 / 32.9)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ([3, 2, 1], [2, 2, 2], 1),
        ([3, 1, 3], [2, 2, 2], None),
        ([3, 1, 3, 1], [2, 2, 2, 2], 2.5),
        ([3, 3, 3], [2, 2, 2], None),
        ([1, 1, 1], [2, 2, 2], None),
        ([1, 3, 1], [2, 2, 2], 1.5),
        ([2, 1], [2, 2], None),
    ],
)
def test_the_last_time_that_a_curve_comes_down(first: list[float], second: list[float], found: float | None) -> None:
    assert crossover(range(len(first)), first, second) == found
