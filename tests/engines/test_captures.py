"""Captures of real Linux: what is in them is what the kernel counted, and taking them changes nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.disturbance import disturbances
from dumbbell.spec import Run
from specs import resolved

pytestmark = pytest.mark.slow
tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark: apt-get install tshark")

PLACES = ("senders", "bottleneck", "receivers")
PATH = {"rate": "40 Mbit/s", "rtt": "20 ms", "buffer": "0.5 bdp"}
TWO: list[dict[str, Any]] = [{"cc": "cubic", "stop": "2.8 s"}, {"cc": "bbr", "start": "200 ms", "stop": "2.8 s"}]
"""At the run's end no segment is still in its host."""
TRANSFER = [{"cc": "cubic", "workload": {"transfer": "4 MB"}}]


def run_of(measure: dict[str, Any] | None = None, **more: Any) -> Run:
    spec = {"duration": "3 s", "path": PATH, "flows": TWO, "start_jitter": "0 s"} | more
    return resolved(**spec, measure={"record": ["series", "pcap"], "window": ["0 s", "3 s"]} | (measure or {})).run


def captured(measurement: Measurement, counter: str = "frames") -> dict[str, int]:
    return {place: int(measurement.facts[f"capture.{place}.{counter}"]) for place in PLACES}


def differences(one: object, other: object, path: str = "") -> Iterator[str]:
    """The parts in which two measurements differ, facts apart."""
    if is_dataclass(one):
        for field in fields(one):
            if field.name != "facts":
                yield from differences(getattr(one, field.name), getattr(other, field.name), f"{path}.{field.name}")
    elif isinstance(one, tuple) and isinstance(other, tuple):
        assert len(one) == len(other)
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif not np.array_equal(np.asarray(one), np.asarray(other)):
        yield path


def packets(capture: Path, *names: str, display: str = "tcp") -> list[tuple[str, ...]]:
    """Of each packet, as tshark reads it, with every checksum checked."""
    checked = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-Y", display]
    wanted = [word for name in names for word in ("-e", name)]
    command = ["tshark", "-r", str(capture), *checked, "-T", "fields", *wanted]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout.splitlines()
    return [tuple(line.split("\t")) for line in lines]


def sent_twice(capture: Path, sender: str) -> tuple[int, int]:
    """Data segments of a sender, and how many of them begin where an earlier one did."""
    sent = packets(capture, "tcp.seq_raw", "tcp.srcport", display=f"ip.src == {sender} and tcp.len > 0")
    return len(sent), sum(count - 1 for count in Counter(sent).values())


def test_a_run_is_the_same_to_the_last_bit_with_captures_and_without(linux: LinuxEngine, tmp_path: Path) -> None:
    """Longer than a block waits for frames, and a file's pages for the disk."""
    flows = [{"cc": "bbr", "count": 2}, {"cc": "cubic"}]
    run = run_of({"window": ["0 s", "40 s"]}, flows=flows, duration="40 s", path=PATH | {"rate": "10 Mbit/s"})
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    measurement = linux.capture(run, first)
    assert list(differences(linux.measure(run), measurement)) == []
    linux.capture(run, second)
    assert {file.name for file in first.iterdir()} == {f"{place}.pcapng.zst" for place in PLACES}
    assert all((first / file.name).read_bytes() == file.read_bytes() for file in second.iterdir())
    assert captured(measurement)["bottleneck"] == measurement.bottleneck.at_end.sent_packets > 5_000
    assert captured(measurement, "dropped") == dict.fromkeys(PLACES, 0)


def test_where_samples_are_rare_rings_wake_the_agent(linux: LinuxEngine, tmp_path: Path) -> None:
    """A second has 10 MB in frames, and a ring no room for them."""
    run = run_of({"sample": "1 s", "snap": "65535 B"}, path=PATH | {"rate": "160 Mbit/s"}, flows=[{"cc": "cubic"}])
    measurement = linux.capture(run, tmp_path)
    assert captured(measurement, "dropped") == dict.fromkeys(PLACES, 0)
    assert captured(measurement)["bottleneck"] == measurement.bottleneck.at_end.sent_packets > 20_000


