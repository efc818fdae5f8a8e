"""What is said of differences: by numbers that were made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compared import compare_stores, overall_of, rows, store_of
from dumbbell.comparison.differences import Column, Overall, column, objects, overall
from dumbbell.comparison.selection import quantities
from dumbbell.errors import ComparisonError
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.contrast import verdict
from dumbbell.metrics.statistics import estimate, t_quantile

GOODPUT, LOSS, SHARE = (QUANTITIES[name] for name in ("goodput", "loss", "share"))


def points_of(*points: tuple[float, float]) -> Column:
    """Differences and half-widths of pairs whose A is 10."""
    difference, half_width = np.array(points, np.float64).T
    a, count = np.full(len(points), 10.0), np.full(len(points), 3)
    error = half_width / t_quantile(2)
    return Column(
        LOSS,
        None,
        count,
        a,
        a + difference,
        difference,
        error,
        half_width,
        (np.zeros(len(points)), error),
        count,
        (count, count),
    )


def test_an_interval_that_excludes_0_is_marked() -> None:
    nan = float("nan")
    losses = points_of((2, 1), (-2, 1), (2, 2), (2, 3), (0, nan), (2, nan))
    outcomes = ["higher", "lower", "undecided", "undecided", "same", "undecided"]
    assert [losses.at(point).outcome for point in range(6)] == outcomes
    assert losses.sign.tolist() == [1, -1, 0, 0, 2, 0]
    first = losses.at(0)
    assert (first.difference, first.half_width, first.relative, first.relative_half_width) == (2, 1, 0.2, 0.1)
    assert losses.at(4).half_width is None


def seeds(*points: list[float]) -> Column:
    """Losses of B, a list a point, where A has lost 10 in every pair."""
    values = np.array([value for each in points for value in each])
    owners = np.repeat(np.arange(len(points)), [len(each) for each in points])
    return column(LOSS, None, np.full(values.size, 10.0), values, owners, len(points))


def test_what_differs_by_the_same_with_every_seed_is_not_by_chance() -> None:
    losses = seeds([12.0] * 3, [9.0] * 3, [10.0] * 3, [12.0])
    rows_ = [losses.at(point) for point in range(4)]
    assert [each.outcome for each in rows_] == ["higher", "lower", "same", "undecided"]
    assert [each.half_width for each in rows_] == [None] * 4
    assert not losses.marked.any()


@pytest.mark.parametrize(
    ("points", "outcome"),
    [
        ([[12.0] * 3], "higher"),
        ([[8.0] * 3], "lower"),
        ([[10.0] * 3], "same"),
        ([[12.0]], "undecided"),
        ([[12.0] * 3, [12.0] * 3], "higher"),
        ([[12.0], [12.0]], "undecided"),
    ],
)
def test_over_all_points_too(points: list[list[float]], outcome: str) -> None:
    total = overall(seeds(*points))
    assert (total.outcome, total.half_width) == (outcome, None)
    assert total.worse(1) is (outcome == "higher")


def test_where_no_seed_matters_points_are_compared_as_with_one_seed() -> None:
    losses = [12.0, 12.5, 13.0, 12.2]
    many, one = (overall(seeds(*[[loss] * count for loss in losses])) for count in (3, 1))
    assert many.difference == one.difference
    assert (many.outcome, many.degrees, many.by_seeds) == ("higher", 3, False)
    assert many.worse(1)
    assert one.worse(1)


def pairs_of(*points: tuple[list[float], list[float]]) -> Column:
    """A and B of every pair, a point a tuple."""
    a, b = (np.array([value for point in points for value in point[side]]) for side in (0, 1))
    return column(LOSS, None, a, b, np.repeat(np.arange(len(points)), [len(each) for each, _ in points]), len(points))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([8.87, 0.008], [0.03, 0.012], -0.995),  # the mean of the points' shares is -25 %
        ([2.957, 0.003], [0.0135, 0.0075], -0.993),  # and here +25 %
        ([45.2, 0.2], [2.0, 1.98], -0.912),  # and here +397 %
    ],
)
def test_the_relative_difference_is_of_the_means_beside_it(a: list[float], b: list[float], expected: float) -> None:
    total = overall(pairs_of(*(([ours], [theirs]) for ours, theirs in zip(a, b, strict=True))))
    assert total.relative == pytest.approx(total.b / total.a - 1) == pytest.approx(expected, abs=1e-3)


def test_a_ratio_that_every_pair_has_is_exact_whatever_the_pairs_differ_by() -> None:
    losses = pairs_of(([9.0, 10.0, 11.0], [18.0, 20.0, 22.0]), ([90.0, 99.0, 111.0], [180.0, 198.0, 222.0]))
    for difference in (losses.at(0), losses.at(1), overall(losses)):
        assert difference.half_width
        assert difference.relative == pytest.approx(1)
        assert (difference.relative_half_width or 0.0) < 1e-9


def test_the_interval_of_a_ratio_is_that_of_what_is_left_beside_it() -> None:
    """The delta method by hand: the mean of B - ratio x A, over A's mean."""
    a, b = [10.0, 11.0, 9.0, 10.5], [4.1, 4.6, 3.9, 4.0]
    ratio = sum(b) / sum(a)
    by_hand = estimate([theirs - ratio * ours for ours, theirs in zip(a, b, strict=True)])
    assert by_hand.half_width is not None
    for difference in (pairs_of((a, b)).at(0), overall(pairs_of((a, b)))):
        assert difference.relative_half_width == pytest.approx(by_hand.half_width / (sum(a) / len(a)))


