"""Short transfers in a store: a table beside the row, whatever else is recorded, kept and checked like series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dumbbell
from dumbbell.errors import StoreError
from dumbbell.results.export import export
from dumbbell.results.schema import Result
from dumbbell.results.store import Store

if TYPE_CHECKING:
    from pathlib import Path

SPEC: dict[str, Any] = {
    "duration": "until done",
    "time_limit": "60 s",
    "seeds": 2,
    "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"},
    "flows": [
        {"cc": "cubic", "name": "web", "workload": {
            "arrivals": {"load": 0.6, "count": 200}, "size": {"lognormal": {"median": "10 kB", "sigma": 1}},
        }},
        {"cc": "reno", "workload": {"transfer": "1 MB"}},
    ],
    "measure": {"record": "summary"},
}  # fmt: skip


def test_a_row_a_transfer_and_the_summary_is_of_them(tmp_path: Path) -> None:
    results = dumbbell.run(SPEC, store=tmp_path)
    assert not results.failures
    table = results.transfers()
    assert list(table.columns) == [
        "run_id", "seed", "flow", "name", "at_s", "bytes", "started_s", "fct_s", "slowdown", "segments",
        "retransmitted",
    ]  # fmt: skip
    for run in results.summaries:
        own = table[table["run_id"] == run.run_id]
        web, single = run.flows
        assert (len(own), web.transfers, web.transfers_completed) == (200, 200, 200)
        assert web.fct_s == pytest.approx(own["fct_s"].mean())
        assert web.fct_p99_s == pytest.approx(own["fct_s"].quantile(0.99))
        assert web.slowdown_p95 == pytest.approx(own["slowdown"].quantile(0.95))
        assert own["slowdown"].min() > 0.4, "of the two round trips one is saved where data has no way to go"
        assert own["at_s"].tolist() == own["started_s"].tolist()
        assert (own["segments"] - own["retransmitted"]).tolist() == (-(-own["bytes"] // 1448)).tolist()
        assert single.transfers is None
        assert single.slowdown_mean is not None
        assert len(run.model_dump_json()) < 5_000, "percentiles, and no entry for each"
    assert results.transfers(0)["fct_s"].tolist() != results.transfers(1)["fct_s"].tolist(), "each seed its own"


def test_it_is_exported_verified_and_repaired(tmp_path: Path) -> None:
    dumbbell.run(SPEC | {"seeds": 1}, store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        assert export(store, "transfers", tmp_path / "all.csv") == 200
        with pytest.raises(StoreError, match="has no series to write"):
            export(store, "series", tmp_path / "none.csv")
        (run,) = store.outcomes()
        (file,) = store.files(run.run_id)
    assert pd.read_csv(tmp_path / "all.csv")["name"].unique().tolist() == ["web"]
    original = file.read_bytes()
    file.write_bytes(original[:-100])
    with Store.open(tmp_path / "store") as store:
        assert not store.finished(run.run_id)
        assert [fault for fault in store.faults() if "transfers.parquet" in fault.text]
    dumbbell.run(SPEC | {"seeds": 1}, store=tmp_path / "store")
    assert file.read_bytes() == original


def test_other_runs_have_none_and_say_why(tmp_path: Path) -> None:
    results = dumbbell.run(SPEC | {"seeds": 1, "flows": SPEC["flows"][1:]}, store=tmp_path)
    with pytest.raises(StoreError, match="has no short transfers"):
        results.transfers(0)


def test_transfers_left_behind_are_a_warning_and_leave_no_mean() -> None:
    (run,) = dumbbell.run(
        SPEC | {"seeds": 1, "duration": "3 s", "time_limit": None, "flows": [
            {"cc": "cubic", "workload": {"arrivals": {"load": 2.0}, "size": "100 kB"}}
        ]}
    )  # fmt: skip
    assert isinstance(run, Result)
    (flow,) = run.flows
    assert flow.transfers is not None
    assert flow.transfers_completed is not None
    left = flow.transfers - flow.transfers_completed
    assert left > 0
    assert flow.fct_s is None
    assert any(f"{left} of {flow.transfers} transfers that start in the window" in each for each in run.warnings)
