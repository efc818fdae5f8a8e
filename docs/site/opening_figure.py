"""The README's first figure: what real hosts measured, with the kernel and the simulator, from the record of both.

`PYTHONPATH=. python docs/site/opening_figure.py`, after `make validation STRATUM=hosts`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from dev.validation.hosts import HostsRecord
from dev.validation.hosts_text import figures
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.image import save
from dumbbell.charts.style import PUBLISHED
from dumbbell.hosts.record import HostRecord

ROOT: Final = Path(__file__).parents[2]
RECORD: Final = ROOT / "docs" / "validation" / "sarpkaya2025.json"
CURVES: Final = "figure1b"
ENGINES: Final = {"sim": "simulator", "linux": "Linux 6.1"}


def chart() -> Chart:
    """One BBR flow's part of the line over the queue's size; and every part that was measured, with every engine's."""
    record = HostsRecord.model_validate_json(RECORD.read_bytes())
    curves = record.of(CURVES)
    assert curves is not None  # noqa: S101 (the plan has it)
    (scatter, *_), *_ = (each.panels for each in figures("opening", record))
    points = sum(len(each.record.points) for each in record.tables)
    scatter = replace(
        scatter, title=f"All {points} points, up to 32 BBR flows",
        layers=tuple(replace(each, label=ENGINES.get(each.label, each.label)) for each in scatter.layers),
    )  # fmt: skip
    return Chart(
        name="opening",
        title="Real hosts, the kernel and the simulator",
        caption="Measured by Sarpkaya et al. on FABRIC machines, one trial a point.",
        panels=(_curves(curves), scatter),
        columns=2,
    )


def _curves(record: HostRecord) -> Panel:
    layers = []
    for other in ("cubic", "reno"):
        points = sorted(
            (each for each in record.points if each.groups[1].cc == other), key=lambda each: each.buffer_bdp
        )
        x = tuple(each.buffer_bdp for each in points)
        for engine, engine_name in ENGINES.items():
            values = [each.values.get(engine, ()) for each in points]
            if not all(values):
                continue
            y = tuple(100 * middle for each in points if (middle := each.median(engine)) is not None)
            label = f"{engine_name}, beside {other.upper() if other == 'cubic' else 'Reno'}"
            if engine == "sim":
                low, high = (tuple(100 * ends(each) for each in values) for ends in (min, max))
                layers.append(Layer(label="", style=other, kind="band", x=x, y=(), low=low, high=high))
            layers.append(Layer(label=label, style=other, kind="line", x=x, y=y, instance=int(engine == "linux")))
        measured = tuple(100 * each.measured for each in points)
        layers.append(Layer(label="real hosts" * (other == "cubic"), style=PUBLISHED, kind="points", x=x, y=measured))
    return Panel(
        title="One BBR flow beside one other",
        x=Axis(label="queue (bandwidth-delay products)", scale="log2"),
        y=Axis(label="BBR's part of the line (%)", limits=(0, 100)),
        layers=tuple(layers),
    )


if __name__ == "__main__":
    for path in save(chart(), ROOT / "docs" / "figures", ("svg",)):
        print(path.relative_to(ROOT))
