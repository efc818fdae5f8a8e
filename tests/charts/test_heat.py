"""Cells of a heat map: colours that get darker with the value, ink that can be read, words that have the sign."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from dumbbell.charts import heat
from dumbbell.charts.chart import HeatMap

NAN = float("nan")
GAIN = HeatMap(label="gain (%)", cells=((-34.0, 0.0), (115.0, NAN)), colours="diverging")
COUNTS = HeatMap(label="retransmits", cells=((0.0, 10.0), (1000.0, 100_000.0)), colours="logarithmic")


def lightness(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_diverging_colours_are_white_at_0_and_as_dark_on_both_sides() -> None:
    assert heat.limits(GAIN) == (-115, 115)
    assert heat.colour(0, GAIN) == heat.colour(NAN, GAIN) == "#ffffff"
    for sign in (1, -1):
        shades = [lightness(heat.colour(sign * value, GAIN)) for value in (0, 20, 40, 60, 80, 115)]
        assert all(after < before - 10 for before, after in pairwise(shades))
    assert abs(lightness(heat.colour(115, GAIN)) - lightness(heat.colour(-115, GAIN))) < 15
    assert heat.colour(500, GAIN) == heat.colour(115, GAIN)


def test_what_is_above_0_is_red_and_what_is_below_is_blue() -> None:
    for value in (20.0, 60.0, 115.0):
        above, below = heat.colour(value, GAIN), heat.colour(-value, GAIN)
        assert int(above[1:3], 16) > int(above[5:7], 16) + 30
        assert int(below[5:7], 16) > int(below[1:3], 16) + 30


def test_sequential_colours_get_darker() -> None:
    linear = HeatMap(label="share (%)", cells=((20.0, 80.0),), most=100.0)
    assert heat.limits(linear) == (0, 100)
    assert heat.place(25, linear) == 0.25
    shades = [lightness(heat.colour(value, linear)) for value in range(0, 101, 10)]
    assert all(after < before for before, after in pairwise(shades))


def test_a_logarithmic_scale_begins_with_the_smallest_value_above_0() -> None:
    assert heat.limits(COUNTS) == (10, 100_000)
    assert [heat.place(value, COUNTS) for value in (0, 10, 1000, 100_000, 1e9)] == pytest.approx([0, 0, 0.5, 1, 1])
    places, told = zip(*heat.ticks(COUNTS), strict=True)
    assert places == pytest.approx((0, 0.25, 0.5, 0.75, 1))
    assert told == ("10", "100", "1000", "10k", "100k")


def test_ticks_are_round_values_inside_the_scale() -> None:
    assert [told for _, told in heat.ticks(GAIN)] == ["-100", "0", "+100"]
    assert heat.ticks(HeatMap(label="", cells=((0.0, 40.0),))) == [(n / 4, f"{10 * n}") for n in range(5)]


@pytest.mark.parametrize(
    "cells", [((0.0, 0.0),), ((NAN,),), ((5.0, 5.0),), ((-5.0, -5.0),)], ids=["nothing", "unknown", "alike", "below 0"]
)
@pytest.mark.parametrize("colours", ["sequential", "logarithmic", "diverging"])
def test_cells_without_a_range_can_be_drawn(cells: tuple[tuple[float, ...], ...], colours: Any) -> None:
    same = HeatMap(label="", cells=cells, colours=colours)
    low, high = heat.limits(same)
    assert low < high
    assert all(0 <= at <= 1 for at, _ in heat.ticks(same))
    assert heat.colour(cells[0][0], same).startswith("#")


def test_small_values_can_be_read() -> None:
    shares = HeatMap(label="", cells=((0.0, 0.04),))
    assert [told for _, told in heat.ticks(shares)] == ["0", "0.01", "0.02", "0.03", "0.04"]
    assert [heat.words(value, signed=False) for value in (0.97, 0.9412, 0.00042)] == ["0.97", "0.941", "0.00042"]


def test_ink_can_be_read_on_every_colour() -> None:
    for value in range(-115, 116, 5):
        background = heat.colour(float(value), GAIN)
        assert abs(lightness(background) - lightness(heat.ink(background))) > 100, value


def test_words_fit_into_a_cell() -> None:
    told = [heat.words(value, signed=True) for value in (115.2, -7.46, 0.0, -0.04, -1e-16, NAN)]
    assert told == ["+115", "-7.46", "0", "-0.04", "0", ""]
    counts = [heat.words(value, signed=False) for value in (0.0, 7.0, 1649.0, 235_798.0, 1_234_567.0)]
    assert counts == ["0", "7", "1649", "236k", "1.23M"]
