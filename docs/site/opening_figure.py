"""The README's first figure: one spec, the simulator beside the kernel. `python docs/site/opening_figure.py`.

Needs a kernel (`make kernel`); a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import dumbbell
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.image import save
from dumbbell.metrics.statistics import estimate

ROOT: Final = Path(__file__).parents[2]
SPEC: Final = ROOT / "docs" / "site" / "files" / "opening.toml"
GROUPS: Final = {"bbr": "1 BBR flow", "cubic": "3 CUBIC flows"}


def chart() -> Chart:
    """Shares over the queue's size: the simulator's as lines in bands, the kernel's as points with bars."""
    layers = []
    for engine, words in (("sim", "simulator"), ("linux", "Linux 6.1")):
        results = dumbbell.run(SPEC, engine=engine, store=ROOT / "out" / "opening").summaries
        for group, told in GROUPS.items():
            found: dict[float, list[float]] = {}
            for result in results:
                size = float(str(result.point["path.buffer"]).removesuffix(" bdp"))
                found.setdefault(size, []).append(100 * (result.groups[group].share or 0))
            shares = {size: estimate(each) for size, each in found.items()}
            x, y = tuple(shares), tuple(each.mean for each in shares.values())
            low = tuple(each.mean - (each.half_width or 0) for each in shares.values())
            high = tuple(each.mean + (each.half_width or 0) for each in shares.values())
            label = f"{told}, {words}"
            if engine == "sim":
                layers.append(Layer(label="", style=group, kind="band", x=x, y=(), low=low, high=high))
                layers.append(Layer(label=label, style=group, kind="line", x=x, y=y))
            else:
                layers.append(Layer(label=label, style=group, kind="points", x=x, y=y, low=low, high=high))
    axis = Axis(label="queue (bandwidth-delay products)", scale="log2")
    shares_axis = Axis(label="share of the goodput (%)", limits=(0, 100))
    return Chart(
        name="opening",
        title="One spec, two engines",
        caption="100 Mbit/s, 30 ms; means of five seeds with 95 % intervals.",
        panels=(Panel(x=axis, y=shares_axis, layers=tuple(layers)),),
    )


if __name__ == "__main__":
    for path in save(chart(), ROOT / "docs" / "figures", ("svg",)):
        print(path.relative_to(ROOT))
