"""The simulator: the seam between Python and Rust, and what holds of its summaries whatever the model does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commandline import ROOT, python
from dumbbell import _core
from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines import registry
from dumbbell.engines.measurement import FlowSeries, Measurement, QueueSeries
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure, UnknownEngine
from dumbbell.results.schema import Result
from measured import known
from specs import resolved

MIXED = [{"cc": "bbr", "count": 2}, {"cc": "cubic"}, {"cc": "reno"}]


def result(**settings: Any) -> Result:
    engine = SimEngine()
    outcome = execute(Planned({}, resolved(**settings)), engine, engine.identity())[0]
    assert isinstance(outcome, Result)
    return outcome


def test_a_bucket_owes_what_a_super_packet_has_too_much() -> None:
    """As `htb`: packets larger than the bucket pass, and the line carries its rate and no more."""
    path = {"rate": "100 Mbit/s", "rtt": "10 ms", "buffer": "4 bdp", "offload": True}
    small, large = (
        result(path=path | {"burst": burst}, flows=[{"cc": "cubic"}], duration="5 s") for burst in ("1600 B", "70 kB")
    )
    assert small.bottleneck.utilization == pytest.approx(1, abs=0.005)
    assert small.flows[0].goodput_bps == pytest.approx(large.flows[0].goodput_bps, rel=0.01)
    assert small.bottleneck.dropped_packets


@pytest.mark.slow
def test_the_stub_agrees_with_the_module(tmp_path: Path) -> None:
    """In a package that has nothing else, which saves most of a minute of checking types."""
    (tmp_path / "dumbbell").mkdir()
    (tmp_path / "dumbbell" / "__init__.py").touch()
    for file in (Path(_core.__file__), ROOT / "python" / "dumbbell" / "_core.pyi"):
        shutil.copy(file, tmp_path / "dumbbell")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "dumbbell._core"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        text=True,
    )
    assert checked.returncode == 0, checked.stdout
    assert "no issues found in 1 module" in checked.stdout


def test_a_measurement_has_the_fields_of_the_classes_and_their_types() -> None:
    raw = _core.measure(resolved(duration="1 s").run.to_json())
    measurement = Measurement.from_core(raw)
    assert {each.name for each in fields(Measurement)} == set(raw)
    types = {name: column.dtype for name, column in raw["flows"][0]["series"].items()}
    assert len(types) == len(fields(FlowSeries))
    assert (types["at_ns"], types["srtt_us"], types["phase"]) == (np.uint64, np.uint32, np.uint8)
    (flow,) = measurement.flows
    for series, kind in ((flow.series, FlowSeries), (measurement.bottleneck.series, QueueSeries)):
        lengths = {getattr(series, each.name).size for each in fields(kind)}
        assert len(lengths) == 1, "equally long columns"
        assert lengths.pop() > 10


def test_a_panic_is_an_engine_failure_that_says_where(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EngineFailure, match=r"(?s)crates/py/src/.*the words"):
        _core._panic("the words")
    assert capfd.readouterr().err == ""


def test_what_is_no_run_or_cannot_be_honoured_is_an_engine_failure() -> None:
    with pytest.raises(EngineFailure, match=r"not a run: .*seed"):
        _core.measure("{}")
    with pytest.raises(EngineFailure, match="not a run"):
        _core.problems("no JSON")
    run = resolved(measure={"ss": "100 ms"}).run
    ((path, message),) = _core.problems(run.to_json())
    with pytest.raises(EngineFailure, match=f"^{re.escape(f'{path}: {message}')}$"):
        _core.measure(run.to_json())
    assert [problem.path for problem in SimEngine().unsupported_fields(run)] == [path] == ["measure.ss"]


def test_it_refuses_programs_and_says_who_has_them() -> None:
    run = resolved(flows=[{"cc": "bbr"}, {"cc": "cubic", "workload": {"command": ["iperf3", "-c", "{receiver}"]}}]).run
    (problem,) = SimEngine().unsupported_fields(run)
    message = 'a command: the simulator runs no programs; the engines "netns" and "linux" do'
    assert str(problem) == f"flows[1].workload: {message}"
    with pytest.raises(EngineFailure, match=re.escape(message)):
        _core.measure(run.to_json())


THREAD_SCRIPT = """
import os, threading, time
from dumbbell import _core
begun, over = threading.Event(), threading.Event()
def simulate():
    begun.set()
    _core.measure({run!r})
    over.set()
