from __future__ import annotations

from dumbbell.plots.chart import Axis, Chart, Layer, Panel
from dumbbell.plots.numbers import tables


def test_a_layer_is_a_column_and_an_interval_is_half_its_width() -> None:
    measured = Layer(
        label="BBR of Linux 6.1", style="bbr", x=(0.5, 2.0), y=(12.0, 0.0), low=(11.0, 0.0), high=(13.0, 0.0)
    )
    published = Layer(label="published", style="published", kind="line+points", x=(0.5,), y=(11.04,))
    band = Layer(label="quartiles", style="bbr", kind="band", x=(0.5, 9.0), y=(), low=(1.0, 1.0), high=(2.0, 2.0))
    queue = Axis(label="queue (BDP)", ticks=((0.5, "1/2"),))
    panel = Panel(x=queue, y=Axis(label="loss (%)"), layers=(published, measured, band))
    ((title, header, rows),) = tables(Chart(name="f", title="Loss", caption="", panels=(panel,)))
    assert (title, header) == ("Loss", ["queue (BDP)", "published", "BBR of Linux 6.1"])
    assert rows == [["1/2", "11.04", "12.00 ± 1.00"], ["2", "", "0.00"]]
