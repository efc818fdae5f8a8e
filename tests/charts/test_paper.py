"""Figures for print: every layer is drawn, at a column's width, and the same chart gives the same bytes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dumbbell.charts import paper
from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel

QUEUES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
CHART = Chart(
    name="queues",
    title="Loss",
    caption="made by hand",
    panels=(
        Panel(
            title="one",
            x=Axis(label="queue (BDP)", scale="log2", ticks=tuple((size, f"{size:g}") for size in QUEUES)),
            y=Axis(label="loss (%)", limits=(0, None)),
            layers=(
                Layer(
                    label="BBR of Linux 6.1",
                    style="bbr",
                    kind="line+points",
                    x=QUEUES,
                    y=(7, 6, 5, 4, 3, 2, 1),
                    low=(7, 5, 4, 3, 2, 1, 0),
                    high=(7, 7, 6, 5, 4, 3, 2),
                ),
                Layer(label="quartiles", style="cubic", kind="band", x=QUEUES, y=(), low=(1,) * 7, high=(3,) * 7),
                Layer(label="published", style="published", kind="points", x=QUEUES, y=(6,) * 7),
                Layer(label="", style="reno", kind="step", x=QUEUES, y=(2,) * 7),
            ),
            marks=((1.0, "here"),),
        ),
    ),
)


def test_a_figure_is_as_wide_as_a_column() -> None:
    assert paper.draw(CHART).get_size_inches()[0] == pytest.approx(3.5)
    two = replace(CHART, panels=CHART.panels * 2, columns=2)
    assert paper.draw(two).get_size_inches()[0] == pytest.approx(7.2)


def test_everything_of_the_chart_is_in_the_figure() -> None:
    figure = paper.draw(CHART)
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "one"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("queue (BDP)", "loss (%)")
    assert axes.get_xscale() == "log"
    assert axes.get_xticks().tolist() == list(QUEUES)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["0.25", "0.5", "1", "2", "4", "8", "16"]
    assert axes.get_ylim()[0] == 0
    drawn = [np.asarray(line.get_ydata()).tolist() for line in axes.get_lines()]
    assert [7, 6, 5, 4, 3, 2, 1] in drawn
    assert [6] * 7 in drawn
    assert [2] * 7 in drawn
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["BBR of Linux 6.1", "quartiles", "published"]
    assert "here" in [text.get_text() for text in axes.texts]


def test_upright_ticks_that_are_near_do_not_overlap() -> None:
    (panel,) = CHART.panels
    sizes = (0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2.0, 4.0, 8.0)
    crowded = replace(panel, x=replace(panel.x, ticks=tuple((size, f"{size:g}") for size in sizes), limits=(0.21, 9.5)))
    figure = paper.draw(replace(CHART, panels=(crowded, crowded), columns=2))
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


def test_an_interval_without_width_is_not_drawn() -> None:
    (axes,) = paper.draw(CHART).axes
    (bars,) = axes.containers
    (_, _, (segments,)) = bars.lines  # type: ignore[attr-defined]
    assert len(segments.get_segments()) == 6


def test_panels_above_one_another_share_their_x_axis() -> None:
    figure = paper.draw(replace(CHART, panels=CHART.panels * 2))
    upper, lower = figure.axes
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "queue (BDP)")
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 3


def test_the_same_chart_gives_the_same_bytes_and_tells_no_time(tmp_path: Path) -> None:
    first, second = paper.save(CHART, tmp_path / "a"), paper.save(CHART, tmp_path / "b")
    assert [path.name for path in first] == ["queues.png", "queues.svg", "queues.pdf"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
        assert b"CreationDate" not in one.read_bytes()
        assert b"<dc:date>" not in one.read_bytes()


def test_fonts_are_inside(tmp_path: Path) -> None:
    _, svg, pdf = paper.save(CHART, tmp_path)
    assert b"<text" not in svg.read_bytes()
    assert b"/FontFile2" in pdf.read_bytes()


HEAT = HeatMap(
    label="goodput gain (%)",
    cells=((-34.0, 0.5), (115.0, float("nan"))),
    published=((-12.0, float("nan")), (float("nan"), float("nan"))),
    colours="diverging",
)
CELLS = Panel(
    x=Axis(label="RTT (ms)", ticks=((0.0, "5"), (1.0, "200"))),
    y=Axis(label="rate (Mbit/s)", ticks=((0.0, "10"), (1.0, "500"))),
    heat=HEAT,
)


def test_a_heat_map_has_its_values_the_published_ones_and_a_bar_of_colours() -> None:
    figure = paper.draw(Chart(name="gain", title="Gain", caption="", panels=(CELLS,)))
    axes, bar = figure.axes
    assert [text.get_text() for text in axes.texts if text.get_text()] == ["-34", "(-12)", "+0.5", "+115"]
    columns = [text.xy[0] for text in axes.texts]  # type: ignore[attr-defined]
    assert columns == [0, 0, 1, 0, 1]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["5", "200"]
    assert bar.get_ylabel() == "goodput gain (%)"
    assert [tick.get_text() for tick in bar.get_yticklabels()] == ["-100", "0", "+100"]


def test_a_heat_map_gives_the_same_bytes(tmp_path: Path) -> None:
    chart = Chart(name="gain", title="Gain", caption="", panels=(CELLS, CELLS), columns=2)
    first, second = paper.save(chart, tmp_path / "a"), paper.save(chart, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_a_second_unit_stands_on_the_other_side() -> None:
    (panel,) = CHART.panels
    packets = Axis(label="queue (packets)", ticks=((1.0, "36"), (2.0, "72")))
    (axes,) = paper.draw(replace(CHART, panels=(replace(panel, x=replace(panel.x, opposite=packets)),))).axes
    (other,) = axes.child_axes
    assert other.get_xlabel() == "queue (packets)"
    assert [tick.get_text() for tick in other.get_xticklabels()] == ["36", "72"]


def test_a_logarithmic_y_axis() -> None:
    (panel,) = CHART.panels
    (axes,) = paper.draw(
        replace(CHART, panels=(replace(panel, y=Axis(label="cwnd", scale="log10", limits=(1, None))),))
    ).axes
    assert axes.get_yscale() == "log"
    assert axes.get_ylim()[0] == 1


def test_instances_of_one_style_have_dashes_of_their_own() -> None:
    (panel,) = CHART.panels
    layers = tuple(
        Layer(label=f"{number}", style="bbr", x=QUEUES, y=(number,) * 7, instance=number) for number in (0, 2, 5)
    )
    (axes,) = paper.draw(replace(CHART, panels=(replace(panel, layers=layers, marks=()),))).axes
    first, second, third = axes.get_lines()
    assert (first.get_linestyle(), second.get_linestyle()) == ("-", "--")
    assert second.is_dashed()
    assert third.is_dashed()
    assert len({str(line.get_color()) for line in axes.get_lines()}) == 1