@tshark
def test_a_capture_has_every_segment_that_the_kernel_counted(linux: LinuxEngine, tmp_path: Path) -> None:
    measurement = linux.capture(run_of({"snap": "2 kB"}), tmp_path)
    senders, bottleneck, receivers = (tmp_path / f"{place}.pcapng.zst" for place in PLACES)
    for index, flow in enumerate(measurement.flows):
        sent = packets(senders, "tcp.seq_raw", display=f"tcp.srcport == {30_000 + index} and tcp.len > 0")
        assert len(sent) == flow.at_end.segments_sent
        resent = flow.at_end.segments_retransmitted
        assert len(sent) - len(set(sent)) == resent > 0
    assert len(packets(bottleneck, "frame.number", display="frame")) == measurement.bottleneck.at_end.sent_packets
    assert packets(bottleneck, "frame.number", display="ip.src == 10.128.0.0/9") == []
    good = 'ip.checksum.status == "Good" and tcp.checksum.status == "Good"'
    for capture in (senders, bottleneck, receivers):
        assert len(packets(capture, "frame.number", display=good)) == len(packets(capture, "frame.number"))
        assert packets(capture, "frame.interface_name")[0] == (capture.name.partition(".")[0],)
        times = [float(time) for (time,) in packets(capture, "frame.time_epoch", display="frame")]
        assert times == sorted(times)
        assert 0 <= times[0] < 0.1
        assert times[-1] <= measurement.ended_ns / 1e9
    (syn,) = packets(senders, "frame.time_epoch", display="tcp.srcport == 30001 and tcp.flags.syn == 1")
    assert float(syn[0]) == pytest.approx(0.2, abs=1e-4), "time 0 is the run's beginning"
    # Whatever the path delays lies between two of the points.
    syns = [packets(capture, "frame.time_epoch", display="tcp.flags.syn == 1") for capture in (receivers, senders)]
    assert float(syns[1][1][0]) - float(syns[0][0][0]) == pytest.approx(0.02, abs=1e-4)


@tshark
@pytest.mark.parametrize(
    "changes",
    [
        {"path": PATH | {"jitter": "50 us"}, "host": {"qdisc": "fq"}},
        {"flows": [TWO[0] | {"access": {"rate": "20 Mbit/s", "buffer": "20 kB"}}, TWO[1]]},
        {"path": PATH | {"shaper": "htb", "shaper_at": "receiver"}},
        {"path": PATH | {"loss": "0.5 %", "delay_side": "split"}},
    ],
)
def test_every_path_is_captured_at_its_ends(linux: LinuxEngine, changes: dict[str, Any], tmp_path: Path) -> None:
    measurement = linux.capture(run_of(**changes), tmp_path)
    senders, _, receivers = (tmp_path / f"{place}.pcapng.zst" for place in PLACES)
    sent = Counter(port for (port,) in packets(senders, "tcp.srcport", display="tcp.len > 0"))
    assert sent == {str(30_000 + index): flow.at_end.segments_sent for index, flow in enumerate(measurement.flows)}
    left = measurement.bottleneck.at_end.sent_packets
    assert captured(measurement)["bottleneck"] == left
    lost = measurement.bottleneck.at_end.random_lost_packets
    came = len(packets(receivers, "frame.number", display="ip.dst == 10.128.0.0/9"))
    assert came in {left, left - lost}, "what is lost behind the bottleneck has left it"


@tshark
def test_both_bottlenecks_are_in_one_capture_in_order(linux: LinuxEngine, live: NetnsEngine, tmp_path: Path) -> None:
    path = PATH | {"back": {"rate": "10 Mbit/s", "buffer": "1 bdp"}}
    for engine in (linux, live):
        folder = tmp_path / engine.name
        folder.mkdir()
        measurement = engine.capture(run_of(path=path, flows=TRANSFER), folder)
        down, up = (hop.queue.at_end.sent_packets for hop in measurement.hops)
        capture = folder / "bottleneck.pcapng.zst"
        assert captured(measurement)["bottleneck"] == down + up
        assert len(packets(capture, "frame.number", display="ip.dst == 10.0.0.0/9")) == up > 1_000
        times = [float(time) for (time,) in packets(capture, "frame.time_epoch")]
        assert times == sorted(times)


