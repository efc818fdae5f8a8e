"""Ten specs on hosts of a lab and in namespaces, by turns, and their page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreed import condition_of, result
from dev import hosts_agreement
from dev.__main__ import app
from dev.hosts_agreement import PART, experiments, turns
from dev.sshlab import obstacle
from dev.validation.live_text import OPEN_LIVE, WITHIN, conditions_table
from dev.validation.page import part_markdown
from dev.validation.section import Section, outcome
from dumbbell.comparison.agreement import judge
from dumbbell.comparison.campaigns import Sides
from dumbbell.comparison.record import Condition, Side, Source
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec import expand, resolve
from dumbbell.spec.run import Run


def runs() -> list[Run]:
    return [resolve(next(iter(expand(each))), 1, live=True).run for each in experiments()]


def test_the_specs_are_ten_and_differ_in_all_that_hosts_have_to_do() -> None:
    every = runs()
    assert len({each.name for each in experiments()}) == len(every) == 10
    assert {min(len(run.flows), 5) for run in every} >= {1, 2, 3, 4}
    assert {min(run.path.rate_bps for run in every), max(run.path.rate_bps for run in every)} == {10**7, 2 * 10**8}
    delays = [flow.base_rtt_ns for run in every for flow in run.flows]
    assert (min(delays), max(delays)) == (10**7, 10**8)
    assert {flow.algorithm for run in every for flow in run.flows} == {"bbr", "cubic", "reno"}
    assert sum(run.path.loss_ppb > 0 for run in every) == 1
    assert sum(run.path.shaper_at == "receiver" and run.path.shaper == "htb" for run in every) == 1
    assert sum(len({flow.base_rtt_ns for flow in run.flows}) > 1 for run in every) == 1


def test_engines_take_turns_with_each_seed() -> None:
    hosts, netns = SimEngine(), NetnsEngine()
    own = [(engine.name, each.seed_values) for engine, each in turns(experiments()[0], Sides(hosts, netns, 2, 2))]
    assert own == [("sim", [1]), ("netns", [1]), ("netns", [3]), ("sim", [2]), ("netns", [2]), ("netns", [4])]


def condition(name: str, hosts: list[float], netns: list[float], *, suspect: bool = False) -> Condition:
    live = [
        [
            result({"bbr": mbps}, seed=seed).model_copy(update={"engine": engine, "validity": "VALID"})
            for seed, mbps in enumerate(values, start=1)
        ]
        for engine, values in (("hosts", hosts), ("netns", netns))
    ]
    if suspect:
        live[1][1] = live[1][1].model_copy(update={"validity": "SUSPECT", "warnings": ("live: a compiler",)})
    own, others = live
    return condition_of(own, others, others[:1], name=name)


def test_the_page_has_each_spec_and_counts_the_runs_of_both_engines() -> None:
    near, far = (
        condition("near", [98.0, 99.0], [100.0, 98.0], suspect=True),
        condition("far", [60.0, 61.0], [90.0, 91.0]),
    )
    own, reference = (Side(engine=name, identity="a" * 20, seeds=(1, 2), measured_on={}) for name in ("hosts", "netns"))
    record = judge([near, far], Source(spec=PART, file="x.toml"), own, reference, (3,))
    assert [(row[-2], row[-1]) for row in conditions_table(record, {}).rows] == [
        ("2 of 3", WITHIN),
        ("3 of 3", OPEN_LIVE),
    ]
    section = Section(PART, "agreement", record, reasons={"far": "its cause"})
    text = " ".join(part_markdown(section).split())
    assert (
        "1 of 2 conditions are within 5 % of goodput and 10 % of mean RTT in every group; 5 of 6 runs VALID, of netns"
        in text
    )
    assert "all flows' goodput together is within 5 % in 1" in text
    assert [row[-3] for row in conditions_table(record, {}).rows] == ["2.02 %", "1.10 %"]
    assert "- netns, near, seed 2: a compiler" in text
    assert "| its cause |" in text
    assert "random" not in text
    assert outcome(section) in text


def finished(store: Path) -> list[tuple[str, str]]:
    """Each run, and when it was measured."""
    with closing(sqlite3.connect(store / "ledger.sqlite")) as ledger:
        return ledger.execute("SELECT run_id, finished FROM run ORDER BY run_id").fetchall()


@pytest.mark.slow
def test_a_spec_runs_on_both_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        NetnsEngine().ready()
    except EngineFailure as failure:
        pytest.skip(f"no namespaces here: {failure}")
    if why := obstacle():
        pytest.skip(why)
    monkeypatch.setattr(hosts_agreement, "SEEDS", 1)
    monkeypatch.setitem(hosts_agreement.COMMON, "duration", "6 s")
    command = [
        "hosts_agreement",
        "--only",
        "cubic-alone",
        "--out",
        str(tmp_path / "store"),
        "--docs",
        str(tmp_path / "docs"),
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "1 of 1 condition are within 5 % of goodput" in done.stdout
    before = finished(tmp_path / "store")
    assert len(before) == 3
    assert CliRunner().invoke(app, command).stdout == done.stdout
    assert finished(tmp_path / "store") == before
    assert not list((tmp_path / "docs").iterdir())
    wrong = CliRunner().invoke(app, [*command[:1], "--only", "cubic"])
    assert wrong.exit_code == 2
    assert "is none of cubic-alone" in wrong.output
