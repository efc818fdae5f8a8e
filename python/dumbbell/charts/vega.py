"""A chart as Vega-Lite: one description for page, print and notebook. The one place that knows Vega-Lite's words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

from dumbbell.charts import heat as cells
from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.charts.style import DASHES, FONT, MARKERS, dash_of, faint, ranked, style_of
from dumbbell.metrics.number import amount

Spec: TypeAlias = dict[str, Any]

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
COLUMNS: Final = ("x", "y", "low", "high")
"""Of a layer's data."""
DIGITS: Final = 6
"""Of a number in a layer's data."""
LONG: Final = 150
"""Points of a line whose numbers need only the digits that can be seen."""
STEPS: Final = 3000
"""Of an axis that can be seen: several a pixel."""
CHARACTER: Final = 0.55
"""Width of a character, by the size of the font."""
SYMBOL: Final = 2.4
"""Width of a line in the legend, by the size of the font."""
NOWHERE: Final[Spec] = {"x": None, "y": None}
"""Of what is not on the panel's axes."""
INK, RULE, GRID = "#000000", "#777777", "#dddddd"
"""What a page replaces by its own colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Sizes in points of print, or in pixels."""

    widths: tuple[float, float]
    """Of a chart with one column, and of one with more."""
    heights: tuple[float, ...]
    """Of a panel, by the number of rows; where there are more, the last one."""
    heat_height: float
    font: float
    line: float
    marker: float
    """Area of a marker."""
    is_interactive: bool = False

    def width(self, chart: Chart) -> float:
        """Of a chart, axes and legend included."""
        return self.widths[chart.columns > 1]

    def height(self, chart: Chart) -> float:
        """Of each panel."""
        rows = math.ceil(len(chart.panels) / chart.columns)
        is_heat = any(panel.heat for panel in chart.panels)
        return self.heat_height if is_heat else self.heights[min(rows, len(self.heights)) - 1]


PRINT: Final = Layout(widths=(252, 518), heights=(140, 90, 72), heat_height=165, font=8, line=1.2, marker=16)
"""One column of a two-column paper, 3.5 inches, or both, 7.2."""
PAGE: Final = Layout(
    widths=(900, 900), heights=(300, 190, 160), heat_height=380, font=13, line=2, marker=55, is_interactive=True
)


def vega_lite(chart: Chart, layout: Layout = PAGE) -> Spec:
    """The chart with all its numbers, but for its caption. `set_width` makes the whole as wide as wanted."""
    shares_x = chart.columns == 1
    last = len(chart.panels) - 1
    columns = min(chart.columns, len(chart.panels))
    panels = [
        _panel(panel, number, chart, layout, hides_x=shares_x and number < last)
        for number, panel in enumerate(chart.panels)
    ]
    if labels := _labels(chart.panels):
        panels[0]["layer"].append(_legend(labels, layout))
    spec = {
        "$schema": SCHEMA,
        "description": chart.alt or chart.title,
        "params": [
            {"name": "panel_width", "value": 0}, {"name": "panel_columns", "value": columns},
            *(_zooms(chart) if layout.is_interactive else ()),
        ],
        "concat": panels,
        "columns": chart.columns,
        "spacing": {"row": 1.3 * layout.font, "column": 1.5 * layout.font},
        "resolve": {
            "scale": {"x": "shared" if shares_x else "independent", "color": "independent"},
            "legend": {"color": "independent"},
        },
        "config": _config(layout),
        **({"usermeta": {"panels": [_told(panel) for panel in chart.panels]}} if layout.is_interactive else {}),
    }  # fmt: skip
    set_width(spec, layout.width(chart) / chart.columns - 6 * layout.font)
    return spec


def set_width(spec: Spec, width: float) -> None:
    """Makes all panels this wide, without their axes."""
    spec["params"][0]["value"] = width
    for panel in spec["concat"]:
        panel["width"] = width


