from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agreed import failed, measured, result
from dumbbell.comparison.agreement_text import command
from dumbbell.comparison.bands import judge
from dumbbell.comparison.charts import errors, scatter
from dumbbell.comparison.condition import compare_condition
from dumbbell.comparison.record import Agreement, Side, Source
from dumbbell.comparison.section import draw, section


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


def test_the_same_json_gives_the_same_text_and_the_same_figure(stored: dict[str, Any], tmp_path: Path) -> None:
    assert section(stored) == section(json.loads(json.dumps(stored)))
    first, second = draw(stored, tmp_path / "a"), draw(stored, tmp_path / "b")
    assert [path.name for path in first] == ["agreement_errors.png", "agreement.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_it_has_every_band_the_worst_the_versions_and_the_command(stored: dict[str, Any], agreement: Agreement) -> None:
    text = section(stored, figures="drawn")
    assert text.startswith("## Agreement of `double` with `sim`\n")
    assert text.endswith(".\n")
    for band in agreement.bands:
        assert f"| {band.label} ({band.unit}) |" in text
    assert "Broken: goodput of each group; total goodput." in text
    assert "| moment-1 | 20.0 Mbit/s, 20 ms, 0.5 BDP: 1 bbr + 1 cubic |" in text
    assert "(drawn/agreement_errors.png)" in text
    assert "(drawn/agreement.png)" in text
    assert f"dumbbell {agreement.versions['dumbbell']}" in text
    assert "$ dumbbell agree moment.toml --engines double,sim --seeds 2 --floor 1" in text


def test_every_row_of_a_table_has_as_many_cells_as_its_head(stored: dict[str, Any]) -> None:
    tables = [block.splitlines() for block in section(stored).split("\n\n") if block.startswith("| ")]
    assert len(tables) == 2
    for rows in tables:
        assert len({row.count(" | ") for row in rows}) == 1


def test_random_conditions_are_told_with_their_seed_and_failures_with_their_reason() -> None:
    text = section(json.loads(drawn().model_dump_json()))
    assert "2 random conditions of seed 9, 60 s each; 3 seeds an engine, 3 more of linux for its noise; 1 of" in text
    assert "- random-9-2: hand, seed 1: a bug" in text
    assert "linux (kernel 6.1.192), identity bbbbbbbbbbbb" in text


def test_the_command_says_what_is_not_usual() -> None:
    assert command(drawn()) == "dumbbell agree --random 2 --seed 9 --engines sim,linux --seeds 3"
    unusual = command(drawn(duration="20 s", most_packets=1000))
    assert '--duration "20 s" --packets 1000' in unusual
    assert " --set 'path.rtt=50 ms' --engines" in command(drawn(sets=("path.rtt=50 ms",)))


def test_nothing_compared_is_no_figure(tmp_path: Path) -> None:
    empty = drawn().model_copy(update={"conditions": (), "worst": ()})
    assert scatter(empty) is None
    assert errors(empty) is None
    assert draw(json.loads(empty.model_dump_json()), tmp_path) == []
    assert "![" not in section(json.loads(empty.model_dump_json()))


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
