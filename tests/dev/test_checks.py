"""Checks: figures with bars, of conditions by hand and of an engine that delivers too little."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agreed import Scaled, condition_of, result
from dev.checks import text
from dev.checks.judgement import Bar, Check, checks, chosen, comb, count, judge, rise, run_checks
from dev.checks.record import CheckRow, Checks
from dev.sides import KnownSides
from dumbbell.comparison.record import Condition, RunFailure, Side
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError
from dumbbell.results.store import Store
from dumbbell.spec import expand, resolve

FLOWS = ({"cc": "bbr"}, {"cc": "cubic"})
SPEC = {
    "duration": "2 s", "path": {"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": ["0.5 bdp", "1 bdp"]},
    "flows": [{"cc": "cubic"}], "start_jitter": "100 ms",
}  # fmt: skip


def condition(candidate: Sequence[float], reference: Sequence[float], floor: Sequence[float] = ()) -> Condition:
    """Goodputs of `bbr` in Mbit/s, of 40 with `cubic`."""
    roles = [
        [result({"bbr": mbps, "cubic": 40 - mbps}, seed=seed, loss=mbps / 1000) for seed, mbps in enumerate(of, 1)]
        for of in (candidate, reference, floor)
    ]
    return condition_of(*roles, flows=FLOWS)


def rows(bar: dict[str, object], *conditions: Condition) -> list[CheckRow]:
    return list(judge(Check(name="hand", title="", seeds=1, bars=(Bar.model_validate(bar),), spec={}), conditions))


@pytest.mark.parametrize(
    ("bar", "difference", "holds"),
    [
        ({"quantity": "share", "group": "bbr", "limit": 0.051}, 0.05, True),
        ({"quantity": "share", "group": "bbr", "limit": 0.04}, 0.05, False),
        ({"quantity": "goodput", "group": "bbr", "limit": 0.101}, 0.1, True),
        ({"quantity": "goodput", "group": "bbr", "limit": 0.09}, 0.1, False),
        ({"quantity": "goodput", "group": "bbr", "limit": 0.09, "or_noise": True}, 0.1, True),
        ({"quantity": "loss", "limit": 0.101}, 0.1, True),
    ],
)
def test_means_are_held_against_the_references(bar: dict[str, object], difference: float, holds: bool) -> None:  # noqa: FBT001
    """BBR has 22 of 40 Mbit/s instead of 20; other seeds of the reference have 18."""
    (row,) = rows(bar, condition([21, 23], [19, 21], [18, 18]))
    assert row.difference == pytest.approx(difference)
    assert row.noise == pytest.approx(-difference)
    assert row.holds is holds
    assert row.limit == pytest.approx(0.1 if bar.get("or_noise") else bar["limit"])


def test_every_group_has_its_figure_unless_one_is_named() -> None:
    both = rows({"quantity": "rtt", "limit": 0.05}, condition([20], [20]))
    assert [row.label for row in both] == ["mean RTT of bbr", "mean RTT of cubic"]


def test_a_share_that_has_to_fall() -> None:
    steps = [condition([mbps], [mbps + 1]) for mbps in (10, 30, 20, 19)]
    assert rise([3, 2, 2.5]) == 0.5
    (row,) = rows({"kind": "rises", "quantity": "share", "group": "bbr", "limit": 0, "after": 1}, *steps)
    assert row.holds
    assert row.candidate == pytest.approx(-1 / 40)
    (row,) = rows({"kind": "rises", "quantity": "share", "group": "bbr", "limit": 0}, *steps)
    assert not row.holds


def test_a_comb_of_each_engine_by_its_own_bar() -> None:
    assert comb([1, 2, 3, 4]) == 0
    assert comb([1, -1, 1]) == pytest.approx(4 / 6**0.5)
    smooth, rough = [20, 21, 22, 23], [20, 24, 20, 24]
    teeth = [condition([a], [b]) for a, b in zip(smooth, rough, strict=True)]
    bar = {"kind": "comb", "quantity": "share", "group": "bbr", "limit": 0.02}
    (row,) = rows({**bar, "reference_limit": 0.1}, *teeth)
    assert row.holds
    assert row.candidate == pytest.approx(0.0, abs=1e-9)
    assert row.reference == pytest.approx(8 / 40 / 6**0.5, rel=1e-4)
    assert not rows({**bar, "reference_limit": 0.08}, *teeth)[0].holds
    side = Side(engine="hand", identity="0", seeds=(1,), measured_on={})
    record = Checks(
        versions={}, candidate=side, reference=side, floor_seeds=(), holds=True, checks=("hand",), rows=(row,),
        conditions=(),
    )  # fmt: skip
    (cells,) = text.checks_table(record).rows
    assert cells[5:] == ["-", "0.1 and 0.02", "-", "holds"]


@pytest.mark.parametrize("kind", ["rises", "comb"])
def test_a_figure_over_all_conditions_is_none_where_one_failed(kind: str) -> None:
    complete = [condition([mbps], [mbps]) for mbps in (20, 19, 18)]
    lost = complete[0].model_copy(
        update={"failures": (RunFailure(engine="hand", seed=1, error="a bug"),), "candidate": ()}
    )
    bar = {"kind": kind, "quantity": "share", "group": "bbr", "limit": 1}
    assert rows(bar, *complete)[0].holds
    for conditions in ([lost], [lost, *complete[1:]], [lost] * 3):
        (row,) = rows(bar, *conditions)
        assert (row.candidate, row.reference, row.holds) == (None, None, False)


def test_checks_are_ordinary_specs_with_names_of_their_own() -> None:
    assert len({each.name for each in checks()}) == len(checks())
    assert [each.name for each in chosen(["phases"])] == ["phases-slow", "phases-fast", "phases-four"]
    assert chosen([]) == list(checks())
    assert {each.name: each.reference_seeds for each in checks() if each.reference_seeds} == {"comb": 3}
    for each in checks():
        for point in expand(each.experiment):
            groups = set(resolve(point, 1).groups)
            assert all(bar.group is None or bar.group in groups for bar in each.bars)
    with pytest.raises(ComparisonError, match='there is no check "phasen"'):
        chosen(["phasen"])


def test_an_engine_that_delivers_too_little_keeps_no_bar_of_goodput(tmp_path: Path) -> None:
    check = Check(
        name="small", title="", seeds=2, floor=1, spec=SPEC,
        bars=(Bar(quantity="goodput", limit=0.05), Bar(quantity="rtt", limit=0.01)),
    )  # fmt: skip
    sides = KnownSides(Scaled(0.9), SimEngine(), 1, 0)
    assert count([check], sides) == 2 * (2 + 3)
    assert count([check.model_copy(update={"reference_seeds": 1})], sides) == 2 * (2 + 2)
    with Store.open(tmp_path / "s", write=True) as store:
        record = run_checks(store, [check], sides)
    assert [(row.condition, row.holds) for row in record.rows] == [
        ("check-small-1", False), ("check-small-2", False), ("check-small-1", True), ("check-small-2", True),
    ]  # fmt: skip
    assert [row.setting for row in record.rows[:2]] == ["buffer 0.5 bdp", "buffer 1 bdp"]
    assert not record.holds
    assert (record.candidate.seeds, record.reference.seeds, record.floor_seeds) == ((1, 2), (1, 2), (3,))
    table = text.checks_table(record)
    cells = table.rows
    assert {len(row) for row in cells} == {len(table.header)}
    assert cells[0][:3] == ["small", "buffer 0.5 bdp", "goodput of cubic"]
    assert (cells[0][6], cells[0][8]) == ("5 %", "broken")
    assert text.summary(record) == "2 of 4 figures keep their bars; not all of small."
    assert Checks.model_validate_json(record.model_dump_json()) == record