def test_of_100_intervals_of_a_ratio_95_have_it() -> None:
    """A varies by 10 %, B = 3 A and noise of 20 %: five pairs, 2000 times."""
    chance = np.random.default_rng(20261122)
    a = chance.normal(10, 1, 10_000)
    b = 3 * a + chance.normal(0, 6, a.size)
    losses = column(LOSS, None, a, b, np.repeat(np.arange(2000), 5), 2000)
    covered = np.abs(losses.relative - 2) <= losses.relative_half_width
    assert covered.mean() == pytest.approx(0.95, abs=0.015)


@pytest.mark.slow
def test_no_interval_of_a_ratio_denies_what_the_difference_says() -> None:
    """Small differences beside what varies: there a mean's interval and a ratio's can lie on either side of 0."""
    chance = np.random.default_rng(20261122)
    a = chance.normal(10, 3, 3_000)
    b = a * chance.normal(1.3, 0.1, a.size) + chance.normal(0, 1, a.size)
    sides = np.split(np.stack([a, b]), 1_000, axis=1)
    bare = 0
    for pairs in (pairs_of((ours.tolist(), theirs.tolist())) for ours, theirs in sides):
        for difference in (pairs.at(0), overall(pairs)):
            assert difference.relative is not None
            if difference.relative_half_width is None:
                bare += 1
                continue
            assert (abs(difference.relative) > difference.relative_half_width) == (
                difference.outcome in {"higher", "lower"}
            )
    assert 100 < bare < 1_000


@pytest.mark.parametrize("a", [[0.0, 0.0, 0.0], [1e-17, 0.0, 0.0]])
def test_a_share_of_nothing_is_undefined(a: list[float]) -> None:
    losses = pairs_of((a, [0.1, 0.2, 0.3]))
    for difference in (losses.at(0), overall(losses)):
        assert (difference.relative, difference.relative_half_width) == (None, None)


def test_a_ratio_to_what_may_be_nothing_has_no_interval() -> None:
    losses = pairs_of(([0.0, 0.0, 0.3], [5.0, 6.0, 7.0]))
    for difference in (losses.at(0), overall(losses)):
        assert difference.half_width is not None
        assert difference.relative == pytest.approx(59)
        assert difference.relative_half_width is None


def test_better_and_worse_are_said_where_they_can_be() -> None:
    assert [verdict(word, GOODPUT.better) for word in ("higher", "lower", "same")] == ["better", "worse", "same"]
    assert [verdict(word, LOSS.better) for word in ("higher", "lower", "undecided")] == ["worse", "better", "undecided"]
    assert [verdict(word, SHARE.better) for word in ("higher", "lower")] == ["higher", "lower"]


