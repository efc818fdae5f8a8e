"""A capture of a run measures what the run did."""

from __future__ import annotations

import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from msgspec.structs import replace

from commandline import dumbbell
from dumbbell.campaign.execution import run_campaign
from dumbbell.captures import experiment
from dumbbell.captures.analysis import CaptureError
from dumbbell.engines import capture
from dumbbell.engines.capture import CaptureEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.registry import engine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure, UnknownEngine
from dumbbell.metrics.samples import histogram_quantile_s
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, resolve
from dumbbell.spec.line import Impairments

PATH = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 bdp", "jitter": "none"}
FLOWS: list[dict[str, Any]] = [
    {"cc": "bbr"},
    {"cc": "cubic"},
    {"cc": "reno", "start": "1 s", "workload": {"transfer": "100 kB"}},
]
MEASURE: dict[str, Any] = {"window": ["1 s", "7 s"], "record": ["acks", "pcap"]}
BIN = 1.016
"""How wide a histogram's bins are at most."""


def spec(**more: Any) -> Experiment:
    return Experiment(**{"name": "seen", "duration": "8 s", "path": PATH, "flows": FLOWS, "measure": MEASURE} | more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("captures")


@pytest.fixture(scope="module")
def run() -> Run:
    return resolve(spec().point(0), 1).run


@pytest.fixture(scope="module")
def simulated(folder: Path, run: Run) -> Measurement:
    """With its captures in the folder."""
    return SimEngine().capture(run, folder)


@pytest.fixture(scope="module")
def senders(folder: Path, simulated: Measurement) -> Path:
    del simulated
    return folder / "senders.pcapng.zst"


@pytest.fixture(scope="module")
def captured(senders: Path, run: Run) -> Measurement:
    return engine(f"capture:{senders}").measure(run)


def test_counters_of_a_capture_near_the_senders_are_the_engines(simulated: Measurement, captured: Measurement) -> None:
    for ours, theirs in zip(captured.flows, simulated.flows, strict=True):
        assert ours.started_ns == theirs.started_ns
        assert (ours.completed_ns is None) == (theirs.completed_ns is None)
        for one, other in ((ours.at_window_begin, theirs.at_window_begin), (ours.at_window_end, theirs.at_window_end)):
            assert one.delivered_bytes == pytest.approx(other.delivered_bytes, abs=2 * 1448)
            assert one.segments_sent == other.segments_sent
            assert one.segments_retransmitted == other.segments_retransmitted
            assert one.bottleneck_bytes == pytest.approx(other.bottleneck_bytes, abs=5_000)
            assert one.acks == pytest.approx(other.acks, abs=2)
            assert one.dropped_packets is one.segments_lost is one.timeouts is None
    ours, theirs = captured.flows[2], simulated.flows[2]
    assert ours.completed_ns == pytest.approx(theirs.completed_ns, abs=20_000)
    assert ours.at_end.delivered_bytes == 100_000


def test_rtts_near_the_senders_are_the_engines(simulated: Measurement, captured: Measurement) -> None:
    for ours, theirs in zip(captured.flows[:2], simulated.flows[:2], strict=True):
        for share in (0.05, 0.5, 0.95, 0.99):
            one, other = (histogram_quantile_s(flow.ack_rtt, share) for flow in (ours, theirs))
            assert one is not None
            assert other is not None
            assert other / BIN < one < other * BIN
        assert ours.rtt_min_ns == pytest.approx(theirs.rtt_min_ns, abs=1_000)
        assert ours.ack_rtt.count == pytest.approx(theirs.ack_rtt.count, rel=0.05)
        assert ours.ack_rtt.sum / ours.ack_rtt.count == pytest.approx(
            theirs.ack_rtt.sum / theirs.ack_rtt.count, rel=0.01
        )
        assert ours.ack_rtt.counts.sum() == ours.ack_rtt.count
        assert len(ours.acks.at_ns) == len(ours.acks.rtt_ns) > ours.ack_rtt.count


def test_series_are_the_engines(simulated: Measurement, captured: Measurement) -> None:
    for ours, theirs in zip(captured.flows[:2], simulated.flows[:2], strict=True):
        both = np.intersect1d(ours.series.at_ns, theirs.series.at_ns)
        assert len(both) >= len(theirs.series.at_ns) - 1, "the last 20 ms are not acknowledged at the senders"
        one, other = (
            {name: getattr(series, name)[np.isin(series.at_ns, both)].astype(float) for name in
             ("delivered_bytes", "srtt_us", "inflight_segments", "bottleneck_bytes")}
            for series in (ours.series, theirs.series)
        )  # fmt: skip
        assert np.abs(one["delivered_bytes"] - other["delivered_bytes"]).max() <= 2 * 1448
        assert np.mean(one["srtt_us"]) == pytest.approx(np.mean(other["srtt_us"]), rel=0.01)
        assert np.quantile(np.abs(one["srtt_us"] - other["srtt_us"]) / 40_000, 0.9) < 0.03
        assert np.median(np.abs(one["inflight_segments"] - other["inflight_segments"])) <= 2
        assert (np.diff(one["bottleneck_bytes"]) >= 0).all()
        assert ours.series.cwnd_segments.min() == 2**32 - 1, "no packet shows a cwnd"


def test_a_receiver_shows_goodput_and_neither_rtts_nor_losses(folder: Path, simulated: Measurement, run: Run) -> None:
    captured = CaptureEngine(str(folder / "receivers.pcapng.zst")).measure(run)
    for number, (ours, theirs) in enumerate(zip(captured.flows[:2], simulated.flows[:2], strict=True)):
        grown, other = (
            flow.at_window_end.delivered_bytes - flow.at_window_begin.delivered_bytes for flow in (ours, theirs)
        )
        assert grown == pytest.approx(other, rel=0.001)
        assert ours.ack_rtt.count == len(ours.acks.at_ns) == ours.series.srtt_us.max() == 0
        assert ours.rtt_min_ns is None
        assert ours.at_end.segments_sent < theirs.at_end.segments_sent
        assert captured.facts[f"flows[{number}].unseen"].startswith("RTTs")


def test_what_no_packet_shows_is_null_in_the_result(senders: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        (truth,) = run_campaign(store, spec(), SimEngine())
        (result,) = run_campaign(store, spec(), CaptureEngine(str(senders)))
        assert isinstance(truth, Result)
        assert isinstance(result, Result)
        for ours, theirs in zip(result.flows[:2], truth.flows[:2], strict=True):
            assert ours.goodput_bps == pytest.approx(theirs.goodput_bps, rel=0.001)
            assert ours.retransmits == theirs.retransmits
        assert {getattr(result.bottleneck, each.name) for each in fields(result.bottleneck)} == {None}
        assert not [each for each in result.warnings if "bottleneck" in each]
        facts = store.provenance(result.run_id)["measured_on"]
        assert isinstance(facts, dict)
        assert facts["capture.file"] == senders.name
        assert facts["flows[0].sender"] == "10.0.0.1:32768"
        assert len(store.queue_series(result.run_id)) == 0


def test_a_spec_of_a_capture_runs_on_it(senders: Path, tmp_path: Path) -> None:
    trace, toml, store = tmp_path / "trace.pcapng", tmp_path / "trace.toml", tmp_path / "store"
    shutil.copy(senders, trace)
    dumbbell("pcap", trace, "--spec", toml)
    done = dumbbell(
        "run", toml, "--engine", f"capture:{trace}", "--out", store, "--columns", "goodput,retransmits,loss"
    )
    assert (done.returncode, "flow-1" in done.stdout) == (0, True), done.stderr
    done = dumbbell("report", store, "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"capture:{trace}" in page
    shown = ["throughput (Mbit/s)", "inflight (kB)", "smoothed RTT (ms)", "cwnd (kB)", "queue (kB)"]
    assert [title for title in shown if title in page] == shown[:3], "no panel of what no packet shows"
    done = dumbbell("results", "export", store, tmp_path / "runs.parquet")
    assert done.returncode == 0, done.stderr
    done = dumbbell("run", toml, "--out", store)
    done = dumbbell(
        "compare", f"{store}@engine=sim", f"@engine=capture:{trace}", "--metrics", "goodput,retransmits,drops"
    )
    assert "no pair of runs has drops" in done.stderr
    assert "goodput" in done.stdout


def test_what_a_capture_is_not_is_refused_with_the_field(senders: Path) -> None:
    def problems(**more: Any) -> list[str]:
        run = resolve(spec(**more).point(0), 1).run
        return list(map(str, CaptureEngine(str(senders)).unsupported_fields(run)))

    assert problems() == []
    assert problems(flows=FLOWS[:2])[0].startswith(
        "flows: 2 flows, and the capture has 3 flows with data one way; `dumb"
    )
    larger = [*FLOWS[:2], FLOWS[2] | {"workload": {"transfer": "1 MB"}}]
    assert problems(flows=larger) == [], "its end is not known: it may have been cut"
    smaller = [*FLOWS[:2], FLOWS[2] | {"workload": {"transfer": "50 kB"}}]
    assert problems(flows=smaller) == [
        "flows[2].workload: a transfer of 50 kB, and the capture's flow has 100 kB; write as much"
    ]
    (window,) = problems(duration="20 s", measure={"window": ["1 s", "20 s"]})
    assert window.startswith("measure.window: ends at 20 s, and the capture after 7.9")
    impaired = replace(resolve(spec().point(0), 1).run.path, impairments=Impairments(duplicate_ppb=5), trace="0,8,,\n")
    run = replace(resolve(spec().point(0), 1).run, path=impaired)
    refused = [each.path for each in CaptureEngine(str(senders)).unsupported_fields(run)]
    assert refused == ["path.duplicate", "path.trace"]
    (qlog,) = problems(measure=MEASURE | {"record": ["qlog"]})
    assert qlog.startswith('measure.record: "qlog" is of what a sender does')


def test_files_that_are_none(tmp_path: Path, folder: Path, simulated: Measurement, run: Run) -> None:
    del simulated
    with pytest.raises(CaptureError, match=r"engine capture:absent\.pcap: there is no such file; write capture:FILE"):
        engine("capture:absent.pcap")
    with pytest.raises(CaptureError, match="it is no file"):
        engine(f"capture:{tmp_path}")
    with pytest.raises(UnknownEngine, match="capture:FILE"):
        engine("captures")
    (tmp_path / "text").write_text("hello world")
    with pytest.raises(EngineFailure, match="text: no capture"):
        engine(f"capture:{tmp_path / 'text'}").measure(run)
    with pytest.raises(EngineFailure, match="no flow shows its path"):
        engine(f"capture:{folder / 'bottleneck.pcapng.zst'}").measure(run)


def test_a_cut_file_is_measured_up_to_there_and_says_so(senders: Path, tmp_path: Path, run: Run) -> None:
    with pa.input_stream(str(senders), compression="zstd") as stream:
        content = stream.read()
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(content[: len(content) * 19 // 20])
    measured = CaptureEngine(str(cut)).measure(run)
    assert "the file ends inside" in measured.facts["capture.notes"]
    assert 7e9 < measured.ended_ns < 7.9e9


def test_the_identity_is_of_the_files_content(senders: Path, tmp_path: Path) -> None:
    shutil.copy(senders, tmp_path / "same")
    (tmp_path / "other").write_bytes(senders.read_bytes() + b"\0")
    identity = CaptureEngine(str(senders)).identity()
    assert CaptureEngine(str(tmp_path / "same")).identity() == identity
    assert CaptureEngine(str(tmp_path / "other")).identity() != identity


def test_flows_are_paired_by_their_algorithms_where_packets_tell_all(
    senders: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    flows = CaptureEngine(str(senders))._flows
    assert capture._assigned(run, flows) == [0, 1, 2]
    said = dict(zip((id(flow) for flow in flows), ("cubic", "bbr", "reno"), strict=True))
    monkeypatch.setattr(experiment, "algorithm_of", lambda flow: said[id(flow)])
    assert capture._assigned(run, flows) == [1, 0, 2]
    said[id(flows[2])] = "bbr"
    assert capture._assigned(run, flows) == [0, 1, 2], "the capture has others than the run: only their order is left"


def test_what_packets_say_of_an_algorithm_is_a_fact(senders: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "algorithm_of", lambda _: "vegas")
    facts = CaptureEngine(str(senders)).measure(run).facts
    assert facts["flows[0].cc"].startswith("vegas by its packets")
