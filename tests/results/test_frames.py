from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dumbbell.engines.measurement import FlowSeries, Measurement, QueueSeries
from dumbbell.errors import EngineFailure, StoreError
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary
from dumbbell.results import gauges
from dumbbell.results.series import SeriesFolder
from dumbbell.results.store import Store
from dumbbell.spec import Run
from ledgers import vouch_all
from measured import flow, measurement, queue
from specs import resolved

GAUGES = ["cwnd_bytes", "ssthresh_bytes", "min_rtt_s", "cc_min_rtt_s", "pacing_rate_bps", "bandwidth_bps"]
FLOW_COLUMNS = [
    "flow", "name", "cc", "time_s", "srtt_s", "delivered_bytes", "bottleneck_bytes", "cwnd_bytes", "ssthresh_bytes",
    "inflight_bytes", "min_rtt_s", "cc_min_rtt_s", "pacing_rate_bps", "delivery_rate_bps", "bandwidth_bps",
    "pacing_gain", "cwnd_gain", "bw_hi_bps", "bw_lo_bps", "inflight_hi_bytes", "inflight_lo_bytes", "alpha", "phase",
]  # fmt: skip
U32, U64 = np.iinfo(np.uint32).max, np.iinfo(np.uint64).max


def sampled() -> Measurement:
    """Two samples of one flow: all gauges unknown, then all known."""
    gauges = FlowSeries(
        at_ns=np.array([50_000_000, 100_000_000], dtype=np.uint64),
        srtt_us=np.array([0, 25_000], dtype=np.uint32),
        delivered_bytes=np.array([0, 2896], dtype=np.uint64),
        bottleneck_bytes=np.array([0, 4542], dtype=np.uint64),
        cwnd_segments=np.array([10, 20], dtype=np.uint32),
        ssthresh_segments=np.array([U32, 7], dtype=np.uint32),
        inflight_segments=np.array([0, 3], dtype=np.uint32),
        min_rtt_us=np.array([U32, 25_000], dtype=np.uint32),
        cc_min_rtt_us=np.array([U32, 26_000], dtype=np.uint32),
        pacing_rate_bps=np.array([U64, 80_000_000], dtype=np.uint64),
        delivery_rate_bps=np.array([0, 70_000_000], dtype=np.uint64),
        bandwidth_bps=np.array([U64, 60_000_000], dtype=np.uint64),
        pacing_gain_256ths=np.array([739, 320], dtype=np.uint16),
        cwnd_gain_256ths=np.array([739, 512], dtype=np.uint16),
        bw_hi_bps=np.array([U64, 65_000_000], dtype=np.uint64),
        bw_lo_bps=np.array([U64, 55_000_000], dtype=np.uint64),
        inflight_hi_segments=np.array([U32, 30], dtype=np.uint32),
        inflight_lo_segments=np.array([U32, 14], dtype=np.uint32),
        alpha_ppm=np.array([U32, 62_500], dtype=np.uint32),
        phase=np.array([255, 1], dtype=np.uint8),
    )
    backlog = QueueSeries(
        at_ns=np.array([50_000_000], dtype=np.uint64),
        backlog_bytes=np.array([3028], dtype=np.uint64),
        backlog_packets=np.array([2], dtype=np.uint32),
        dropped_packets=np.array([1], dtype=np.uint64),
        marked_packets=np.array([3], dtype=np.uint64),
        sent_packets=np.array([9], dtype=np.uint64),
        low_latency_packets=np.array([1], dtype=np.uint32),
    )
    one = replace(flow(), series=gauges, phases=("startup", "drain"))
    return measurement(one, bottleneck=replace(queue(), series=backlog))


def stored_tables(folder: Path, measured: Measurement, **settings: Any) -> tuple[Any, dict[str, Any]]:
    run = resolved(**settings)
    files = SeriesFolder(folder)
    (folder / "series" / "partial").mkdir(parents=True)
    tables = gauges.tables(run.run, measured, run.groups, run.ccs)
    written = list(files.write("ab" + "0" * 14, {kind: gauges.parquet(table) for kind, table in tables.items()}))
    assert not any(files.damage(each, thorough=True) for each in written)
    return run, {each.kind: files.read(each) for each in written}


def test_gauges_are_in_base_units_and_nan_where_unknown(folder: Path) -> None:
    _, stored = stored_tables(folder, sampled())
    frame = gauges.frame("flows", stored["flows"], 1448)
    assert list(frame.columns) == FLOW_COLUMNS
    first, second = frame.to_dict("records")
    assert [name for name in FLOW_COLUMNS if isinstance(first[name], float) and np.isnan(first[name])] == [
        "srtt_s", "ssthresh_bytes", "min_rtt_s", "cc_min_rtt_s", "pacing_rate_bps", "bandwidth_bps", "bw_hi_bps",
        "bw_lo_bps", "inflight_hi_bytes", "inflight_lo_bytes", "alpha", "phase",
    ]  # fmt: skip
    assert second == {
        "flow": 0, "name": "bbr", "cc": "bbr", "time_s": 0.1, "srtt_s": 0.025, "delivered_bytes": 2896,
        "bottleneck_bytes": 4542, "cwnd_bytes": 20 * 1448, "ssthresh_bytes": 7 * 1448, "inflight_bytes": 3 * 1448,
        "min_rtt_s": 0.025, "cc_min_rtt_s": 0.026, "pacing_rate_bps": 80e6, "delivery_rate_bps": 70e6,
        "bandwidth_bps": 60e6,
        "pacing_gain": 1.25, "cwnd_gain": 2.0, "bw_hi_bps": 65e6, "bw_lo_bps": 55e6, "inflight_hi_bytes": 30 * 1448,
        "inflight_lo_bytes": 14 * 1448, "alpha": 0.0625, "phase": "drain",
    }  # fmt: skip


