from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.metrics.fairness import jain, shares


@pytest.mark.parametrize(
    ("rates", "index"),
    [([5.0], 1), ([2.0, 2.0, 2.0], 1), ([1.0, 0.0, 0.0, 0.0], 0.25), ([3.0, 1.0], 0.8), ([], None), ([0.0, 0.0], None)],
)
def test_jain(rates: list[float], index: float | None) -> None:
    assert jain(rates) == (None if index is None else pytest.approx(index))


@given(st.lists(st.floats(1, 1e12), min_size=1, max_size=50))
def test_jain_lies_between_one_flow_has_all_and_all_are_equal(rates: list[float]) -> None:
    index = jain(rates)
    assert index is not None
    assert 1 / len(rates) - 1e-9 <= index <= 1 + 1e-9


def test_shares_add_up_to_one() -> None:
    assert shares({"bbr": 3, "cubic": 1}) == {"bbr": 0.75, "cubic": 0.25}


def test_there_is_no_share_of_nothing() -> None:
    assert shares({"bbr": 0, "cubic": 0}) == {"bbr": None, "cubic": None}
