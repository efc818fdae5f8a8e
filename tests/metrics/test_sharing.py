from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.metrics.sharing import decrease, gain, harm, jain, power, shares, winner
from measured import known


@pytest.mark.parametrize(
    ("rates", "index"),
    [([5.0], 1), ([2.0, 2.0, 2.0], 1), ([1.0, 0.0, 0.0, 0.0], 0.25), ([3.0, 1.0], 0.8), ([], None), ([0.0, 0.0], None)],
)
def test_jain(rates: list[float], index: float | None) -> None:
    assert jain(rates) == (None if index is None else pytest.approx(index))


@given(st.lists(st.floats(1, 1e12), min_size=1, max_size=50))
def test_jain_lies_between_one_flow_has_all_and_all_are_equal(rates: list[float]) -> None:
    assert 1 / len(rates) - 1e-9 <= known(jain(rates)) <= 1 + 1e-9


def test_shares_add_up_to_one_but_of_nothing() -> None:
    assert shares({"bbr": 3, "cubic": 1}) == {"bbr": 0.75, "cubic": 0.25}
    assert shares({"bbr": 0, "cubic": 0}) == {"bbr": None, "cubic": None}


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


def test_power_is_1_at_kleinrocks_point() -> None:
    assert power(1, 0.025, 0.025) == 1
    assert power(0.9, 0.05, 0.025) == pytest.approx(0.45)
    assert power(0.9, 0, 0.025) is None


def test_a_tie_has_no_winner() -> None:
    assert winner({"a": 1.0, "b": 2.0}) == "b"
    assert winner({"a": 2.0, "b": 2.0, "c": 1.0}) is None
    assert winner({"a": 2.0, "b": 2.0, "c": 3.0}) == "c"
    assert winner({"a": 0.0, "b": 0.0}) is None
    assert winner({}) is None
