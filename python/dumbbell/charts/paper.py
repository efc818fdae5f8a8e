"""Charts for print, by matplotlib: PNG, SVG and PDF as wide as a paper's column. The same chart, the same bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, NullLocator

from dumbbell.charts import heat as cells
from dumbbell.charts.style import dash_of, ranked, style_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.typing import RcKeyType

    from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
    from dumbbell.charts.style import Dash, Marker, Style

FORMATS = ("png", "svg", "pdf")
COLUMN_INCHES, PAGE_INCHES = 3.5, 7.2
"""Widths of one column of a two-column page, and of both."""
PANEL_INCHES: Final = {1: 2.5, 2: 1.65}
"""Height of a panel by the number of rows; more rows are `LOW_PANEL_INCHES` high."""
LOW_PANEL_INCHES = 1.3
HEAT_INCHES = 3.0
"""Height of a row that has a heat map."""
OPPOSITE_INCHES = 0.38
"""What a row needs more where a panel has a second axis above it."""
LEGEND_LINE_INCHES = 0.16
CELL_POINTS, MOST_CELL_POINTS = 48, 8
"""Of the words in a row of a heat map's cells together; of those in one cell."""
MOST_LEVEL_TICKS, UPRIGHT_TICK_POINTS = 6, 6.5
"""More tick labels than these on one axis stand upright, and are smaller."""
PNG_DPI = 300

