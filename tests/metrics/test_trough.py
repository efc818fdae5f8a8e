from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.trough import Trough, intervals_s, troughs

AT = np.arange(0, 30, 0.5)


def test_each_probe_of_a_steady_flow_is_a_trough() -> None:
    rates = np.where(AT % 10 == 5, 3.0, 20.0)
    found = troughs(AT, rates)
    assert found == [Trough(5.0, 5.5, 3.0), Trough(15.0, 15.5, 3.0), Trough(25.0, 25.5, 3.0)]
    assert intervals_s(found) == [10.0, 10.0]


def test_what_is_not_half_as_much_is_no_trough_unless_a_level_is_asked_for() -> None:
    rates = np.where(AT % 10 == 5, 11.0, 20.0)
    assert troughs(AT, rates) == []
    assert len(troughs(AT, rates, below=0.6)) == 3
    assert len(troughs(AT, rates, level=12.0)) == 3


def test_a_trough_has_its_deepest_sample_and_may_touch_the_ends() -> None:
    assert troughs([0, 1, 2, 3, 4], [1.0, 2.0, 9.0, 9.0, 3.0], level=5) == [
        Trough(0.0, 2.0, 1.0),
        Trough(4.0, 4.0, 3.0),
    ]


@pytest.mark.parametrize("values", [[], [float("nan")] * 3])
def test_there_is_no_trough_where_nothing_is_known(values: list[float]) -> None:
    assert troughs(range(len(values)), values) == []
    assert intervals_s([]) == []
