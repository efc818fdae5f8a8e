from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.metrics.samples import loss_events
from dumbbell.metrics.stationarity import Steadiness, least_trend, present, steadiness
from dumbbell.metrics.window import Window
from measured import SECOND, WINDOW, flow, flow_counters, flow_series, queue

STEP_S = 0.1


def sending(rates: Sequence[float], *, started_s: float = 0, step_s: float = STEP_S) -> FlowMeasurement:
    """A flow that delivers at these rates, bytes a second, in equal parts of 10 s."""
    at_s = np.arange(started_s + step_s, 10 + step_s / 2, step_s)
    edges_s = np.linspace(0, 10, len(rates) + 1)
    total = np.interp(at_s, edges_s, np.concatenate(([0], np.cumsum(np.multiply(rates, np.diff(edges_s))))))
    counts = [round(each) for each in total.tolist()]
    return flow(
        started_s=started_s,
        end=flow_counters(10, delivered_bytes=counts[-1]),
        series=flow_series(at_s.tolist(), delivered_bytes=counts),
    )


@pytest.mark.parametrize(
    ("rates", "first", "second", "trend"),
    [
        ([5_000], 40_000, 40_000, 0),
        ([1, 1, 1_000, 3_000], 8_000, 24_000, 25 / 45),  # five bins are alike, and so are five
        (range(0, 20_000, 1_000), 96_000, 136_000, 1),
        (range(20_000, 0, -1_000), 64_000, 24_000, -1),
    ],
)
def test_halves_and_trend(rates: Sequence[float], first: float, second: float, trend: float) -> None:
    halves = steadiness([sending(rates), sending([0])], WINDOW)
    assert [*halves] == [pytest.approx(first), pytest.approx(second), pytest.approx(trend)]


def test_a_trend_is_seldom_by_chance() -> None:
    """In one of a hundred windows of independent bins; of pairs of windows likewise, at a smaller trend."""
    random = np.random.default_rng(1)
    trends = np.array(
        [steadiness([sending(each)], Window(0, 10 * SECOND))[2] for each in 1e6 * random.random((2000, 10))]
    )
    for runs in (1, 2):
        beyond = np.abs(trends.reshape(-1, runs).mean(axis=1)) > least_trend(runs)
        assert 0.003 < beyond.mean() < 0.018


def test_nothing_is_told_of_samples_that_lie_apart() -> None:
    assert steadiness([sending([5_000], step_s=0.5)], WINDOW) == Steadiness()


@pytest.mark.parametrize(
    ("flows", "changes_s", "expected"),
    [
        ([flow()], [], (5, 10)),
        ([flow(), flow(started_s=5.4)], [], (5.4, 10)),
        ([flow(), flow(started_s=6)], [], None),
        ([flow(), flow(completed_s=8)], [], None),
        ([flow()], [5], (5, 10)),
        ([flow()], [7], None),
    ],
)
def test_the_part_in_which_nothing_comes_or_goes(
    flows: list[FlowMeasurement], changes_s: list[int], expected: tuple[float, float] | None
) -> None:
    part = present(flows, [at * SECOND for at in changes_s], WINDOW)
    assert (part and (part.begin_ns / SECOND, part.end_ns / SECOND)) == expected


@pytest.mark.parametrize(
    ("dropped", "events"),
    [([9, 9, 9, 9, 9], 0), ([0, 1, 2, 3, 3], 1), ([0, 1, 1, 1, 4], 2), ([0, 1, 2, 3, 4], 2)],
)
def test_drops_of_a_round_trip_are_one_event(dropped: list[int], events: int) -> None:
    series = queue(at_s=[5, 6, 7, 8, 9]).series
    series.dropped_packets[:] = dropped
    assert loss_events(series, WINDOW, 2 * SECOND) == events
