"""A chart's numbers as text, for those who would rather read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.plots.chart import Chart, Layer, Panel


def tables(chart: Chart) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """For each panel its title, the header and the rows: one a position on the x axis, one column a layer.

    A value with an interval is `value ± half its width`; "" where a layer has no value. Bands are left out: their
    middle is a layer of its own.
    """
    for panel in chart.panels:
        layers = [layer for layer in panel.layers if layer.kind != "band"]
        positions = sorted({x for layer in layers for x in layer.x})
        header = [panel.x.label, *(layer.label for layer in layers)]
        yield (
            panel.title or chart.title,
            header,
            [[_tick(panel, x), *(_value(layer, x) for layer in layers)] for x in positions],
        )


def _tick(panel: Panel, x: float) -> str:
    return next((label for position, label in panel.x.ticks if position == x), f"{x:g}")


def _value(layer: Layer, x: float) -> str:
    if x not in layer.x:
        return ""
    index = layer.x.index(x)
    value = f"{layer.y[index]:.2f}"
    if not layer.low:
        return value
    half = (layer.high[index] - layer.low[index]) / 2
    return f"{value} ± {half:.2f}" if half > 0 else value
