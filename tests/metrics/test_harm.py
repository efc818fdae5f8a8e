from __future__ import annotations

import pytest

from dumbbell.metrics.harm import decrease, gain, harm


def test_harm_is_the_share_that_a_neighbour_took() -> None:
    assert harm(80, 20) == pytest.approx(0.75)
    assert harm(80, 100) == pytest.approx(-0.25)
    assert harm(0.025, 0.1, more_is_better=False) == pytest.approx(0.75)
    assert harm(0, 1) is None


def test_gain_and_decrease_are_shares_of_the_others() -> None:
    """Cao et al.: 179.6 and 386.0 Mbit/s are +115 %; 6.7 and 4.6 s are 31 % less."""
    assert gain(386.0, 179.6) == pytest.approx(1.149, abs=1e-3)
    assert gain(66.0, 100.0) == pytest.approx(-0.34)
    assert gain(1.0, 0.0) is None
    assert decrease(4.6, 6.7) == pytest.approx(0.3134, abs=1e-4)
    assert decrease(2.0, 1.0) == -1
    assert decrease(1.0, 0.0) is None
