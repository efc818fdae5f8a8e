from __future__ import annotations

import json
from typing import Any

import pytest

from agreed import failed, measured, result
from dumbbell.comparison.agreement import compare_condition, judge
from dumbbell.comparison.agreement_text import command, summary
from dumbbell.comparison.charts import errors, scatter
from dumbbell.comparison.record import Agreement, Side, Source


@pytest.fixture(scope="module")
def stored(agreement: Agreement) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(agreement.model_dump_json())
    return found


def drawn(**words: object) -> Agreement:
    """One condition that was compared and one that failed."""
    conditions = [
        compare_condition(measured([result({"bbr": 60.0})], [result({"bbr": 50.0})], name="random-9-1")),
        compare_condition(measured([failed()], [result({"bbr": 50.0})], name="random-9-2")),
    ]
    ours = Side(engine="sim", identity="a" * 20, seeds=(1, 2, 3), measured_on={})
    theirs = Side(engine="linux", identity="b" * 20, seeds=(1, 2, 3), measured_on={"kernel.release": "6.1.192"})
    source = Source.model_validate({"random": 2, "seed": 9, "duration": "60 s", "most_packets": 5_000_000} | words)
    return judge(conditions, source, ours, theirs, (4, 5, 6))


def test_a_verdict_names_what_is_broken(agreement: Agreement) -> None:
    assert summary(agreement).startswith("Broken: goodput of each group; total goodput.")


def test_the_command_says_what_is_not_usual() -> None:
    assert command(drawn()) == "dumbbell agree --random 2 --seed 9 --engines sim,linux --seeds 3"
    unusual = command(drawn(duration="20 s", most_packets=1000))
    assert '--duration "20 s" --packets 1000' in unusual
    assert " --set 'path.rtt=50 ms' --engines" in command(drawn(sets=("path.rtt=50 ms",)))


def test_nothing_compared_is_no_figure() -> None:
    empty = drawn().model_copy(update={"conditions": (), "worst": ()})
    assert scatter(empty) is None
    assert errors(empty) is None


def test_the_scatter_has_a_point_a_group_and_a_line_where_both_are_equal(agreement: Agreement) -> None:
    chart = scatter(agreement)
    assert chart is not None
    assert [panel.title for panel in chart.panels] == [
        "Goodput of each group", "Share of each group", "Queue loss", "Mean RTT of each group",
    ]  # fmt: skip
    goodput = chart.panels[0]
    points = [layer for layer in goodput.layers if layer.kind == "points"]
    assert {layer.label: len(layer.x) for layer in points} == {"bbr": 2, "cubic": 2}
    assert all(y == pytest.approx(0.9 * x, rel=1e-4) for layer in points for x, y in zip(layer.x, layer.y, strict=True))
    assert goodput.layers[-1].x == goodput.layers[-1].y


def test_differences_are_distributed_beside_the_references_noise_with_nothing_excused(agreement: Agreement) -> None:
    chart = errors(agreement)
    assert chart is not None
    assert [panel.title for panel in chart.panels] == [
        band.label for band in agreement.bands if band.least is None and band.measured.n
    ]
    total = next(panel for panel in chart.panels if panel.title == "total goodput")
    ours, noise, limits = total.layers
    assert ours.x == pytest.approx((10, 10), rel=1e-3)
    assert ours.y == (0.5, 1.0)
    found = [
        each for condition in agreement.conditions for each in condition.differences if each.metric == "total_goodput"
    ]
    raw = sorted(100 * abs(each.floor - each.reference) / each.scale for each in found if each.floor is not None)
    assert len(raw) == 2
    assert noise.x == pytest.approx([max(each, 0.01) for each in raw])
    assert (limits.x, limits.y) == ((1, 3), (0.5, 0.9))


def test_a_difference_is_drawn_whole_where_the_band_excuses_a_part(stored: dict[str, Any]) -> None:
    for condition in stored["conditions"]:
        for each in condition["differences"]:
            each["error"] = 0.0
    chart = errors(Agreement.model_validate(stored))
    assert chart is not None
    assert chart.panels[1].layers[0].x == pytest.approx((10, 10), rel=1e-3)