RC: Final[dict[RcKeyType, Any]] = {
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.4,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "legend.labelspacing": 0.35,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "dumbbell",
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
}
METADATA: Final[dict[str, dict[str, Any]]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Nothing that tells when, or by which release, a figure was drawn: its bytes are its content."""

_DASHES: Final[dict[Dash, Any]] = {
    "solid": "-",
    "dash": (0, (4, 1.6)),
    "dot": (0, (1, 1.4)),
    "dashdot": (0, (5, 1.4, 1, 1.4)),
    "longdash": (0, (8, 2)),
    "longdashdot": (0, (8, 1.6, 1, 1.6)),
}
_MARKERS: Final[dict[Marker, str]] = {
    "circle": "o",
    "square": "s",
    "triangle-up": "^",
    "triangle-down": "v",
    "diamond": "D",
    "cross": "P",
    "x": "x",
    "star": "*",
}


BAND_Z, LINE_Z, PUBLISHED_Z = 1.5, 2.5, 3.5
"""Bands lie below lines, and what was published above all."""


def save(chart: Chart, folder: Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Draws a chart into files of its name, one a format, and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    with mpl.rc_context(RC):
        figure = draw(chart)
        for suffix in formats:
            path = folder / f"{chart.name}.{suffix}"
            figure.savefig(path, format=suffix, dpi=PNG_DPI, metadata=METADATA[suffix])
            paths.append(path)
    return paths


def draw(chart: Chart) -> Figure:
    """A chart as a figure of matplotlib; the caption is left to the paper that it stands in."""
    with mpl.rc_context(RC):
        rows = math.ceil(len(chart.panels) / chart.columns)
        layers = [layer for panel in chart.panels for layer in panel.layers if layer.label]
        layers.sort(key=lambda layer: style_of(layer.style).open)  # what was published comes last
        labels = list(dict.fromkeys(layer.label for layer in layers))
        legend_columns = chart.columns
        legend = LEGEND_LINE_INCHES * math.ceil(len(labels) / legend_columns)
        row = HEAT_INCHES if any(panel.heat for panel in chart.panels) else PANEL_INCHES.get(rows, LOW_PANEL_INCHES)
        if any(panel.x.opposite for panel in chart.panels):
            row += OPPOSITE_INCHES
        height = rows * row + legend
        width = COLUMN_INCHES if chart.columns == 1 else PAGE_INCHES
        figure = Figure(figsize=(width, height), layout="constrained")
        grid = figure.subplots(rows, chart.columns, squeeze=False, sharex=chart.columns == 1)
        places = list(grid.flat)
        for axes, panel in zip(places, chart.panels, strict=False):
            _draw(axes, panel)
        for axes in places[len(chart.panels) :]:
            axes.remove()
        if chart.columns == 1:
            for axes in places[: len(chart.panels) - 1]:
                axes.set_xlabel("")
        _legend(figure, places, labels, legend_columns)
        return figure


def _draw(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title)
    for layer, rank in ranked(panel.layers):
        _layer(axes, layer, rank)
    if panel.heat is not None:
        _heat(axes, panel.heat)
    _axis(axes, panel.x, "x")
    _axis(axes, panel.y, "y")
    for at, what in panel.marks:
        axes.axvline(at, color="#7f7f7f", linewidth=0.6, linestyle=":", zorder=1)
        axes.annotate(
            what, (at, 1), xycoords=("data", "axes fraction"), xytext=(2, -2), textcoords="offset points",
            fontsize=7, va="top", bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75},
        )  # fmt: skip


def _axis(axes: Axes, axis: Axis, which: str) -> None:
    ruler = axes.xaxis if which == "x" else axes.yaxis
    ruler.set_label_text(axis.label)
    if axis.scale != "linear":
        base = 2 if axis.scale == "log2" else 10
        (axes.set_xscale if which == "x" else axes.set_yscale)("log", base=base)
    low, high = axis.limits
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    if axis.ticks:
        ruler.set_major_locator(FixedLocator([at for at, _ in axis.ticks]))
        ruler.set_minor_locator(NullLocator())
        ruler.set_ticklabels([words for _, words in axis.ticks])
        if which == "x" and len(axis.ticks) > MOST_LEVEL_TICKS and max(len(words) for _, words in axis.ticks) > 1:
            axes.tick_params(axis="x", labelrotation=90, labelsize=UPRIGHT_TICK_POINTS)
    if axis.opposite is not None:
        other = axes.secondary_xaxis("top") if which == "x" else axes.secondary_yaxis("right")
        _opposite(other.xaxis if which == "x" else other.yaxis, axis.opposite)


def _opposite(ruler: Any, axis: Axis) -> None:  # noqa: ANN401 (of either axis)
    ruler.set_label_text(axis.label)
    ruler.set_major_locator(FixedLocator([at for at, _ in axis.ticks]))
    ruler.set_minor_locator(NullLocator())
    ruler.set_ticklabels([words for _, words in axis.ticks])


def _heat(axes: Axes, heat: HeatMap) -> None:
    """Squares with their values in them, and the bar of colours beside."""
    axes.grid(visible=False)
    rows, columns = len(heat.cells), max(map(len, heat.cells), default=0)
    signed = heat.colours == "diverging"
    size = min(MOST_CELL_POINTS, CELL_POINTS / max(columns, 1))
    for row, values in enumerate(heat.cells):
        for column, value in enumerate(values):
            colour = cells.colour(value, heat)
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="#d9d9d9", lw=0.4))
            told = cells.words(heat.theirs(row, column), signed=signed)
            text: dict[str, Any] = {
                "xy": (column, row), "textcoords": "offset points", "ha": "center", "va": "center",
                "color": cells.ink(colour),
            }  # fmt: skip
            up = 0.6 * size if told else 0.0
            axes.annotate(cells.words(value, signed=signed), xytext=(0, up), fontsize=size, **text)
            if told:
                axes.annotate(f"({told})", xytext=(0, -0.75 * size), fontsize=0.8 * size, **text)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(-0.5, rows - 0.5)
    scale = ScalarMappable(cmap=LinearSegmentedColormap.from_list("dumbbell", cells.stops(heat)))
    ticks = cells.ticks(heat)
    bar = axes.get_figure(root=True).colorbar(scale, ax=axes, ticks=[at for at, _ in ticks], pad=0.02, aspect=30)  # type: ignore[union-attr]
    bar.ax.set_yticklabels([words for _, words in ticks])
    bar.set_label(heat.label)
    bar.outline.set_linewidth(0.4)


def _layer(axes: Axes, layer: Layer, rank: int) -> None:
    style = style_of(layer.style)
    dash, label = _DASHES[dash_of(style, rank)], layer.label or "_nolegend_"
    if layer.kind == "band":
        axes.fill_between(
            layer.x, layer.low, layer.high, facecolor=_faint(style.colour), edgecolor=style.colour, linewidth=0.5,
            linestyle=dash, label=label, zorder=BAND_Z,
        )  # fmt: skip
        if not layer.y:
            return
        label = "_nolegend_"
    if layer.low and layer.kind != "band":
        _intervals(axes, layer, style)
    axes.plot(
        layer.x,
        layer.y,
        color=style.colour,
        linestyle="none" if layer.kind == "points" else dash,
        marker=_MARKERS[style.marker] if "points" in layer.kind else "none",
        markerfacecolor="none" if style.open else style.colour,
        markersize=5.5 if style.open else None,
        clip_on="points" not in layer.kind,
        drawstyle="steps-post" if layer.kind == "step" else "default",
        label=label,
        zorder=PUBLISHED_Z if style.open else LINE_Z,
    )


def _intervals(axes: Axes, layer: Layer, style: Style) -> None:
    """Error bars, where an interval has a width."""
    ends = [
        (x, y, low, high) for x, y, low, high in zip(layer.x, layer.y, layer.low, layer.high, strict=True) if high > low
    ]
    axes.errorbar(
        [x for x, _, _, _ in ends],
        [y for _, y, _, _ in ends],
        yerr=([y - low for _, y, low, _ in ends], [high - y for _, y, _, high in ends]),
        fmt="none",
        ecolor=style.colour,
        elinewidth=0.8,
        capsize=2,
        zorder=LINE_Z,
    )


def _legend(figure: Figure, places: Iterable[Axes], labels: Iterable[str], columns: int) -> None:
    handles: dict[str, Any] = {}
    for axes in places:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        order = [label for label in labels if label in handles]
        figure.legend([handles[label] for label in order], order, loc="outside lower center", ncols=columns)


def _faint(colour: str) -> tuple[float, float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue, 0.18
