"""A chart as Vega-Lite: one description for page, print and notebook.

Only this, `annotation` and `heat` know Vega-Lite's words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from dumbbell.charts import annotation
from dumbbell.charts.chart import COLUMNS, Axis, Chart, Layer, Panel
from dumbbell.charts.extent import settled
from dumbbell.charts.heat import squares
from dumbbell.charts.layout import CHARACTER, GRID, INK, NOWHERE, PAGE, RULE, SYMBOL, Layout, Spec, lines, quoted
from dumbbell.charts.style import DASHES, FONT, MARKERS, Ranks, dash_of, faint, marker_of, ranked, shade_of, style_of

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
DIGITS: Final = 6
"""Of a number in a layer's data."""
LONG: Final = 150
"""Points of a line whose numbers need only the digits that can be seen."""
ZOOMED: Final = "isValid(zoom0.x)"
"""Whether the only panel of a chart is zoomed."""
STEPS: Final = 3000
"""Of an axis that can be seen: several a pixel."""


def vega_lite(chart: Chart, layout: Layout = PAGE) -> Spec:
    """The chart with all its numbers, but for its caption. `set_width` makes the whole as wide as wanted."""
    shares_x = chart.columns == 1
    last = len(chart.panels) - 1
    columns = min(chart.columns, len(chart.panels))
    ranks = ranked(layer for panel in chart.panels for layer in panel.layers)
    panels = [
        _panel(panel, number, chart, layout, ranks, hides_x=shares_x and number < last)
        for number, panel in enumerate(chart.panels)
    ]
    if labels := _labels(chart.panels, ranks):
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
        **({"usermeta": {"panels": [_hover_texts(panel) for panel in chart.panels]}} if layout.is_interactive else {}),
    }  # fmt: skip
    set_width(spec, layout.width(chart) / chart.columns - 6 * layout.font)
    return spec


def look(layer: Layer, rank: int, layout: Layout = PAGE) -> Spec:
    """How a layer of its style and kind is drawn, apart from its numbers: its units, and its entry in the legend."""
    style = style_of(layer.style)
    return {
        "layer": list(_units(layer, rank, layout, ZOOMED)), "depth": _depth(layer), "open": style.open,
        "shape": _symbol(layer, rank, layout), "stroke": shade_of(style, rank),
        "fill": "transparent" if style.open else shade_of(style, rank),
    }  # fmt: skip


def set_width(spec: Spec, width: float) -> None:
    """Makes all panels this wide, without their axes."""
    spec["params"][0]["value"] = width
    for panel in spec["concat"]:
        panel["width"] = width


def _config(layout: Layout) -> Spec:
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


def _panel(  # noqa: PLR0913 (what it is a part of, and how it is drawn)
    panel: Panel, number: int, chart: Chart, layout: Layout, ranks: Ranks, *, hides_x: bool
) -> Spec:
    if annotation.is_written_in(panel):
        panel = settled(panel, chart.panels if chart.columns == 1 else [panel])
    x, y = _axis(panel.x, panel, layout, "x"), _axis(panel.y, panel, layout, "y")
    if hides_x:
        x["axis"] |= {"title": None, "labels": False, "ticks": False}
    name = f"panel{number}"
    encoding = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    spec: Spec = {"name": name, "height": layout.height(chart), "encoding": encoding, "layer": []}
    if panel.title:
        spec["title"] = {"text": {"expr": lines(quoted(panel.title), "panel_width", layout)}}
    if panel.heat is not None:
        spec["layer"].append(squares(panel, panel.heat, encoding, name, layout))
    spec["layer"] += [*annotation.marks(panel, layout), *annotation.levels(panel, layout, ranks)]
    layers = _drawn(panel)
    for layer in layers:
        rank = ranks[layer.style, layer.instance]
        units = list(_units(layer, rank, layout, f"isValid({_zoom(chart, number)}.x)"))
        if layer is layers[0]:
            units[0].get("layer", units)[0]["name"] = f"zoomed{number}"
        picked = _picked(layer) if layout.is_interactive else {}
        spec["layer"].append({"data": _data(layer), "layer": units, **picked})
    if not layers and panel.heat is None:
        spec["layer"].append(_blank(encoding))
    if layers and annotation.is_written_in(panel):
        spec["layer"] += annotation.labels(panel, layout, layout.height(chart), chart.columns)
    spec["layer"] += annotation.opposite(panel, layout)
    return spec


def _hover_texts(panel: Panel) -> Spec:
    """What a page says of a point below the pointer: names of the axes and of the layers, in the order of the units."""
    return {
        "x": panel.x.label, "y": panel.y.label, "ticks": [list(each) for each in panel.x.ticks],
        "layers": [layer.label or style_of(layer.style).label for layer in _drawn(panel)],
        "texts": [list(layer.words) for layer in _drawn(panel)],
    }  # fmt: skip


def _drawn(panel: Panel) -> list[Layer]:
    """The layers that have points, the lowest first."""
    return sorted((layer for layer in panel.layers if layer.x), key=_depth)


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
    if axis.is_reversed:
        scale |= {"reverse": True}
    if axis.ticks:
        drawn = {"title": axis.label, "titleLimit": 0, **_ticks(axis, layout, which)}
    return {"type": "quantitative", "scale": scale, "title": axis.label, "axis": drawn}


