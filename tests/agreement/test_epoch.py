"""Loss epochs, cut and laid over one another by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dumbbell.agreement.curves.comparison import Roles
from dumbbell.agreement.curves.epoch import Epoch, boundary_s, cut, differences, median_curve
from dumbbell.agreement.curves.loss_based import compared

STEP_S = 0.01


def sawtooth(*lengths: int, w_max: float = 100.0, beta: float = 0.5) -> np.ndarray:
    """Windows that fall to a share of `w_max` and rise to it in so many samples each, after a slow start."""
    return np.concatenate(
        [
            np.linspace(10, 2 * w_max, 20),
            *(np.linspace(beta * w_max, w_max, length) for length in lengths),
            [beta * w_max],
        ]
    )


def times_s(window: np.ndarray) -> np.ndarray:
    return STEP_S * np.arange(window.size)


def epochs_of(*lengths: int, w_max: float = 100.0, beta: float = 0.5) -> list[Epoch]:
    window = sawtooth(*lengths, w_max=w_max, beta=beta)
    return cut(times_s(window), window)


def test_an_epoch_runs_from_a_reduction_to_the_next_and_the_first_is_left_out() -> None:
    found = epochs_of(50, 60, 70)
    assert [round(each.length_s, 6) for each in found] == [0.6, 0.7]
    assert [(each.w_max, each.w_min) for each in found] == [(100, 50), (100, 50)]
    assert [each.time_s[0] for each in found] == [0, 0]


def test_a_window_that_dips_by_less_than_a_tenth_was_not_reduced() -> None:
    window = np.concatenate([sawtooth(50, 50), np.linspace(50, 80, 20), [75.0], np.linspace(80, 100, 20), [50.0]])
    lengths = [each.length_s for each in cut(times_s(window), window)]
    assert lengths == pytest.approx([0.5, 0.42])


def test_a_fall_in_steps_is_one_reduction_that_begins_where_the_window_first_falls() -> None:
    falling = [100.0, 96.0, 80.0, 65.0, 50.0]
    window = np.concatenate([sawtooth(50, 50)[:-1], *([falling, np.linspace(50, 100, 45)] * 2), [50.0]])
    found = cut(times_s(window), window)
    assert [round(each.length_s, 6) for each in found] == [0.51, 0.5, 0.49]
    assert found[1].cwnd[:5].tolist() == [96, 80, 65, 50, 50]


@pytest.mark.parametrize("window", [[], [10.0], [10.0, 20.0, 40.0], [10.0, 100.0, 50.0, 100.0, 50.0]])
def test_a_flow_without_two_reductions_after_its_start_has_no_epoch(window: list[float]) -> None:
    assert cut([STEP_S * index for index in range(len(window))], window) == []


def test_long_and_short_epochs_are_told_apart_where_a_quarter_lies_between_them() -> None:
    assert boundary_s(epochs_of(50, 100, 104, 110)) is None
    assert boundary_s(epochs_of(50, 100, 158, 100, 160)) == pytest.approx((1.0 * 1.58) ** 0.5)
    assert boundary_s([]) is None


def test_the_median_curve_is_that_of_the_epochs_that_reach_so_far() -> None:
    flat = [Epoch(times_s(np.ones(size)), np.full(size, value), 10.0, size * STEP_S)
            for size, value in ((10, 1.0), (20, 2.0), (30, 6.0))]  # fmt: skip
    curve = median_curve(flat, STEP_S)
    assert curve.tolist() == [2.0] * 10 + [4.0] * 10


def test_a_curve_that_is_a_tenth_higher_is_a_tenth_off_and_one_a_sample_late_is_not() -> None:
    curve = np.linspace(50, 100, 51)
    assert differences(1.1 * curve, curve)[10:40] == pytest.approx(0.1, rel=0.2)
    assert differences(0.9 * curve, curve)[10:40] == pytest.approx(-0.1, rel=0.2)
    assert differences(curve[1:], curve)[1:].tolist() == [0.0] * 49
    assert differences(curve[2:], curve)[1:].min() > 0
    assert differences(np.empty(0), curve).size == 0


def test_equal_sawtooths_hold_every_limit_and_another_factor_breaks_those_of_the_curve() -> None:
    same = epochs_of(50, 60, 60, 60)
    comparisons, curves = compared(Roles(same, same, same), STEP_S)
    assert len(comparisons) == 5
    assert all(each.holds and not each.difference and not each.noise for each in comparisons)
    assert [(curve.key, len(curve.reference)) for curve in curves] == [("epoch", 60)]
    other = epochs_of(50, 60, 60, 60, beta=0.6)
    broken = {each.key: each.difference for each in compared(Roles(other, same, same), STEP_S)[0] if not each.holds}
    assert broken == pytest.approx({"curve_largest": 0.2, "curve_median": 0.05, "w_min": 0.2}, rel=0.4)


def test_a_candidate_without_the_long_epochs_breaks_their_share_and_their_limits() -> None:
    both, short = epochs_of(50, 60, 100, 60, 100), epochs_of(50, 60, 60, 60)
    comparisons, _ = compared(Roles(short, both, []), STEP_S)
    by_label = {each.label: each for each in comparisons}
    assert by_label["share of long epochs"].difference == -0.5
    assert not by_label["share of long epochs"].holds
    assert not by_label["length of an epoch, long epochs"].holds
    assert by_label["length of an epoch, short epochs"].holds
    assert all(each.noise is None for each in comparisons)


def test_two_engines_without_an_epoch_are_not_compared() -> None:
    assert compared(Roles([], [], []), STEP_S) == ([], [])
    assert not any(each.holds for each in compared(Roles([], epochs_of(50, 60), []), STEP_S)[0])
