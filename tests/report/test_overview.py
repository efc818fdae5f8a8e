"""Tables and charts of any store, from contents made by hand and from real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import dumbbell
from compared import kept
from dumbbell.findings.points import ExperimentRuns, PointRuns, read
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.report import build
from dumbbell.report.overview import in_time, sweep
from dumbbell.results.store import Store
from dumbbell.spec import load
from webpage import Webpage

ONE_RUN = """
duration = "2 s"
[path]
rate = "10 Mbit/s"
rtt = "10 ms"
buffer = "1 bdp"
[[flows]]
cc = "bbr"
[measure]
record = "summary"
"""


def point(buffer: str, *shares: float, cc: str = "bbr") -> PointRuns:
    return PointRuns(
        swept={"path.buffer": buffer, "flows[0].cc": cc},
        ccs={"bbr": cc, "cubic": "cubic"},
        run_ids={seed: f"{seed:016x}" for seed in range(1, len(shares) + 1)},
        measured={
            ("share", "bbr"): list(shares),
            ("share", "cubic"): [1 - share for share in shares],
            ("loss", ""): [0.1] * len(shares),
        },
    )


def contents(*points: PointRuns) -> ExperimentRuns:
    return ExperimentRuns(name="hand", engine="sim", points=list(points))


def test_senders_one_at_a_time_share_a_column() -> None:
    def of(cc: str, mbit_s: float) -> PointRuns:
        measured = {("goodput", cc): [mbit_s * 1e6], ("share", cc): [1.0], ("loss", ""): [0.0]}
        return PointRuns(swept={"flows[0].cc": cc}, ccs={cc: cc}, run_ids={1: "0" * 16}, measured=measured)

    found = contents(of("bbr", 9.0), of("cubic", 8.0))
    assert [(quantity.heading, group) for quantity, group in found.columns] == [("Mbit/s", ""), ("queue loss %", "")]
    assert [[point.values(*column) for column in found.columns] for point in found.points] == [[[9], [0]], [[8], [0]]]


def test_shares_are_drawn_over_the_axis_with_the_most_values() -> None:
    found = contents(
        *(point(f"{buffer} bdp", 0.9, 0.8, cc=cc) for cc in ("bbr", "bbr_4_17") for buffer in (0.5, 1, 2, 4, 8))
    )
    chart = sweep(found, "sweep")
    assert chart is not None
    upper, lower = chart.panels
    assert (upper.x.label, upper.x.scale) == ("path.buffer (bdp)", "log2")
    assert [layer.style for layer in upper.layers] == ["bbr", "cubic", "bbr_4_17", "cubic"]
    assert upper.layers[0].x == (0.5, 1, 2, 4, 8)
    assert upper.layers[0].y == pytest.approx((85,) * 5)
    assert "BBR of Linux 6.1" in upper.layers[0].label
    assert "flows[0].cc = bbr_4_17" in upper.layers[3].label
    assert len(lower.layers) == 2


def test_random_loss_stands_beside_that_of_the_queue(tmp_path: Path) -> None:
    """1 % of the packets after the queue, and none of those before it."""
    overrides = {"path.loss": ["0 %", "1 %"], "path.loss_at": "after", "duration": "8 s", "flows[0].cc": "cubic"}
    dumbbell.run(load(ONE_RUN, overrides=overrides), store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        (found,) = read(store)
    loss, random = ([point.values(QUANTITIES[name])[0] for point in found.points] for name in ("loss", "random_loss"))
    assert loss[1] < 0.5
    assert random == [0, pytest.approx(1, rel=0.3)]
    chart = sweep(found, "sweep")
    assert chart is not None
    assert [layer.label for layer in chart.panels[1].layers] == ["queue loss", "random loss"]
    assert len({layer.style for layer in chart.panels[1].layers}) == 2
    assert chart.panels[1].layers[1].y == tuple(random)


def test_words_on_an_axis_stand_in_the_order_of_the_spec() -> None:
    chart = sweep(contents(point("1 bdp", 0.5), point("20 kB", 0.4)), "sweep")
    assert chart is not None
    assert chart.panels[0].x.ticks == ((0.0, "1 bdp"), (1.0, "20 kB"))
    assert {layer.kind for layer in chart.panels[0].layers} == {"points"}, "between words there is nothing"


def test_numbers_with_one_unit_stand_where_they_are_and_other_texts_do_not() -> None:
    def axis(*values: str) -> tuple[str, tuple[float, ...]]:
        chart = sweep(contents(*(point(value, 0.5) for value in values)), "sweep")
        assert chart is not None
        return chart.panels[0].x.label, chart.panels[0].layers[0].x

    assert axis("1e1 Mbit/s", "0.5e2 Mbit/s") == ("path.buffer (Mbit/s)", (10, 50))
    assert axis("1.2.3", "1.2.4") == axis("1.2.3", "2.2.3") == axis("1..2", ".") == ("path.buffer", (0, 1))


def test_without_a_sweep_there_is_nothing_to_draw() -> None:
    assert sweep(contents(point("1 bdp", 0.5)), "sweep") is None
    assert sweep(contents(), "sweep") is None


def test_a_run_in_time_has_every_flow_from_its_start_on(store: Store) -> None:
    (found,) = read(store)
    run_id = found.points[0].run_ids[1]
    throughput, rtt, queue = in_time(store, run_id, "run", "title").panels
    assert [layer.style for layer in throughput.layers] == ["bbr", "cubic"]
    assert throughput.layers[0].x[0] < 0.2
    assert 0.4 < throughput.layers[1].x[0] < 0.6, "the second flow starts at 500 ms"
    assert sum(throughput.layers[0].y) > sum(throughput.layers[1].y)
    assert min(rtt.layers[0].y) >= 20
    assert max(queue.layers[0].y) <= 25, "kB, and the queue holds 25 kB"


def test_a_store_is_read_with_what_was_asked(store: Store) -> None:
    (found,) = read(store)
    assert (found.name, found.engine, found.total, found.measured, found.failed) == ("experiment", "sim", 4, 4, 0)
    assert found.axes == ["path.buffer"]
    assert found.missing() == []
    assert [len(each.measured["goodput", "cubic"]) for each in found.points] == [2, 2]
    early = pytest.approx(
        {"bbr": (0.5 + 2.5 / 2) / 3, "cubic": 2.5 / 2 / 3}
    )  # the other one begins half a second later
    assert [each.fair_shares for each in found.points] == [early] * 2


def test_of_an_interrupted_campaign_the_missing_runs_are_known(moment_folder: Path) -> None:
    with Store.open(moment_folder) as store:
        (found,) = read(store)
    del found.points[1].run_ids[2]
    found.points[0].run_ids.pop(1)
    found.points[0].failed.append(1)
    assert (found.total, found.measured, found.failed) == (4, 2, 1)
    assert found.missing() == ["path.buffer = 2 bdp, seed 2"]


def test_one_run_without_series_is_told_so(tmp_path: Path) -> None:
    dumbbell.run(ONE_RUN, store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        page = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8"))
    assert "The runs kept no series" in page.said
    assert "the one run that is there kept every rule" in page.said


def test_damaged_series_are_left_out_and_told_without_the_machines_folders(tmp_path: Path) -> None:
    folder = kept(tmp_path / "store", **{"measure.record": "series"})
    for file in (folder / "series").glob("??/*.parquet"):
        file.write_bytes(b"")
    with Store.open(folder) as store:
        said = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8")).said
    assert "Left out: series " in said
    assert str(tmp_path) not in said
