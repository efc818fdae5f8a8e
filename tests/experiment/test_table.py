"""The table of an experiment: rows, columns, order."""

from __future__ import annotations

import math

import pytest

from dumbbell.experiment.points import ExperimentRuns
from dumbbell.experiment.table import ColumnError, table
from dumbbell.results.measured import MeasuredPoint


def point(buffer: str, shares: list[float], loss: float, late: list[float] | None = None) -> MeasuredPoint:
    return MeasuredPoint(
        swept={"path.buffer": buffer},
        ccs={"a": "bbr", "b": "cubic"},
        sizes={"a": 1, "b": 3},
        fair_shares={"a": 0.25, "b": 0.75},
        run_ids={seed: f"{seed:016x}" for seed in range(1, len(shares) + 1)},
        numbers={
            ("share", "a"): shares,
            ("share", "b"): [1 - share for share in shares],
            ("loss", ""): [loss] * len(shares),
            **({} if late is None else {("late_p95", "b"): late, ("fct", "b"): late}),
        },
    )


@pytest.fixture
def runs() -> ExperimentRuns:
    points = [point("10 bdp", [0.5, 0.7], 0.1, [math.nan, 3.0]), point("2 bdp", [0.45, 0.45], 0.2)]
    return ExperimentRuns(name="hand", engine="sim", points=[*points, MeasuredPoint(swept={"path.buffer": "1 bdp"})])


def test_a_row_is_a_point_and_group_with_means_and_intervals(runs: ExperimentRuns) -> None:
    results = table(runs)
    assert [(row.point.text, row.group, row.cc, row.flows, row.value("fair_share"), row.n) for row in results.rows] == [
        ("path.buffer = 10 bdp", "a", "bbr", 1, 0.25, 2),
        ("path.buffer = 10 bdp", "b", "cubic", 3, 0.75, 2),
        ("path.buffer = 2 bdp", "a", "bbr", 1, 0.25, 1),  # both seeds gave the same
        ("path.buffer = 2 bdp", "b", "cubic", 3, 0.75, 1),
        ("path.buffer = 1 bdp", "", "", 0, None, 0),  # every run failed
    ]
    share = results.rows[0].estimates["share"]
    assert (share.mean, share.half_width) == pytest.approx((0.6, 12.706 * 0.1), rel=1e-4)
    assert share.n == 2
    assert results.rows[2].estimates["share"].half_width is None
    assert [row.estimates["loss"].mean for row in results.rows[:2]] == [0.1, 0.1], "what is the path's, each group has"
    assert [row.value("late_p95") for row in results.rows] == [None, 3.0, None, None, None]
    assert [row.value("fct") for row in results.rows] == [None] * 5, "who completes in some runs only has no mean time"
    assert list(results.columns) == ["share", "fair_share", "late_p95", "loss"]


def test_a_row_each_seed_has_what_that_seed_measured(runs: ExperimentRuns) -> None:
    rows = table(runs, each_seed=True).rows
    assert [(row.seed, row.group, row.value("share"), row.value("fct")) for row in rows[:4]] == [
        (1, "a", 0.5, None), (1, "b", 0.5, None), (2, "a", 0.7, None), (2, "b", pytest.approx(0.3), 3.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("column", "places"),
    [
        ("share", [1, 2, 3, 0, 4]),
        ("-share", [0, 3, 2, 1, 4]),
        ("path.buffer", [4, 2, 3, 0, 1]),  # 1, 2, 10: amounts, not texts
        ("-cc", [1, 3, 0, 2, 4]),
        ("fair_share", [0, 2, 1, 3, 4]),
        ("-late_p95", [1, 0, 2, 3, 4]),
    ],
)
def test_rows_are_in_the_order_of_any_column(runs: ExperimentRuns, column: str, places: list[int]) -> None:
    usual = table(runs).rows
    assert table(runs, sort=column).rows == [usual[place] for place in places]


def test_columns_are_those_asked_for_in_that_order(runs: ExperimentRuns) -> None:
    assert list(table(runs, ["loss", "n", "share"]).columns) == ["loss", "n", "share"]
    for columns, sort in ((["goodputt"], None), (None, "-goodputt")):
        with pytest.raises(ColumnError, match='unknown column "goodputt"; did you mean "goodput"'):
            table(runs, columns, sort)


def test_percentiles_are_usual_where_a_group_has_several_transfers(runs: ExperimentRuns) -> None:
    first, second, _ = runs.points
    first.numbers["fct", "b"] = first.numbers["fct_p50", "b"] = first.numbers["fct_p95", "b"] = [2.0, 3.0]
    assert [name for name in table(runs).columns if "fct" in name] == ["fct"]
    second.numbers |= {("fct", "b"): [2.0, 3.0], ("fct_p50", "b"): [1.0, 1.5], ("fct_p95", "b"): [2.0, 3.0]}
    assert [name for name in table(runs).columns if "fct" in name] == ["fct", "fct_p50"]
    assert "fct_p95" in table(runs, everything=True).columns
