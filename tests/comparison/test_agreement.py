"""Conditions and bands by hand: what is excused, what an error is relative to, who wins, and what holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from agreed import DRAIN_S, condition_of, failed, result
from dumbbell.comparison import agreement_text
from dumbbell.comparison.agreement import BANDS, judge, verdicts, worst
from dumbbell.comparison.record import BandVerdict, Condition, Difference, RunFailure, Side, Source
from dumbbell.metrics.statistics import estimate
from dumbbell.results.schema import Result

SIDE = Side(engine="hand", identity="0", seeds=(1,), measured_on={})
MIXED = ({"cc": "bbr"}, {"cc": "cubic"})


def runs(*goodputs_mbps: float, loss: float = 0.0, delay_s: float = 0.0) -> list[Result]:
    return [
        result({"bbr": mbps}, seed=seed, loss=loss, delay_s=delay_s) for seed, mbps in enumerate(goodputs_mbps, start=1)
    ]


def mixed_runs(*goodputs_mbps: tuple[float, float]) -> list[Result]:
    return [result({"bbr": bbr, "cubic": cubic}, seed=seed) for seed, (bbr, cubic) in enumerate(goodputs_mbps, start=1)]


def mixed(
    candidate: Sequence[tuple[float, float]], reference: Sequence[tuple[float, float]], *, floor: bool = False
) -> Condition:
    own, others = mixed_runs(*candidate), mixed_runs(*reference)
    return condition_of(own, others, others if floor else (), flows=MIXED)


def of(condition: Condition, metric: str, group: str | None = None) -> Difference:
    (difference,) = [each for each in condition.differences if (each.metric, each.group) == (metric, group)]
    return difference


def total(candidate: list[Result], reference: list[Result], floor: Sequence[Result] = ()) -> Difference:
    return of(condition_of(candidate, reference, floor), "total_goodput")


def test_medians_are_compared_not_means() -> None:
    difference = total(runs(10, 50, 90), runs(40, 40, 1000))
    assert (difference.candidate, difference.reference, difference.difference) == (50e6, 40e6, 0.25)


@pytest.mark.parametrize(
    ("candidate", "reference", "excused_bps", "difference", "error"),
    [
        ((44, 44, 44), (30, 40, 50), 5e6, 0.1, 0.0),  # quartiles of 30, 40, 50 are 35 and 45: 5 are excused
        ((32, 32, 32), (30, 40, 50), 5e6, -0.2, 3 / 40),
        ((10, 44, 90), (40, 40, 40), 0.0, 0.1, 0.1),  # the candidate's own spread excuses nothing
        ((1,), (0,), 0.0, 0.2, 0.2),  # of nothing: 5 % of the rate, which is 100 Mbit/s
    ],
)
def test_half_the_references_interquartile_range_is_excused(
    candidate: Sequence[float], reference: Sequence[float], excused_bps: float, difference: float, error: float
) -> None:
    total_difference = total(runs(*candidate), runs(*reference))
    assert (total_difference.excused, total_difference.difference) == (excused_bps, difference)
    assert total_difference.error == pytest.approx(error, rel=1e-5)


def test_a_groups_goodput_is_relative_to_five_percent_of_the_rate_where_the_reference_has_less() -> None:
    """5 % of 100 Mbit/s is 5 Mbit/s: a starved group that gets 1 instead of 2 Mbit/s is 20 % off, not 50 %."""
    condition = mixed([(90, 1)] * 3, [(90, 2)] * 3)
    starved, other = of(condition, "group_goodput", "cubic"), of(condition, "group_goodput", "bbr")
    assert (starved.scale, starved.error, other.scale, other.error) == (5e6, 0.2, 90e6, 0.0)
    assert of(condition, "total_goodput").error == pytest.approx(1 / 92, rel=1e-5)


@pytest.mark.parametrize(
    ("reference", "candidate", "metric", "error"),
    [
        (0.02, 0.022, "loss", 0.1),
        (0.0051, 0.0102, "loss", 1.0),
        (0.005, 0.007, "small_loss", 0.002),
        (0.0, 0.001, "small_loss", 0.001),
    ],
)
def test_loss_is_relative_where_there_is_enough_of_it_and_in_points_elsewhere(
    reference: float, candidate: float, metric: str, error: float
) -> None:
    condition = condition_of(runs(50, loss=candidate), runs(50, loss=reference))
    assert of(condition, metric).error == pytest.approx(error)
    assert {each.metric for each in condition.differences} & {"loss", "small_loss"} == {metric}


@pytest.mark.parametrize(
    ("reference", "candidate", "metric", "error"),
    [(0.02, 0.022, "marks", 0.1), (0.005, 0.007, "small_marks", 0.002), (0.0, 0.001, "small_marks", 0.001)],
)
def test_marks_are_compared_as_losses_are_where_there_are_some(
    reference: float, candidate: float, metric: str, error: float
) -> None:
    def marked(share: float | None) -> list[Result]:
        return [result({"bbr": 50.0}, marks=share)]

    condition = condition_of(marked(candidate), marked(reference))
    assert of(condition, metric).error == pytest.approx(error)
    worst = agreement_text.worst_table(judge([condition], Source(), SIDE, SIDE, ()))
    assert "queue marks" in str(worst.rows)
    for none in (None, 0.0):
        assert not any("marks" in each.metric for each in condition_of(marked(none), marked(none)).differences)


def test_queueing_delay_is_a_share_of_the_buffers_drain_time() -> None:
    condition = condition_of(runs(50, delay_s=DRAIN_S), runs(50, delay_s=DRAIN_S / 4))
    delay = of(condition, "queueing_delay")
    assert (delay.candidate, delay.reference, delay.error) == (1.0, 0.25, 0.75)
    silent = [result({"bbr": 50.0}, delay_s=None, loss=None)]
    condition = condition_of(silent, runs(50))
    assert {each.metric for each in condition.differences} == {"group_goodput", "total_goodput"}
    assert condition.candidate[0].queueing_delay is None


def test_the_floor_is_held_against_the_same_medians_and_excused_the_same() -> None:
    difference = total(runs(40, 40, 40), runs(30, 40, 50), runs(47, 47))
    assert (difference.floor, difference.error) == (47e6, 0.0)
    assert difference.floor_error == pytest.approx(2 / 40)
    assert total(runs(40), runs(40)).floor_error is None


def test_the_interval_is_of_paired_differences() -> None:
    """Differences of 1, 2 and 3: mean 2, standard deviation 1, t = 4.303 with 2 degrees of freedom."""
    assert total(runs(41, 52, 63), runs(40, 50, 60)).half_width == pytest.approx(4.3027 / 3**0.5 / 50, rel=1e-4)
    assert total(runs(41, 41), runs(40, 40)).half_width is None


def test_a_seed_without_a_number_leaves_the_pairs_of_the_others() -> None:
    """Queueing delays of seed 1 and 3 in drain times: 1 above and 3 above. Seed 2 has none, on one side only."""
    shares: Sequence[tuple[float | None, float]] = [(3, 2), (None, 5), (9, 6)]
    own, others = (
        [
            result({"bbr": 50.0}, seed=seed, delay_s=None if share is None else share * DRAIN_S)
            for seed, share in enumerate(side, start=1)
        ]
        for side in zip(*shares, strict=True)
    )
    expected = estimate([1.0, 3.0]).half_width
    for pair in ((own, others), (others, own)):
        delay = of(condition_of(*pair), "queueing_delay")
        assert delay.half_width == pytest.approx(expected, rel=1e-5)
    delay = of(condition_of([own[1], own[0]], [others[1], own[1]]), "queueing_delay")
    assert delay.half_width is None


@pytest.mark.parametrize(
    ("candidate", "reference", "winners"),
    [
        ([(10, 40), (60, 40), (10, 20)], [(9, 10), (1, 2)], ("cubic", "cubic")),
        ([(50, 40)], [(9, 10), (10, 9)], (None, "bbr")),
        ([(50, 40)], [(9, 10), (10, 10)], (None, "bbr")),
        ([(50, 50)], [(9, 10)], ("cubic", None)),
    ],
)
def test_the_winner_counts_where_all_seeds_of_the_reference_have_it(
    candidate: list[tuple[float, float]], reference: list[tuple[float, float]], winners: tuple[str | None, str | None]
) -> None:
    winner = mixed(candidate, reference).winner
    assert winner is not None
    assert (winner.reference, winner.candidate, winner.floor) == (*winners, None)


def test_the_winner_is_by_goodput_a_flow_and_of_several_algorithms() -> None:
    three = [result({"bbr": 60.0, "cubic": 30.0}, counts={"bbr": 3})]
    winner = condition_of(three, three, flows=({"cc": "bbr", "count": 3}, {"cc": "cubic"})).winner
    assert winner is not None
    assert winner.reference == "cubic"
    alike = [result({"a": 60.0, "b": 30.0}, ccs={"a": "bbr", "b": "bbr"})]
    flows = ({"cc": "bbr", "name": "a"}, {"cc": "bbr", "name": "b"})
    assert condition_of(alike, alike, flows=flows).winner is None


def test_a_condition_with_a_failed_run_is_not_compared_and_says_why() -> None:
    condition = condition_of([failed(2), *runs(50)], runs(50), [failed(seed) for seed in range(3, 9)])
    assert condition.differences == ()
    assert condition.failures == tuple(RunFailure(engine="hand", seed=seed, error="a bug") for seed in range(2, 9))


def test_failures_of_one_engine_hide_none_of_the_other() -> None:
    other = [failed(1).model_copy(update={"engine": "other"})]
    condition = condition_of([failed(seed) for seed in range(1, 6)], other)
    agreement = judge([condition], Source(spec="hand"), SIDE, SIDE, ())
    of_hand = [f"{condition.name}: hand, seed {seed}: a bug" for seed in (1, 2, 3)]
    of_hand.append(f"{condition.name}: and 2 more runs of hand failed")
    of_other = [f"{condition.name}: other, seed 1: a bug"]
    assert list(agreement_text.failures(agreement.conditions)) == [*of_hand, *of_other]
    assert list(agreement_text.failures(agreement.conditions, "other")) == of_other


def test_the_setting_is_in_base_units() -> None:
    condition = condition_of(runs(50), runs(50))
    assert (condition.rate_bps, condition.rtt_s, condition.buffer_bytes, condition.buffer_bdp) == (
        100_000_000, 0.02, 250_000, 1.0,
    )  # fmt: skip
    assert [(group.name, group.cc, group.flows) for group in condition.groups] == [("bbr", "bbr", 1)]


def conditions(errors: Sequence[float], *, loss: float = 0.0, lost: Sequence[float] = ()) -> list[Condition]:
    """Total goodput off by each of these shares of 50 Mbit/s, one condition each; losses of candidates may differ."""
    reference = runs(50, loss=loss)
    return [
        condition_of(
            runs(50 * (1 + error), loss=lost[index] if lost else loss), reference, reference, name=f"hand-{index}"
        )
        for index, error in enumerate(errors)
    ]


def band(compared: Sequence[Condition], metric: str) -> BandVerdict:
    return next(each for each in verdicts(compared) if each.metric == metric)


def test_the_limits_are_those_of_the_design() -> None:
    assert [(each.metric, each.median_limit, each.p90_limit, each.least) for each in BANDS.values()] == [
        ("group_goodput", 0.05, 0.15, None),
        ("total_goodput", 0.01, 0.03, None),
        ("loss", 0.10, 0.30, None),
        ("small_loss", None, 0.002, None),
        ("marks", 0.10, 0.30, None),
        ("small_marks", None, 0.002, None),
        ("queueing_delay", 0.05, 0.15, None),
        ("managed_delay", 0.05, 0.15, None),
        ("completion", 0.02, 0.10, None),
        ("late_completion", 0.10, 0.20, None),
        ("winner", None, None, 0.95),
    ]


@pytest.mark.parametrize(
    ("median_s", "late_s", "expected"),
    [(0.1015, 0.43, (True, True)), (0.103, 0.43, (False, True)), (0.0985, 0.45, (True, False)), (0.1, None, (True,))],
)
def test_completion_times_are_spoken_of_where_transfers_are_compared(
    median_s: float, late_s: float | None, expected: tuple[bool, ...]
) -> None:
    def timed(p50_s: float | None, p95_s: float | None) -> list[Result]:
        (one,) = runs(50)
        flows = tuple(replace(flow, transfers=9, fct_p50_s=p50_s, fct_p95_s=p95_s) for flow in one.flows)
        return [one.model_copy(update={"flows": flows})]

    bands = verdicts([condition_of(timed(median_s, late_s), timed(0.1, 0.4))])
    assert tuple(each.holds for each in bands if each.metric.endswith("completion")) == expected
    without = verdicts([condition_of(timed(None, None), timed(None, None))])
    assert not any(each.metric.endswith("completion") for each in without)


@pytest.mark.parametrize(
    ("compared", "expected"),
    [
        (conditions([0.0, 0.009, -0.009]), {"group_goodput": True, "total_goodput": True}),
        (conditions([0.01, 0.01]), {"total_goodput": True}),  # a limit itself is inside
        (conditions([0.02, 0.02, -0.02]), {"group_goodput": True, "total_goodput": False}),
        (conditions([0.0, 0.0, 0.0, 0.2, 0.2]), {"group_goodput": False, "total_goodput": False}),  # the 90th only
        (conditions([0.06, -0.06, 0.06]), {"group_goodput": False, "total_goodput": False}),
        (conditions([0.0] * 3, loss=0.02, lost=[0.021] * 3), {"loss": True, "small_loss": None}),
        (conditions([0.0] * 3, loss=0.02, lost=[0.023] * 3), {"loss": False}),
        (conditions([0.0] * 3, loss=0.02, lost=[0.02, 0.02, 0.03]), {"loss": False}),
        (conditions([0.0] * 3, loss=0.001, lost=[0.0025] * 3), {"loss": None, "small_loss": True}),
        (conditions([0.0] * 3, loss=0.001, lost=[0.0035] * 3), {"small_loss": False}),
        ([condition_of(runs(50, delay_s=0.54 * DRAIN_S), runs(50, delay_s=0.5 * DRAIN_S))],
         {"queueing_delay": True}),
        ([condition_of(runs(50, delay_s=0.56 * DRAIN_S), runs(50, delay_s=0.5 * DRAIN_S))],
         {"queueing_delay": False}),
    ],
)  # fmt: skip
def test_a_band_holds_within_both_of_its_limits(compared: list[Condition], expected: dict[str, bool | None]) -> None:
    assert {metric: band(compared, metric).holds for metric in expected} == expected


def test_percentiles_are_over_conditions() -> None:
    spread = band(conditions([number / 1000 for number in range(11)]), "total_goodput").measured
    assert (spread.n, spread.median, spread.p90) == (11, 0.005, 0.009)


def test_the_band_of_winners_leaves_out_where_the_references_seeds_differ() -> None:
    agreed, wrong = (mixed([one], [(2, 1), (3, 1)], floor=True) for one in ((2, 1), (1, 2)))
    undecided = mixed([(1, 2)], [(2, 1), (1, 2)], floor=True)
    verdict = band([agreed] * 19 + [wrong, undecided], "winner")
    assert (verdict.measured.n, verdict.measured.share, verdict.holds) == (20, 0.95, True)
    assert (verdict.floor.n, verdict.floor.share) == (20, 1.0)
    assert band([agreed] * 18 + [wrong], "winner").holds is False
    assert band([undecided], "winner").holds is None
    assert band([mixed([(1, 1)], [(2, 1)])], "winner").holds is False


def test_the_floor_stands_beside_it() -> None:
    verdict = band(conditions([0.02, 0.04]), "total_goodput")
    assert (verdict.measured.median, verdict.floor.median, verdict.floor.p90) == (0.03, 0.0, 0.0)
    assert band([condition_of(runs(50), runs(50))], "total_goodput").floor.n == 0


def test_the_difference_has_its_sign_and_its_interval_over_conditions_or_over_the_seeds_of_one() -> None:
    verdict = band(conditions([-0.01, -0.02, -0.03]), "total_goodput")
    assert verdict.difference == pytest.approx(-0.02)
    assert verdict.half_width == pytest.approx(4.3027 * 0.01 / 3**0.5, rel=1e-4)
    alone = band([condition_of(runs(41, 52, 63), runs(40, 50, 60))], "total_goodput")
    assert alone.measured.n == 1
    assert alone.half_width == pytest.approx(4.3027 / 3**0.5 / 50, rel=1e-4)


def test_it_holds_when_nothing_is_broken_failed_or_missing() -> None:
    incomplete = [*conditions([0.0]), condition_of([failed()], runs(1))]
    for compared, holds in ((conditions([0.0]), True), (conditions([0.5]), False), ([], False), (incomplete, False)):
        assert judge(compared, Source(spec="hand"), SIDE, SIDE, ()).holds is holds


def test_the_worst_are_ten_by_multiples_of_their_bands_limit() -> None:
    rows = worst(conditions([number / 100 for number in range(12)]))
    assert [each.condition for each in rows] == [f"hand-{number}" for number in range(11, 1, -1)]
    assert rows[0].metric == "total_goodput"
    assert rows[0].limits == pytest.approx(0.11 / 0.03, rel=1e-5)
    assert worst(conditions([0.0])) == ()
