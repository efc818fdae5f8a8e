"""Page load times: of pages that begin in the window and are loaded, by flow and by group, and what is stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dumbbell
from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines.measurement import NEVER_NS, PageLoads
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import DumbbellError
from dumbbell.metrics.catalogue import QUANTITIES, groups
from dumbbell.metrics.pages import PageTimes, page_times
from dumbbell.metrics.window import Window
from dumbbell.results.schema import Result
from specs import resolved

SEGMENT = {"pages": {"objects": 1, "size": "1000 B", "connections": 1, "think": "1 s"}}
WEB = {"name": "web", "cc": "cubic", "count": 2, "workload": SEGMENT}


def column(*values: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(values, dtype=np.uint64)


def test_the_window_has_the_pages_that_begin_in_it_and_are_loaded() -> None:
    second = 10**9
    starts = column(1 * second, 2 * second, 3 * second, 4 * second, 5 * second)
    ends = column(2 * second - 1, 3 * second - 1, 4 * second + second // 2, 4 * second + 10, NEVER_NS)
    loads = PageLoads(started_ns=starts, loaded_ns=ends, bytes=column(1, 1, 1, 1, 1))
    window = Window(begin_ns=2 * second, end_ns=10 * second)
    times = page_times(loads, window)
    assert times.pages == 3
    assert times.page_load_p50_s == pytest.approx(1 - 1e-9)
    assert times.page_load_p95_s == pytest.approx(1.45, abs=0.01)
    assert page_times(loads, Window(begin_ns=5 * second, end_ns=10 * second)) == PageTimes(pages=0)
    assert page_times(None, window) == PageTimes()


def test_a_group_has_the_mean_of_its_clients_and_all_their_pages() -> None:
    outcome = execute(Planned({}, resolved(duration="10 s", flows=[WEB])), SimEngine(), "0")[0]
    assert isinstance(outcome, Result)
    assert [flow.pages for flow in outcome.flows] == [5, 5]
    group = groups(outcome)["web"]
    load, count = QUANTITIES["page_load"].of_group, QUANTITIES["pages"].of_group
    assert load is not None
    assert count is not None
    assert load(group) == pytest.approx(0.025, rel=0.01)
    assert count(group) == 10
    assert outcome.flows[0].fct_s is outcome.flows[0].transfers is None


def test_pages_are_stored_a_row_each(tmp_path: Path) -> None:
    path = {"rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 bdp"}
    results = dumbbell.run(
        {"duration": "5 s", "path": path, "flows": [WEB], "measure": {"record": "summary"}}, store=tmp_path
    )
    pages = results.pages()
    assert pages["name"].unique().tolist() == ["web"]
    assert pages.groupby("flow").size().tolist() == [5, 5]
    assert pages["load_s"].to_list() == pytest.approx([0.0408528] * 10, rel=0.05)
    assert pages["bytes"].to_list() == [1000] * 10
    bulk = dumbbell.run({"duration": "2 s", "path": path, "flows": [{"cc": "cubic"}]}, store=tmp_path)
    with pytest.raises(DumbbellError, match="has no pages"):
        bulk.pages(0)