def _config(layout: Layout) -> Spec:
    """What no layer decides."""
    small, plain = 0.94 * layout.font, {"labelColor": INK, "titleColor": INK, "titleFontWeight": "normal"}
    return {
        "background": "#ffffff",
        "font": FONT,
        "padding": layout.font / 4,
        "view": {"stroke": None},
        "axis": {
            **plain, "labelFontSize": small, "titleFontSize": layout.font, "gridColor": GRID, "domainColor": RULE,
            "tickColor": RULE, "tickSize": 0.4 * layout.font, "labelPadding": 0.2 * layout.font,
            "titlePadding": 0.5 * layout.font, "labelFlush": False, "gridWidth": layout.line / 3,
            "domainWidth": layout.line / 2, "tickWidth": layout.line / 2,
        },
        "legend": {
            **plain, "labelFontSize": small, "titleFontSize": layout.font, "labelLimit": 0, "titleLimit": 0,
            "columnPadding": layout.font, "rowPadding": -0.95 * layout.font, "title": None, "orient": "bottom",
            "offset": 0, "symbolSize": (SYMBOL * layout.font) ** 2, "symbolStrokeWidth": layout.line,
            "symbolOpacity": 1,
        },
        "title": {
            "fontSize": layout.font, "anchor": "start", "frame": "group", "color": INK, "offset": layout.font / 2,
            # of several fonts in one PDF the order varies from one drawing to the next
            "fontWeight": "bold" if layout.is_interactive else "normal",
        },
        "text": {"fontSize": small, "color": INK},
    }  # fmt: skip


def _panel(panel: Panel, number: int, chart: Chart, layout: Layout, *, hides_x: bool) -> Spec:
    x, y = _axis(panel.x, panel, layout, "x"), _axis(panel.y, panel, layout, "y")
    if hides_x:
        x["axis"] |= {"title": None, "labels": False, "ticks": False}
    name = f"panel{number}"
    encoding = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    spec: Spec = {"name": name, "height": layout.height(chart), "encoding": encoding, "layer": []}
    if panel.title:
        spec["title"] = {"text": {"expr": _lines(_quoted(panel.title), "panel_width", layout)}}
    if panel.heat is not None:
        spec["layer"].append(_heat(panel, panel.heat, encoding, name, layout))
    spec["layer"] += _marks(panel, layout)
    layers = _drawn(panel)
    for layer, rank in layers:
        units = list(_units(layer, rank, layout, f"isValid({_zoom(chart, number)}.x)"))
        if layer is layers[0][0]:
            units[0].get("layer", units)[0]["name"] = f"zoomed{number}"
        picked = _picked(layer) if layout.is_interactive else {}
        spec["layer"].append({"data": _data(layer), "layer": units, **picked})
    if not layers and panel.heat is None:
        spec["layer"].append(_blank(encoding))
    spec["layer"] += _opposite(panel, layout)
    return spec


def _told(panel: Panel) -> Spec:
    """What a page says of a point below the pointer: names of the axes and of the layers, in the order of the units."""
    return {
        "x": panel.x.label, "y": panel.y.label, "ticks": [list(each) for each in panel.x.ticks],
        "layers": [layer.label or style_of(layer.style).label for layer, _ in _drawn(panel)],
    }  # fmt: skip


def _drawn(panel: Panel) -> list[tuple[Layer, int]]:
    """The layers that have points, the lowest first, each with its rank."""
    layers = [(layer, rank) for layer, rank in ranked(panel.layers) if layer.x]
    return sorted(layers, key=lambda each: _depth(each[0]))


def _depth(layer: Layer) -> int:
    """Bands lie below lines, and what was published above."""
    return 0 if layer.kind == "band" else 1 + style_of(layer.style).open


def _blank(encoding: Spec) -> Spec:
    """Nothing but the axes of a panel without points: Vega-Lite has none where nothing is drawn."""
    ends = {which: axis["scale"].get("domain", [axis["scale"].get("domainMin", 1)]) for which, axis in encoding.items()}
    values = {which: end for which, (end, *_) in ends.items()}
    return {"data": {"values": [values]}, "mark": {"type": "point", "opacity": 0}}