@pytest.mark.parametrize(("rows_", "worse"), [(1, True), (2, False)])
def test_many_rows_need_a_wider_interval(rows_: int, worse: bool) -> None:  # noqa: FBT001 (it is what it is about)
    """With 10 degrees t is 2.228 at 95 %, and 2.634 at 97.5 %."""
    assert t_quantile(10, 0.975) / t_quantile(10) == pytest.approx(2.634 / 2.228, rel=1e-3)
    counts: dict[str, Any] = {
        "group": None,
        "relative_half_width": 0.1,
        "outcome": "higher",
        "count": 4,
        "half_width": 1,
        "higher": 1,
        "lower": 0,
        "same": 0,
        "undecided": 3,
        "incomplete": 0,
        "runs": 12,
        "runs_a": 12,
        "runs_b": 12,
        "degrees": 10,
        "by_seeds": True,
    }
    row = Overall(quantity=LOSS, a=10, b=11.1, difference=1.1, relative=0.1, **counts)
    assert row.worse(rows_) is worse
    better = Overall(quantity=GOODPUT, a=10, b=19, difference=9, relative=0.9, **counts)
    assert better.worse(1) is False


def test_over_all_points_their_verdicts_are_counted_and_their_means_averaged(tmp_path: Path) -> None:
    """CUBIC in BBR's place loses less in a queue of half a BDP."""
    a = store_of(tmp_path / "a", seeds=4, start_jitter="50 ms")
    b = store_of(tmp_path / "b", seeds=4, start_jitter="50 ms", **{"flows[0].cc": "cubic"})
    comparison = compare_stores(f"{a}@cc=bbr", f"{b}@cc=cubic")
    loss = overall_of(comparison, "loss")
    each = rows(comparison, "loss")
    assert loss.difference == pytest.approx(sum(row.difference for row in each) / 2)
    assert each[0].verdict == "better"
    assert (loss.lower, loss.higher + loss.lower + loss.same + loss.undecided) == (
        sum(row.verdict == "better" for row in each), 2,
    )  # fmt: skip
    assert loss.by_seeds
    pairs = comparison.pairs
    losses = [side.runs["loss"].to_numpy()[pairs.table[run]] for side, run in ((pairs.a, "run_a"), (pairs.b, "run_b"))]
    by_hand = estimate((losses[1] - losses[0])[:4].tolist())
    assert [each[0].difference, each[0].half_width] == pytest.approx([by_hand.mean, by_hand.half_width])
    assert (
        comparison.marked
        == sum(row.half_width is not None and row.outcome in {"higher", "lower"} for row in comparison.rows())
        == len(list(comparison.rows(marked=True)))
    )


def test_one_pair_a_point_has_no_interval_and_points_are_compared(tmp_path: Path) -> None:
    sizes = ["0.5 bdp", "1 bdp", "1.5 bdp", "2 bdp"]
    a = store_of(tmp_path / "a", seeds=1, path__buffer=sizes)
    b = store_of(tmp_path / "b", seeds=1, path__buffer=sizes, **{"flows[0].cc": "reno"})
    comparison = compare_stores(f"{a}@cc=bbr", f"{b}@cc=reno")
    assert comparison.intervals == 0
    loss = overall_of(comparison, "loss")
    means = estimate([row.difference for row in rows(comparison, "loss")])
    assert [loss.difference, loss.half_width] == pytest.approx([means.mean, means.half_width])
    assert not loss.by_seeds
    assert loss.degrees == 3


def test_a_transfer_that_did_not_end_leaves_its_group_without_a_completion_time(tmp_path: Path) -> None:
    """Of 2 flows with 1 MB at 20 Mbit/s both end in two seconds; of 2 with 3 MB neither does."""
    flows = [{"cc": "bbr", "count": 2, "workload": {"transfer": size}} for size in ("1 MB", "3 MB")]
    one, other = (store_of(tmp_path / str(n), flows=[each], path__buffer=["1 bdp"]) for n, each in enumerate(flows))
    (row,) = rows(compare_stores(one, one), "fct", "bbr")
    assert 0.8 < row.a < 2
    assert rows(compare_stores(other, other), "fct", "bbr") == []