def test_captures_that_have_no_room_leave_nothing(linux: LinuxEngine, small_disk: Path) -> None:
    with pytest.raises(EngineFailure, match=r"keep a capture: .*No space left on device"):
        linux.capture(run_of({"snap": "1514 B"}, path=PATH | {"rate": "160 Mbit/s"}), small_disk)
    assert list(small_disk.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_clear_failure(linux: LinuxEngine, tmp_path: Path) -> None:
    with pytest.raises(EngineFailure, match=r"keep a capture: .*nowhere.*: No such file or directory"):
        linux.capture(run_of(), tmp_path / "nowhere")


@tshark
def test_a_live_run_is_captured_segment_by_segment(live: NetnsEngine, tmp_path: Path) -> None:
    """A transfer that is over when the run is: at its end nothing is on its way."""
    run = run_of({"snap": "2 kB"}, flows=TRANSFER, path=PATH | {"jitter": "none"})
    measurement = live.capture(run, tmp_path)
    assert captured(measurement, "dropped") == dict.fromkeys(PLACES, 0)
    assert [each for each in disturbances(measurement.facts) if "capture" in each] == []
    senders, bottleneck, receivers = (tmp_path / f"{place}.pcapng.zst" for place in PLACES)
    counters = measurement.flows[0].at_end
    assert counters.delivered_bytes == 4_000_000
    assert sent_twice(senders, "10.0.0.1") == (counters.segments_sent, counters.segments_retransmitted)
    assert len(packets(bottleneck, "frame.number")) == measurement.bottleneck.at_end.sent_packets
    arrived = packets(receivers, "frame.number", display="ip.dst == 10.128.0.1")
    assert len(arrived) == measurement.bottleneck.at_end.sent_packets
    good = 'ip.checksum.status == "Good" and tcp.checksum.status == "Good"'
    for capture in (senders, bottleneck, receivers):
        assert len(packets(capture, "frame.number", display=good)) == len(packets(capture, "frame.number"))
        times = [float(time) for (time,) in packets(capture, "frame.time_epoch")]
        assert times == sorted(times)
        assert 0 <= times[0] < 1


def test_a_live_capture_without_room_ends_the_run(live: NetnsEngine, small_disk: Path) -> None:
    run = run_of({"snap": "1514 B", "window": ["0 s", "60 s"]}, duration="60 s")
    with pytest.raises(EngineFailure, match=r"write the capture at the .*: No space left on device"):
        live.capture(run, small_disk)
    assert list(small_disk.iterdir()) == []


def test_a_live_capture_into_no_folder_is_a_clear_failure(live: NetnsEngine, tmp_path: Path) -> None:
    with pytest.raises(EngineFailure, match="write the capture at the senders: No such file or directory"):
        live.capture(run_of(), tmp_path / "nowhere")


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv: apt-get install util-linux")
def test_a_ring_that_is_refused_is_a_clear_failure(live: NetnsEngine, tmp_path: Path) -> None:
    del live
    code = (
        "import sys; from pathlib import Path; from dumbbell.engines.netns import NetnsEngine\n"
        "from dumbbell.errors import EngineFailure; from dumbbell.spec import Run\n"
        "try: NetnsEngine().capture(Run.from_json(sys.stdin.read()), Path(sys.argv[1]))\n"
        "except EngineFailure as failure: print(failure)"
    )
    bound = ["setpriv", "--bounding-set", "-net_raw", "--inh-caps", "-net_raw"]
    done = subprocess.run(
        [*bound, sys.executable, "-c", code, str(tmp_path)],
        input=run_of().to_json(), capture_output=True, check=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout == "capture at the senders: packet socket: EPERM\n"
    assert list(tmp_path.iterdir()) == []


def test_only_what_is_asked_for_is_left(linux: LinuxEngine, live: NetnsEngine, tmp_path: Path) -> None:
    """Single ACKs are read from a capture that goes again."""
    for engine in (linux, live):
        folder = tmp_path / engine.name
        folder.mkdir()
        measured = engine.capture(run_of({"record": ["acks", "pcap"], "capture_at": ["receivers"]}), folder)
        assert [file.name for file in folder.iterdir()] == ["receivers.pcapng.zst"]
        assert all(len(flow.acks.at_ns) > 500 for flow in measured.flows)


def test_a_dry_run_tells_what_is_captured_where(live: NetnsEngine) -> None:
    steps = [step for step in live.plan(run_of({"snap": "128 B"})) if "tcpdump" in step.command]
    assert {(step.host, step.what.partition(":")[0]) for step in steps} == {
        ("sender", "capture of 128 B of each frame at the senders"),
        ("near", "capture of 128 B of each frame at the bottleneck"),
        ("receiver", "capture of 128 B of each frame at the receivers"),
    }
    (bottleneck,) = (step.command for step in steps if step.host == "near")
    assert bottleneck[5:9] == ("-i", bottleneck[6], "-Q", "out")


@pytest.mark.parametrize("records", [["acks"], ["acks", "pcap"]])
def test_single_acks_are_read_from_the_capture_at_the_senders(
    linux: LinuxEngine, records: list[str], tmp_path: Path
) -> None:
    run = run_of({"record": records})
    measured = linux.capture(run, tmp_path) if "pcap" in records else linux.measure(run)
    plain, simulated = linux.measure(run_of({"record": "series"})), SimEngine().measure(run_of({"record": "acks"}))
    for flow, other, model in zip(measured.flows, plain.flows, simulated.flows, strict=True):
        assert flow.at_end == other.at_end, "captured or not"
        assert flow.rtt_min_ns is not None
        assert flow.ack_rtt.count > 0.9 * len(flow.acks.at_ns) > 500
        assert flow.acks.rtt_ns.min() == pytest.approx(flow.rtt_min_ns, abs=2_000)
        assert np.all(np.diff(flow.acks.at_ns.astype(np.int64)) >= 0)
        assert flow.acks.rtt_ns.mean() == pytest.approx(model.acks.rtt_ns.mean(), rel=0.03)