def _data(layer: Layer) -> Spec:
    """Every point as a line of text, which is a third of what objects take."""
    names = [name for name in COLUMNS if getattr(layer, name)]
    if len(layer.x) > LONG:
        x, y = _written(layer.x), _written([*layer.y, *layer.low, *layer.high])
        columns = [x, *(y[at : at + len(x)] for at in range(0, len(y), len(x)))]
    else:
        columns = [[_number(value, f".{DIGITS}g") for value in getattr(layer, name)] for name in names]
    lines = [",".join(names), *map(",".join, zip(*columns, strict=True))]
    return {"values": "\n".join(lines), "format": {"type": "csv", "parse": dict.fromkeys(names, "number")}}


def _written(values: Sequence[float]) -> list[str]:
    """With the decimals that can be seen beside the smallest and the largest, and three digits at least."""
    finite = [value for value in values if math.isfinite(value)]
    span = max(finite, default=0.0) - min(finite, default=0.0)
    decimals = -round(math.log10(span / STEPS)) if span else DIGITS
    fine = 100 / 10 ** max(decimals, 0)
    texts = (_number(value, f".{max(decimals, 0)}f" if abs(value) >= fine else ".3g") for value in values)
    return [text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text for text in texts]


def _number(value: float, form: str) -> str:
    """Empty, a gap, where it is none."""
    return f"{value:{form}}" if math.isfinite(value) else ""


def _quoted(words: object) -> str:
    """As Vega's expressions take it."""
    return json.dumps(words, ensure_ascii=False)


def _lines(words: str, width: str, layout: Layout) -> str:
    """An expression: what `words` gives, in lines of at most a width in pixels."""
    most = f"max(12,floor(({width})/{CHARACTER * layout.font:.2f}))"
    return f"split(trim(replace({words},regexp('(.{{1,'+{most}+'}})( +|$)','g'),'$1\\n')),'\\n')"


def _axis(axis: Axis, panel: Panel, layout: Layout, which: str) -> Spec:
    """Scale and axis, without a field."""
    low, high = axis.limits
    drawn: Spec = {"title": axis.label, "titleLimit": 0, "tickCount": 6}
    scale: Spec = {"nice": axis.scale == "linear" and which == "y"} | (
        {"zero": False} if axis.scale == "linear" else {}
    )
    if axis.scale != "linear":
        base = 2 if axis.scale == "log2" else 10
        values = [value for layer in panel.layers for value in (layer.x if which == "x" else layer.y) if value > 0]
        ends = low or min(values, default=1), high or max(values, default=1)
        drawn |= {"tickCount": max(2, int(math.log(ends[1] / ends[0], base))), "format": "~g"}
        scale |= {"type": "log", "base": base}
    if low is not None and high is not None:
        scale |= {"domain": [low, high], "nice": False}
    else:
        scale |= {} if low is None else {"domainMin": low}
        scale |= {} if high is None else {"domainMax": high}
        if axis.scale != "linear" or (which == "x" and low is high is None):
            scale["padding"] = layout.font  # there is no nice end beyond the last marker
    if axis.ticks:
        drawn = {"title": axis.label, "titleLimit": 0, **_ticks(axis, layout, which)}
    return {"type": "quantitative", "scale": scale, "title": axis.label, "axis": drawn}


def _ticks(axis: Axis, layout: Layout, which: str) -> Spec:
    """Given ticks; below a panel upright where they do not fit beside one another."""
    places, words = [at for at, _ in axis.ticks], [text for _, text in axis.ticks]
    found: Spec = {
        "values": places,
        "labelExpr": f"{_quoted(words)}[indexof({_quoted(places)},datum.value)]",
        "labelOverlap": "greedy",
        "labelLimit": 0,
    }
    if which == "x":
        upright = f"panel_width<{_fitting_width(axis, layout):.0f}"
        found |= {
            "labelAngle": {"expr": f"{upright}?-90:0"},
            "labelAlign": {"expr": f"{upright}?'right':'center'"},
            "labelBaseline": {"expr": f"{upright}?'middle':'top'"},
        }
    return found


def _fitting_width(axis: Axis, layout: Layout) -> float:
    """Of a panel in which level labels of an axis do not touch, wherever the nearest two are."""
    places = sorted(math.log(at) if axis.scale != "linear" else at for at, _ in axis.ticks)
    ends = [places[0], places[-1]]
    if axis.limits[0] is not None and axis.limits[1] is not None:
        ends = [math.log(end) if axis.scale != "linear" else end for end in axis.limits if end is not None]
    nearest = min((after - before for before, after in pairwise(places)), default=0.0)
    longest = (max(len(words) for _, words in axis.ticks) + 1) * CHARACTER * layout.font
    return longest * (ends[1] - ends[0]) / nearest if nearest else 0.0


