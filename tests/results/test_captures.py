"""Captures of runs, from a spec to files that other programs read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import StoreError, StoreFailure
from dumbbell.results.export import export_captures
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError, expand

PLACES = ("senders", "bottleneck", "receivers")


def experiment(**measure: object) -> Experiment:
    return Experiment(
        name="captured",
        duration="2 s",
        path={"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "0.5 bdp"},
        flows=[{"cc": "cubic"}, {"cc": "reno", "workload": {"transfer": "500 kB"}}],
        measure={"window": ["0 s", "2 s"], **measure},
    )


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("captured")
    with Store.open(folder, write=True) as store:
        (outcome,) = run_campaign(store, experiment(record=["acks", "pcap"], snap="2 kB"), SimEngine())
    assert isinstance(outcome, Result)
    return folder, outcome


def fields(capture: Path, *names: str, display: str = "tcp") -> list[list[str]]:
    """Of each packet, as tshark reads it, with every checksum checked."""
    checked = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-Y", display]
    wanted = [word for name in names for word in ("-e", name)]
    command = ["tshark", "-r", str(capture), *checked, "-T", "fields", *wanted]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    return [line.split("\t") for line in lines]


def test_a_run_has_a_capture_at_each_place_and_its_series(captured: tuple[Path, Result]) -> None:
    folder, outcome = captured
    with Store.open(folder) as store:
        assert store.kinds(outcome.run_id) == {"flows", "queue", "acks", *(f"{place}.pcapng" for place in PLACES)}
        assert all(store.capture(outcome.run_id, place).stat().st_size > 10_000 for place in PLACES)
        assert list(store.faults()) == []
        with pytest.raises(StoreError, match="no series of this kind"):
            store.capture(outcome.run_id, "moon")


def test_a_run_is_captured_where_the_spec_says(tmp_path: Path, captured: tuple[Path, Result]) -> None:
    spec = experiment(record=["summary", "pcap"], snap="2 kB", capture_at="receivers")
    with Store.open(tmp_path, write=True) as store, Store.open(captured[0]) as every:
        (outcome,) = run_campaign(store, spec, SimEngine())
        assert store.kinds(outcome.run_id) == {"receivers.pcapng"}
        bytes_ = [
            one.capture(run, "receivers").read_bytes()
            for one, run in ((store, outcome.run_id), (every, captured[1].run_id))
        ]
        assert bytes_[0] == bytes_[1]


@pytest.mark.parametrize(("measure", "said"), [
    ({"record": "pcap", "capture_at": "router"}, "measure.capture_at"),
    ({"record": "pcap", "capture_at": ["senders", "senders"]}, 'measure.capture_at[1]: "senders" a second time'),
    ({"record": "pcap", "capture_at": []}, "measure.capture_at"),
    ({"capture_at": "senders"}, "measure.capture_at: nothing is captured"),
])  # fmt: skip
def test_places_that_make_no_sense_are_refused(measure: dict[str, object], said: str) -> None:
    with pytest.raises(SpecError) as refused:
        list(expand(experiment(**measure)))
    assert said in str(refused.value)


def test_a_capture_that_was_changed_is_found_and_its_run_repeated(tmp_path: Path) -> None:
    spec = experiment(record=["summary", "pcap"])
    with Store.open(tmp_path, write=True) as store:
        (outcome,) = run_campaign(store, spec, SimEngine())
        capture = store.capture(outcome.run_id, "senders")
        before = capture.read_bytes()
        capture.write_bytes(before[:-100])
        (fault,) = store.faults()
        assert "senders" in fault.text
        with pytest.raises(StoreFailure, match="run its experiment again"):
            store.capture(outcome.run_id, "senders")
        assert not store.finished(outcome.run_id)
        (again,) = run_campaign(store, spec, SimEngine())
        assert store.capture(again.run_id, "senders").read_bytes() == before, "the same bytes each time"


def test_captures_that_cannot_be_written_fail_the_run_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def capture(_run: str, _folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("dumbbell._core.capture", capture)
    with Store.open(tmp_path, write=True) as store:
        (outcome,) = run_campaign(store, experiment(record="pcap"), SimEngine())
        assert outcome.status == "failed"
        assert outcome.error == "a capture could not be written: No space left on device"
        assert list(store.faults()) == []
    assert not list(tmp_path.glob("series/partial/*"))


@pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark: apt-get install tshark")
def test_wireshark_reads_what_the_simulator_did(captured: tuple[Path, Result]) -> None:
    folder, outcome = captured
    with Store.open(folder) as store:
        senders, bottleneck, _ = (store.capture(outcome.run_id, place) for place in PLACES)
    good = 'ip.checksum.status == "Good" and tcp.checksum.status == "Good"'
    assert len(fields(senders, "frame.number", display=good)) == len(fields(senders, "frame.number"))
    assert {name for (name,) in fields(senders, "frame.interface_name")} == {"senders"}
    left = fields(bottleneck, "frame.number")
    assert len(left) == outcome.bottleneck.sent_packets
    for flow in outcome.flows:
        own = f"ip.src == 10.0.0.{flow.flow + 1}"
        sent = fields(senders, "tcp.seq", "tcp.len", display=f"{own} and tcp.len > 0")
        assert len(sent) == flow.segments_sent
        resent = len(sent) - len({seq for seq, _ in sent})
        assert resent == flow.retransmits
        acknowledged = fields(senders, "tcp.ack", display=f"ip.dst == 10.0.0.{flow.flow + 1}")
        delivered = int(acknowledged[-1][0]) - 1
        assert flow.goodput_bps is not None
        assert delivered == pytest.approx(flow.goodput_bps * 2 / 8, rel=0.02) if flow.flow == 0 else 500_000


def test_captures_are_written_as_plain_files(captured: tuple[Path, Result], tmp_path: Path) -> None:
    folder, outcome = captured
    with Store.open(folder) as store:
        files = list(export_captures(store, tmp_path / "packets"))
    assert [file.name for file in files] == [f"{outcome.run_id}.{place}.pcapng" for place in sorted(PLACES)]
    assert all(file.read_bytes().startswith(bytes.fromhex("0a0d0d0a")) for file in files)
    empty = tmp_path / "empty"
    with Store.open(empty, write=True) as store, pytest.raises(StoreError, match="no run has captures"):
        list(export_captures(store, tmp_path))
