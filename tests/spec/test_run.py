"""What a line of a run carries in the course of time: at steps of its rate, in outages, and by recorded deliveries."""

from __future__ import annotations

import math

import pytest

from dumbbell.spec.line import CLEAR, Change, GilbertElliott, Impairments
from dumbbell.spec.path import Hop
from dumbbell.spec.queue import Room
from dumbbell.units import NS_PER_S

MS = NS_PER_S // 1000
FRAME_BITS = 8 * 1514
DELIVERIES = "deliveries\n0\n1\n1\n4\n"


def line(*rates: tuple[int, int], trace: str | None = None, loss_ppb: int = 0, impairments: Impairments = CLEAR) -> Hop:
    """Of 10 bit/s, and at seconds of other rates."""
    changes = tuple(Change(at_ns=at_s * NS_PER_S, rate_bps=rate_bps) for at_s, rate_bps in rates)
    return Hop(
        name="line", rate_bps=10, buffer=Room(bytes=1), burst_bytes=1, changes=changes, trace=trace, loss_ppb=loss_ppb,
        impairments=impairments,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rates", "bits"),
    [
        ([], 50),
        ([(7, 20)], 20 + 60),
        ([(2, 30)], 150),
        ([(2, 30), (6, 0), (9, 100)], 30 + 0 + 100),
        ([(10, 30)], 50),
        ([(12, 30)], 50),
        ([(1, 0)], 0),
    ],
    ids=["no change", "in the window", "before it", "an outage", "at its end", "after it", "out"],
)
def test_capacity_is_each_rates_for_its_time(rates: list[tuple[int, int]], bits: float) -> None:
    assert line(*rates).capacity_bits(5 * NS_PER_S, 10 * NS_PER_S, 1500) == bits
    by_rows = "".join(f"{at_s * NS_PER_S},{rate_bps},,\n" for at_s, rate_bps in rates)
    assert line(trace=f"0,10,,\n{by_rows}").capacity_bits(5 * NS_PER_S, 10 * NS_PER_S, 1500) == bits


@pytest.mark.parametrize("each", [line(), line((4, 0), (6, 20)), line((0, 7), (9, 3)), line(trace=DELIVERIES)])
@pytest.mark.parametrize("end_s", [0.0055, 5, 12])
def test_what_it_carries_in_time_ends_with_its_capacity(each: Hop, end_s: float) -> None:
    at = each.capacity_in_time(end_s * NS_PER_S, 1500)
    assert at == sorted(at)
    assert at[0] == (0, 0)
    carried = dict(at)
    assert {at_ns: bits - carried[0] for at_ns, bits in carried.items()} == {
        at_ns: each.capacity_bits(0, at_ns, 1500) for at_ns in carried
    }


def test_an_empty_window_carries_nothing() -> None:
    for each in (line((4, 20)), line(trace=DELIVERIES)):
        assert each.capacity_bits(5 * NS_PER_S, 4 * NS_PER_S, 1500) == 0


@pytest.mark.parametrize(
    ("begin_ms", "end_ms", "frames"),
    [(0, 0.5, 0), (0, 1, 2), (0.5, 4, 4), (0, 4, 4), (3, 4, 2), (4, 5, 2), (0, 4000, 4000), (1.5, 4001.5, 4000)],
)
def test_each_delivery_is_a_frame_and_after_the_last_all_come_again(
    begin_ms: float, end_ms: float, frames: int
) -> None:
    """The last of one repetition and the first of the next, at 0, are at one instant."""
    recorded = line(trace=DELIVERIES)
    assert recorded.capacity_bits(begin_ms * MS, end_ms * MS, 1500) == frames * FRAME_BITS


def test_what_waits_leaves_at_the_rates_that_follow() -> None:
    def at_s(line: Hop, bits: float, begin_s: float) -> float:
        return line.carried_at_ns(bits, begin_s * NS_PER_S, 1500) / NS_PER_S

    assert at_s(line(), 50, 5) == pytest.approx(10)
    assert at_s(line((6, 0), (9, 20)), 50, 5) == pytest.approx(9 + 40 / 20)
    assert at_s(line((1, 0), (9, 20)), 0, 5) == 5
    assert math.isinf(at_s(line((6, 0)), 50, 5))


def test_what_waits_before_recorded_deliveries_takes_one_for_each_frame() -> None:
    recorded = line(trace=DELIVERIES)
    times_ms = [recorded.carried_at_ns(frames * FRAME_BITS, 0.5 * MS, 1500) / MS for frames in (1, 2, 3, 4, 5, 6)]
    assert times_ms == [1, 1, 4, 4, 5, 5]
    for frames, at_ms in enumerate(times_ms, start=1):
        assert recorded.capacity_bits(0.5 * MS, at_ms * MS, 1500) >= frames * FRAME_BITS


def test_what_loses_at_random() -> None:
    bursts = Impairments(burst_loss=GilbertElliott(to_bad_ppb=1, to_good_ppb=1, good_loss_ppb=0, bad_loss_ppb=1))
    assert not line().loses_at_random
    assert line(loss_ppb=5).loses_at_random
    assert line(trace="0,10,,7\n").loses_at_random
    assert line(impairments=bursts).loses_at_random
    assert not line(impairments=Impairments(corrupt_ppb=9)).loses_at_random
