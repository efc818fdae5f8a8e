from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import f_oneway

from dumbbell.metrics.statistics import (
    POWER,
    T_OF_DEGREES,
    Estimate,
    Floats,
    Integers,
    estimate,
    estimates,
    pooled,
    t_quantile,
    three_alike,
    values_needed,
)


@pytest.mark.parametrize(
    ("degrees", "t"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228), (30, 2.042), (100, 1.984)],
)
def test_the_table_of_every_textbook(degrees: int, t: float) -> None:
    assert t_quantile(degrees) == pytest.approx(t, abs=5e-4)


def test_another_confidence() -> None:
    assert t_quantile(7, 0.99) == pytest.approx(3.499, abs=5e-4)


def test_what_is_tabulated_is_what_scipy_computes() -> None:
    degrees = np.arange(1, len(T_OF_DEGREES) + 1)
    assert list(T_OF_DEGREES) == pytest.approx(stdtrit(degrees, 0.975), rel=1e-13)


def test_the_interval_of_three_seeds() -> None:
    interval = estimate([10, 11, 12])
    assert (interval.mean, interval.n) == (11, 3)
    assert interval.half_width == pytest.approx(4.3027 / 3**0.5, abs=1e-3)


@pytest.mark.parametrize("values", [[0.5], [0.0, 0.0, 0.0]])
def test_values_that_do_not_vary_have_no_interval(values: list[float]) -> None:
    assert estimate(values) == Estimate(values[0], None, 1)


def test_there_is_no_mean_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        estimate([])


SETS = [[1.0, 2.0, 4.0], [5.0], [3.0, 3.0, 3.0], [0.1, 0.1 + 1e-12], [-2.0, 7.0, 7.0, 1.5, 0.25]]


def test_each_set_has_the_estimate_that_it_would_have_alone() -> None:
    values = np.array([value for members in SETS for value in members])
    owners = np.repeat(np.arange(len(SETS)), [len(members) for members in SETS])
    order = np.random.default_rng(1).permutation(values.size)
    by_set = estimates(values[order], owners[order], len(SETS))
    for number, members in enumerate(SETS):
        alone = estimate(members)
        assert by_set.mean[number] == pytest.approx(alone.mean, rel=1e-12)
        assert by_set.count[number] == len(members)
        if alone.half_width is None:
            assert np.isnan(by_set.half_width[number])
        else:
            assert by_set.half_width[number] == pytest.approx(alone.half_width, rel=1e-6)


def test_what_is_not_a_number_counts_in_no_set() -> None:
    by_set = estimates(np.array([1.0, np.nan, 3.0, np.nan]), np.array([0, 0, 0, 1]), 3)
    assert by_set.count.tolist() == [2, 0, 0]
    assert by_set.mean[0] == 2
    assert np.isnan(by_set.mean[1:]).all()
    assert np.isnan(by_set.error[1:]).all()


def test_equal_values_are_their_mean_to_the_bit() -> None:
    by_set = estimates(np.full(3, 0.1), np.zeros(3, np.intp), 1)
    assert by_set.mean[0] == 0.1  # a third of the sum of three is not
    assert by_set.error[0] == 0


def of(sets: list[list[float]]) -> tuple[Floats, Floats, Integers]:
    by_set = estimates(
        np.array([value for members in sets for value in members]),
        np.repeat(np.arange(len(sets)), [len(members) for members in sets]),
        len(sets),
    )
    return by_set.mean, by_set.error, by_set.count


def test_one_set_is_the_pooled() -> None:
    overall, alone = pooled(*of([[1.0, 2.0, 4.0]])), estimate([1.0, 2.0, 4.0])
    assert [overall.mean, overall.half_width] == pytest.approx([alone.mean, alone.half_width])
    assert (overall.degrees, overall.within) == (2, True)