threading.Thread(target=simulate, daemon=True).start()
begun.wait()
time.sleep(0.5)
os._exit(over.is_set())
"""


@pytest.mark.slow
def test_the_interpreter_is_free_while_a_run_is_simulated() -> None:
    """A run of many minutes keeps another thread from nothing."""
    run = resolved(duration="1000000 s", measure={"record": "summary", "sample": "10 s"}).run
    assert python(THREAD_SCRIPT.format(run=run.to_json())).returncode == 0


def test_an_attempt_that_comes_to_the_end_has_what_was_measured() -> None:
    run = resolved(duration="2 s", path={"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "0.5 bdp"}, flows=MIXED).run
    attempt, measured = SimEngine().attempt(run, 3600.0), SimEngine().measure(run)
    series = measured.bottleneck.series
    assert attempt.ended
    assert attempt.segments_sent == sum(flow.at_end.segments_sent for flow in measured.flows)
    assert attempt.peak_packets == max(series.backlog_packets) > 0
    assert sum(series.dropped_packets) > 0
    passed = zip(series.at_ns, series.sent_packets + series.dropped_packets, strict=True)
    assert attempt.passed == [(int(at_ns), int(packets)) for at_ns, packets in passed]
    assert not SimEngine().attempt(run, 0.0).ended


def test_the_identity_is_a_hash() -> None:
    assert re.fullmatch("[0-9a-f]{64}", _core.identity())
    assert _core.identity() == _core.identity()


def test_every_algorithm_describes_itself_and_checks_parameters() -> None:
    algorithms = {each["name"]: each for each in _core.algorithms()}
    assert {"bbr", "cubic", "reno"} <= set(algorithms)
    for parameter in (each for algorithm in algorithms.values() for each in algorithm["parameters"]):
        low, high = parameter["range"]
        assert low <= parameter["default"] <= high
        assert parameter["about"]
        assert parameter["source"]
    assert _core.check_parameters("bbr", {"cwnd_gain": 1.5}) == []
    for algorithm, name in (("bbr", "cwnd_gian"), ("bbrr", "cwnd_gain")):
        (unknown,) = _core.check_parameters(algorithm, {name: 1.5})
        assert (name if algorithm == "bbr" else algorithm) in unknown


@pytest.mark.parametrize("buffer", ["0.5 bdp", "4 bdp"])
def test_the_flows_add_up_to_what_left_the_bottleneck(buffer: str) -> None:
    outcome = result(flows=MIXED, path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": buffer})
    throughputs = [flow.throughput_bps or 0 for flow in outcome.flows]
    utilization = known(outcome.bottleneck.utilization)
    assert sum(throughputs) == pytest.approx(utilization * 80e6, rel=1e-9)
    assert sum(group.share or 0 for group in outcome.groups.values()) == pytest.approx(1)
    assert utilization <= 1 + 5_000 * 8 / (80e6 * 5)
    for flow in outcome.flows:
        assert (flow.goodput_bps or 0) < (flow.throughput_bps or 0)
        assert 0.025 <= (flow.rtt_min_s or 0) <= (flow.ack_rtt_mean_s or 0), "none is shorter than the path"
        assert 0.025 <= (flow.rtt_p50_s or 0) <= (flow.rtt_p95_s or 0)


def test_a_transfer_completes_and_ends_the_run() -> None:
    outcome = result(
        duration="until done",
        time_limit="60 s",
        flows=[{"cc": "cubic", "workload": {"transfer": "5 MB"}}],
        measure={},
        start_jitter="0 s",
    )
    (flow,) = outcome.flows
    assert known(flow.fct_s) > 5e6 * 8 / 80e6
    assert flow.goodput_whole_bps == pytest.approx(5e6 * 8 / known(flow.fct_s))
    assert outcome.window_s[1] == pytest.approx(flow.fct_s)
    assert flow.goodput_bps == flow.goodput_whole_bps


def test_a_line_that_is_not_full_is_not_fully_used() -> None:
    stream = {"cc": "cubic", "workload": {"stream": "8 Mbit/s", "for": "10 s", "every": "10 ms"}}
    outcome = result(flows=[stream])
    assert outcome.bottleneck.utilization == pytest.approx(0.1, rel=0.1)
    assert (outcome.bottleneck.dropped_packets, outcome.warnings) == (0, ())


def test_the_engines_by_name() -> None:
    assert registry.engine("sim").name == "sim"
    assert registry.engine("sim").slots() >= 1
    for name, message in (
        ("hosts", "needs an inventory"),
        ("tofino", 'unknown engine "tofino"; known: sim'),
    ):
        with pytest.raises(UnknownEngine, match=message):
            registry.engine(name)