def test_the_queue_over_time(folder: Path) -> None:
    _, stored = stored_tables(folder, sampled())
    assert gauges.frame("queue", stored["queue"], 1448).to_dict("records") == [
        {
            "time_s": 0.05, "backlog_bytes": 3028, "backlog_packets": 2, "dropped_packets": 1, "marked_packets": 3,
            "sent_packets": 9, "low_latency_packets": 1,
        }
    ]  # fmt: skip
    before = gauges.frame("queue", stored["queue"].drop_columns(["marked_packets"]), 1448)
    assert before["marked_packets"].isna().all(), "an earlier version counted none"


def test_single_acks_where_they_are_recorded(folder: Path) -> None:
    acks = type(flow().acks)(at_ns=np.array([5], dtype=np.uint64), rtt_ns=np.array([25_000_000], dtype=np.uint64))
    (one,) = sampled().flows
    measured = replace(sampled(), flows=(replace(one, acks=acks),))
    _, stored = stored_tables(folder, measured, measure={"record": "acks"})
    assert gauges.frame("acks", stored["acks"], 1448).to_dict("records") == [
        {"flow": 0, "time_s": 5e-9, "rtt_s": 0.025}
    ]


def test_a_summary_keeps_no_series(folder: Path, campaign: Any) -> None:
    (outcome, *_) = campaign(measure__record="summary")
    with Store.open(folder) as store:
        assert store.files(outcome.run_id) == []
        with pytest.raises(StoreError, match="kept no series"):
            store.flow_series(outcome.run_id)
        with pytest.raises(StoreError, match="has no run"):
            store.flow_series("0" * 16)


def test_the_series_of_a_real_run_are_the_engines(filled: Store) -> None:
    outcome = next(filled.outcomes())
    frame = filled.flow_series(outcome.run_id)
    assert frame["name"].unique().tolist() == ["bbr", "cubic"]
    assert set(frame["phase"]) >= {"startup", "slow_start"}
    assert frame["delivered_bytes"].dtype == np.int64
    assert frame.groupby("name")["delivered_bytes"].max()["bbr"] > 100_000
    assert set(frame[GAUGES].dtypes) == {np.dtype(np.float64)}
    assert filled.queue_series(outcome.run_id)["sent_packets"].is_monotonic_increasing


def test_a_row_a_run_with_the_numbers_of_its_summary(filled: Store) -> None:
    frame, outcomes = filled.runs(), list(filled.outcomes())
    assert list(frame.columns[:6]) == ["run_id", "experiment", "engine", "seed", "status", "path.buffer"]
    assert frame["path.buffer"].tolist() == ["0.5 bdp", "0.5 bdp", "2 bdp", "2 bdp"]
    for row, outcome in zip(frame.to_dict("records"), outcomes, strict=True):
        assert outcome.status == "ok"
        assert (row["run_id"], row["seed"], row["jain"]) == (outcome.run_id, outcome.seed, outcome.jain)
        for each in fields(BottleneckSummary):
            expected = getattr(outcome.bottleneck, each.name)
            value = row[f"bottleneck.{each.name}"]
            assert np.isnan(value) if expected is None else value == expected
        assert row["warnings"] == "; ".join(outcome.warnings)


def test_runs_with_warnings_stand_beside_failed_ones_which_have_none(folder: Path, campaign: Any) -> None:
    campaign(duration="1 s", measure__record="summary")
    with Store.open(folder, write=True) as store, store.ledger.transaction("change") as connection:
        connection.execute("UPDATE run SET warnings = NULL WHERE seed = 1")
        connection.execute("""UPDATE run SET warnings = '["look"]' WHERE seed = 2""")
        vouch_all(connection)
    with Store.open(folder) as store:
        assert set(store.runs()["warnings"]) == {"", "look"}


def test_a_row_a_flow_and_a_row_a_group(filled: Store) -> None:
    flows, groups, outcomes = filled.flows(), filled.groups(), list(filled.outcomes())
    assert len(flows) == len(groups) == 8
    assert {each.name for each in fields(FlowSummary)} <= set(flows.columns)
    (last,) = flows.tail(1).to_dict("records")
    assert outcomes[-1].status == "ok"
    expected = outcomes[-1].flows[1]
    assert (last["flow"], last["name"], last["rtt_p95_s"]) == (1, "cubic", expected.rtt_p95_s)
    assert np.isnan(last["fct_s"])
    assert groups.groupby("run_id")["share"].sum().round(9).tolist() == [1.0] * 4


def test_a_failed_run_has_a_row_that_says_so(folder: Path, campaign: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object, run: Run) -> Measurement:
        raise EngineFailure(f"a bug with {run.path.buffer}")  # not alike at both points, which would end the campaign

    monkeypatch.setattr("dumbbell.engines.sim.SimEngine.measure", fails)
    outcomes = campaign()
    with Store.open(folder) as store:
        assert list(store.outcomes()) == outcomes
        assert store.runs()["error"].str.startswith("a bug with").tolist() == [True] * 4
        assert store.runs()["bottleneck.loss_rate"].isna().all()
        assert store.flows().empty


def test_experiments_with_other_axes_share_a_frame(folder: Path, campaign: Any) -> None:
    campaign("one", seeds=1)
    campaign("two", seeds=1, path__buffer="1 bdp", path__rtt=["20 ms", "40 ms"])
    with Store.open(folder) as store:
        frame = store.runs()
    assert frame["path.buffer"].dropna().tolist() == ["0.5 bdp", "2 bdp"]
    assert frame["path.rtt"].dropna().tolist() == ["20 ms", "40 ms"]
