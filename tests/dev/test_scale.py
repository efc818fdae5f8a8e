"""Many flows of one algorithm, less what hosts measured."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dev.validation import scale
from dev.validation.page import markdown, part_markdown
from dev.validation.records import recorded_of, store_record
from dev.validation.scale import ScalePart, ScaleRecord, host_rows, index_over, peaks
from dev.validation.scale_text import figures, twins, unfilled
from dev.validation.section import Section
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store

HEADER = (
    "tier,line_mbit,cc,base_rtt_ms,flows,duration_s,total_mbit,jain,data_segments_out,window_halvings,retransmitted,"
    "router_dropped,router_sent"
)
CUBIC = "edge,100,cubic,20,10,40,91.25,0.875,,,,,"
RENO = "edge,100,reno,20,9,40,93.75,{jain},1,400,{resent},2000,1"


@pytest.fixture
def part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScalePart:
    write(tmp_path)
    monkeypatch.setattr(scale, "POINTS", tmp_path / "hosts.csv")
    monkeypatch.setattr(scale, "FEWEST", 1)
    return ScalePart(name="scale", engine="sim", tiers=("edge",))


def write(folder: Path, jain: float = 0.625, resent: int = 4000) -> None:
    lines = ["# from nowhere", HEADER, CUBIC, RENO.format(jain=jain, resent=resent)]
    (folder / "hosts.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")


def measured(part: ScalePart, folder: Path) -> ScaleRecord:
    with Store.open(folder / "store", write=True) as store:
        record, failed = part.measure(store, [SimEngine()], 1, lambda: None)
    assert failed == []
    return record


def test_a_record_has_what_a_run_has_less_the_hosts(part: ScalePart, tmp_path: Path) -> None:
    record = measured(part, tmp_path)
    cubic, reno, merged = record.rows
    assert [(row.cc, row.offload, row.flows, row.unreported) for row in record.rows] == [
        ("cubic", False, 10, 0), ("reno", False, 10, 1), ("reno", True, 10, 1),
    ]  # fmt: skip
    assert (cubic.halvings, cubic.lost, cubic.resent, cubic.times, cubic.duration_s) == (None, None, None, 2.0, 40)
    carried = 100 * 1448 / 1514
    assert cubic.goodput == pytest.approx((carried - 91.25) / 100, abs=2e-3)
    assert reno.goodput is None, "a flow is missing"
    assert merged.jain != reno.jain
    assert reno.counted > 1
    write(tmp_path, jain=0.5, resent=8000)
    again = measured(part, tmp_path).rows[1]
    assert again.jain == pytest.approx(reno.jain + 0.125, abs=1e-5)
    assert reno.resent is not None
    assert again.resent == pytest.approx((1 + reno.resent) / 2 - 1, abs=1e-5)
    assert again.lost == reno.lost


def test_a_page_has_no_number_of_the_hosts(part: ScalePart, tmp_path: Path) -> None:
    record = measured(part, tmp_path)
    store_record("scale", record, tmp_path)
    assert recorded_of(part, tmp_path) == record
    section = Section("scale", "scale", record, tuple(figures("scale", record)))
    text = part_markdown(section)
    assert "$ make validation STRATUM=scale\n" in text
    assert "| edge | 20 ms | 10 |" in text
    assert "](../figures/scale.svg)" in text
    assert re.search(r"\| sim: Jain's index is [\d.]+ \(edge\) off in the median; packets lost", markdown([section]))
    stored = (tmp_path / "validation" / "scale.json").read_text(encoding="utf-8")
    for number in ("91.25", "93.75", "0.875", "0.625"):
        assert number not in text + stored
    titles = [panel.title for panel in section.charts[0].panels]
    assert titles == ["Edge: Jain's index", "Reno: packets lost for each halving"]


def test_a_run_carries_so_many_packets_and_lasts_half_a_minute_at_least() -> None:
    by_row = {(row.tier, row.cc, row.rtt_ms, row.started): row for row in host_rows()}
    assert len(by_row) == 81
    assert by_row["edge", "reno", 20, 10].duration_s == 2422
    assert by_row["intermediate", "bbr", 20, 500].duration_s == 242
    assert by_row["core", "reno", 200, 5000].duration_s == 30
    assert by_row["core", "bbr", 200, 5000].fields()["flows[0].cc"] == "bbr_4_17"


def test_what_the_hosts_could_not_carry_is_named() -> None:
    assert "27 rows" in unfilled()
    assert "5 of 50 (edge, cubic, 20 ms)" in unfilled()
    assert twins() == "No row of theirs is another one's copy."


def test_a_halving_is_where_a_window_that_rose_falls() -> None:
    assert peaks(np.array([5, 5, 5])) == 0
    assert peaks(np.array([1, 2, 3, 2, 3, 3, 1])) == 2
    assert peaks(np.array([3, 2, 1, 1, 2])) == 0


def test_the_index_is_of_what_flows_deliver_in_a_time() -> None:
    series = pd.DataFrame({
        "flow": [0] * 4 + [1] * 4, "time_s": [0.0, 1.0, 2.0, 3.0] * 2, "delivered_bytes": [0, 9, 10, 11, 0, 0, 1, 2],
    })  # fmt: skip
    assert index_over(series, 1.0, 3.0) == pytest.approx(1.0)
    assert index_over(series, 0.0, 3.0) == pytest.approx((11 + 2) ** 2 / (2 * (11**2 + 2**2)))
