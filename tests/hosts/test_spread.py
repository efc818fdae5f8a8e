"""Engines at measured points: what differs, who starves, and what is told of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreed import Scaled
from dumbbell.cli.main import app
from dumbbell.comparison.record import Group, Side
from dumbbell.engines.sim import SimEngine
from dumbbell.hosts import text
from dumbbell.hosts.charts import charts
from dumbbell.hosts.points import read
from dumbbell.hosts.record import HostPoint, HostRecord
from dumbbell.hosts.spread import ComparedEngine, hold, spread
from dumbbell.metrics.distribution import median_interval
from dumbbell.report.hosts import page
from dumbbell.results.store import Store

SPEC = """
duration = "4 s"
seeds = 3

[path]
rate = "4 Mbit/s"
rtt = "20 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbr"

[[flows]]
name = "other"
cc = "cubic"
"""


def point(measured: float, *values: float, **also: object) -> HostPoint:
    """A point with what an engine `sim` has there."""
    facts = {
        "line": 2, "at": {}, "setting": {}, "notes": {}, "rate_bps": 10_000_000, "rtt_s": 0.04, "buffer_bdp": 1.0,
        "groups": (Group(name="bbr", cc="bbr", flows=1), Group(name="other", cc="cubic", flows=1)),
        "quantity": "goodput", "group": "bbr", "of_rate": True, "measured": measured, "sd": None, "starves_below": 0.05,
        "values": {"sim": values},
    }  # fmt: skip
    return HostPoint(**(facts | also))  # type: ignore[arg-type]


def record(*points: HostPoint) -> HostRecord:
    """A record of them."""
    side = Side(engine="sim", identity="abc", seeds=(1, 2, 3), measured_on={})
    return HostRecord(
        versions={}, title="t", file="points.csv", head=("from there",), sides=(side,), settings={}, points=points,
        failures=(),
    )  # fmt: skip


@pytest.fixture
def host_record(tmp_path: Path) -> HostRecord:
    """The simulator, and one that delivers four fifths, at three points of which one was measured twice."""
    table = tmp_path / "points.csv"
    table.write_text(
        "# from a machine\npath.buffer (bdp),goodput.bbr (of rate),utilization (%),note.set\n"
        "1,0.5,90,a\n4,0.25,95,b\n1,0.75,90,b\n0.5,0.001,,b\n"
    )
    wrong = Scaled(0.8)
    wrong.name = "wrong"
    with Store.open(tmp_path / "store", write=True) as store:
        measurements = read(table, SPEC)
        again = hold(measurements, store, [ComparedEngine(SimEngine()), ComparedEngine(wrong, 1)], jobs=2)
        before = store.count()
        assert hold(measurements, store, [ComparedEngine(SimEngine()), ComparedEngine(wrong, 1)], jobs=2) == again
        assert store.count() == before == 3 * 3 + 3 * 1
    return again


def test_every_row_stands_beside_each_engine_with_its_own_seeds(host_record: HostRecord) -> None:
    assert host_record.engines == ("sim", "wrong")
    assert [side.seeds for side in host_record.sides] == [(1, 2, 3), (1,)]
    goodput = [each for each in host_record.points if each.quantity == "goodput"]
    assert [(each.line, each.buffer_bdp, each.measured) for each in goodput] == [
        (3, 1.0, 0.5), (5, 1.0, 0.75), (4, 4.0, 0.25), (6, 0.5, 0.001)
    ]  # fmt: skip
    first, again = goodput[:2]
    assert first.values == again.values, "the runs are those of the point"
    assert {engine: len(values) for engine, values in first.values.items()} == {"sim": 3, "wrong": 1}
    assert all(0.1 < each < 1 for each in first.values["sim"])
    own = first.median("sim")
    assert own is not None
    assert first.difference("sim") == pytest.approx(own - 0.5)
    assert [each.starved for each in goodput] == [False, False, False, True]
    assert goodput[-1].starving("sim") == (0, 3)
    path = [each for each in host_record.points if each.quantity == "utilization"]
    assert [each.line for each in path] == [3, 5, 4], "what a row has not told is not there"
    assert path[0].starves_below is None
    assert HostRecord.model_validate_json(host_record.model_dump_json()) == host_record


def test_a_difference_is_in_points_of_a_share_and_else_a_share_of_what_was_measured() -> None:
    assert point(0.5, 0.4, 0.45, 0.6).difference("sim") == pytest.approx(-0.05)
    assert point(0.5, 0.4, quantity="share", of_rate=False).difference("sim") == pytest.approx(-0.1)
    assert point(8e6, 6e6, of_rate=False).difference("sim") == pytest.approx(-0.25)
    assert point(0.0, 6e6, of_rate=False).difference("sim") is None
    assert point(0.5).difference("sim") is None


def test_spreads_are_of_points_that_did_not_starve() -> None:
    points = [point(0.5, 0.5 + each / 100) for each in (-3, -2, -1, 0, 1, 2, 10)]
    differences = spread(points, "sim")
    assert differences is not None
    assert [differences.n, differences.bias, differences.median, differences.most] == pytest.approx([7, 0.0, 0.02, 0.1])
    assert list(differences.interval) == pytest.approx([-0.03, 0.1])
    assert spread(points, "linux") is None
    parts = [each.model_copy(update={"notes": {"path": str(at % 2), "queue": str(at // 4), "line": str(at)}})
             for at, each in enumerate(points)]  # fmt: skip
    assert [row[1] for row in text.far_table(record(*parts)).texts()] == [
        "all", "path 0", "path 1", "queue 0", "queue 1"
    ], "a remark of each point parts nothing"  # fmt: skip
    starved = point(0.02, 0.3)
    table = text.far_table(record(*points, starved))
    assert dict(zip(table.header, table.texts()[0], strict=True)) == {
        "measured": "goodput of bbr (points)", "points": "all", "engine": "sim", "n": "7",
        "bias [95 %]": "0 [-3.00, +10.0]",
        "median": "2.00", "p90": "5.80", "most": "10.0",
    }  # fmt: skip
    rows = text.starved_table(record(*points, starved)).texts()
    assert [row[1:] for row in rows] == [["2.00 % (starved)", "30.0 %", "0 of 1 seeds"]]
    assert len(text.worst_table(record(*points, starved), most=3).rows) == 3


def test_the_worst_of_each_quantity_are_listed() -> None:
    times = [point(0.01, own, quantity="rtt", of_rate=False, starves_below=None) for own in (0.02, 0.05, 0.04)]
    table = text.worst_table(record(point(0.5, 0.6), point(0.5, 0.9), *times), most=2)
    column = table.header.index("difference")
    assert [row[column] for row in table.texts()] == ["+400 %", "+300 %", "+40.0 points", "+10.0 points"]


def test_differences_are_drawn_over_a_remark_and_without_what_was_measured() -> None:
    points = [point(0.5, 0.5 + each / 100, notes={"queue": name}) for each, name in ((1, "fq"), (2, "pie"), (3, "fq"))]
    (chart,) = charts(record(*points), by="queue", differences_only=True)
    (panel,) = chart.panels
    assert panel.x.ticks == ((0.0, "fq"), (1.0, "pie"))
    assert [(x, round(y)) for x, y in zip(panel.layers[0].x, panel.layers[0].y, strict=True)] == [
        (0, 1),
        (1, 2),
        (0, 3),
    ]
    assert [panel.title for panel in charts(record(*points))[0].panels] == ["Goodput of bbr"]


def test_of_many_settings_each_has_its_ratio_to_what_was_measured() -> None:
    settings = enumerate((4e6, 6e6, 8e6, 10e6, 12e6))
    points = [point(8e6, own, of_rate=False, setting={"host.burst": number}) for number, own in settings]
    table = text.far_table(record(*points))
    assert table.header == ["setting", "engine", "n", "median ratio [95 %]", "median error", "p90", "most"]
    assert table.texts()[0] == ["host.burst = 0", "sim", "1", "0.500 [0.500, 0.500]", "50.0 %", "50.0 %", "50.0 %"]
    few = text.far_table(record(*points[:4]))
    assert few.header == ["measured", "points", "engine", "n", "bias [95 %]", "median", "p90", "most"]


def test_the_median_lies_between_order_statistics() -> None:
    assert median_interval([3.0, 1.0, 2.0]) == (1.0, 3.0)
    assert median_interval([float(each) for each in range(100)]) == (39.0, 60.0)


def test_the_page_has_every_point_and_where_all_is_from(host_record: HostRecord) -> None:
    made = page(host_record, "dumbbell agree")
    (points,) = (section.table for section in made.sections if section.anchor == "points")
    assert points
    assert len(points.rows) == len(host_record.points)
    origin = made.sections[-1].parts[0]
    assert (origin.heading, origin.facts) == ("Measured on real hosts", [("points.csv", "from a machine")])
    assert [chart.name for chart in charts(host_record)] == ["hosts-1", "hosts-2"]
    (goodput, _) = charts(host_record)
    assert [panel.title for panel in goodput.panels] == ["Goodput of bbr", "Difference over queue"]


def test_a_user_holds_engines_against_own_measurements(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SPEC)
    (tmp_path / "mine.csv").write_text("path.buffer (bdp),goodput.bbr (Mbit/s)\n1,2\n2,1.5\n")
    common = ["agree", str(tmp_path / "mine.toml"), "--measured", str(tmp_path / "mine.csv"), "--engines", "sim"]
    common += ["--out", str(tmp_path / "store"), "--seeds", "2"]
    done = CliRunner().invoke(app(), [*common, "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert "2 measured points of mine.csv; sim with 2 seeds." in done.output
    assert "goodput of bbr (%)" in done.output
    assert (tmp_path / "page.html").stat().st_size > 100_000
    done = CliRunner().invoke(app(), [*common, "--json"])
    assert json.loads(done.stdout)["points"][1]["measured"] == 1.5e6
