from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.convergence import centred_rates_bps, convergence_time_s, jain_in_bins
from dumbbell.metrics.counter import Counter


def flow(*rates: tuple[float, float]) -> Counter:
    """Bytes of a flow that has each rate, in bytes a second, from an instant on; until 100 s."""
    at = [begin for begin, _ in rates] + [100.0]
    return Counter.of(at, np.concatenate(([0.0], np.cumsum(np.diff(at) * [rate for _, rate in rates]))))


EVEN = flow((0, 10))


def test_jain_in_bins() -> None:
    late = flow((0, 0), (10, 10))
    assert jain_in_bins([EVEN, late], 0, 20) == [pytest.approx(0.5)] * 2 + [pytest.approx(1)] * 2
    assert jain_in_bins([EVEN, late], 7.5, 12.5) == [pytest.approx(15**2 / (2 * 125))]
    assert jain_in_bins([flow((0, 0))], 0, 5) == [None]


def test_a_centred_mean_sees_a_step_before_it_comes() -> None:
    step = flow((0, 0), (10, 10))
    assert centred_rates_bps(step, [7.5, 10, 12.5]) == pytest.approx([0, 40, 80])


def test_flows_that_are_even_from_the_beginning() -> None:
    """2.5 s of each mean still lie before the start: the share is even there too."""
    assert convergence_time_s([EVEN, EVEN], 5, 60) == 0


def test_a_step_converges_when_the_mean_around_it_comes_within_a_fifth() -> None:
    step = flow((0, 0), (20, 10))
    found = convergence_time_s([EVEN, step], 0, 60)
    # where s of the 5 s around t lie after the step, the rates are 10 and 2 s, and fair is 5 + s: near from s = 10/3 on
    assert found == pytest.approx(20 - 2.5 + 10 / 3, abs=0.1)


def test_it_must_last_ten_seconds() -> None:
    blip = flow((0, 0), (20, 10), (25, 0), (50, 10))
    assert convergence_time_s([EVEN, blip], 0, 90) == pytest.approx(50 - 2.5 + 10 / 3, abs=0.1)
    assert convergence_time_s([EVEN, blip], 0, 60) is None


def test_flows_that_never_meet() -> None:
    assert convergence_time_s([EVEN, flow((0, 5))], 0, 90) is None
    assert convergence_time_s([EVEN, flow((0, 6.7))], 0, 90) == 0


def test_a_path_on_which_nothing_flows_has_not_converged() -> None:
    assert convergence_time_s([flow((0, 0))], 0, 60) is None


def test_other_definitions_of_convergence_are_asked_for() -> None:
    uneven = flow((0, 7))
    assert convergence_time_s([EVEN, uneven], 0, 60) == 0  # 10 and 7 are 18 % from 8.5
    assert convergence_time_s([EVEN, uneven], 0, 60, within=0.1) is None
    step = flow((0, 0), (20, 10))
    assert convergence_time_s([EVEN, step], 0, 60, over_s=1) == pytest.approx(20 - 0.5 + 2 / 3, abs=0.1)
    assert convergence_time_s([EVEN, step], 0, 25, over_s=1) is None
    assert convergence_time_s([EVEN, step], 0, 25, over_s=1, for_s=3) == pytest.approx(20 - 0.5 + 2 / 3, abs=0.1)


def test_a_run_that_ends_at_once_does_not_converge() -> None:
    assert convergence_time_s([EVEN, EVEN], 10, 10) is None
