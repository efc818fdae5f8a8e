from __future__ import annotations

import math

import numpy as np
import pytest

from dumbbell.metrics.counter import Counter
from dumbbell.metrics.starvation import Starvation, starvation, time_below

ALWAYS = (0.0, 10.0)


def steady(*rates_bps: float) -> Counter:
    """A rate a second."""
    return Counter.of(range(len(rates_bps) + 1), np.concatenate(([0], np.cumsum(rates_bps))) / 8)


FULL = steady(*[100.0] * 10)


def test_time_below_a_rate_in_all_and_at_a_stretch() -> None:
    assert time_below([5, 0, 0, 5, 0], 1, 0.5) == Starvation(1.5, 1.0)
    assert time_below([0, 0], [1, 0], 1) == Starvation(1, 1)
    assert time_below([math.nan, 1], 1, 1) == Starvation(0, 0)
    assert time_below([], 1, 1) == Starvation(0, 0)


def test_who_has_less_than_a_twentieth_of_the_fair_share_starves() -> None:
    """2.5 of 102.5 is 2.4 %: of the fair share of a half, 4.9 %. 2.6 is 5.07 %."""
    poor = steady(100, 2.5, 2.5, 2.6, 2.5, 100, 100, 100, 100, 100)
    assert starvation([FULL, poor], [ALWAYS] * 2, [math.inf] * 2, 0, 10) == [Starvation(0, 0), Starvation(3, 2)]
    assert starvation([FULL, poor], [ALWAYS] * 2, [math.inf] * 2, 4, 10)[1] == Starvation(1, 1)


def test_seconds_in_which_a_flow_is_alone_or_away_do_not_count() -> None:
    late = steady(0, 0, 0, 0, 0, 100, 0, 0, 0, 0)
    starvations = starvation([FULL, late], [ALWAYS, (4.5, 8.0)], [math.inf] * 2, 0, 10)
    assert starvations == [Starvation(0, 0), Starvation(2, 2)]
    assert starvation([FULL, late], [ALWAYS, (4.5, 5.5)], [math.inf] * 2, 0, 10) == [None, None]
    assert starvation([FULL], [ALWAYS], [math.inf], 0, 10) == [None]


@pytest.mark.parametrize(
    ("demand_bps", "expected"), [(4.0, Starvation(0, 0)), (40.0, Starvation(10, 10)), (None, None)]
)
def test_nobody_starves_who_asks_for_no_more(demand_bps: float | None, expected: Starvation | None) -> None:
    slow = steady(*[1.0] * 10)
    assert starvation([FULL, slow], [ALWAYS] * 2, [math.inf, demand_bps], 0, 10)[1] == expected


def test_where_nothing_flows_nobody_starves() -> None:
    nothing = steady(*[0.0] * 10)
    assert starvation([nothing] * 2, [ALWAYS] * 2, [math.inf] * 2, 0, 10) == [Starvation(0, 0)] * 2