def _picked(layer: Layer) -> Spec:
    """Faint while others are picked in the legend."""
    if not layer.label:
        return {}
    is_picked = f"!picked.label||indexof(picked.label,{_quoted(layer.label)})>=0"
    return {"encoding": {"opacity": {"condition": {"test": is_picked, "value": 1}, "value": 0.1}}}


def _units(layer: Layer, rank: int, layout: Layout, zoomed: str) -> Iterator[Spec]:
    """Band, error bars, line and markers, as far as the layer has them; y is the panel's unless said otherwise.

    A marker at the end of an axis is drawn in full, until the panel is zoomed.
    """
    style = style_of(layer.style)
    colour, thin = style.colour, 0.7 * layout.line
    dash = DASHES[dash_of(style, rank)]
    line: Spec = {"strokeDash": [round(part * layout.line, 2) for part in dash]} if dash else {}
    between = {"y": {"field": "low"}, "y2": {"field": "high"}}
    if layer.kind == "band":
        edge = {**line, "strokeWidth": 0.4 * layout.line, "stroke": colour}
        yield {"mark": {"type": "area", "fill": faint(colour), "clip": True, **edge}, "encoding": between}
    elif layer.low:
        bar = {"color": colour, "clip": True}
        bars: list[Spec] = [{"mark": {"type": "rule", "strokeWidth": thin, **bar}, "encoding": between}]
        cap = {"type": "tick", "orient": "horizontal", "thickness": thin, "size": 5 * thin, **bar}
        bars += [{"mark": cap, "encoding": {"y": {"field": end}}} for end in ("low", "high")]
        yield {"transform": [{"filter": "datum.high>datum.low"}], "layer": bars}
    if not layer.y:
        return
    if layer.kind != "points":
        bend = {"interpolate": "step-after"} if layer.kind == "step" else {}
        yield {"mark": {"type": "line", "color": colour, "clip": True, "strokeWidth": layout.line, **bend, **line}}
    if "points" in layer.kind:
        mark = {
            "type": "point", "shape": MARKERS[style.marker][0], "size": layout.marker * (2 if style.open else 1),
            "fill": "transparent" if style.open else colour, "stroke": colour, "strokeWidth": thin, "opacity": 1,
            **({"tooltip": {"content": "data"}, "clip": {"expr": zoomed}} if layout.is_interactive else {}),
        }  # fmt: skip
        yield {"mark": mark}


def _zoom(chart: Chart, number: int) -> str:
    """The name of what zooms a panel: panels that share their x axis share it."""
    return "zoom" if chart.columns == 1 and len(chart.panels) > 1 else f"zoom{number}"


def _zooms(chart: Chart) -> Iterator[Spec]:
    """A drag moves a panel's axes, the wheel with Ctrl zooms them, and a double click shows all again."""
    panels: dict[str, list[str]] = {}
    for number, panel in enumerate(chart.panels):
        if _drawn(panel):
            panels.setdefault(_zoom(chart, number), []).append(f"zoomed{number}")
    for name, views in panels.items():
        select = {"type": "interval", "encodings": ["x"] if name == "zoom" else ["x", "y"]}
        yield {"name": name, "select": select | {"zoom": "wheel![event.ctrlKey]"}, "bind": "scales", "views": views}


def _marks(panel: Panel, layout: Layout) -> Iterator[Spec]:
    if panel.marks:
        text = {
            "type": "text",
            "align": "left",
            "baseline": "top",
            "dx": 3,
            "fontSize": 0.88 * layout.font,
            "clip": True,
        }
        yield {
            "data": {"values": [{"at": at, "what": what} for at, what in panel.marks]},
            "encoding": {"x": {"field": "at"}, "y": None},
            "layer": [
                {"mark": {"type": "rule", "color": "#7f7f7f", "strokeDash": [1, 2], "clip": True}},
                {"mark": {**text, "y": 2}, "encoding": {"text": {"field": "what"}}},
            ],
        }


