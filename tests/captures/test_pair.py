"""Two captures of one run: what is said of the way between them is what the engine did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from captured import Captured, data_times, reclocked
from commandline import dumbbell
from dumbbell.captures.analysis import CaptureError
from dumbbell.captures.pair import Pair, PairFlow, compare_files
from dumbbell.captures.pair_text import facts
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from specs import resolved

HOUR_NS = 3_600 * 10**9
NS_PER_US = 1_000
OF_HANDSHAKE = 2
"""A sender's packets without data: SYN and ACK."""
SUFFIX = ".pcapng.zst"


class Run(NamedTuple):
    """A run of the simulator, and the files of its captures."""

    measurement: Measurement
    senders: Path
    receivers: Path


def run_of(folder: Path, *, duration: str = "20 s", **path: Any) -> Run:
    """Three transfers that end before the run does, with random losses and a short queue."""
    flows = [{"cc": cc, "workload": {"transfer": "6 MB"}, "start": start}
             for cc, start in (("cubic", "0 s"), ("bbr", "0.3 s"), ("reno", "1 s"))]  # fmt: skip
    on = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 bdp", "jitter": "none", "loss": "0.5 %"} | path
    run = resolved(
        path=on, duration=duration, flows=flows, measure={"window": ["0 s", duration], "record": ["pcap"]}
    ).run
    folder.mkdir()
    measurement = SimEngine().capture(run, folder)
    return Run(measurement, folder / f"senders{SUFFIX}", folder / f"receivers{SUFFIX}")


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(tmp_path_factory.mktemp("pair") / "split", delay_side="split")


def of_senders(pair: Pair) -> list[PairFlow]:
    """The directions with data, in the order of the engine's flows."""
    flows = [flow for flow in pair.flows if not flow.from_server]
    return sorted(flows, key=lambda flow: flow.source.address)


def lost(pair: Pair) -> list[int]:
    return [flow.passage.lost for flow in of_senders(pair)]


@pytest.mark.parametrize("side", ["return", "forward", "split"])
def test_losses_are_the_engines(tmp_path: Path, side: str) -> None:
    run = run_of(tmp_path / "run", delay_side=side)
    pair = compare_files(run.senders, run.receivers)
    for flow, measured in zip(of_senders(pair), run.measurement.flows, strict=True):
        counters = measured.at_end
        assert measured.completed_ns is not None
        assert counters.dropped_packets is not None
        assert counters.random_lost_packets is not None
        assert flow.passage.lost == counters.dropped_packets + counters.random_lost_packets > 20
        assert flow.passage.sent == counters.segments_sent + OF_HANDSHAKE
        unsure = (flow.passage.under_way, flow.passage.outside, flow.passage.unsent, flow.passage.given_up)
        assert (*unsure, flow.passage.duplicated, flow.passage.overtaken) == (0, 0, 0, 0, 0, 0)


def test_what_is_under_way_at_the_end_is_no_loss(tmp_path: Path) -> None:
    """It may be one: the capture does not say."""
    run = run_of(tmp_path / "run", duration="3 s", delay_side="forward")
    under_way = dropped_late = 0
    for flow, measured in zip(
        of_senders(compare_files(run.senders, run.receivers)), run.measurement.flows, strict=True
    ):
        passage, counters = flow.passage, measured.at_end
        assert measured.completed_ns is None
        assert passage.sent + passage.under_way + passage.outside == counters.segments_sent + OF_HANDSHAKE
        dropped = (counters.dropped_packets or 0) + (counters.random_lost_packets or 0)
        assert passage.lost <= dropped <= passage.lost + passage.under_way + passage.outside
        under_way += passage.under_way
        dropped_late += dropped - passage.lost
    assert under_way > dropped_late + 10


@pytest.mark.parametrize("side", ["return", "forward", "split"])
def test_delays_are_those_of_the_packets(tmp_path: Path, side: str) -> None:
    run = run_of(tmp_path / "run", delay_side=side)
    pair = compare_files(run.senders, run.receivers, same_clock=True)
    for number, flow in enumerate(of_senders(pair)):
        sent, came = (data_times(path, number) for path in (run.senders, run.receivers))
        pairs = [(sent[key], came[key]) for key in sent if key in came and len(sent[key]) == len(came[key])]
        delays = np.array([end - begin for begins, ends in pairs for begin, end in zip(begins, ends, strict=True)])
        assert flow.passage.delay is not None
        assert flow.passage.queueing is not None
        for value_ns, share in (
            (flow.passage.delay.p50_ns, 0.5), (flow.passage.delay.p95_ns, 0.95), (flow.passage.delay.p99_ns, 0.99),
        ):  # fmt: skip
            # The handshake's packets are in the crate's, and not in these: a rank is one of its neighbours'.
            ranks = np.quantile(delays, [share - 0.002, share + 0.002], method="nearest")
            assert ranks[0] - NS_PER_US <= value_ns <= ranks[1] + NS_PER_US
        assert abs(flow.passage.delay.mean_ns - delays.mean()) < 0.01 * delays.mean()


