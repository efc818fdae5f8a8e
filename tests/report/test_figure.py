"""What a page has of a chart: its numbers as rows where they are few, and fewer points where they are many."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.report.figure import drawing, lowest_and_highest, method, numbers, thinned

AXIS = Axis(label="x")


def chart(*panels: Panel) -> Chart:
    return Chart(name="one", title="One", caption="A chart.", panels=panels)


def line(style: str = "bbr", kind: Any = "line", **changes: Any) -> Layer:
    return Layer(**{"label": style, "style": style, "kind": kind, "x": (1.0, 2.0), "y": (3.0, 4.0)} | changes)


def test_few_numbers_are_told_as_tables_and_many_are_not() -> None:
    ticked = Axis(label="x", ticks=((1.0, "one"),))
    band = line(kind="band", y=(), low=(1.0, 2.0), high=(3.0, 5.0))
    few = Panel(x=ticked, y=Axis(label="y"), layers=(line(low=(2.0, 3.5), high=(4.0, 4.5)), band))
    (table,) = numbers(chart(few))
    assert table.rows == [["one", "3.00 ± 1.00", "1.00 to 3.00"], ["2", "4.00 ± 0.50", "2.00 to 5.00"]]
    long = tuple(float(n) for n in range(200))
    assert numbers(chart(Panel(x=AXIS, y=AXIS, layers=(line(x=long, y=long),)))) == []


def test_a_long_line_is_thinned_and_the_caption_says_how() -> None:
    long = tuple(float(n) for n in range(5000))
    drawn = drawing(chart(Panel(x=AXIS, y=AXIS, layers=(line(x=long, y=long),))))
    (layer, *_) = drawn.spec["concat"][0]["layer"]
    assert layer["data"]["values"].count("\n") <= 1500
    assert "at most that many" in drawn.caption


def layer(*values: float) -> Layer:
    return Layer(label="a", style="bbr", x=tuple(float(n) for n in range(len(values))), y=values)


def test_what_is_short_enough_stays_as_it_is() -> None:
    short_layer = layer(1.0, 2.0, 3.0)
    assert thinned(short_layer, 3) is short_layer


def test_a_peak_of_one_sample_stays() -> None:
    values = [0.0] * 10_000
    values[4321], values[7777] = 9.0, -9.0
    thin_layer = thinned(layer(*values), 100)
    assert (max(thin_layer.y), min(thin_layer.y)) == (9.0, -9.0)
    assert thin_layer.x[thin_layer.y.index(9.0)] == 4321.0
    assert len(thin_layer.x) == len(thin_layer.y) <= 100


def test_the_ends_of_a_band_stay_together() -> None:
    band = Layer(
        label="a",
        style="bbr",
        kind="band",
        x=tuple(range(1000)),
        y=(),
        low=tuple(range(1000)),
        high=tuple(range(1, 1001)),
    )
    thin_layer = thinned(band, 50)
    assert len(thin_layer.x) <= 50
    assert all(high == low + 1 for low, high in zip(thin_layer.low, thin_layer.high, strict=True))
    assert thin_layer.y == ()


@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=300), st.integers(4, 40))
def test_first_last_and_extremes_are_kept_in_order_and_no_more_than_asked(values: list[float], most: int) -> None:
    indices = lowest_and_highest(values, most).tolist()
    assert indices == sorted(set(indices))
    assert (indices[0], indices[-1]) == (0, len(values) - 1)
    assert len(indices) <= most
    numbers = [value for value in values if value == value]  # noqa: PLR0124 (NaN)
    if numbers:
        assert {min(numbers), max(numbers)} <= {values[index] for index in indices}


def test_the_method_is_told_with_its_numbers() -> None:
    assert "more than 1,500 samples" in method(1500)
    assert "each of 749 stretches" in method(1500)
