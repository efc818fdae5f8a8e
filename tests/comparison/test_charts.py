from __future__ import annotations

import json
from typing import Any

import pytest

from dumbbell.comparison.agreement_text import worst_table
from dumbbell.comparison.charts import errors, scatter
from dumbbell.comparison.record import Agreement


@pytest.fixture(scope="module")
def stored(agreement: Agreement) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(agreement.model_dump_json())
    return fields


def test_nothing_compared_is_no_figure(agreement: Agreement) -> None:
    empty = agreement.model_copy(update={"conditions": (), "worst": ()})
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


def test_one_engine_compared_with_itself_has_two_names(agreement: Agreement) -> None:
    itself = agreement.model_copy(update={"candidate": agreement.reference})
    chart = scatter(itself)
    assert chart is not None
    assert [chart.panels[0].x.label, chart.panels[0].y.label] == [
        "sim (reference) (Mbit/s)",
        "sim (candidate) (Mbit/s)",
    ]
    assert worst_table(itself).header[3:5] == ["sim (reference)", "sim (candidate)"]
    assert worst_table(agreement).header[3:5] == ["sim", "double"]


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
    differences = [
        each for condition in agreement.conditions for each in condition.differences if each.metric == "total_goodput"
    ]
    raw = sorted(100 * abs(each.floor - each.reference) / each.scale for each in differences if each.floor is not None)
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


def test_crosses_are_the_limits_of_what_is_drawn(agreement: Agreement) -> None:
    """A stratum's band has limits of differences of which nothing is excused."""
    of_stratum = {"median_limit": 0.001, "p90_limit": 0.002, "raw_median_limit": 0.004, "raw_p90_limit": 0.02}
    bands = tuple(band.model_copy(update=of_stratum) for band in agreement.bands)
    chart = errors(agreement.model_copy(update={"bands": bands}))
    assert chart is not None
    assert [panel.layers[-1].x for panel in chart.panels] == [(0.4, 2)] * len(chart.panels)
