from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.cycle import autocorrelation, correlation, dominant_period_s

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
        found = dominant_period_s(np.sin(2 * np.pi * AT / period) + noise, BIN_S)
        assert found == pytest.approx(period, abs=0.5)


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
    found = autocorrelation([1, -1, 1, -1])
    assert found is not None
    assert found.tolist() == [1, -0.75, 0.5, -0.25]
    assert autocorrelation([5, 5]) is None
    assert autocorrelation([5]) is None


def test_correlation_by_hand() -> None:
    assert correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert correlation([1, 2, 3], [1, 0, 1]) == pytest.approx(0)
    assert correlation([1, 2, 4], [1, 2, 3]) == pytest.approx(3 / np.sqrt(2 * 14 / 3))
    assert correlation([1, 1], [1, 2]) is None
    assert correlation([1], [2]) is None