def test_where_a_run_did_not_complete_there_is_no_difference_and_its_side_is_worse(tmp_path: Path) -> None:
    """At 1 % of loss BBR completes 4 MB in every run and CUBIC in some; without loss both do."""
    flows = [{"cc": ["bbr", "cubic"], "workload": {"transfer": "4 MB"}}]
    loss = {"path.loss": ["0 %", "1 %"]}
    store = store_of(tmp_path / "s", flows=flows, path__buffer="2 bdp", duration="5 s", seeds=4, **loss)
    comparison = compare_stores(f"{store}@cc=bbr", "@cc=cubic", "fct")
    clean, lossy = rows(comparison, "fct", "bbr → cubic")
    assert (clean.count, clean.runs_a, clean.runs_b) == (4, 4, 4)
    assert (lossy.count, lossy.runs, lossy.runs_a) == (0, 4, 4)
    assert 0 < lossy.runs_b < 4
    assert (lossy.verdict, lossy.half_width) == ("not complete", None)
    total = overall_of(comparison, "fct", "bbr → cubic")
    assert (total.count, total.incomplete, total.b) == (1, 1, clean.b)
    assert total.not_complete == f"not complete in {4 - lossy.runs_b} of 8 runs of B"
    assert comparison.worse == [total]
    assert not overall_of(
        compare_stores(f"{store}@cc=cubic,path.loss=1 %", "@cc=bbr,path.loss=1 %", "fct"), "fct", "cubic → bbr"
    ).worse(1)
    (of_lossy,) = [each for each in objects(comparison) if each.get("point") == {"path.loss": "1 %"}]
    assert [of_lossy[key] for key in ("difference", "b", "outcome", "runs_a")] == [None, None, "not complete", 4]


def test_a_single_group_has_no_share_and_a_single_flow_no_index(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s", flows=[{"cc": "bbr"}], path__buffer=["1 bdp"])
    names = {each.quantity.name for each in compare_stores(store, store).overall}
    assert {"goodput", "utilization", "loss", "rtt", "queue"} <= names
    assert not names & {"share", "jain", "total_goodput", "fct"}


@pytest.mark.slow
def test_random_loss_is_compared_where_the_path_has_any(tmp_path: Path) -> None:
    """1 % before the queue and 3 % after it; on the path without any there is nothing to compare."""
    plain, before, after = (
        store_of(
            tmp_path / name,
            path__buffer=["1 bdp"],
            duration="20 s",
            path__loss=loss,
            path__loss_at=where,
            name="moment",
        )
        for name, loss, where in (("p", "0 %", "before"), ("b", "1 %", "before"), ("a", "3 %", "after"))
    )
    assert overall_of(compare_stores(before, before), "random_loss").a == pytest.approx(0.01, rel=0.2)
    assert overall_of(compare_stores(after, after), "random_loss").a == pytest.approx(0.03, rel=0.2)
    assert overall_of(compare_stores(before, before), "random_loss").quantity.better is None
    assert "random_loss" not in {each.quantity.name for each in compare_stores(plain, plain).overall}


def test_metrics_are_chosen_by_name(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s")
    assert [each.quantity.name for each in compare_stores(store, store, "loss, utilization").overall] == [
        "utilization",
        "loss",
    ]
    with pytest.raises(ComparisonError, match='unknown "los"; did you mean "loss"'):
        quantities("los")


def test_the_objects_are_rows_in_the_units_of_a_result(tmp_path: Path) -> None:
    a = store_of(tmp_path / "a")
    printed = list(objects(compare_stores(a, store_of(tmp_path / "b", seeds=3))))
    kinds = [each["row"] for each in printed]
    assert kinds == sorted(kinds, key=["unpaired", "overall", "point"].index)
    assert printed[0] == {
        "schema": 1, "row": "unpaired", "side": "B", "reason": "A has not this seed", "runs": 2,
        "example": "moment, path.buffer = 0.5 bdp, seed 3",
    }  # fmt: skip
    point = next(each for each in printed if each["row"] == "point" and each["metric"] == "total_goodput")
    assert 15e6 < point["a"] == point["b"] < 20e6
    assert (point["point"], point["pairs"], point["outcome"]) == ({"path.buffer": "0.5 bdp"}, 2, "same")
