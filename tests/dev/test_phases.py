"""What is measured in real time for the page: conditions beside `linux`, phase effects, and the machine's noise."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreed import condition_of, result
from dev.__main__ import app
from dev.validation.live_text import CHANCE, DISTURBED, OPEN, WITHIN, conditions_table
from dev.validation.page import markdown, part_markdown
from dev.validation.phases import PhasesPart, PhasesRecord, PhasesRun, PhasesSeeds, PhasesSide
from dev.validation.plan import load_plan
from dev.validation.records import recorded_of, store_record
from dev.validation.section import Section
from dumbbell.comparison.agreement import judge
from dumbbell.comparison.record import Agreement, Condition, Side, Source, Suspect
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.hosts.noise import MachineNoise
from dumbbell.results.store import Store

DISTURBANCE = "other programs used 1.20 cores"


def side(engine: str, seeds: int) -> Side:
    release = {"netns": {"kernel.release": "6.18.44"}, "linux": {"kernel.release": "6.1.192"}}
    return Side(engine=engine, identity="ab" * 8, seeds=tuple(range(1, seeds + 1)), measured_on=release.get(engine, {}))


def phases_side(engine: str, shares: dict[str, list[float]], suspect: str = "") -> PhasesSide:
    runs = [
        PhasesRun(rtt=rtt, seed=seed, share=share)
        for rtt, own in shares.items()
        for seed, share in enumerate(own, start=1)
    ]
    point = {"flows[1].rtt": suspect}
    suspects = [Suspect(engine=engine, seed=1, point=point, reasons=(DISTURBANCE,))] if suspect else []
    seeds = max(map(len, shares.values()))
    return PhasesSide(side=side(engine, seeds), runs=tuple(runs), suspects=tuple(suspects))


@pytest.fixture
def phases() -> PhasesRecord:
    noise = MachineNoise(
        late_s=(10e-6, 60e-6, 300e-6), ack_gap_s=242e-6, ack_lumps=0.004, jitter_s=50e-6, rate_bps=100_000_000
    )
    sides = (
        phases_side("netns", {"50 ms": [0.5], "51 ms": [0.81]}, suspect="51 ms"),
        phases_side("linux", {"50 ms": [0.48, 0.52], "51 ms": [0.7, 0.8]}),
    )
    return PhasesRecord(versions={"dumbbell": "0.1.0"}, spec={}, packet_s=1.2112e-3, sides=sides, noise=noise)


def test_the_page_tells_shares_validity_and_noise(phases: PhasesRecord) -> None:
    text = part_markdown(Section("phases", "phases", phases))
    for line in (
        "| RTT of the longer flow | netns (%), 1 seed | linux (%), 2 seeds |",
        "| 50 ms | 50.0 | 50.0 [48.0, 52.0] |",
        "| 51 ms | 81.0 SUSPECT | 75.0 [70.0, 80.0] |",
        f"- netns, 51 ms, seed 1: {DISTURBANCE}",
        "| how late packets leave (us) | median | 90% | 99% |",
        "| this machine | 10.0 | 60.0 | 300 |",
        "| default `path.jitter`, 50 us | 25.0 | 45.0 | 49.5 |",
    ):
        assert f"{line}\n" in text
    summary_row = "| netns is +6.00 points from linux at most, at 51 ms; netns: 1 of 2 runs VALID. |"
    assert summary_row in markdown([Section("phases", "phases", phases)])
    said = " ".join(text.split())
    assert "60.0 us late at the 90th percentile, more than the 45.0 us of the default jitter" in said
    assert "takes 1211 us on the line, so that neither ends phase effects there" in said
    assert "netns (kernel 6.18.44), identity abababababab, 1 seed" in said
    silent = " ".join(part_markdown(Section("phases", "phases", phases.model_copy(update={"noise": None}))).split())
    assert "## The noise" not in silent
    assert "The noise of the machine in real time is not measured yet." in silent


def test_one_engines_runs_stay_while_another_is_measured(phases: PhasesRecord, tmp_path: Path) -> None:
    """Runs of another spec do not."""
    instead = {"duration": "1 s", "flows[1].rtt": ["50 ms", "51 ms"]}
    seeds = (PhasesSeeds(engine="linux", seeds=2), PhasesSeeds(engine="sim", seeds=2))
    part = PhasesPart(name="phases", sides=seeds, instead=instead)
    with Store.open(tmp_path / "store", write=True) as store:
        first, failed = part.measure(store, [SimEngine()], 1, lambda: None)
        assert (failed, first.rtts, first.noise) == ([], ("50 ms", "51 ms"), None)
        assert first.packet_s == pytest.approx(1.2112e-3)
        (own,) = first.sides
        assert [(run.rtt, run.seed) for run in own.runs] == [("50 ms", 1), ("50 ms", 2), ("51 ms", 1), ("51 ms", 2)]
        for spec, engines in ((first.spec, ["linux", "sim"]), ({}, ["sim"])):
            known = {"phases": phases.model_copy(update={"spec": spec})}
            again, _ = part.measure(store, [SimEngine()], 1, lambda: None, known.get)
            assert [each.side.engine for each in again.sides] == engines
            assert again.of("sim") == own
    store_record("phases", again, tmp_path)
    assert recorded_of(part, tmp_path) == again


def test_the_plan_has_the_spec_that_anyone_can_run() -> None:
    (part,) = load_plan().only(["phases"]).parts
    assert isinstance(part, PhasesPart)
    assert part.engines == ("netns", "linux", "sim")
    experiment = part.experiment_on("netns")
    assert list(experiment.seed_values) == [1]
    assert part.total([SimEngine()]) == 6 * 3


def live(netns: list[float], linux: list[float], *, name: str, suspect: bool = False) -> Condition:
    """A condition that both engines ran, by goodput of the one flow in Mbit/s."""
    suspicion = {"validity": "SUSPECT", "warnings": (f"live: {DISTURBANCE}", "another one")} if suspect else {}
    own = [
        result({"bbr": mbps}, seed=seed).model_copy(update={"engine": "netns", "validity": "VALID"} | suspicion)
        for seed, mbps in enumerate(netns, start=1)
    ]
    others = [result({"bbr": mbps}, seed=seed) for seed, mbps in enumerate(linux, start=1)]
    return condition_of(own, others, [others[0]], name=name)


@pytest.fixture
def agreement() -> Agreement:
    conditions = [
        live([98.0, 99.0], [100.0, 98.0], name="near"),
        live([60.0, 90.0], [95.0, 85.0], name="scattered"),
        live([60.0, 61.0], [90.0, 91.0], name="busy", suspect=True),
        live([60.0, 61.0], [90.0, 91.0], name="far"),
        live([60.0, 61.0], [90.0, 91.0], name="known"),
    ]
    return judge(conditions, Source(stratum="live", random=5, seed=1), side("netns", 2), side("linux", 2), (3,))


def test_conditions_in_real_time_are_within_bars_or_have_a_reason(agreement: Agreement) -> None:
    table = conditions_table(agreement, {"known": "relay"})
    rows = table.rows
    assert {len(row) for row in rows} == {len(table.header)}
    assert [(row[0], row[-2], row[-1]) for row in rows] == [
        ("near", "2 of 2", WITHIN), ("scattered", "2 of 2", CHANCE), ("busy", "0 of 2", DISTURBED),
        ("far", "2 of 2", OPEN), ("known", "2 of 2", "relay"),
    ]  # fmt: skip
    assert rows[3][3:6] == ["90.5 Mbit/s", "60.5 Mbit/s", "-33.1 % [-0.552 %]"]
    text = part_markdown(Section("live", "agreement", agreement, reasons={"known": "relay"}))
    sentence = "1 of 5 conditions are within 5 % of goodput and 10 % of mean RTT in every group; 8 of 10 runs VALID."
    assert sentence in " ".join(text.split())
    assert f"- netns, busy, seed 2: {DISTURBANCE}\n" in text


def test_an_engine_that_cannot_measure_here_is_one_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Forbidden(SimEngine):
        def ready(self) -> None:
            raise EngineFailure("needs root")

    monkeypatch.setattr(import_module("dumbbell.engines.registry"), "engine", lambda _: Forbidden())
    folders = ["--out", str(tmp_path / "out"), "--docs", str(tmp_path / "docs")]
    done = CliRunner().invoke(app, ["validation", "--only", "phases", "--engine", "netns", *folders])
    assert (str(done.exception), done.output) == ("needs root", "")
    done = CliRunner().invoke(app, ["validation", "--only", "live", *folders])
    assert str(done.exception) == "live is measured on netns"
    assert "nothing is measured on netns: needs root\n" in done.output
