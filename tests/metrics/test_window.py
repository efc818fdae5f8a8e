from __future__ import annotations

import numpy as np
import pytest

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.metrics.window import Activity, Window, ratio
from measured import SECOND, WINDOW, flow, flow_counters


def test_a_window_has_its_last_instant_and_not_its_first() -> None:
    at_ns = np.array([4, 5, 6, 10, 11], dtype=np.uint64) * np.uint64(SECOND)
    assert WINDOW.holds(at_ns).tolist() == [False, False, True, True, False]
    assert WINDOW.seconds == 5


def test_an_empty_window_has_no_length() -> None:
    assert Window(5 * SECOND, 4 * SECOND).seconds == 0


def test_counters_advance_field_by_field() -> None:
    counted = WINDOW.advance(flow_counters(5, segments_sent=10, acks=4), flow_counters(10, segments_sent=25, acks=5))
    assert (counted.at_ns, counted.segments_sent, counted.acks, counted.undos) == (5 * SECOND, 15, 1, 0)


@pytest.mark.parametrize(
    ("present", "span_s", "rate_bps"),
    [
        (
            flow(begin=flow_counters(5, delivered_bytes=1_000), end=flow_counters(10, delivered_bytes=6_000)),
            (5, 10),
            8e3,
        ),
        (flow(started_s=8, end=flow_counters(10, delivered_bytes=6_000)), (8, 10), 24e3),
        # What is still in flight when it stops arrives later, and is not counted.
        (
            flow(
                begin=flow_counters(5, delivered_bytes=1_000),
                end=flow_counters(10, delivered_bytes=3_500),
                at_end=flow_counters(7, delivered_bytes=3_000),
            ),
            (5, 7),
            8e3,
        ),
    ],
    ids=["all the time", "from its start", "to its stop"],
)
def test_a_flow_is_measured_while_it_is_there(
    present: FlowMeasurement, span_s: tuple[int, int], rate_bps: float
) -> None:
    activity = Activity.within(WINDOW, present)
    assert activity.window == Window(*(each * SECOND for each in span_s))
    assert activity.rate_bps(activity.counted.delivered_bytes) == rate_bps


def test_a_transfer_is_measured_to_its_last_byte() -> None:
    done = flow(completed_s=6, end=flow_counters(10, delivered_bytes=1_000))
    assert Activity.within(WINDOW, done).rate_bps(1_000) == 8_000
    assert Activity.lifetime(done).window == Window(0, 6 * SECOND)


@pytest.mark.parametrize(
    "absent",
    [
        flow(started_s=10, end=flow_counters(10)),
        flow(
            begin=flow_counters(5, delivered_bytes=900),
            end=flow_counters(10, delivered_bytes=900),
            at_end=flow_counters(4, delivered_bytes=800),
        ),
    ],
    ids=["starts at the window's end", "stops before the window"],
)
def test_a_flow_that_was_never_there_has_no_rate(absent: FlowMeasurement) -> None:
    activity = Activity.within(WINDOW, absent)
    assert activity.window.seconds == 0
    assert activity.counted.delivered_bytes == 0
    assert activity.rate_bps(activity.counted.delivered_bytes) is None


def test_a_part_of_nothing_is_undefined() -> None:
    assert ratio(3, 4) == 0.75
    assert ratio(0, 0) is None