def _opposite(panel: Panel, layout: Layout) -> Iterator[Spec]:
    """Labels of the same positions in another unit: Vega-Lite gives a scale one axis only."""
    small, gap = 0.94 * layout.font, layout.font / 3
    for which, other in (("x", panel.x.opposite), ("y", panel.y.opposite)):
        if other is None:
            continue
        longest = max((len(words) for _, words in other.ticks), default=0) * CHARACTER * small
        beyond = {"expr": f"panel_width+{gap}"}, {"expr": f"panel_width+{2 * gap + longest + layout.font / 2:.1f}"}
        if which == "x":
            labels: Spec = {"y": -gap, "baseline": "bottom"}
            title: Spec = {"x": {"expr": "panel_width/2"}, "y": -2 * gap - 1.1 * small, "baseline": "bottom"}
        else:
            labels = {"x": beyond[0], "align": "left"}
            title = {"x": beyond[1], "y": {"expr": "childHeight/2"}, "angle": 90, "baseline": "bottom"}
        yield {
            "data": {"values": [{"at": at, "what": words} for at, words in other.ticks]},
            "mark": {"type": "text", "fontSize": small, "clip": False, **labels},
            "encoding": {**NOWHERE, which: {"field": "at"}, "text": {"field": "what"}},
        }
        mark = {"type": "text", "fontSize": layout.font, "text": other.label, "clip": False, **title}
        yield {"data": {"values": [{}]}, "mark": mark, "encoding": NOWHERE}


def _heat(panel: Panel, heat: HeatMap, encoding: Spec, name: str, layout: Layout) -> Spec:
    """Coloured squares with their values in them, and the bar of colours beside."""
    rows, columns = len(heat.cells), max(map(len, heat.cells), default=0)
    sign = heat.colours == "diverging"
    for axis, count in ((encoding["x"], columns), (encoding["y"], rows)):
        axis["scale"] = {"domain": [-0.5, count - 0.5], "nice": False, "zero": False}
        axis["axis"] |= {"grid": False, "ticks": False, "domain": False}
    colour = {
        "field": "value",
        "type": "quantitative",
        "scale": {"type": "log" if heat.colours == "logarithmic" else "linear", **cells.scale(heat)},
        "legend": {
            "title": heat.label, "titleOrient": "right", "orient": "right", "offset": layout.font,
            "gradientLength": layout.heat_height,
            "gradientThickness": layout.font, "tickCount": 5, "format": "~s",
            **({"labelExpr": "(datum.value>0?'+':'')+datum.label"} if sign else {}),
        },
        "condition": {"test": "!isValid(datum.value)", "value": "#ffffff"},
    }  # fmt: skip
    square = {"x": {"field": "left"}, "x2": {"field": "right"}, "y": {"field": "bottom"}, "y2": {"field": "top"}}
    told = [panel.x.label, panel.y.label, heat.label, *(["published"] if heat.published else [])]
    hover = {"tooltip": [{"field": _escaped(field), "title": field} for field in told]} if layout.is_interactive else {}
    bright = f"isValid(datum.value)&&luminance(scale('{name}_color',datum.value))<0.22"
    ink = {"condition": {"test": bright, "value": "#fff"}, "value": "#000"}
    size = f"min({layout.font},panel_width/{columns}*0.3)"
    shift = {"expr": f"datum.beside?-0.55*{size}:0"}
    texts = [("text", {"fontSize": {"expr": size}, "dy": shift})]
    if heat.published:
        texts.append(("beside", {"fontSize": {"expr": f"0.8*{size}"}, "dy": {"expr": f"0.65*{size}"}}))
    at = {"x": {"field": "column"}, "y": {"field": "row"}, "color": ink}
    squares = {
        "mark": {"type": "rect", "stroke": "#d9d9d9", "strokeWidth": 0.4, "invalid": "show"},
        "encoding": {**square, "color": colour, **hover},
    }
    words = [{"mark": {"type": "text", **mark}, "encoding": {**at, "text": {"field": field}}} for field, mark in texts]
    return {"data": {"values": list(_cells(panel, heat))}, "layer": [squares, *words]}


