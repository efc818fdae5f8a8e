"""The room that a chart has, in print and on a page, and what all that is drawn in it shares."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from dumbbell.charts.chart import Chart

Spec: TypeAlias = dict[str, Any]

CHARACTER: Final = 0.55
"""Width of a character, by the size of the font."""
SYMBOL: Final = 2.4
"""Width of a line in the legend, by the size of the font."""
NOWHERE: Final[Spec] = {"x": None, "y": None}
"""Of what is not on the panel's axes."""
INK, RULE, GRID = "#000000", "#777777", "#dddddd"
"""What a page replaces by its own colours."""
PAPER: Final = "#fefefe"
"""Behind words, likewise: no other thing has quite this white."""


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
    narrow: tuple[float, float]
    """The narrowest panel of a chart with one column, and of one with more, without its axes."""
    is_interactive: bool = False

    def as_wide_as(self, width: float) -> Layout:
        """With every chart so wide."""
        narrow, narrow_of_several = (least * width / own for least, own in zip(self.narrow, self.widths, strict=True))
        return replace(self, widths=(width, width), narrow=(narrow, narrow_of_several))

    def width(self, chart: Chart) -> float:
        """Of a chart, axes and legend included."""
        return self.widths[chart.columns > 1]

    def narrowest(self, columns: int) -> float:
        """A panel has at least this width: words are placed for it, and where it is wider they have more room."""
        return self.narrow[columns > 1]

    def height(self, chart: Chart) -> float:
        rows = math.ceil(len(chart.panels) / chart.columns)
        is_heat = any(panel.heat for panel in chart.panels)
        return self.heat_height if is_heat else self.heights[min(rows, len(self.heights)) - 1]


PRINT: Final = Layout(
    widths=(252, 518), heights=(140, 90, 72), heat_height=165, font=8, line=1.2, marker=16, narrow=(205, 125)
)
"""One column of a two-column paper, 3.5 inches, or both, 7.2."""
PAGE: Final = Layout(
    widths=(900, 900),
    heights=(300, 190, 160),
    heat_height=380,
    font=13,
    line=2,
    marker=55,
    narrow=(310, 230),
    is_interactive=True,
)


def quoted(value: object) -> str:
    """As Vega's expressions take it."""
    return json.dumps(value, ensure_ascii=False)


def lines(text: str, width: str, layout: Layout) -> str:
    """An expression: what `text` gives, in lines of at most a width in pixels."""
    most = f"max(12,floor(({width})/{CHARACTER * layout.font:.2f}))"
    return f"split(trim(replace({text},regexp('(.{{1,'+{most}+'}})( +|$)','g'),'$1\\n')),'\\n')"
