from __future__ import annotations

import pytest

from dumbbell.metrics.discrepancy import beyond, half_interquartile, median, quantile, winner


def test_medians_and_quantiles_are_those_of_the_textbook() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert median([1.0, 2.0, 3.0, 10.0]) == 2.5
    assert quantile([float(value) for value in range(11)], 0.9) == 9.0
    assert quantile([5.0], 0.9) == 5.0


def test_half_the_interquartile_range() -> None:
    assert half_interquartile([7.0]) == 0.0
    assert half_interquartile([1.0, 2.0, 3.0]) == 0.5
    assert half_interquartile([0.0, 10.0, 20.0, 30.0, 40.0]) == 10.0


@pytest.mark.parametrize(
    ("difference", "excused", "left"),
    [(5.0, 2.0, 3.0), (-5.0, 2.0, 3.0), (1.0, 2.0, 0.0), (2.0, 2.0, 0.0), (0.0, 0.0, 0.0)],
)
def test_only_what_is_beyond_counts(difference: float, excused: float, left: float) -> None:
    assert beyond(difference, excused) == left


def test_a_tie_has_no_winner() -> None:
    assert winner({"a": 1.0, "b": 2.0}) == "b"
    assert winner({"a": 2.0, "b": 2.0, "c": 1.0}) is None
    assert winner({"a": 2.0, "b": 2.0, "c": 3.0}) == "c"
    assert winner({"a": 0.0, "b": 0.0}) is None
    assert winner({}) is None
