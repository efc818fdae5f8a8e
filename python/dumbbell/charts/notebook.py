"""A chart in a notebook: `show(chart)` as a cell's last line."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from dumbbell.charts import image, vega
from dumbbell.charts.chart import Chart


@dataclass(frozen=True, slots=True)
class Shown:
    """What a notebook displays: the chart that can be zoomed where it knows Vega-Lite, else a picture."""

    chart: Chart

    def save(self, path: str | Path) -> Path:
        """Writes the chart as its file's name says, .png, .svg or .pdf, or its numbers: .csv; gives the path.

        >>> results.plot.shares().save("shares.pdf")  # doctest: +SKIP

        Raises:
            DumbbellError: the name says none of these.
            OSError: it cannot be written.
        """
        return image.write(self.chart, Path(path))

    def __repr__(self) -> str:
        return f"<Chart {self.chart.name}: {self.chart.title}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        picture = base64.b64encode(image.png(self.chart)).decode()
        return {"application/vnd.vegalite.v6+json": vega.vega_lite(self.chart), "image/png": picture}


def show(chart: Chart) -> Shown:
    """The chart, for a notebook to display."""
    return Shown(chart)
