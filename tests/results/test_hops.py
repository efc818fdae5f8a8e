"""What a run has of each queue of a path with several: from the engine to the JSON, the store, tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest

import dumbbell
from dumbbell.charts.chart import Layer
from dumbbell.cli.caption import caption
from dumbbell.errors import StoreError
from dumbbell.experiment.charts import samples
from dumbbell.experiment.charts.time import in_time
from dumbbell.experiment.points import ExperimentRuns, read_campaign
from dumbbell.experiment.results import Results
from dumbbell.experiment.results_table import of_hops
from dumbbell.experiment.table import table
from dumbbell.metrics.sharing import jain
from dumbbell.report.experiment import facts
from dumbbell.results.campaign import numbered
from dumbbell.results.export import export
from dumbbell.results.store import Store
from dumbbell.tables.table import cell_text

SPEC = """
name = "uplink"
duration = "6 s"
seeds = 2
start_jitter = "10 ms"
[path]
rtt = "40 ms"
[[hops]]
name = "core"
rate = "20 Mbit/s"
buffer = "1 bdp"
delay = "5 ms"
[[hops]]
name = "edge"
rate = ["10 Mbit/s", "30 Mbit/s"]
buffer = "30 packets"
loss = "0.1 %"
[path.back]
rate = "2 Mbit/s"
buffer = "50 kB"
[[flows]]
cc = "cubic"
[[flows]]
cc = "bbr"
[[flows]]
name = "up"
cc = "cubic"
direction = "up"
"""
NAMES = ["core", "edge", "back"]
OF_QUEUE = (
    "utilization", "offered_packets", "sent_packets", "dropped_packets", "loss_rate", "loss_per_sent",
    "random_lost_packets", "queue_mean_bytes", "queue_p95_bytes", "queue_max_bytes",
)  # fmt: skip


@pytest.fixture(scope="module")
def results() -> Results:
    return dumbbell.run(SPEC)


@pytest.fixture(scope="module")
def store(results: Results) -> Iterator[Store]:
    with Store.open(results.store) as opened:
        yield opened


@pytest.fixture(scope="module")
def runs(results: Results, store: Store) -> ExperimentRuns:
    return read_campaign(store, numbered(store.ledger, results.campaign))


def test_each_queue_has_its_counters_and_the_bottleneck_is_the_slowest(results: Results) -> None:
    for result in results.summaries:
        assert [(hop.name, hop.direction) for hop in result.hops] == [
            ("core", "down"),
            ("edge", "down"),
            ("back", "up"),
        ]
        slowest = result.hops[1 if result.point["hops[1].rate"] == "10 Mbit/s" else 0]
        assert {name: getattr(slowest, name) for name in OF_QUEUE} == {
            name: getattr(result.bottleneck, name) for name in OF_QUEUE
        }
        core, edge, back = result.hops
        assert core.random_lost_packets == back.random_lost_packets == 0 < edge.random_lost_packets
        assert core.sent_packets == pytest.approx(edge.offered_packets + edge.random_lost_packets, abs=30)
        assert back.sent_packets > result.flows[2].segments_sent, "ACKs of the others pass it, too"
        assert back.utilization == pytest.approx(1, abs=0.02)


def test_jain_and_shares_are_of_those_that_go_one_way(results: Results, runs: ExperimentRuns) -> None:
    for result in results.summaries:
        down = [flow.goodput_bps or 0 for flow in result.flows[:2]]
        assert result.jain == jain(down)
        shares = [group.share or 0 for group in result.groups.values()]
        assert shares == pytest.approx([down[0] / sum(down), down[1] / sum(down), 1])
        assert result.bottleneck.converged is None
    assert all(point.fair_shares == {"cubic": 0.5, "bbr": 0.5} for point in runs.points)
    share = {group for point in runs.points for name, group in point.numbers if name == "share"}
    assert share == {"cubic", "bbr"}, "one alone on its way shares with nobody"


def test_the_answer_compares_nobody_with_those_on_the_way_back(results: Results) -> None:
    assert "50 % would be fair" in results.answer()
    assert ". On the way back, up (CUBIC) gets " in results.answer()


def test_the_store_gives_back_what_it_was_given(results: Results, store: Store, tmp_path: Path) -> None:
    for result in results.summaries:
        assert store.get(result.run_id) == result
    frame = results.hops()
    assert frame["name"].tolist() == NAMES * 4
    assert frame["direction"].tolist() == ["down", "down", "up"] * 4
    for number, result in enumerate(results.summaries):
        own = frame.iloc[3 * number : 3 * number + 3]
        for name in OF_QUEUE:
            assert own[name].tolist() == [asdict(hop)[name] for hop in result.hops]
    assert export(store, "hops", tmp_path / "hops.csv") == len(frame)
    assert pd.read_csv(tmp_path / "hops.csv")["name"].tolist() == frame["name"].tolist()


def test_a_series_has_each_queue_by_name_and_the_bottlenecks_is_one_of_them(results: Results) -> None:
    every, bottleneck = results.hop_series(0), results.queue(0)
    assert list(dict.fromkeys(every["name"])) == NAMES
    own = every[every["name"] == "edge"].drop(columns="name").reset_index(drop=True)
    pd.testing.assert_frame_equal(own, bottleneck)
    assert every[every["name"] == "back"]["backlog_bytes"].max() > 40_000


def test_a_table_has_a_row_for_each_queue_of_each_point(runs: ExperimentRuns) -> None:
    shown = of_hops(runs, 100)
    assert shown is not None
    headings = ["hops[1].rate", "hop", "utilization %", "queue loss %", "drops", "random drops", "mean queue kB",
                "p95 queue kB"]  # fmt: skip
    assert [column.heading for column in shown.columns] == headings
    assert [[cell_text(cell) for cell in row[:2]] for row in shown.rows] == [
        ["10 Mbit/s", "core"], ["", "edge"], ["", "back"], ["30 Mbit/s", "core"], ["", "edge"], ["", "back"],
    ]  # fmt: skip
    few = of_hops(runs, 4)
    assert few is not None
    assert len(few.rows) == 4


def test_texts_describe_every_queue(runs: ExperimentRuns, store: Store) -> None:
    above = " ".join(caption(table(runs), 1000, 2, [1, 2]))
    assert "core: rate 20 Mbit/s, buffer 1 bdp, delay 5 ms; edge: buffer 30 packets, loss 0.1 %" in above
    described = facts(store, runs)
    assert described["Queue “core”"] == [
        "20 Mbit/s, room for 50 kB, 5 ms behind it, token bucket of 5 kB",
        "20 Mbit/s, room for 100 kB, 5 ms behind it, token bucket of 5 kB (the bottleneck)",
    ]
    assert described["Queue “edge”"][0].startswith("10 Mbit/s, room for 45.42 kB, token bucket of 5 kB, random loss")
    assert described["Queue on the way back “back”"] == ["2 Mbit/s, room for 50 kB, token bucket of 5 kB"]
    assert described["Senders “up”"][0].endswith("; data on the way back")


def test_a_run_in_time_draws_every_queue(runs: ExperimentRuns, store: Store) -> None:
    read = samples.read(store, runs)

    def queues(chart_of: int) -> list[Layer]:
        return list(in_time(runs, read.runs[:chart_of]).panels[-1].layers)

    assert [layer.tag for layer in queues(1)] == NAMES
    assert len({layer.style for layer in queues(1)} | {layer.label for layer in queues(1)}) >= len(NAMES)
    assert len(queues(2)) == 2, "of runs laid over one another the bottleneck's"


def test_a_path_with_one_queue_says_nothing_of_hops() -> None:
    path = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 bdp"}
    one = dumbbell.run({"duration": "2 s", "path": path, "flows": [{"cc": "cubic"}]})
    assert [result.hops for result in one.summaries] == [()]
    assert one.hops().empty
    with pytest.raises(StoreError, match="has no series of several queues: its path has one"):
        one.hop_series(0)
