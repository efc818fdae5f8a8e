from __future__ import annotations

import pytest

from dumbbell.charts.chart import Axis, Chart, HeatMap, Layer, Panel
from dumbbell.charts.numbers import csv, tables
from dumbbell.tables.table import Amount, Table


def test_a_layer_is_a_column_and_an_interval_is_half_its_width() -> None:
    measured = Layer(
        label="BBR of Linux 6.1", style="bbr", x=(0.5, 2.0), y=(12.0, 0.0), low=(11.0, 0.0), high=(13.0, 0.0)
    )
    published = Layer(label="published", style="published", kind="line+points", x=(0.5,), y=(11.04,))
    band = Layer(label="quartiles", style="bbr", kind="band", x=(0.5, 9.0), y=(), low=(1.0, 1.0), high=(2.0, 2.0))
    queue = Axis(label="queue (BDP)", ticks=((0.5, "1/2"),))
    panel = Panel(x=queue, y=Axis(label="loss (%)"), layers=(published, measured, band))
    (table,) = tables(Chart(name="f", title="Loss", caption="", panels=(panel,)))
    assert (table.title, table.header) == ("Loss; loss (%)", ["queue (BDP)", "published", "BBR of Linux 6.1"])
    assert table.texts() == [["1/2", "11.0", "12.0 ± 1.0"], ["2", "", "0"]]


@pytest.mark.parametrize(
    ("y", "half", "text"),
    [(0.0021, 0.0002, "0.00210 ± 0.00020"), (235_798.0, 0.0, "235798"), (0.97, float("nan"), "0.970")],
)
def test_a_charts_number_has_three_digits(y: float, half: float, text: str) -> None:
    layer = Layer(label="sim", style="bbr", x=(1.0,), y=(y,), low=(y - half,), high=(y + half,))
    panel = Panel(x=Axis(label="x"), y=Axis(label="y"), layers=(layer,))
    (table,) = tables(Chart(name="f", title="F", caption="", panels=(panel,)))
    assert table.texts() == [["1", text]]


def test_a_heat_map_is_told_row_by_row_the_highest_first() -> None:
    heat = HeatMap(
        label="gain (%)", cells=((-3.0, 1.5), (20.0, float("nan"))), half_widths=((0.5, 0.0), (2.0, float("nan"))),
        published=((-4.0, float("nan")), (float("nan"), 35.0)),
    )  # fmt: skip
    rtt, rate = (Axis(label=label, ticks=((0.0, "5"), (1.0, "50"))) for label in ("RTT (ms)", "rate (Mbit/s)"))
    (table,) = tables(
        Chart(name="f", title="Gain", caption="", panels=(Panel(title="shallow", x=rtt, y=rate, heat=heat),))
    )
    assert (table.title, table.header) == ("shallow; gain (%)", ["rate (Mbit/s) \\ RTT (ms)", "5", "50"])
    assert table.texts() == [["50", "20.0 ± 2.0", "- (35)"], ["5", "-3.00 ± 0.50 (-4)", "1.50"]]


def test_no_cell_of_a_charts_or_a_tables_csv_is_a_formula() -> None:
    layer = Layer(label='=HYPERLINK("http://x")', style="bbr", x=(1.0,), y=(-2.5,), words=("+1+1",))
    panel = Panel(x=Axis(label="-x"), y=Axis(label="@y"), layers=(layer,))
    chart = Chart(name="f", title="F", caption="", panels=(panel,))
    table = Table.of(("=a", "b"), [("=1+1", Amount(-2.5))])
    (line,) = csv(chart).splitlines()[1:]
    assert line == """,'-x,'@y,"'=HYPERLINK(""http://x"")",'+1+1,1,,,-2.5,,"""
    assert csv(table).splitlines() == ["'=a,b", "'=1+1,-2.50"]
