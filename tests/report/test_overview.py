"""Tables and charts of any store, from contents made by hand and from real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import dumbbell
from dumbbell.report import build
from dumbbell.report.contents import Contents, PointRuns, place, read
from dumbbell.report.overview import in_time, sweep, table
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


def contents(*points: PointRuns) -> Contents:
    return Contents(name="hand", engine="sim", points=list(points))


def test_a_table_has_a_row_a_point_with_means_intervals_and_what_is_missing() -> None:
    head, rows = table(contents(point("0.5 bdp", 0.9, 0.8, 0.7), point("2 bdp")))
    assert head == ["path.buffer", "flows[0].cc", "runs", "bbr share %", "cubic share %", "queue loss %"]
    texts = [[cell.text for cell in row] for row in rows]
    assert texts[0] == ["0.5 bdp", "bbr", "3", "80.0 ± 24.8", "20.0 ± 24.8", "10.0"]
    assert rows[0][5].interval == "deterministic, n\N{NO-BREAK SPACE}= 1"
    assert texts[1][2:] == ["0", *["-"] * 3]
    assert [row[0].sort for row in rows] == ["0.5", "2"]


def test_senders_one_at_a_time_share_a_column() -> None:
    def of(cc: str, mbit_s: float) -> PointRuns:
        measured = {("goodput", cc): [mbit_s * 1e6], ("share", cc): [1.0], ("loss", ""): [0.0]}
        return PointRuns(swept={"flows[0].cc": cc}, ccs={cc: cc}, run_ids={1: "0" * 16}, measured=measured)

    head, rows = table(contents(of("bbr", 9.0), of("cubic", 8.0)))
    assert head == ["flows[0].cc", "runs", "Mbit/s", "queue loss %"]
    assert [[cell.text for cell in row] for row in rows] == [["bbr", "1", "9.00", "0"], ["cubic", "1", "8.00", "0"]]
    assert rows[0][2].interval == ""  # of one run


def test_a_table_is_cut_where_the_page_would_be_too_long() -> None:
    found = contents(*(point(f"{number} bdp", 0.5) for number in range(9)))
    assert len(table(found, 4)[1]) == 4


def test_a_number_that_its_text_does_not_tell_is_sorted_by_itself() -> None:
    few, many = (
        PointRuns(swept={}, ccs={"bbr": "bbr"}, run_ids={1: "0" * 16}, measured={("loss", ""): [share]})
        for share in (0.1234, 0.000001)
    )
    ((*_, first),), ((*_, second),) = (table(contents(each))[1] for each in (few, many))
    assert (first.text, first.sort) == ("12.3", "")
    assert (second.text, second.sort) == ("0.000100", "")


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
    head, rows = table(found)
    at = [head.index(f"{kind} loss %") for kind in ("queue", "random")]
    assert [rows[0][column].text for column in at][1] == "0"
    queue_loss, random = (float(rows[1][column].text) for column in at)
    assert queue_loss < 0.5
    assert random == pytest.approx(1, rel=0.3)
    chart = sweep(found, "sweep")
    assert chart is not None
    assert [layer.label for layer in chart.panels[1].layers] == ["queue loss", "random loss"]
    assert len({layer.style for layer in chart.panels[1].layers}) == 2
    assert chart.panels[1].layers[1].y[1] == pytest.approx(random, rel=0.01)


def test_words_on_an_axis_stand_in_the_order_of_the_spec() -> None:
    chart = sweep(contents(point("1 bdp", 0.5), point("20 kB", 0.4)), "sweep")
    assert chart is not None
    assert chart.panels[0].x.ticks == ((0.0, "1 bdp"), (1.0, "20 kB"))
    assert {layer.kind for layer in chart.panels[0].layers} == {"points"}, "between words there is nothing"


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
    assert (found.name, found.engine, found.total, found.there, found.failed) == ("experiment", "sim", 4, 4, 0)
    assert found.axes == ["path.buffer"]
    assert found.seeds == [1, 2]
    assert found.missing() == []
    assert [len(each.measured["goodput", "cubic"]) for each in found.points] == [2, 2]


def test_of_an_interrupted_campaign_the_missing_runs_are_known(moment_folder: Path) -> None:
    with Store.open(moment_folder) as store:
        (found,) = read(store)
    del found.points[1].run_ids[2]
    found.points[0].run_ids.pop(1)
    found.points[0].failed.append(1)
    assert (found.total, found.there, found.failed) == (4, 2, 1)
    assert found.missing() == ["path.buffer = 2 bdp, seed 2"]


def test_one_run_without_series_is_told_so(tmp_path: Path) -> None:
    dumbbell.run(ONE_RUN, store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        page = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8"))
    assert "The runs kept no series" in page.said
    assert "the one run that is there kept every rule" in page.said


def test_a_place_is_told_in_the_words_of_the_spec() -> None:
    assert (
        place({"path.buffer": "1 bdp", "path.offload": True}, 3) == "path.buffer = 1 bdp, path.offload = true, seed 3"
    )
