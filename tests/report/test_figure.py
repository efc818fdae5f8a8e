"""From a chart to what plotly's script is given. The charts are made by hand, so every position is known."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import pytest

from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.report.figure import Drawing, drawing

AXIS = Axis(label="x")


def drawn(*layers: Layer, x: Axis = AXIS, y: Axis = AXIS, marks: tuple[tuple[float, str], ...] = ()) -> Drawing:
    panel = Panel(x=x, y=y, layers=layers, marks=marks)
    return drawing(Chart(name="one", title="One", caption="A chart.", panels=(panel,)))


def line(style: str = "bbr", kind: Any = "line", **words: Any) -> Layer:
    return Layer(**{"label": style, "style": style, "kind": kind, "x": (1.0, 2.0), "y": (3.0, 4.0)} | words)


def test_error_bars_end_where_the_interval_does() -> None:
    (trace,) = drawn(line(kind="line+points", low=(2.5, 4.0), high=(3.75, 4.0))).plot["data"]
    assert trace["mode"] == "lines+markers"
    assert (trace["error_y"]["array"], trace["error_y"]["arrayminus"]) == ([0.75, 0.0], [0.5, 0.0])


def test_a_band_is_filled_between_its_ends_and_once_in_the_legend() -> None:
    lower, upper = drawn(line(kind="band", y=(), low=(1.0, 2.0), high=(5.0, 6.0))).plot["data"]
    assert (lower["y"], upper["y"], upper["fill"]) == ([1.0, 2.0], [5.0, 6.0], "tonexty")
    assert (lower["showlegend"], upper["showlegend"]) == (False, True)


def test_a_label_is_in_the_legend_once_however_many_panels_it_is_in() -> None:
    panel = Panel(x=AXIS, y=AXIS, layers=(line(),))
    found = drawing(Chart(name="two", title="Two", caption="", panels=(panel, panel)))
    assert [trace["showlegend"] for trace in found.plot["data"]] == [True, False]
    assert found.plot["layout"]["xaxis2"]["matches"] == "x"


def test_what_differs_in_colour_only_on_a_screen_differs_in_dash_or_marker_on_paper() -> None:
    traces = drawn(*(line(style, "line+points") for style in ("bbr", "bbr_4_17", "cubic", "reno", "published"))).plot
    looks = [(trace["line"]["dash"], trace["marker"]["symbol"]) for trace in traces["data"]]
    assert len(set(looks)) == len(looks)
    several = drawn(*(line(instance=number) for number in (2, 3, 5))).plot["data"]
    assert len({trace["line"]["dash"] for trace in several}) == 3


def test_what_was_published_is_an_outline_over_what_was_measured() -> None:
    (trace,) = drawn(line("published", "points")).plot["data"]
    assert trace["marker"]["symbol"].endswith("-open")
    assert trace["mode"] == "markers"


@pytest.mark.parametrize(("scale", "ticks"), [("log2", [0.5, 1.0, 2.0, 4.0, 8.0]), ("log10", None), ("linear", None)])
def test_powers_of_two_are_told_on_a_binary_axis(
    scale: Literal["linear", "log2", "log10"], ticks: list[float] | None
) -> None:
    found = drawn(line(x=(0.5, 8.0)), x=Axis(label="queue", scale=scale)).plot["layout"]["xaxis"]
    assert found.get("tickvals") == ticks
    assert found["type"] == ("linear" if scale == "linear" else "log")


def test_limits_and_marks_are_where_they_belong() -> None:
    wide = Axis(label="x", scale="log10", limits=(1, 1000))
    layout = drawn(line(), x=wide, y=Axis(label="y", limits=(0, None)), marks=((100.0, "here"),)).plot["layout"]
    assert layout["xaxis"]["range"] == [0, 3]
    assert layout["yaxis"]["autorangeoptions"] == {"minallowed": 0}
    assert [shape["x0"] for shape in layout["shapes"]] == [2]
    assert [note["text"] for note in layout["annotations"]] == ["here"]


def test_panels_do_not_overlap_and_have_a_second_layout_for_a_narrow_page() -> None:
    panel = Panel(x=AXIS, y=AXIS, layers=(line(),))
    plot = drawing(Chart(name="four", title="", caption="", panels=(panel,) * 4, columns=2)).plot
    places = [(plot["layout"][f"xaxis{n}"]["domain"], plot["layout"][f"yaxis{n}"]["domain"]) for n in ("", 2, 3, 4)]
    assert places[0][0][1] < places[1][0][0]
    assert places[2][1][1] < places[0][1][0]
    stacked = [plot["narrow"][f"yaxis{n}"]["domain"] for n in ("", 2, 3, 4)]
    assert all(below[1] < above[0] for above, below in pairwise(stacked))
    assert {tuple(plot["narrow"][f"xaxis{n}"]["domain"]) for n in ("", 2, 3, 4)} == {(0.0, 1.0)}


def test_few_numbers_are_told_as_a_table_and_many_are_not() -> None:
    few = drawn(line(low=(2.0, 3.5), high=(4.0, 4.5)), x=Axis(label="x", ticks=((1.0, "one"),)))
    assert few.rows == (("x", "bbr", "one", "3.00", "2.00 to 4.00"), ("x", "bbr", "2", "4.00", "3.50 to 4.50"))
    long = tuple(float(n) for n in range(200))
    assert drawn(line(x=long, y=long)).rows == ()


def test_what_is_no_number_is_a_gap() -> None:
    (trace,) = drawn(line(y=(float("nan"), float("inf")))).plot["data"]
    assert trace["y"] == [None, None]


def test_one_end_of_a_logarithmic_axis_is_a_power() -> None:
    layout = drawn(line(), y=Axis(label="cwnd", scale="log10", limits=(1, None))).plot["layout"]
    assert layout["yaxis"]["range"] == [0, None]
    assert "autorangeoptions" not in layout["yaxis"]


HEAT = Panel(
    title="shallow",
    x=Axis(label="RTT (ms)", ticks=((0.0, "5"), (1.0, "200"))),
    y=Axis(label="rate (Mbit/s)", ticks=((0.0, "10"),)),
    heat=HeatMap(
        label="gain (%)", cells=((-50.0, 100.0),), half_widths=((2.0, 0.0),), published=((-12.0, float("nan")),),
        colours="diverging",
    ),
)  # fmt: skip


def test_a_heat_map_has_words_places_and_a_bar_beside_it() -> None:
    found = drawing(Chart(name="gain", title="Gain", caption="", panels=(HEAT, HEAT), columns=2))
    first, second = found.plot["data"]
    assert first["type"] == "heatmap"
    assert first["z"] == [[0.25, 1.0]]
    assert first["text"] == [["-50<br>(-12)", "+100"]]
    assert first["customdata"] == [["-50.0 ± 2.0<br>published: -12", "100"]]
    layout = found.plot["layout"]
    for trace, suffix in ((first, ""), (second, "2")):
        bar = layout[trace["coloraxis"]]["colorbar"]
        assert layout[f"xaxis{suffix}"]["domain"][1] < bar["x"] < layout[f"xaxis{suffix}"]["domain"][1] + 0.02
        assert bar["title"]["text"] == "gain (%)"
    assert layout["xaxis"]["ticktext"] == ["5", "200"]
    assert found.plot["narrow"]["coloraxis2"]["colorbar"]["y"] < found.plot["narrow"]["coloraxis"]["colorbar"]["y"]


def test_the_numbers_of_a_heat_map_are_a_table_too() -> None:
    rows = drawing(Chart(name="gain", title="Gain", caption="", panels=(HEAT,))).rows
    assert rows == (
        ("shallow", "rate (Mbit/s) 10", "5", "-50.0 (published: -12)", "-52.0 to -48.0"),
        ("shallow", "rate (Mbit/s) 10", "200", "100", ""),
    )


def test_a_second_unit_has_an_axis_that_keeps_to_the_first() -> None:
    packets = Axis(label="queue (packets)", ticks=((1.0, "36"),))
    plot = drawn(line(), x=Axis(label="queue (BDP)", opposite=packets)).plot
    other = plot["layout"]["xaxis51"]
    assert (other["overlaying"], other["matches"], other["side"], other["ticktext"]) == ("x", "x", "top", ["36"])
    assert plot["data"][-1]["xaxis"] == "x51"
    assert plot["data"][-1]["yaxis"] == "y"
