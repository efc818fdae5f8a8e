from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.counter import Counter
from dumbbell.metrics.dynamics import (
    Trough,
    autocorrelation,
    centred_rates_bps,
    convergence_time_s,
    correlation,
    dominant_period_s,
    intervals_s,
    jain_in_bins,
    plateau,
    rise_time_s,
    troughs,
)
from measured import known

AT_S = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
"""Zhang's 1-s series of a lossless CUBIC flow, Mbit/s, as far as the reference has it, and two more seconds of it."""
CUBIC = [31.0, 66.0, 81.0, 120.0, 177.0, 219.0, 224.0, 224.0]


def test_a_plateau_is_the_median_of_the_later_half() -> None:
    assert plateau(CUBIC) == (219 + 224) / 2
    assert plateau(CUBIC, after=0.75) == 224
    assert plateau([1.0, float("nan")]) is None
    assert plateau([]) is None


def test_the_time_to_nine_tenths_counts_from_the_start() -> None:
    """90 % of 224 are 201.6, which it has in its sixth second."""
    assert rise_time_s(AT_S, CUBIC, 0, level=224) == 5.5
    assert rise_time_s(AT_S, CUBIC, 0.5, level=224) == 5.0
    assert rise_time_s(AT_S, CUBIC, 0, level=224, share=0.5) == 3.5
    assert rise_time_s(AT_S, CUBIC, 0) == 5.5
    assert rise_time_s(AT_S, CUBIC, 0, level=300) is None
    assert rise_time_s([], [], 0) is None


def test_what_was_before_the_start_does_not_count() -> None:
    assert rise_time_s([0, 1, 2, 3], [10.0, 0.0, 10.0, 10.0], 0.5) == pytest.approx(1.5)


HALF_MINUTE_S = np.arange(0, 30, 0.5)


def test_each_probe_of_a_steady_flow_is_a_trough() -> None:
    rates = np.where(HALF_MINUTE_S % 10 == 5, 3.0, 20.0)
    dips = troughs(HALF_MINUTE_S, rates)
    assert dips == [Trough(5.0, 5.5, 3.0), Trough(15.0, 15.5, 3.0), Trough(25.0, 25.5, 3.0)]
    assert intervals_s(dips) == [10.0, 10.0]


def test_what_is_not_half_as_much_is_no_trough_unless_a_level_is_asked_for() -> None:
    rates = np.where(HALF_MINUTE_S % 10 == 5, 11.0, 20.0)
    assert troughs(HALF_MINUTE_S, rates) == []
    assert len(troughs(HALF_MINUTE_S, rates, below=0.6)) == 3
    assert len(troughs(HALF_MINUTE_S, rates, level=12.0)) == 3


def test_a_trough_has_its_deepest_sample_and_may_touch_the_ends() -> None:
    assert troughs([0, 1, 2, 3, 4], [1.0, 2.0, 9.0, 9.0, 3.0], level=5) == [
        Trough(0.0, 2.0, 1.0),
        Trough(4.0, 4.0, 3.0),
    ]


@pytest.mark.parametrize("values", [[], [float("nan")] * 3])
def test_there_is_no_trough_where_nothing_is_known(values: list[float]) -> None:
    assert troughs(range(len(values)), values) == []
    assert intervals_s([]) == []


BIN_S = 0.5
AT = np.arange(0, 225, BIN_S)


def test_a_square_wave_has_its_period() -> None:
    assert dominant_period_s(np.where(AT % 20 < 10, 70.0, 30.0), BIN_S) == 20


def test_an_unequal_wave_with_common_dips_has_the_longer_period() -> None:
    """As BBR beside CUBIC: much, then little, and a dip of PROBE_RTT each 10 s."""
    rates = np.where(AT % 20.5 < 8, 70.0, 30.0)
    rates[AT % 10.25 < 0.5] = 2
    assert dominant_period_s(rates, BIN_S) == pytest.approx(20.5)


