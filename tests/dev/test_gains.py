"""Two algorithms at the same points: by how much one is ahead, whether trials decide it, and whether engines agree."""

from __future__ import annotations

import math

import pytest

from dev.validation.gains import gains, right_of_decided
from dumbbell.comparison.record import Group, Side
from dumbbell.hosts.record import HostPoint, HostRecord


def point(rate: int, measured: float, sd: float | None, *values: float, **also: object) -> HostPoint:
    """Five trials, with what an engine `sim` has."""
    facts = {
        "line": 2, "at": {"path.rate": f"{rate} Mbit/s"}, "setting": {}, "notes": {}, "rate_bps": rate * 1_000_000,
        "rtt_s": 0.04, "buffer_bdp": 1.0, "groups": (Group(name="flow", cc="bbr", flows=1),),
        "quantity": "goodput", "group": "flow", "of_rate": False, "measured": measured, "sd": sd, "trials": 5,
        "starves_below": None, "values": {"sim": values},
    }  # fmt: skip
    return HostPoint(**(facts | also))  # type: ignore[arg-type]


def record(*points: HostPoint) -> HostRecord:
    side = Side(engine="sim", identity="abc", seeds=(1,), measured_on={})
    return HostRecord(
        versions={}, title="t", file="t.csv", head=(), sides=(side,), settings={}, points=points, failures=()
    )


def test_a_gain_is_one_number_over_the_other_with_welchs_interval() -> None:
    (gain,) = gains(record(point(10, 110.0, 2.2, 120.0)), record(point(10, 100.0, 2.0, 100.0)))
    assert gain.measured == pytest.approx(0.1)
    half = 2.306 * math.hypot(0.02, 0.02) / math.sqrt(5)  # Student's t of 8 degrees: both deviate by 2 %
    assert gain.interval == pytest.approx((1.1 * math.exp(-half) - 1, 1.1 * math.exp(half) - 1), rel=1e-3)
    assert gain.of("sim") == pytest.approx(0.2)
    assert gain.right("sim")


@pytest.mark.parametrize(
    ("measured", "sd", "decided"),
    [(110.0, 1.0, True), (110.0, 15.0, False), (101.9, 0.0, False), (97.9, 0.0, True), (110.0, None, True)],
)
def test_it_is_decided_by_two_percent_and_by_the_trials(measured: float, sd: float | None, decided: bool) -> None:  # noqa: FBT001
    (gain,) = gains(record(point(10, measured, sd)), record(point(10, 100.0, sd)))
    assert gain.decided is decided
    assert (gain.interval is None) is (sd is None)


def test_engines_are_counted_at_points_that_are_decided_and_that_they_have() -> None:
    first = [point(10, 110.0, 0.1, 90.0), point(20, 110.0, 0.1, 130.0), point(30, 100.5, 0.1, 90.0)]
    others = [point(30, 100.0, 0.1, 99.0), point(20, 100.0, 0.1, 100.0), point(10, 100.0, 0.1, 100.0)]
    all_gains = gains(
        record(*first, point(40, 110.0, 0.1), point(50, 1.0, 0.1)), record(*others, point(40, 100.0, 0.1))
    )
    assert [each.point.rate_bps // 1_000_000 for each in all_gains] == [10, 20, 30, 40], "where both were measured"
    assert right_of_decided(all_gains, "sim") == (1, 2)
    assert right_of_decided(all_gains, "linux") == (0, 0)


def test_each_setting_of_the_first_is_held_against_the_other() -> None:
    settings = [{"flows[0].cc": "bbr"}, {"flows[0].cc": "bbr_4_17"}]
    first = [point(10, 110.0, 0.1, value, setting=each) for value, each in zip((120.0, 90.0), settings, strict=True)]
    all_gains = gains(record(*first), record(point(10, 100.0, 0.1, 100.0)))
    assert [each.right("sim") for each in all_gains] == [True, False]