def test_sets_that_scatter_alike_add_their_degrees_and_what_they_differ_in_does_not_count() -> None:
    """Four sets of three with a variance of 1: sqrt(4 x 1/3) / 4, and 4 x 2 degrees; whatever their means are."""
    overall = pooled(*of([[base - 1, base, base + 1] for base in (0.0, 50.0, -7.0, 300.0)]))
    assert overall.degrees == 8
    assert overall.half_width == pytest.approx(t_quantile(8) * (4 / 3) ** 0.5 / 4)


def test_a_set_without_scatter_adds_no_degrees() -> None:
    overall = pooled(*of([[1.0, 2.0, 4.0], [7.0, 7.0, 7.0]]))
    assert overall.degrees == 2
    assert overall.mean == pytest.approx((7 / 3 + 7) / 2)


def test_a_set_of_one_value_leaves_the_scatter_of_the_means() -> None:
    overall, means = pooled(*of([[1.0], [2.0, 3.0], [6.0]])), estimate([1.0, 2.5, 6.0])
    assert [overall.mean, overall.half_width] == pytest.approx([means.mean, means.half_width])
    assert (overall.degrees, overall.within) == (2, False)


def test_where_nothing_varied_in_any_set_their_means_are_values() -> None:
    overall, means = pooled(*of([[2.0, 2.0], [4.0, 4.0], [5.0, 5.0]])), estimate([2.0, 4.0, 5.0])
    assert [overall.mean, overall.half_width] == pytest.approx([means.mean, means.half_width])
    assert (overall.degrees, overall.within) == (2, False)
    assert overall == pooled(*of([[2.0], [4.0], [5.0]]))


@pytest.mark.parametrize(
    ("sets", "within"), [([[2.0, 2.0]], True), ([[2.0, 2.0], [2.0, 2.0]], True), ([[2.0]], False), ([[2.0]] * 2, False)]
)
def test_nothing_varied(sets: list[list[float]], within: bool) -> None:  # noqa: FBT001 (it is what it is about)
    overall = pooled(*of(sets))
    assert (overall.mean, overall.half_width, overall.degrees, overall.within) == (2.0, None, 0, within)


def test_how_probable_three_means_are_by_chance_is_what_scipy_computes() -> None:
    draw = np.random.default_rng(1)
    for _ in range(50):
        groups = [draw.normal(shift, 1.0, draw.integers(2, 5)) for shift in draw.normal(0.0, 2.0, 3)]
        assert three_alike(groups) == pytest.approx(f_oneway(*groups).pvalue, rel=1e-9)
    still = [np.array([1.0, 1.0])] * 2
    assert three_alike([*still, np.array([2.0, 2.0])]) == 0.0
    assert three_alike([*still, np.array([1.0, 1.0])]) == 1.0
    for wrong in (still, [np.array([1.0])] * 3):
        with pytest.raises(ValueError, match="needs three"):
            three_alike(wrong)


@pytest.mark.parametrize(("deviation", "first"), [(0.06, 3), (0.1, 3), (0.1, 5), (0.15, 10)])
def test_as_many_values_as_are_needed_show_a_difference_about_as_often_as_they_should(
    deviation: float, first: int
) -> None:
    """A thousand times: some values, as many more as these ask for, and then Student's t of all of them.

    Where three values have shown the difference already, no fewer can be taken: then it shows more often.
    """
    chance, shown, trials = np.random.default_rng(first), 0, 1000
    for _ in range(trials):
        values = chance.normal(0.05, deviation, first).tolist()
        needed = values_needed(estimate(values), 0.05)
        assert needed is not None
        values += chance.normal(0.05, deviation, max(0, needed - first)).tolist()
        known = estimate(values)
        shown += known.mean > (known.half_width or 0.0)
    assert POWER - 0.03 < shown / trials < POWER + 0.1


def test_what_did_not_vary_or_varies_too_much_needs_no_known_number_of_values() -> None:
    assert values_needed(Estimate(1.0, None, 1), 0.05) is None
    assert values_needed(Estimate(1.0, 90.0, 3), 0.05) is None