def _cells(panel: Panel, heat: HeatMap) -> Iterator[Spec]:
    """A row of data a cell."""
    low, _ = cells.limits(heat)
    sign = heat.colours == "diverging"
    across, up = dict(panel.x.ticks), dict(panel.y.ticks)
    for row, values in enumerate(heat.cells):
        for column, value in enumerate(values):
            published = cells.words(heat.theirs(row, column), signed=sign)
            yield {
                "column": column, "row": row, "left": column - 0.5, "right": column + 0.5, "bottom": row - 0.5,
                "top": row + 0.5, "value": max(value, low) if math.isfinite(value) else None,
                "text": cells.words(value, signed=sign), "beside": f"({published})" if published else "",
                panel.x.label: across.get(column, str(column)), panel.y.label: up.get(row, str(row)),
                heat.label: amount(value, heat.half_width(row, column)),
                "published": f"{heat.theirs(row, column):g}" if published else "-",
            }  # fmt: skip


def _escaped(field: str) -> str:
    """Dots and brackets in a field's name lead into it."""
    return field.replace(".", "\\.").replace("[", "\\[").replace("]", "\\]")


def _labels(panels: Iterable[Panel]) -> dict[str, tuple[Layer, int]]:
    """What the legend has, each with the layer and the rank that decide its look; what was published comes last."""
    found: dict[str, tuple[Layer, int]] = {}
    for panel in panels:
        for layer, rank in ranked(panel.layers):
            if layer.label:
                found.setdefault(layer.label, (layer, rank))
    return dict(sorted(found.items(), key=lambda each: style_of(each[1][0].style).open))


def _legend(labels: Mapping[str, tuple[Layer, int]], layout: Layout) -> Spec:
    """A layer of which nothing is seen but the legend; a click in it picks what is drawn in full."""
    names = list(labels)
    entry = (max(map(len, names)) * CHARACTER + SYMBOL + 1.5) * layout.font
    fitting = {"expr": f"max(1,floor(panel_width*panel_columns/{entry:.0f}))"}
    room = f"panel_width*panel_columns-{(SYMBOL + 1) * layout.font:.0f}"
    legend = {"columns": fitting, "labelExpr": _lines("datum.label", room, layout)}

    def channel(values: Iterable[str]) -> Spec:
        scale = {"domain": names, "range": list(values)}
        return {"field": "label", "type": "nominal", "scale": scale, "legend": legend}

    styles = [style_of(layer.style) for layer, _ in labels.values()]
    areas = [layer.kind == "band" and not layer.y for layer, _ in labels.values()]
    fills = [
        "transparent" if style.open else faint(style.colour) if is_area else style.colour
        for style, is_area in zip(styles, areas, strict=True)
    ]
    spec: Spec = {
        "data": {"values": [{"label": name} for name in names]},
        "mark": {"type": "point", "opacity": 0, "x": 0, "y": 0},
        "encoding": {
            **NOWHERE,
            "shape": channel(_symbol(layer, rank, layout) for layer, rank in labels.values()),
            "stroke": channel(style.colour for style in styles),
            "fill": channel(fills),
        },
    }
    if layout.is_interactive:
        spec["params"] = [{"name": "picked", "select": {"type": "point", "fields": ["label"]}, "bind": "legend"}]
    return spec


def _symbol(layer: Layer, rank: int, layout: Layout) -> str:
    """A path from -1 to 1: the line with its dashes, and the marker on it."""
    style = style_of(layer.style)
    if layer.kind == "band" and not layer.y:
        return "M-1,-.3H1V.3H-1Z"
    line = "" if layer.kind == "points" else _dashed(DASHES[dash_of(style, rank)], layout)
    return line + (MARKERS[style.marker][1] if "points" in layer.kind else "")


def _dashed(dash: Sequence[float], layout: Layout) -> str:
    unit = layout.line / (SYMBOL * layout.font / 2)
    parts, at, index = [], -1.0, 0
    while dash and at < 1:
        end = at + dash[index % len(dash)] * unit
        if index % 2 == 0:
            parts.append(f"M{at:.3g},0H{min(end, 1):.3g}")
        at, index = end, index + 1
    return "".join(parts) or "M-1,0H1"
