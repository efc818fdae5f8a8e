from __future__ import annotations

import pytest

from dumbbell.metrics.curve import (
    argmax,
    cliff,
    crossover,
    interpolated,
    is_unimodal,
    linear_r2,
    rank_correlation,
)


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
    crossing = crossover([2, 4, 8], [53.2, 43.4, 26.8], [21.8, 33.9, 50.2])
    assert crossing == pytest.approx(4 + 4 * 9.5 / 32.9)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
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
def test_the_last_time_that_a_curve_comes_down(first: list[float], second: list[float], expected: float | None) -> None:
    assert crossover(range(len(first)), first, second) == expected


def test_the_highest_point_is_the_first_of_equals() -> None:
    assert argmax([13, 52, 105], [0.7, 0.99, 0.99]) == 52
    assert argmax([], []) is None


@pytest.mark.parametrize(
    ("y", "slack", "word"),
    [
        ([0.6, 0.9, 0.99, 0.8, 0.7], 0, True),
        ([0.99, 0.8, 0.7], 0, True),
        ([0.6, 0.7, 0.99], 0, True),
        ([0.6, 0.55, 0.99, 0.7], 0, False),
        ([0.6, 0.55, 0.99, 0.7], 0.06, True),
        ([0.6, 0.99, 0.7, 0.75], 0, False),
        ([0.6, 0.99, 0.7, 0.75], 0.06, True),
        ([], 0, False),
    ],
)
def test_a_curve_with_one_hill(y: list[float], slack: float, word: bool) -> None:  # noqa: FBT001 (an answer)
    assert is_unimodal(y, slack) is word


def test_a_cliff_is_before_the_first_point_that_is_too_low() -> None:
    """At a loss of 20 % 80 of 100 Mbit/s could get through, and 80 % of that is 64."""
    losses = [0, 0.01, 0.1, 0.2, 0.3]
    assert cliff(losses, [95e6, 94e6, 80e6, 64e6, 1e6], 100e6) == 0.2
    assert cliff(losses, [95e6, 94e6, 80e6, 63.9e6, 60e6], 100e6) == 0.1
    assert cliff(losses, [95e6, 20e6, 80e6, 70e6, 60e6], 100e6) == 0
    assert cliff(losses, [10e6, 94e6, 80e6, 70e6, 60e6], 100e6) is None
    assert cliff([0, 0.5], [60e6, 50e6], 100e6, share=0.5) == 0.5


def test_ranks_tell_whether_one_rises_with_the_other() -> None:
    assert rank_correlation([1, 10, 100], [0.1, 0.2, 5]) == pytest.approx(1)
    assert rank_correlation([1, 10, 100], [5, 0.2, 0.1]) == pytest.approx(-1)
    # ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: covariance 4.5 of 4.5 and 5
    assert rank_correlation([1, 2, 2, 3], [1, 3, 2, 4]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert rank_correlation([1, 1], [1, 2]) is None
    assert rank_correlation([1], [1]) is None
