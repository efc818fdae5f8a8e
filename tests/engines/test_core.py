"""The seam between Python and Rust: names, types, errors."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import fields, is_dataclass
from threading import Thread
from time import perf_counter

import numpy as np
import pytest

from commandline import ROOT
from dumbbell import _core
from dumbbell.engines.measurement import FlowSeries, Measurement, QueueSeries
from dumbbell.errors import EngineFailure
from experiments import resolved

STUB = ROOT / "python" / "dumbbell" / "_core.pyi"


def test_the_stub_names_what_the_module_has() -> None:
    stubbed = {
        node.name for node in ast.parse(STUB.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
    }
    assert len(stubbed) > 5
    assert stubbed == {name for name in dir(_core) if callable(getattr(_core, name)) and not name.startswith("__")}


@pytest.mark.slow
def test_the_stub_agrees_with_the_module() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "dumbbell._core"], capture_output=True, check=False, cwd=ROOT, text=True
    )
    assert checked.returncode == 0, checked.stdout
    assert "no issues found in 1 module" in checked.stdout


def test_a_measurement_has_the_fields_of_the_classes_and_their_types() -> None:
    raw = _core.measure(resolved(duration="1 s").run.to_json())
    measurement = Measurement.from_core(raw)
    assert is_dataclass(measurement)
    assert {each.name for each in fields(Measurement)} == set(raw)
    types = {name: column.dtype for name, column in raw["flows"][0]["series"].items()}
    assert len(types) == len(fields(FlowSeries))
    assert (types["at_ns"], types["srtt_us"], types["phase"]) == (np.uint64, np.uint32, np.uint8)


def test_the_columns_of_a_series_are_equally_long() -> None:
    measurement = Measurement.from_core(_core.measure(resolved(duration="1 s").run.to_json()))
    (flow,) = measurement.flows
    for series, kind in ((flow.series, FlowSeries), (measurement.bottleneck.series, QueueSeries)):
        lengths = {getattr(series, each.name).size for each in fields(kind)}
        assert len(lengths) == 1
        assert lengths.pop() > 10


def test_a_panic_is_an_engine_failure_that_says_where(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EngineFailure, match=r"(?s)crates/py/src/.*the words"):
        _core._panic("the words")
    assert capfd.readouterr().err == ""


def test_what_is_no_run_is_an_engine_failure() -> None:
    with pytest.raises(EngineFailure, match=r"not a run: .*seed"):
        _core.measure("{}")
    with pytest.raises(EngineFailure, match="not a run"):
        _core.problems("no JSON")


def test_a_run_that_the_simulator_refuses_is_not_measured() -> None:
    run = resolved(measure={"record": "pcap"}).run.to_json()
    ((path, message),) = _core.problems(run)
    with pytest.raises(EngineFailure) as failure:
        _core.measure(run)
    assert str(failure.value) == f"{path}: {message}"


def test_the_interpreter_is_free_while_a_run_is_simulated() -> None:
    run = resolved(duration="100 s").run.to_json()
    done: list[float] = []

    def simulate() -> None:
        began = perf_counter()
        _core.measure(run)
        done.append(perf_counter() - began)

    thread = Thread(target=simulate)
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
    thread.join()
    assert turns > 1_000 * done[0]


def test_the_identity_is_a_hash() -> None:
    assert re.fullmatch("[0-9a-f]{64}", _core.identity())
    assert _core.identity() == _core.identity()


def test_every_algorithm_describes_itself() -> None:
    algorithms = {each["name"]: each for each in _core.algorithms()}
    assert {"bbr", "cubic", "reno"} <= set(algorithms)
    for algorithm in algorithms.values():
        for parameter in algorithm["parameters"]:
            low, high = parameter["range"]
            assert low <= parameter["default"] <= high
            assert parameter["about"]
            assert parameter["source"]


def test_parameters_are_checked_by_the_registry() -> None:
    assert _core.check_parameters("bbr", {"cwnd_gain": 1.5}) == []
    (unknown,) = _core.check_parameters("bbr", {"cwnd_gian": 1.5})
    assert "cwnd_gian" in unknown
    (missing,) = _core.check_parameters("bbrr", {})
    assert "bbrr" in missing
