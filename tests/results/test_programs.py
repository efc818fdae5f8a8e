"""What programs say is kept, listed and compared as the rest of a summary is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typing_extensions import override

import dumbbell
from compared import compare_stores, store_of
from dumbbell.engines.measurement import Measurement, Program, ProgramEnd
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.problem import Problem
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, load
from measured import SECOND, flow, measurement
from specs import smallest

COMMANDS = [
    ["iperf3", "-c", "{receiver}", "-J"],
    ["iperf3", "-c", "{receiver}", "-J", "-P", "2"],
    ["./own", "{receiver}"],
]
FIELD = "flows[0].workload.command"


class Live(SimEngine):
    """Has programs: iperf3 delivers as many Mbit/s as its command has words, with seed 2 one more."""

    @override
    def unsupported_fields(self, run: Run) -> list[Problem]:
        return []

    @override
    def measure(self, run: Run) -> Measurement:
        program = run.flows[0].work.command
        assert program is not None
        command = program.command
        received = {"bytes": 125_000 * (len(command) + run.seed - 1), "seconds": 1}
        client = ProgramEnd(
            argv=command, began_ns=0, ended_ns=SECOND, status=0, stderr="",
            stdout=json.dumps({"end": {"sum_received": received}}),
        )  # fmt: skip
        return measurement(flow(completed_s=1, program=Program(client=client, server=None)))


def spec(name: str = "programs") -> Experiment:
    flows = [{"cc": "bbr", "workload": {"command": COMMANDS}}]
    return load(smallest(name=name, seeds=2, flows=flows, measure={"record": "summary"}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return store_of(tmp_path / "store", Live(), spec())


def test_what_was_said_is_found_again(folder: Path) -> None:
    with Store.open(folder) as store:
        outcomes = list(store.outcomes())
        flows = store.flows()
        runs = store.runs()
    programs = [outcome.flows[0].program for outcome in outcomes if outcome.status == "ok"]
    assert [program and list(program.command) for program in programs] == [
        command for command in COMMANDS for _ in range(2)
    ]
    assert [program and program.goodput_bps for program in programs] == [4e6, 5e6, 6e6, 7e6, None, None]
    assert [program.output is None for program in programs if program] == [True, True, True, True, False, False]
    assert runs[FIELD].tolist() == [command for command in COMMANDS for _ in range(2)]
    assert flows["program_goodput_bps"].tolist()[:4] == [4e6, 5e6, 6e6, 7e6]
    assert np.isnan(flows["program_goodput_bps"][4])
    assert json.loads(flows["program"][0])["goodput_bps"] == 4e6


def test_tables_and_comparisons_have_it(folder: Path, tmp_path: Path) -> None:
    other = store_of(tmp_path / "other", Live(), spec("others"))
    comparison = compare_stores(folder, other, "program_goodput")
    (overall,) = comparison.overall
    assert (len(comparison.pairs), overall.quantity.name) == (6, "program_goodput")
    with dumbbell.open(folder) as store:
        means = store.results().means("program_goodput")
    assert means["mean"].tolist() == [4.5, 6.5]
    assert set(means["unit"]) == {QUANTITIES["program_goodput"].unit}
