from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.distribution import (
    alternation,
    beyond,
    boundary,
    cdf,
    half_interquartile,
    modes,
    quantile,
    quantiles,
    relative_iqr,
)


def test_a_cdf_ends_at_1_and_has_each_sample_that_there_is() -> None:
    values, shares = cdf([0.08, 0.06, np.nan, 0.07])
    assert values == [0.06, 0.07, 0.08]
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    assert cdf([]) == ([], [])


def test_a_long_cdf_keeps_both_ends_and_even_ranks() -> None:
    values, shares = cdf(np.arange(100_000.0), most=5)
    assert values == [0.0, 25000.0, 49999.0, 74999.0, 99999.0]
    assert shares == pytest.approx([1e-5, 0.25001, 0.5, 0.75, 1])


def test_quantiles_and_what_is_none() -> None:
    assert quantiles([1, 2, 3, 4, 5], [0.25, 0.5, 1]) == [2, 3, 5]
    assert quantiles([np.nan], [0.5]) is None
    assert relative_iqr([1, 2, 3, 4, 5]) == pytest.approx(2 / 3)
    assert relative_iqr([]) is None
    assert relative_iqr([0, 0, 0]) is None


def test_quantiles_are_those_of_the_textbook() -> None:
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


def test_what_lies_between_two_kinds() -> None:
    assert boundary([25, 25, 25, 60, 61]) == 42.5
    assert boundary([25, 36, 25, 40, 26]) == 31
    assert boundary([25, 60]) == 42.5
    assert boundary([25, 25]) is None
    assert boundary([25]) is None
    assert boundary([]) is None


def test_one_value_that_stands_alone_does_not_hide_two_kinds() -> None:
    assert boundary([25] * 10 + [40] * 10 + [50]) == 32.5


def test_medians_of_both_sides() -> None:
    assert modes([25, 60, 31, 70, 26], 40) == (26, 65)
    assert modes([39.9, 40], 40) == (39.9, 40)
    assert modes([25], 40) == (25, None)
    assert modes([60], 40) == (None, 60)
    assert modes([], 40) == (None, None)


@pytest.mark.parametrize(
    ("sequences", "share"),
    [
        ([[25, 60, 25, 60]], 1),
        ([[25, 60], [60, 25]], 1),
        ([[25, 60, 61, 25]], 2 / 3),
        ([[25, 60, 25], [25, 26, 25]], 0.5),
        ([[60, 60, 60]], 0),
        ([[25], [60]], None),
        ([], None),
    ],
)
def test_how_often_the_side_changes(sequences: list[list[float]], share: float | None) -> None:
    assert alternation(sequences, 40) == (None if share is None else pytest.approx(share))
