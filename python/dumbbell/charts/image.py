"""Charts for print: PNG, SVG and PDF as wide as a paper's column. The same chart, the same bytes."""

from __future__ import annotations

import re
from pathlib import Path

import vl_convert

from dumbbell.charts.chart import Chart
from dumbbell.charts.layout import PRINT
from dumbbell.charts.numbers import csv
from dumbbell.charts.vega import set_width, vega_lite
from dumbbell.errors import DumbbellError

FORMATS = ("png", "svg", "pdf")
NUMBERS = "csv"
POINTS_PER_INCH, PIXELS_PER_INCH = 72, 300


def save(
    chart: Chart, folder: Path, formats: tuple[str, ...] = FORMATS, width_points: float | None = None
) -> list[Path]:
    """Writes the chart once a format, named as it is; gives the files.

    Raises:
        OSError: they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = svg(chart, width_points)
    paths = [folder / f"{chart.name}.{suffix}" for suffix in formats]
    for path in paths:
        path.write_bytes(_converted(drawn, path.suffix[1:]))
    return paths


def write(chart: Chart, path: Path) -> Path:
    """Writes the chart in the format that a file's name ends in, or its numbers as "csv".

    Raises:
        DumbbellError: it is another one.
        OSError: it cannot be written.
    """
    suffix = path.suffix[1:].lower()
    if suffix not in {*FORMATS, NUMBERS}:
        known = ", ".join(f".{each}" for each in (*FORMATS, NUMBERS))
        raise DumbbellError(f"{path}: a chart is written as {known}: end the file's name in one of them")
    path.write_bytes(csv(chart).encode() if suffix == NUMBERS else _converted(svg(chart), suffix))
    return path


def png(chart: Chart) -> bytes:
    """The chart for a notebook, or wherever one picture is needed."""
    return _converted(svg(chart), "png")


def svg(chart: Chart, width_points: float | None = None) -> str:
    """The chart, as wide as its columns ask for unless said: drawn once to see what its axes take, and then to fit."""
    layout = PRINT if width_points is None else PRINT.as_wide_as(width_points)
    spec = vega_lite(chart, layout)
    surplus = layout.width(chart) - _width(vl_convert.vegalite_to_svg(spec))
    set_width(spec, spec["concat"][0]["width"] + surplus / chart.columns)
    return _renumbered(vl_convert.vegalite_to_svg(spec))


def _renumbered(drawn: str) -> str:
    """With its own clips and gradients counted from 0: Vega counts on from one drawing to the next."""
    own: dict[str, str] = {}
    names = r'(?<=id=")[a-z_]+\d+(?=")|(?<=url\(#)[a-z_]+\d+(?=\))'
    return re.sub(names, lambda name: own.setdefault(name[0], f"part{len(own)}"), drawn)


def _converted(drawn: str, suffix: str) -> bytes:
    if suffix == "png":
        return vl_convert.svg_to_png(drawn, scale=PIXELS_PER_INCH / POINTS_PER_INCH, ppi=POINTS_PER_INCH)
    if suffix == "svg":
        return re.sub(r'(width|height)="([0-9.]+)"', r'\1="\2pt"', drawn, count=2).encode()
    return _ordered(vl_convert.svg_to_pdf(drawn))


def _ordered(pdf: bytes) -> bytes:
    """With the resources of a page by name: the renderer writes them in an order of chance. No byte is added."""

    def by_name(match: re.Match[bytes]) -> bytes:
        lines: list[bytes] = re.findall(rb"\n[^\n]+", match[0])
        return b"".join(sorted(lines))

    return re.sub(rb"(?:\n +/[a-z]+\d+ \d+ 0 R){2,}", by_name, pdf)


def _width(drawn: str) -> float:
    """Of an SVG, which tells it first."""
    match = re.search(r'width="([0-9.]+)"', drawn)
    assert match is not None  # noqa: S101 (every SVG of Vega's has one)
    return float(match[1])
