"""Mutants: each change finds its place once, and one is built, loaded and found out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec import structs

from commandline import ROOT
from dev.mutant import Change, ControlEngine, MutantEngine
from dev.strata import conditions as random_conditions
from dev.validation.mutants import Mutant, mutants
from dev.validation.plan import load_plan
from dumbbell.comparison.campaigns import Sides, compare_engines
from dumbbell.comparison.record import Source
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Run
from specs import run_of


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: str(mutant.name))
def test_a_mutant_changes_one_place(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.applied(text) != text
    assert set(mutant.first) <= {part.name for part in load_plan().parts}


def test_there_are_mutants_of_every_kind() -> None:
    kinds = Counter(mutant.kind for mutant in mutants())
    assert min(kinds[kind] for kind in ("path", "queue", "tcp", "cc")) >= 5
    assert len({mutant.name for mutant in mutants()}) == kinds.total() >= 18


@pytest.mark.parametrize("text", ["", "a = 1; a = 1"])
def test_a_change_that_has_no_one_place_is_refused(text: str) -> None:
    change = Change(name="m", file="f", find="a = 1", replace="a = 2")
    with pytest.raises(EngineFailure, match=r"mutant m: f has 'a = 1' [02] times; it must be once"):
        change.applied(text)


@pytest.mark.long(takes_s=60)
def test_a_mutant_is_another_simulator_and_a_comparison_finds_it_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUBIC that keeps three quarters of its window; the simulator beside it is what it was."""
    monkeypatch.setenv("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")  # it is run for a moment
    (mutant,) = [each for each in mutants() if each.name == "cubic-beta"]
    engine = MutantEngine(mutant, tmp_path)
    assert engine.identity() != SimEngine().identity()
    drawn = [random_conditions.condition(0, 20261122)]  # one CUBIC flow
    with Store.open(tmp_path / "store", write=True) as store:
        agreement = compare_engines(store, drawn, Sides(engine, SimEngine(), 1, 0), Source())
    assert any(each.difference for each in agreement.conditions[0].differences)
    built = [path.stat().st_mtime_ns for path in tmp_path.glob("cubic-beta-*.so")]
    MutantEngine(mutant, tmp_path)
    assert [path.stat().st_mtime_ns for path in tmp_path.glob("cubic-beta-*.so")] == built


def test_the_control_draws_anew_and_starts_its_flows_when_they_did() -> None:
    run = run_of({"start_jitter": "100 ms", "duration": "1 s"}, seed=3)
    measured_runs: list[Run] = []

    class Recording(SimEngine):
        def measure(self, run: Run) -> Measurement:
            measured_runs.append(run)
            return super().measure(run)

    ControlEngine(Recording(), 100).measure(run)
    assert measured_runs == [structs.replace(run, seed=103)]
    assert run.flows[0].start_ns
    identities = {ControlEngine(SimEngine(), shift).identity() for shift in (100, 101)} | {SimEngine().identity()}
    assert len(identities) == 3
