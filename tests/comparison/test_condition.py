"""One condition by hand: what is excused, what an error is relative to, who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from agreed import DRAIN_S, failed, measured, result
from dumbbell.comparison.agreement import compare_condition
from dumbbell.comparison.record import Condition, Difference
from dumbbell.metrics.statistics import estimate
from dumbbell.results.schema import Result

MIXED = ({"cc": "bbr"}, {"cc": "cubic"})


def runs(*goodputs_mbps: float, loss: float = 0.0, delay_s: float = 0.0) -> list[Result]:
    return [
        result({"bbr": mbps}, seed=seed, loss=loss, delay_s=delay_s) for seed, mbps in enumerate(goodputs_mbps, start=1)
    ]


def mixed_runs(*goodputs_mbps: tuple[float, float]) -> list[Result]:
    return [result({"bbr": bbr, "cubic": cubic}, seed=seed) for seed, (bbr, cubic) in enumerate(goodputs_mbps, start=1)]


def of(condition: Condition, metric: str, group: str | None = None) -> Difference:
    (found,) = [each for each in condition.differences if (each.metric, each.group) == (metric, group)]
    return found


def test_medians_are_compared_not_means() -> None:
    found = of(compare_condition(measured(runs(10, 50, 90), runs(40, 40, 1000))), "total_goodput")
    assert (found.candidate, found.reference) == (50e6, 40e6)
    assert found.difference == 0.25


def test_half_the_references_interquartile_range_is_excused_and_no_more() -> None:
    """Quartiles of 30, 40, 50 are 35 and 45: 5 are excused."""
    reference = runs(30, 40, 50)
    inside = of(compare_condition(measured(runs(44, 44, 44), reference)), "total_goodput")
    assert (inside.excused, inside.error, inside.difference) == (5e6, 0.0, 0.1)
    outside = of(compare_condition(measured(runs(32, 32, 32), reference)), "total_goodput")
    assert outside.error == pytest.approx(3 / 40)
    assert outside.difference == -0.2


def test_the_candidates_own_spread_excuses_nothing() -> None:
    found = of(compare_condition(measured(runs(10, 44, 90), runs(40, 40, 40))), "total_goodput")
    assert (found.excused, found.error) == (0.0, 0.1)


def test_a_groups_goodput_is_relative_to_five_percent_of_the_rate_where_the_reference_has_less() -> None:
    """5 % of 100 Mbit/s is 5 Mbit/s: a starved group that gets 1 instead of 2 Mbit/s is 20 % off, not 50 %."""
    condition = compare_condition(measured(mixed_runs((90, 1)) * 3, mixed_runs((90, 2)) * 3, flows=MIXED))
    starved, other = of(condition, "group_goodput", "cubic"), of(condition, "group_goodput", "bbr")
    assert (starved.scale, starved.error) == (5e6, 0.2)
    assert (other.scale, other.error) == (90e6, 0.0)
    assert of(condition, "total_goodput").error == pytest.approx(1 / 92, rel=1e-5)


def test_where_the_reference_carried_nothing_the_total_is_relative_to_five_percent_of_the_rate_too() -> None:
    assert of(compare_condition(measured(runs(1), runs(0))), "total_goodput").error == 0.2


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
    condition = compare_condition(measured(runs(50, loss=candidate), runs(50, loss=reference)))
    assert of(condition, metric).error == pytest.approx(error)
    assert {each.metric for each in condition.differences} & {"loss", "small_loss"} == {metric}


def test_queueing_delay_is_a_share_of_the_buffers_drain_time() -> None:
    condition = compare_condition(measured(runs(50, delay_s=DRAIN_S), runs(50, delay_s=DRAIN_S / 4)))
    found = of(condition, "queueing_delay")
    assert (found.candidate, found.reference, found.error) == (1.0, 0.25, 0.75)


def test_without_an_rtt_there_is_no_queueing_delay() -> None:
    silent = [result({"bbr": 50.0}, delay_s=None, loss=None)]
    condition = compare_condition(measured(silent, runs(50)))
    assert {each.metric for each in condition.differences} == {"group_goodput", "total_goodput"}
    assert compare_condition(measured(silent, silent)).reference[0].queueing_delay is None


def test_the_floor_is_held_against_the_same_medians_and_excused_the_same() -> None:
    found = of(compare_condition(measured(runs(40, 40, 40), runs(30, 40, 50), runs(47, 47))), "total_goodput")
    assert found.floor_error == pytest.approx(2 / 40)
    assert (found.floor, found.error) == (47e6, 0.0)
    assert of(compare_condition(measured(runs(40), runs(40))), "total_goodput").floor_error is None


def test_the_interval_is_of_paired_differences() -> None:
    """Differences of 1, 2 and 3: mean 2, standard deviation 1, t = 4.303 with 2 degrees of freedom."""
    found = of(compare_condition(measured(runs(41, 52, 63), runs(40, 50, 60))), "total_goodput")
    assert found.half_width == pytest.approx(4.3027 / 3**0.5 / 50, rel=1e-4)
    assert of(compare_condition(measured(runs(41, 41), runs(40, 40))), "total_goodput").half_width is None


def test_a_seed_without_a_number_leaves_the_pairs_of_the_others() -> None:
    """Queueing delays of seed 1 and 3 in drain times: 1 above and 3 above. Seed 2 has none, on one side only."""
    shares: Sequence[tuple[float | None, float]] = [(3, 2), (None, 5), (9, 6)]
    ours, theirs = (
        [
            result({"bbr": 50.0}, seed=seed, delay_s=None if share is None else share * DRAIN_S)
            for seed, share in enumerate(side, start=1)
        ]
        for side in zip(*shares, strict=True)
    )
    expected = estimate([1.0, 3.0]).half_width
    assert of(compare_condition(measured(ours, theirs)), "queueing_delay").half_width == pytest.approx(
        expected, rel=1e-5
    )
    assert of(compare_condition(measured(theirs, ours)), "queueing_delay").half_width == pytest.approx(
        expected, rel=1e-5
    )
    found = of(compare_condition(measured([ours[1], ours[0]], [theirs[1], ours[1]])), "queueing_delay")
    assert found.half_width is None


def winner_of(
    candidate: Sequence[tuple[float, float]], reference: Sequence[tuple[float, float]]
) -> Mapping[str, object]:
    condition = compare_condition(measured(mixed_runs(*candidate), mixed_runs(*reference), flows=MIXED))
    assert condition.winner is not None
    return condition.winner.model_dump()


def test_the_winner_counts_where_all_seeds_of_the_reference_have_it() -> None:
    assert winner_of([(10, 40), (60, 40), (10, 20)], [(9, 10), (1, 2)])["reference"] == "cubic"
    assert winner_of([(10, 40), (60, 40), (10, 20)], [(9, 10), (1, 2)])["candidate"] == "cubic"
    assert winner_of([(50, 40)], [(9, 10), (10, 9)])["reference"] is None
    assert winner_of([(50, 40)], [(9, 10), (10, 10)])["reference"] is None
    assert winner_of([(50, 50)], [(9, 10)]) == {"reference": "cubic", "candidate": None, "floor": None}


def test_the_larger_group_does_not_win_by_its_size() -> None:
    three = ({"cc": "bbr", "count": 3}, {"cc": "cubic"})
    run = [result({"bbr": 60.0, "cubic": 30.0}, counts={"bbr": 3})]
    condition = compare_condition(measured(run, run, flows=three))
    assert condition.winner is not None
    assert condition.winner.reference == "cubic"


def test_flows_of_one_algorithm_have_no_winner() -> None:
    alike = ({"cc": "bbr", "name": "a"}, {"cc": "bbr", "name": "b"})
    both = [result({"a": 60.0, "b": 30.0}, ccs={"a": "bbr", "b": "bbr"})]
    assert compare_condition(measured(both, both, flows=alike)).winner is None


def test_a_condition_with_a_failed_run_is_not_compared_and_says_why() -> None:
    condition = compare_condition(measured([failed(2), *runs(50)], runs(50), [failed(seed) for seed in range(3, 9)]))
    assert condition.differences == ()
    assert condition.failures[0] == "hand, seed 2: a bug"
    assert condition.failures[-1] == "and 4 more runs failed"


def test_the_setting_is_in_base_units() -> None:
    condition = compare_condition(measured(runs(50), runs(50)))
    assert (condition.rate_bps, condition.rtt_s, condition.buffer_bytes, condition.buffer_bdp) == (
        100_000_000, 0.02, 250_000, 1.0,
    )  # fmt: skip
    assert [(group.name, group.cc, group.flows) for group in condition.groups] == [("bbr", "bbr", 1)]