def test_the_published_periods_of_a_sine_under_noise() -> None:
    noise = np.random.default_rng(1).normal(0, 0.5, AT.size)
    for period in (10.5, 20.5, 30.5):
        period_s = dominant_period_s(np.sin(2 * np.pi * AT / period) + noise, BIN_S)
        assert period_s == pytest.approx(period, abs=0.5)


def test_what_has_no_period_has_none() -> None:
    assert dominant_period_s(np.random.default_rng(2).normal(0, 1, AT.size), BIN_S) is None
    assert dominant_period_s(AT, BIN_S) is None
    assert dominant_period_s(np.full(AT.size, 3.0), BIN_S) is None
    assert dominant_period_s([], BIN_S) is None
    assert dominant_period_s([1, 2, 1], BIN_S) is None


def test_how_clear_a_period_must_be() -> None:
    noisy = np.sin(2 * np.pi * AT / 20) + np.random.default_rng(3).normal(0, 0.5, AT.size)
    assert dominant_period_s(noisy, BIN_S, clear=0.2) == pytest.approx(20, abs=1)
    assert dominant_period_s(noisy, BIN_S, clear=0.95) is None


def test_autocorrelation_by_hand() -> None:
    assert known(autocorrelation([1, -1, 1, -1])).tolist() == [1, -0.75, 0.5, -0.25]
    assert autocorrelation([5, 5]) is None
    assert autocorrelation([5]) is None


def test_correlation_by_hand() -> None:
    assert correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert correlation([1, 2, 3], [1, 0, 1]) == pytest.approx(0)
    assert correlation([1, 2, 4], [1, 2, 3]) == pytest.approx(3 / np.sqrt(2 * 14 / 3))
    assert correlation([1, 1], [1, 2]) is None
    assert correlation([1], [2]) is None


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


STEP = flow((0, 0), (20, 10))
BLIP = flow((0, 0), (20, 10), (25, 0), (50, 10))
NEAR_S = -2.5 + 10 / 3
"""Where s of the 5 s around t lie after a step, the rates are 10 and 2 s, and fair is 5 + s: near from s = 10/3 on."""


@pytest.mark.parametrize(
    ("other", "begin_s", "end_s", "expected"),
    [
        (EVEN, 5, 60, 0),  # 2.5 s of each mean still lie before the start: the share is even there too
        (EVEN, 10, 10, None),
        (STEP, 0, 60, 20 + NEAR_S),
        (BLIP, 0, 90, 50 + NEAR_S),
        (BLIP, 0, 60, None),
        (flow((0, 5)), 0, 90, None),
        (flow((0, 6.7)), 0, 90, 0),
    ],
    ids=["even", "no time", "a step", "ten seconds", "less than ten", "never", "nearly"],
)
def test_when_flows_come_within_a_fifth(other: Counter, begin_s: float, end_s: float, expected: float | None) -> None:
    time_s = convergence_time_s([EVEN, other], begin_s, end_s)
    assert time_s == (expected and pytest.approx(expected, abs=0.1))


def test_a_path_on_which_nothing_flows_has_not_converged() -> None:
    assert convergence_time_s([flow((0, 0))], 0, 60) is None


def test_other_definitions_of_convergence_are_asked_for() -> None:
    uneven = flow((0, 7))
    assert convergence_time_s([EVEN, uneven], 0, 60) == 0  # 10 and 7 are 18 % from 8.5
    assert convergence_time_s([EVEN, uneven], 0, 60, within=0.1) is None
    assert convergence_time_s([EVEN, STEP], 0, 60, over_s=1) == pytest.approx(20 - 0.5 + 2 / 3, abs=0.1)
    assert convergence_time_s([EVEN, STEP], 0, 25, over_s=1) is None
    assert convergence_time_s([EVEN, STEP], 0, 25, over_s=1, for_s=3) == pytest.approx(20 - 0.5 + 2 / 3, abs=0.1)
