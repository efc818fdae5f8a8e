"""What a page has of a chart: its numbers as rows where they are few, and fewer points where they are many."""

from __future__ import annotations

from typing import Any

from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.report.figure import Drawing, drawing

AXIS = Axis(label="x")


def drawn(*layers: Layer, x: Axis = AXIS, y: Axis = AXIS) -> Drawing:
    return drawing(Chart(name="one", title="One", caption="A chart.", panels=(Panel(x=x, y=y, layers=layers),)))


def line(style: str = "bbr", kind: Any = "line", **words: Any) -> Layer:
    return Layer(**{"label": style, "style": style, "kind": kind, "x": (1.0, 2.0), "y": (3.0, 4.0)} | words)


def test_few_numbers_are_told_as_a_table_and_many_are_not() -> None:
    few = drawn(line(low=(2.0, 3.5), high=(4.0, 4.5)), x=Axis(label="x", ticks=((1.0, "one"),)))
    assert few.rows == (("x", "bbr", "one", "3.00", "2.00 to 4.00"), ("x", "bbr", "2", "4.00", "3.50 to 4.50"))
    long = tuple(float(n) for n in range(200))
    assert drawn(line(x=long, y=long)).rows == ()


def test_a_long_line_is_thinned_and_the_caption_says_how() -> None:
    long = tuple(float(n) for n in range(5000))
    found = drawn(line(x=long, y=long))
    (layer, *_) = found.spec["concat"][0]["layer"]
    assert layer["data"]["values"].count("\n") <= 1500
    assert "at most that many" in found.caption


HEAT = Panel(
    title="shallow",
    x=Axis(label="RTT (ms)", ticks=((0.0, "5"), (1.0, "200"))),
    y=Axis(label="rate (Mbit/s)", ticks=((0.0, "10"),)),
    heat=HeatMap(
        label="gain (%)", cells=((-50.0, 100.0),), half_widths=((2.0, 0.0),), published=((-12.0, float("nan")),),
        colours="diverging",
    ),
)  # fmt: skip


def test_the_numbers_of_a_heat_map_are_a_table_too() -> None:
    rows = drawing(Chart(name="gain", title="Gain", caption="", panels=(HEAT,))).rows
    assert rows == (
        ("shallow", "rate (Mbit/s) 10", "5", "-50.0 (published: -12)", "-52.0 to -48.0"),
        ("shallow", "rate (Mbit/s) 10", "200", "100", ""),
    )
