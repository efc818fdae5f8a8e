"""From a chart to Vega-Lite, and to files for print: all of it is drawn, and the same chart gives the same bytes.

What is drawn is read from the SVG, whose text is text and whose marks tell what they are.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from dumbbell.charts import image
from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.charts.layout import PAGE
from dumbbell.charts.notebook import show
from dumbbell.charts.vega import vega_lite

QUEUES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
NAN = float("nan")
PANEL = Panel(
    title="one",
    x=Axis(label="queue (BDP)", scale="log2", ticks=tuple((size, f"{size:g}") for size in QUEUES)),
    y=Axis(label="loss (%)", limits=(0, None)),
    layers=(
        Layer(
            label="BBR of Linux 6.1", style="bbr", kind="line+points", x=QUEUES, y=(7, 6, 5, 4, 3, 2, 1),
            low=(7, 5, 4, 3, 2, 1, 0), high=(7, 7, 6, 5, 4, 3, 2),
        ),
        Layer(label="quartiles", style="cubic", kind="band", x=QUEUES, y=(), low=(1,) * 7, high=(3,) * 7),
        Layer(label="published", style="published", kind="points", x=QUEUES, y=(6,) * 7),
        Layer(label="", style="reno", kind="step", x=QUEUES, y=(2,) * 7),
    ),
    marks=((1.0, "here"),),
)  # fmt: skip
CHART = Chart(name="queues", title="Loss", caption="made by hand", panels=(PANEL,))
HEAT = HeatMap(
    label="goodput gain (%)", cells=((-34.0, 0.5), (115.0, NAN)), published=((-12.0, NAN), (NAN, NAN)),
    colours="diverging",
)  # fmt: skip
CELLS = Panel(
    x=Axis(label="RTT (ms)", ticks=((0.0, "5"), (1.0, "200"))),
    y=Axis(label="rate (Mbit/s)", ticks=((0.0, "10"), (1.0, "500"))),
    heat=HEAT,
)
GAIN = Chart(name="gain", title="Gain", caption="", panels=(CELLS, CELLS), columns=2)


def texts(drawn: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", drawn)


def drawn_with(**changes: Any) -> str:
    return image.svg(replace(CHART, panels=(replace(PANEL, **changes),)))


@pytest.mark.parametrize(
    ("chart", "points"), [(CHART, 252), (replace(CHART, panels=(PANEL,) * 2, columns=2), 518), (GAIN, 518)]
)
def test_a_figure_is_as_wide_as_a_papers_columns(chart: Chart, points: float) -> None:
    match = re.search(r'width="([0-9.]+)"', image.svg(chart))
    assert match is not None
    assert float(match[1]) == pytest.approx(points, abs=4)


def test_everything_of_the_chart_is_in_the_figure() -> None:
    drawn = image.svg(CHART)
    labels = texts(drawn)
    assert {"one", "queue (BDP)", "loss (%)", "here"} <= set(labels)
    assert [text for text in labels if text in {f"{size:g}" for size in QUEUES}][:7] == [f"{size:g}" for size in QUEUES]
    assert labels[-3:] == ["BBR of Linux 6.1", "quartiles", "published"]
    roles = re.findall(r'class="mark-(\w+) role-mark', drawn)
    assert (roles.count("line"), roles.count("area")) == (2, 1)
    assert drawn.count('stroke="#0072b2"') >= 6 + 7  # an interval of no width has no bar


def test_panels_above_one_another_share_their_x_axis_and_the_legend() -> None:
    labels = texts(image.svg(replace(CHART, panels=(PANEL,) * 2)))
    assert (labels.count("queue (BDP)"), labels.count("loss (%)"), labels.count("published")) == (1, 2, 1)


@pytest.mark.slow
def test_the_same_chart_gives_the_same_bytes_and_tells_no_time(tmp_path: Path) -> None:
    for chart in (CHART, GAIN):
        first, second = image.save(chart, tmp_path / "a"), image.save(chart, tmp_path / "b")
        assert [path.suffix for path in first] == [".png", ".svg", ".pdf"]
        for one, other in zip(first, second, strict=True):
            assert one.read_bytes() == other.read_bytes()
            assert b"CreationDate" not in one.read_bytes()
    assert b"/FontFile" in first[2].read_bytes()


def test_a_heat_map_has_its_values_the_published_ones_and_a_bar_of_colours() -> None:
    labels = texts(image.svg(replace(GAIN, panels=(CELLS,), columns=1)))
    assert {"-34", "(-12)", "+0.5", "+115", "5", "200", "goodput gain (%)", "+100"} <= set(labels)


def test_a_second_unit_stands_on_the_other_side() -> None:
    packets = Axis(label="queue (packets)", ticks=((1.0, "36"), (2.0, "72")))
    labels = texts(drawn_with(x=replace(PANEL.x, opposite=packets), y=replace(PANEL.y, opposite=packets)))
    assert [labels.count(text) for text in ("queue (packets)", "36", "72")] == [2, 2, 2]


def test_a_logarithmic_axis_tells_powers_and_begins_where_it_should() -> None:
    layers = (Layer(label="", style="bbr", x=(1, 2), y=(1, 10_000)),)
    drawn = texts(drawn_with(layers=layers, y=Axis(label="cwnd", scale="log10", limits=(1, None)), marks=()))
    assert drawn[drawn.index("queue (BDP)") + 1 : drawn.index("cwnd")] == ["1", "10", "100", "1000", "10000"]


def test_what_is_no_number_is_a_gap() -> None:
    layers = (Layer(label="", style="bbr", x=(1, 2, 4, 8), y=(1, NAN, 3, float("inf"))),)
    assert "NaN" not in drawn_with(layers=layers)


@pytest.mark.slow
@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(
    "layers", [(), (Layer(label="", style="bbr", x=(), y=()),), (Layer(label="", style="bbr", x=(1, 2), y=(NAN, NAN)),)]
)
def test_a_panel_without_points_has_its_axes(layers: tuple[Layer, ...], columns: int, position: int) -> None:
    panels = [PANEL] * 3
    panels[position] = replace(PANEL, title="empty", y=Axis(label="goodput (%)"), layers=layers, marks=())
    chart = replace(CHART, panels=tuple(panels), columns=columns)
    labels = texts(image.svg(chart))
    assert [labels.count(text) for text in ("empty", "goodput (%)", "loss (%)")] == [1, 1, 2]
    spec = vega_lite(chart, PAGE)
    assert vl_convert.vegalite_to_svg(spec)


def test_long_titles_and_legends_take_several_lines() -> None:
    title = "BBR as of Linux 4.17 (parameters) beside CUBIC, from 50 to 85 % of the run; published"
    drawn = drawn_with(title=title, layers=(replace(PANEL.layers[0], label=title),))
    lines = re.findall(r"<tspan[^>]*>([^<]+)</tspan>", drawn)
    assert len(lines) > 2
    assert max(map(len, lines)) < 60
    assert " ".join(lines) == f"{title} {title}"


def test_upright_ticks_are_those_that_would_touch() -> None:
    sizes = (0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2.0, 4.0, 8.0)
    crowded = replace(PANEL.x, ticks=tuple((size, f"{size:g}") for size in sizes))
    assert "rotate(-90)" in drawn_with(x=crowded, y=replace(PANEL.y, label=""))
    assert "rotate(-90)" not in drawn_with(y=replace(PANEL.y, label=""))


def test_what_differs_in_colour_only_on_a_screen_differs_in_dash_or_marker_on_paper() -> None:
    names = ("bbr", "bbr_4_17", "cubic", "reno", "published")
    layers = tuple(Layer(label=name, style=name, kind="line+points", x=QUEUES, y=QUEUES) for name in names)
    several = tuple(Layer(label=str(n), style="bbr", x=QUEUES, y=QUEUES, instance=n) for n in (2, 3, 5))
    for shown in (layers, several):
        panel = vega_lite(replace(CHART, panels=(replace(PANEL, layers=shown, marks=()),)))["concat"][0]
        shapes = panel["layer"][-1]["encoding"]["shape"]["scale"]["range"]
        assert len(set(shapes)) == len(shown)


@pytest.mark.parametrize(("columns", "zooms"), [(1, {"x": "zoom"}), (2, {"panel0_x": "zoom0", "panel1_x": "zoom1"})])
def test_a_page_can_zoom_each_panel_and_pick_from_the_legend(columns: int, zooms: dict[str, str]) -> None:
    """Panels above one another share their axis, and what zooms it; a heat map has nothing to zoom."""
    spec = vega_lite(replace(CHART, panels=(PANEL, PANEL, CELLS), columns=columns), PAGE)
    assert "'bind': 'legend'" in str(spec)
    assert [panel["layers"][0] for panel in spec["usermeta"]["panels"][:2]] == ["quartiles"] * 2
    scales = vl_convert.vegalite_to_vega(spec)["scales"]
    domains = {scale["name"]: scale["domainRaw"]["signal"] for scale in scales if "domainRaw" in scale}
    assert {name: signal for name, signal in domains.items() if name.endswith("x")} == {
        name: f'{zoom}["x"]' for name, zoom in zooms.items()
    }


def test_a_notebook_shows_the_chart_and_its_picture() -> None:
    shown = show(CHART)._repr_mimebundle_()
    assert set(shown) == {"application/vnd.vegalite.v6+json", "image/png"}
