from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.dip import Dip, dips, intervals_s

AT = np.arange(0, 30, 0.5)


def test_each_probe_of_a_steady_flow_is_a_dip() -> None:
    rates = np.where(AT % 10 == 5, 3.0, 20.0)
    found = dips(AT, rates)
    assert found == [Dip(5.0, 5.5, 3.0), Dip(15.0, 15.5, 3.0), Dip(25.0, 25.5, 3.0)]
    assert intervals_s(found) == [10.0, 10.0]


def test_what_is_not_half_as_much_is_no_dip_unless_a_level_is_asked_for() -> None:
    rates = np.where(AT % 10 == 5, 11.0, 20.0)
    assert dips(AT, rates) == []
    assert len(dips(AT, rates, below=0.6)) == 3
    assert len(dips(AT, rates, level=12.0)) == 3


def test_a_dip_has_its_deepest_sample_and_may_touch_the_ends() -> None:
    assert dips([0, 1, 2, 3, 4], [1.0, 2.0, 9.0, 9.0, 3.0], level=5) == [Dip(0.0, 2.0, 1.0), Dip(4.0, 4.0, 3.0)]


@pytest.mark.parametrize("values", [[], [float("nan")] * 3])
def test_nothing_dips_where_nothing_is_known(values: list[float]) -> None:
    assert dips(range(len(values)), values) == []
    assert intervals_s([]) == []