@pytest.mark.parametrize("swapped", [False, True])
def test_two_clocks_are_told_apart_from_delays(split: Run, tmp_path: Path, *, swapped: bool) -> None:
    """Both ways are as long as each other but for the time that data takes on the line."""
    drift_ppm = 200.0
    receivers = reclocked(split.receivers, tmp_path / "receivers.pcapng", HOUR_NS, drift_ppm)
    files = (receivers, split.senders) if swapped else (split.senders, receivers)
    pair, plain = compare_files(*files), compare_files(split.senders, split.receivers)
    clocks = pair.report.clocks
    drift = drift_ppm * 1e-6
    expected = 1 / (1 + drift) - 1 if swapped else drift
    assert abs(clocks.drift_ppm - 1e6 * expected) < 1
    assert clocks.drift_bounds_ppm is not None
    assert clocks.drift_bounds_ppm[0] <= 1e6 * expected <= clocks.drift_bounds_ppm[1]
    at_ns = clocks.reference_ns
    truth_ns = (at_ns - HOUR_NS) / (1 + drift) - at_ns if swapped else HOUR_NS + at_ns * drift
    assert clocks.offset_ns is not None
    assert clocks.offset_bound_ns is not None
    assert abs(clocks.offset_ns - truth_ns) < 20 * NS_PER_US
    assert clocks.offset_bound_ns >= 20_000 * NS_PER_US
    assert lost(pair) == lost(plain)
    assert pair.flows[0].sent_at == int(swapped)
    for one, other in zip(of_senders(pair), of_senders(plain), strict=True):
        assert one.passage.queueing is not None
        assert other.passage.queueing is not None
        assert one.passage.queueing.p95_ns == pytest.approx(other.passage.queueing.p95_ns, abs=20 * NS_PER_US)


def test_an_offset_is_no_further_from_the_truth_than_its_bound(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", delay_side="return")
    for offset_ns in (0, -3_000_000, 40 * 365 * 24 * HOUR_NS):
        receivers = reclocked(run.receivers, tmp_path / "receivers.pcapng", max(offset_ns, 0), -300.0)
        senders = reclocked(run.senders, tmp_path / "senders.pcapng", max(-offset_ns, 0))
        pair = compare_files(senders, receivers)
        clocks = pair.report.clocks
        assert clocks.offset_ns is not None
        assert clocks.offset_bound_ns is not None
        truth_ns = offset_ns - clocks.reference_ns * 300e-6
        assert abs(clocks.offset_ns - truth_ns) <= clocks.offset_bound_ns + NS_PER_US
        assert abs(clocks.drift_ppm + 300) < 1
        assert lost(pair) == lost(compare_files(run.senders, run.receivers))


def test_one_file_twice_has_no_delay(captured: Captured) -> None:
    pair = compare_files(captured.senders, captured.senders)
    assert (pair.report.clocks.offset_ns, pair.report.clocks.rtt_ns, pair.report.clocks.drift_ppm) == (0, 0, 0)
    assert all(not flow.passage.lost and flow.passage.delay and not flow.passage.delay.most_ns for flow in pair.flows)


def test_bins_add_up_to_the_largest_flow(split: Run) -> None:
    pair = compare_files(split.senders, split.receivers, 0.1)
    for flow in pair.report.connections[0].flows:
        own = [each for each in pair.report.bins if each.from_server == bool(flow.from_server)]
        assert sum(each.lost for each in own) == flow.passage.lost
        assert sum(each.arrived for each in own) == flow.passage.sent - flow.passage.lost
        assert flow.passage.queueing is not None
        assert max(each.queueing_most_ns for each in own) == pytest.approx(flow.passage.queueing.most_ns, abs=2)


def test_a_command_shows_both_captures(captured: Captured, tmp_path: Path) -> None:
    page = tmp_path / "pair.html"
    done = dumbbell("pcap", captured.senders, captured.receivers, "--html", page)
    assert done.returncode == 0
    assert "10.0.0.1:32768 > 10.128.0.1:5001" in done.stdout
    assert "10.128.0.1:5001 > 10.0.0.1:32768" in done.stdout
    assert "if both ways are" in done.stdout
    assert "lost or under way" in done.stderr
    assert "Over time" in page.read_text(encoding="utf-8")
    report = json.loads(dumbbell("pcap", captured.senders, captured.receivers, "--json").stdout)
    assert len(report["connections"]) == 3
    assert "as you say (--same-clock)" in dumbbell("pcap", captured.senders, captured.receivers, "--same-clock").stdout


def test_clocks_that_are_not_one_are_said_so(captured: Captured, tmp_path: Path) -> None:
    other = reclocked(captured.receivers, tmp_path / "other.pcapng", HOUR_NS)
    done = dumbbell("pcap", captured.senders, other, "--same-clock")
    assert "before they are sent: the clocks are not one" in done.stderr


def test_who_is_nearer_is_in_the_facts(split: Run) -> None:
    for files in ((split.senders, split.receivers), (split.receivers, split.senders)):
        assert dict(facts(compare_files(*files)))["Nearer to the largest flow's sender"] == f"senders{SUFFIX}"


def test_captures_of_two_runs_have_nothing_in_common(split: Run, captured: Captured, tmp_path: Path) -> None:
    other = tmp_path / "other.pcapng"
    reclocked(captured.receivers, other)
    content = other.read_bytes().replace(bytes([10, 128, 0]), bytes([10, 129, 0]))
    other.write_bytes(content.replace(bytes([10, 0, 0]), bytes([10, 1, 0])))
    with pytest.raises(CaptureError, match=r"no TCP packet in common"):
        compare_files(split.senders, other)


@pytest.mark.parametrize(("arguments", "said"), [
    (("-",), "two captures are read more than once"),
    (("/nowhere",), "/nowhere: No such file"),
    (("/dev/null",), "/dev/null: no capture: the stream is empty"),
])  # fmt: skip
def test_what_is_wrong_with_a_file_is_one_line(captured: Captured, arguments: tuple[str, ...], said: str) -> None:
    done = dumbbell("pcap", captured.senders, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


def test_options_of_the_other_way_are_refused(captured: Captured, tmp_path: Path) -> None:
    assert "--same-clock: is for two captures" in dumbbell("pcap", captured.senders, "--same-clock").stderr
    done = dumbbell("pcap", captured.senders, captured.receivers, "--tables", tmp_path)
    assert done.stderr.startswith("--tables: ")
