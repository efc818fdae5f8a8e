"""Cells of a heat map: a scale of colours that get darker with the value, and words that have the sign."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from dumbbell.charts import heat
from dumbbell.charts.chart import Axis, Chart, Dot, HeatMap, Panel
from dumbbell.charts.vega import vega_lite

NAN = float("nan")
GAIN = HeatMap(label="gain (%)", cells=((-34.0, 0.0), (115.0, NAN)), colours="diverging")
COUNTS = HeatMap(label="retransmits", cells=((0.0, 10.0), (1000.0, 100_000.0)), colours="logarithmic")


def lightness(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_diverging_colours_are_white_at_0_blue_below_red_above_and_as_dark_on_both_sides() -> None:
    scale = heat.scale(GAIN)
    assert (scale["domain"][0], scale["domain"][4], scale["domain"][8]) == (-115, 0, 115)
    below, above = scale["range"][3::-1], scale["range"][5:]
    assert scale["range"][4] == "#ffffff"
    for side, tint, other in ((below, 5, 1), (above, 1, 5)):
        assert all(lightness(dark) < lightness(light) - 10 for light, dark in pairwise(side))
        assert all(int(colour[tint : tint + 2], 16) > int(colour[other : other + 2], 16) + 30 for colour in side)
    assert abs(lightness(above[-1]) - lightness(below[-1])) < 15


def test_sequential_colours_get_darker() -> None:
    scale = heat.scale(HeatMap(label="share (%)", cells=((20.0, 80.0),), most=100.0))
    assert scale["domain"] == pytest.approx([0, 20, 40, 60, 80, 100])
    assert all(lightness(dark) < lightness(light) for light, dark in pairwise(scale["range"]))


def test_a_logarithmic_scale_begins_with_the_smallest_value_above_0() -> None:
    assert heat.limits(COUNTS) == (10, 100_000)
    domain = heat.scale(COUNTS)["domain"]
    assert [after / before for before, after in pairwise(domain)] == pytest.approx([10**0.8] * 5)


@pytest.mark.parametrize(
    "cells", [((0.0, 0.0),), ((NAN,),), ((5.0, 5.0),), ((-5.0, -5.0),)], ids=["nothing", "unknown", "alike", "below 0"]
)
@pytest.mark.parametrize("colours", ["sequential", "logarithmic", "diverging"])
def test_cells_without_a_range_have_a_scale(cells: tuple[tuple[float, ...], ...], colours: Any) -> None:
    domain = heat.scale(HeatMap(label="", cells=cells, colours=colours))["domain"]
    assert all(before < after for before, after in pairwise(domain))


def test_words_fit_into_a_cell() -> None:
    gains = [heat.cell_text(value, signed=True) for value in (115.2, -7.46, 0.0, -0.04, -1e-16, NAN)]
    assert gains == ["+115", "-7.46", "0", "-0.04", "0", ""]
    counts = [heat.cell_text(value, signed=False) for value in (0.0, 7.0, 1649.0, 235_798.0, 1_234_567.0, 0.00042)]
    assert counts == ["0", "7", "1649", "236k", "1.23M", "0.00042"]


def layers(heat_map: HeatMap) -> list[dict[str, Any]]:
    panel = Panel(x=Axis(label="x"), y=Axis(label="y"), heat=heat_map)
    spec = vega_lite(Chart(name="c", title="", caption="", panels=(panel,)))
    drawn: list[dict[str, Any]] = spec["concat"][0]["layer"][0]["layer"]
    return drawn


def test_what_is_small_is_hatched_and_nothing_else() -> None:
    drawn = layers(HeatMap(label="v", cells=((1.0, -1.9, 2.0),), colours="diverging", hatched_below=2.0))
    (rules,) = [each for each in drawn if each["mark"]["type"] == "rule"]
    strokes = rules["data"]["values"]
    assert {round(each["x"] + 0.01) for each in strokes} == {0, 1}
    for each in strokes:
        assert each["x2"] - each["x"] == pytest.approx(each["y2"] - each["y"])
        assert -0.5 <= min(each["y"], each["x"]) <= each["y2"] <= 0.5


def test_lines_stand_between_cells_of_two_kinds() -> None:
    heat_map = HeatMap(label="v", cells=((1.0, 2.0), (3.0, NAN)), kinds=(("a", "b"), ("a", "")))
    (rules,) = [each for each in layers(heat_map) if each["mark"]["type"] == "rule"]
    assert rules["data"]["values"] == [{"x": 0.5, "x2": 0.5, "y": -0.5, "y2": 0.5}], "none beside what is unknown"


def test_a_dot_has_the_colour_of_its_value_and_points_where_it_lies() -> None:
    dots = tuple(Dot(column=0.5, row=0.0, value=value, words="w") for value in (30.0, -30.0, 1.0))
    heat_map = HeatMap(label="v", cells=((1.0, 2.0), ()), colours="diverging", hatched_below=2.0, dots=dots)
    (points,) = [each for each in layers(heat_map) if each["mark"]["type"] == "point"]
    assert [each["shape"] for each in points["data"]["values"]] == ["triangle-up", "triangle-down", "circle"]
    cells = layers(heat_map)[0]
    assert points["encoding"]["fill"]["scale"] == cells["encoding"]["color"]["scale"]
