"""What is told in words of a panel's lines."""

from __future__ import annotations

import pytest

from dumbbell.charts.chart import TIME, Axis, Chart, Layer, Panel
from dumbbell.studies.course import courses


def line(label: str, x: tuple[float, ...], y: tuple[float, ...], style: str = "bbr") -> Layer:
    return Layer(label=label, style=style, x=x, y=y)


def courses_of(*layers: Layer, x: str = "queue") -> list[str]:
    panel = Panel(x=Axis(label=x, ticks=((1, "one"),)), y=Axis(label="rate"), layers=layers)
    return list(courses(Chart(name="f", title="F", caption="", panels=(panel,))))


def test_of_two_lines_it_is_told_which_is_above_and_where_they_cross() -> None:
    bbr, cubic = line("BBR", (1, 2, 4), (8, 6, 2)), line("CUBIC", (1, 2, 4, 8), (2, 4, 6, 9), "cubic")
    assert courses_of(bbr, cubic) == ["BBR is above CUBIC at one to 2, CUBIC is above BBR at 4; they cross at 2.67"]
    assert courses_of(bbr, line("Reno", (1, 2), (8, 6))) == ["both are even at one to 2"]


@pytest.mark.parametrize(
    ("y", "course"),
    [
        ((8, 2, 1), "falls from 8.00 at one to 1.00 at 4, steadily"),
        ((1, 9, 2), "rises from 1.00 at one to 2.00 at 4, not steadily"),
    ],
)
def test_of_a_line_alone_its_course_is_told(y: tuple[float, ...], course: str) -> None:
    assert courses_of(line("BBR", (1, 2, 4), y)) == [f"BBR {course}"]


def test_in_time_it_is_told_for_how_long_one_is_above() -> None:
    bbr, cubic = line("BBR", (0, 1, 2, 3, 4), (5, 5, 5, 1, 1)), line("CUBIC", (0, 4), (2, 2))
    assert courses_of(bbr, cubic, x=TIME) == ["BBR is above CUBIC for 75.0 % of 4.00 s"]


def test_what_is_published_is_compared_with_what_is_published_and_a_cloud_with_nothing() -> None:
    ours = line("BBR", (1, 2), (3, 3))
    theirs = [line(f"{each}, published", (1, 2), (at, at), "published") for each, at in (("BBR", 4), ("CUBIC", 1))]
    cloud = line("ss", (1, 1), (2, 9))
    assert courses_of(ours, *theirs, cloud) == [
        "BBR is even from 3.00 at one to 3.00 at 2, steadily",
        "BBR, published is above CUBIC, published at one to 2",
    ]
