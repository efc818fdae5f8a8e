from __future__ import annotations

import pytest

from dumbbell.metrics.merit import decrease, gain, harm, power, standing_queue_bdp


def test_power_is_1_at_kleinrocks_point() -> None:
    assert power(1, 0.025, 0.025) == 1
    assert power(0.9, 0.05, 0.025) == pytest.approx(0.45)
    assert power(0.9, 0, 0.025) is None


def test_harm_is_the_share_that_a_neighbour_took() -> None:
    assert harm(80, 20) == pytest.approx(0.75)
    assert harm(80, 100) == pytest.approx(-0.25)
    assert harm(0.025, 0.1, more_is_better=False) == pytest.approx(0.75)
    assert harm(0, 1) is None


def test_the_standing_queue_of_a_window() -> None:
    at, backlog = [1, 2, 3, 4, 5], [999, 100, 200, 300, 999]
    assert standing_queue_bdp(at, backlog, 200, 1, 4) == pytest.approx((1, 1.45, 1.5))
    assert standing_queue_bdp(at, backlog, 200, 8, 9) is None


def test_gain_and_decrease_are_shares_of_the_others() -> None:
    """Cao et al.: 179.6 and 386.0 Mbit/s are +115 %; 6.7 and 4.6 s are 31 % less."""
    assert gain(386.0, 179.6) == pytest.approx(1.149, abs=1e-3)
    assert gain(66.0, 100.0) == pytest.approx(-0.34)
    assert gain(1.0, 0.0) is None
    assert decrease(4.6, 6.7) == pytest.approx(0.3134, abs=1e-4)
    assert decrease(2.0, 1.0) == -1
    assert decrease(1.0, 0.0) is None
