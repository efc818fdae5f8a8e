"""Bands over conditions, by hand: inside, outside, exactly at the limit, and without data."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agreed import DRAIN_S, failed, measured, result
from dumbbell.comparison.agreement import BANDS, compare_condition, judge, verdicts, worst
from dumbbell.comparison.record import BandVerdict, Condition, Side, Source

SIDE = Side(engine="hand", identity="0", seeds=(1,), measured_on={})
MIXED = ({"cc": "bbr"}, {"cc": "cubic"})


def conditions(errors: Sequence[float], *, loss: float = 0.0, lost: Sequence[float] = ()) -> list[Condition]:
    """Total goodput off by each of these shares of 50 Mbit/s, one condition each; losses of candidates may differ."""
    return [
        compare_condition(
            measured(
                [result({"bbr": 50 * (1 + error)}, loss=lost[index] if lost else loss)],
                [result({"bbr": 50.0}, loss=loss)],
                [result({"bbr": 50.0}, loss=loss)],
                name=f"hand-{index}",
            )
        )
        for index, error in enumerate(errors)
    ]


def band(found: Sequence[Condition], metric: str) -> BandVerdict:
    return next(each for each in verdicts(found) if each.metric == metric)


def test_the_limits_are_those_of_the_design() -> None:
    assert [(each.metric, each.median_limit, each.p90_limit, each.least) for each in BANDS.values()] == [
        ("group_goodput", 0.05, 0.15, None),
        ("total_goodput", 0.01, 0.03, None),
        ("loss", 0.10, 0.30, None),
        ("small_loss", None, 0.002, None),
        ("queueing_delay", 0.05, 0.15, None),
        ("winner", None, None, 0.95),
    ]


@pytest.mark.parametrize(
    ("errors", "group", "total"),
    [
        ([0.0, 0.009, -0.009], True, True),
        ([0.02, 0.02, -0.02], True, False),  # the median of the total is beyond
        ([0.0, 0.0, 0.0, 0.2, 0.2], False, False),  # the medians are within, the 90th percentiles are not
        ([0.06, -0.06, 0.06], False, False),
    ],
)
def test_goodput_bands(errors: list[float], group: bool, total: bool) -> None:  # noqa: FBT001 (expected)
    found = conditions(errors)
    assert (band(found, "group_goodput").holds, band(found, "total_goodput").holds) == (group, total)


def test_a_limit_itself_is_inside() -> None:
    found = band(conditions([0.01, 0.01]), "total_goodput")
    assert (found.measured.median, found.holds) == (0.01, True)


def test_percentiles_are_over_conditions() -> None:
    found = band(conditions([number / 1000 for number in range(11)]), "total_goodput").measured
    assert (found.n, found.median, found.p90) == (11, 0.005, 0.009)


def test_loss_bands() -> None:
    relative = conditions([0.0] * 3, loss=0.02, lost=[0.021, 0.021, 0.021])
    assert (band(relative, "loss").holds, band(relative, "small_loss").holds) == (True, None)
    assert band(conditions([0.0] * 3, loss=0.02, lost=[0.023] * 3), "loss").holds is False
    assert band(conditions([0.0] * 3, loss=0.02, lost=[0.02, 0.02, 0.03]), "loss").holds is False
    small = conditions([0.0] * 3, loss=0.001, lost=[0.0025] * 3)
    assert (band(small, "small_loss").holds, band(small, "loss").holds) == (True, None)
    assert band(conditions([0.0] * 3, loss=0.001, lost=[0.0035] * 3), "small_loss").holds is False


@pytest.mark.parametrize(("off", "holds"), [(0.04, True), (0.06, False)])
def test_the_band_of_queueing_delay(off: float, holds: bool) -> None:  # noqa: FBT001 (expected)
    found = compare_condition(
        measured([result({"bbr": 50.0}, delay_s=(0.5 + off) * DRAIN_S)], [result({"bbr": 50.0}, delay_s=0.5 * DRAIN_S)])
    )
    assert band([found], "queueing_delay").holds is holds


def mixed(candidate: tuple[float, float], *reference: tuple[float, float]) -> Condition:
    own = [result(dict(zip(("bbr", "cubic"), candidate, strict=True)))]
    theirs = [result(dict(zip(("bbr", "cubic"), each, strict=True)), seed=1 + n) for n, each in enumerate(reference)]
    return compare_condition(measured(own, theirs, theirs, flows=MIXED))


def test_the_band_of_winners_leaves_out_where_the_references_seeds_differ() -> None:
    agreed, undecided, wrong = (
        mixed((2, 1), (2, 1), (3, 1)), mixed((1, 2), (2, 1), (1, 2)), mixed((1, 2), (2, 1), (3, 1)),
    )  # fmt: skip
    found = band([agreed] * 19 + [wrong, undecided], "winner")
    assert (found.measured.n, found.measured.share, found.holds) == (20, 0.95, True)
    assert (found.floor.n, found.floor.share) == (20, 1.0)
    assert band([agreed] * 18 + [wrong], "winner").holds is False
    assert band([undecided], "winner").holds is None
    assert band([mixed((1, 1), (2, 1))], "winner").holds is False


def test_the_floor_stands_beside_it() -> None:
    found = band(conditions([0.02, 0.04]), "total_goodput")
    assert (found.measured.median, found.floor.median, found.floor.p90) == (0.03, 0.0, 0.0)
    alone = compare_condition(measured([result({"bbr": 50.0})], [result({"bbr": 50.0})]))
    assert band([alone], "total_goodput").floor.n == 0


def test_the_difference_has_its_sign_and_its_interval() -> None:
    found = band(conditions([-0.01, -0.02, -0.03]), "total_goodput")
    assert found.difference == pytest.approx(-0.02)
    assert found.half_width == pytest.approx(4.3027 * 0.01 / 3**0.5, rel=1e-4)


def test_with_one_condition_the_interval_is_over_its_seeds() -> None:
    own, theirs = (
        [result({"bbr": mbps}, seed=n) for n, mbps in enumerate(side)] for side in ((41, 52, 63), (40, 50, 60))
    )
    found = band([compare_condition(measured(own, theirs))], "total_goodput")
    assert found.measured.n == 1
    assert found.half_width == pytest.approx(4.3027 / 3**0.5 / 50, rel=1e-4)


def test_it_holds_when_nothing_is_broken_failed_or_missing() -> None:
    def holds(found: list[Condition]) -> bool:
        return judge(found, Source(spec="hand"), SIDE, SIDE, ()).holds

    assert holds(conditions([0.0]))
    assert not holds(conditions([0.5]))
    assert not holds([])
    assert not holds([*conditions([0.0]), compare_condition(measured([failed()], [result({"bbr": 1.0})]))])


def test_the_worst_are_ten_by_multiples_of_their_bands_limit() -> None:
    found = worst(conditions([number / 100 for number in range(12)]))
    assert [each.condition for each in found] == [f"hand-{number}" for number in range(11, 1, -1)]
    assert found[0].metric == "total_goodput"
    assert found[0].limits == pytest.approx(0.11 / 0.03, rel=1e-5)
    assert worst(conditions([0.0])) == ()