def _ticks(axis: Axis, layout: Layout, which: str) -> Spec:
    """Given ticks; below a panel upright where they do not fit beside one another."""
    places, labels = [at for at, _ in axis.ticks], [text for _, text in axis.ticks]
    spec: Spec = {
        "values": places,
        "labelExpr": f"{quoted(labels)}[indexof({quoted(places)},datum.value)]",
        "labelOverlap": "greedy",
        "labelLimit": 0,
    }
    if which == "x":
        upright = f"panel_width<{_fitting_width(axis, layout):.0f}"
        spec |= {
            "labelAngle": {"expr": f"{upright}?-90:0"},
            "labelAlign": {"expr": f"{upright}?'right':'center'"},
            "labelBaseline": {"expr": f"{upright}?'middle':'top'"},
        }
    return spec


def _fitting_width(axis: Axis, layout: Layout) -> float:
    """Of a panel in which level labels of an axis do not touch, wherever the nearest two are."""
    places = sorted(math.log(at) if axis.scale != "linear" else at for at, _ in axis.ticks)
    ends = [places[0], places[-1]]
    if axis.limits[0] is not None and axis.limits[1] is not None:
        ends = [math.log(end) if axis.scale != "linear" else end for end in axis.limits if end is not None]
    nearest = min((after - before for before, after in pairwise(places)), default=0.0)
    longest = (max(len(label) for _, label in axis.ticks) + 1) * CHARACTER * layout.font
    return longest * (ends[1] - ends[0]) / nearest if nearest else 0.0


def _picked(layer: Layer) -> Spec:
    """Faint while others are picked in the legend."""
    if not layer.label:
        return {}
    is_picked = f"!picked.label||indexof(picked.label,{quoted(layer.label)})>=0"
    return {"encoding": {"opacity": {"condition": {"test": is_picked, "value": 1}, "value": 0.1}}}


def _units(layer: Layer, rank: int, layout: Layout, zoomed: str) -> Iterator[Spec]:
    """Band, error bars, line and markers, as far as the layer has them; y is the panel's unless said otherwise.

    A marker at the end of an axis is drawn in full, until the panel is zoomed.
    """
    style = style_of(layer.style)
    colour, thin = shade_of(style, rank), 0.7 * layout.line
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
    if layer.left:
        bar = {"type": "rule", "strokeWidth": thin, "color": colour, "clip": True}
        ends = {"x": {"field": "left"}, "x2": {"field": "right"}}
        yield {"transform": [{"filter": "datum.right>datum.left"}], "mark": bar, "encoding": ends}
    if not layer.y:
        return
    if layer.kind != "points":
        bend = {"interpolate": "step-after"} if layer.kind == "step" else {}
        yield {"mark": {"type": "line", "color": colour, "clip": True, "strokeWidth": layout.line, **bend, **line}}
    if "points" in layer.kind:
        shape, _ = MARKERS[marker_of(style, rank)]
        mark = {
            "type": "point", "shape": shape, "size": layout.marker * (2 if style.open else 1),
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


def _labels(panels: Iterable[Panel], ranks: Ranks) -> dict[str, tuple[Layer, int]]:
    """What the legend has, each with the layer and the rank that decide its look; what was published comes last."""
    entries: dict[str, tuple[Layer, int]] = {}
    for panel in panels:
        for layer in panel.layers:
            if layer.label:
                entries.setdefault(layer.label, (layer, ranks[layer.style, layer.instance]))
    return dict(sorted(entries.items(), key=lambda each: style_of(each[1][0].style).open))


def _legend(labels: Mapping[str, tuple[Layer, int]], layout: Layout) -> Spec:
    """A layer of which nothing is seen but the legend; a click in it picks what is drawn in full."""
    names = list(labels)
    entry = (max(map(len, names)) * CHARACTER + SYMBOL + 1.5) * layout.font
    fitting = {"expr": f"max(1,floor(panel_width*panel_columns/{entry:.0f}))"}
    room = f"panel_width*panel_columns-{(SYMBOL + 1) * layout.font:.0f}"
    legend = {"columns": fitting, "labelExpr": lines("datum.label", room, layout)}

    def channel(values: Iterable[str]) -> Spec:
        scale = {"domain": names, "range": list(values)}
        return {"field": "label", "type": "nominal", "scale": scale, "legend": legend}

    styles = [style_of(layer.style) for layer, _ in labels.values()]
    colours = [shade_of(style, rank) for style, (_, rank) in zip(styles, labels.values(), strict=True)]
    areas = [layer.kind == "band" and not layer.y for layer, _ in labels.values()]
    fills = [
        "transparent" if style.open else faint(colour) if is_area else colour
        for style, colour, is_area in zip(styles, colours, areas, strict=True)
    ]
    spec: Spec = {
        "data": {"values": [{"label": name} for name in names]},
        "mark": {"type": "point", "opacity": 0, "x": 0, "y": 0},
        "encoding": {
            **NOWHERE,
            "shape": channel(_symbol(layer, rank, layout) for layer, rank in labels.values()),
            "stroke": channel(colours),
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
    return line + (MARKERS[marker_of(style, rank)][1] if "points" in layer.kind else "")


def _dashed(dash: Sequence[float], layout: Layout) -> str:
    unit = layout.line / (SYMBOL * layout.font / 2)
    parts, at, index = [], -1.0, 0
    while dash and at < 1:
        end = at + dash[index % len(dash)] * unit
        if index % 2 == 0:
            parts.append(f"M{at:.3g},0H{min(end, 1):.3g}")
        at, index = end, index + 1
    return "".join(parts) or "M-1,0H1"
