"""Loss epochs, cut and laid over one another by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dev.curves.loss_epoch import LossEpoch, kind_boundary_s, loss_epochs, median_window, relative_differences
from flowseries import STEP_S, epochs_of, sawtooth, times_s


def test_an_epoch_runs_from_a_reduction_to_the_next_and_the_first_is_left_out() -> None:
    epochs = epochs_of(50, 60, 70)
    assert [round(each.length_s, 6) for each in epochs] == [0.6, 0.7]
    assert [(each.w_max, each.w_min) for each in epochs] == [(100, 50), (100, 50)]
    assert [each.time_s[0] for each in epochs] == [0, 0]


def test_a_window_that_dips_by_less_than_a_tenth_was_not_reduced() -> None:
    window = np.concatenate([sawtooth(50, 50), np.linspace(50, 80, 20), [75.0], np.linspace(80, 100, 20), [50.0]])
    lengths = [each.length_s for each in loss_epochs(times_s(window), window)]
    assert lengths == pytest.approx([0.5, 0.42])


def test_a_fall_in_steps_is_one_reduction_that_begins_where_the_window_first_falls() -> None:
    falling = [100.0, 96.0, 80.0, 65.0, 50.0]
    window = np.concatenate([sawtooth(50, 50)[:-1], *([falling, np.linspace(50, 100, 45)] * 2), [50.0]])
    epochs = loss_epochs(times_s(window), window)
    assert [round(each.length_s, 6) for each in epochs] == [0.51, 0.5, 0.49]
    assert epochs[1].cwnd[:5].tolist() == [96, 80, 65, 50, 50]


@pytest.mark.parametrize("window", [[], [10.0], [10.0, 20.0, 40.0], [10.0, 100.0, 50.0, 100.0, 50.0]])
def test_a_flow_without_two_reductions_after_its_start_has_no_epoch(window: list[float]) -> None:
    assert loss_epochs([STEP_S * index for index in range(len(window))], window) == []


def test_long_and_short_epochs_are_told_apart_where_a_quarter_lies_between_them() -> None:
    assert kind_boundary_s(epochs_of(50, 100, 104, 110)) is None
    assert kind_boundary_s(epochs_of(50, 100, 158, 100, 160)) == pytest.approx((1.0 * 1.58) ** 0.5)
    assert kind_boundary_s([]) is None


def test_the_median_window_is_that_of_the_epochs_that_reach_so_far() -> None:
    flat = [LossEpoch(times_s(np.ones(size)), np.full(size, value), 10.0, size * STEP_S)
            for size, value in ((10, 1.0), (20, 2.0), (30, 6.0))]  # fmt: skip
    curve = median_window(flat, STEP_S)
    assert curve.tolist() == [2.0] * 10 + [4.0] * 10


def test_a_curve_that_is_a_tenth_higher_is_a_tenth_off_and_one_a_sample_late_is_not() -> None:
    curve = np.linspace(50, 100, 51)
    assert relative_differences(1.1 * curve, curve)[10:40] == pytest.approx(0.1, rel=0.2)
    assert relative_differences(0.9 * curve, curve)[10:40] == pytest.approx(-0.1, rel=0.2)
    assert relative_differences(curve[1:], curve)[1:].tolist() == [0.0] * 49
    assert relative_differences(curve[2:], curve)[1:].min() > 0
    assert relative_differences(np.empty(0), curve).size == 0
