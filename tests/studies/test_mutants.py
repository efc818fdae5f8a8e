"""Deliberate errors are held against the records of other parts, and noticed by what the simulator itself keeps."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agreed import Scaled
from dumbbell.comparison.record import Agreement, RunFailure, Spread
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Run
from dumbbell.validation.mutants import SHIFT, Mutant, MutantsRecord, judge_mutants
from dumbbell.validation.page import Section, markdown
from dumbbell.validation.plan import ComparisonPart, MutantsPart, Plan

PART = ComparisonPart(
    name="tiny", kind="agreement", candidate="double", reference="sim", random=2, seed=1, seeds=2, floor=1,
    duration="5 s", most_packets=5000,
)  # fmt: skip
MUTANT = Mutant(name="half", kind="tcp", why="half | of it", file="f", find="a", replace="b")
Judge = Callable[..., MutantsRecord]


class Wrong(Scaled):
    """A mutant."""

    name = "mutant-half"


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Holds an engine against what the simulator came to, in a part with one candidate that is the simulator itself."""

    def judged(wrong: Scaled, ours: Scaled | None = None) -> MutantsRecord:
        module = import_module("dumbbell.validation.mutants")
        monkeypatch.setattr(module, "MutantEngine", lambda change, *_: wrong if change else Scaled())
        control = ours or Scaled()
        with Store.open(tmp_path / "store", write=True) as store:
            known, _ = PART.measure(store, [Scaled(), SimEngine()], 2, lambda: None)
            assert isinstance(known, Agreement)
            assert known.holds
            turns: list[None] = []
            record = judge_mutants(
                [MUTANT], store, [control], [(PART, known)], jobs=2, progress=lambda: turns.append(None)
            )
        assert len(turns) == 1
        return record

    return judged


def test_an_error_is_noticed_by_a_band_that_the_simulator_keeps(judge: Judge) -> None:
    wrong = Wrong(0.9)
    (verdict,) = judge(wrong).mutants
    assert (verdict.part, verdict.tried) == ("tiny", ("tiny",))
    assert any(re.match(r"goodput of each group: median [\d.]+ of 5 %", text) for text in verdict.broke)
    assert len(wrong.measured) == 2 * 2, "the reference's runs are those of the record"


def test_what_is_no_error_is_not_noticed(judge: Judge) -> None:
    record = judge(Wrong())
    assert (record.noticed, record.mutants[0].broke, record.mutants[0].part) == (0, (), None)


@pytest.mark.parametrize("failing", [(1, 2), (1,)], ids=["all", "some"])
def test_an_error_that_lets_runs_fail_is_noticed(judge: Judge, failing: tuple[int, ...]) -> None:
    (verdict,) = judge(Wrong(failing=failing)).mutants
    assert verdict.broke
    assert "a bug" in verdict.broke[0]


class Chancy(Scaled):
    """The simulator, to which the control's seeds are unkind."""

    def measure(self, run: Run) -> Measurement:
        kind = super().measure(run)
        return Scaled(0.9).measure(run) if run.seed > SHIFT else kind


def test_what_the_control_breaks_by_chance_counts_for_no_mutant(judge: Judge) -> None:
    ours = Chancy()
    record = judge(Wrong(0.9), ours)
    assert sorted(seed for _, seed in ours.measured) == [101, 101, 102, 102]
    assert any(text.startswith("total goodput: ") for text in record.control["tiny"])
    assert record.mutants[0].broke == ()
    text = markdown([Section("mutants", "mutants", record)])
    assert "| the control | nothing: other random streams | tiny | tiny: goodput of each group: " in text


def test_a_limit_of_a_band_notices_what_another_one_leaves_to_chance(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ComparisonPart.against

    def against(self: ComparisonPart, mutant: Scaled, *others: Any) -> Agreement:
        found = real(self, mutant, *others)
        assert isinstance(found, Agreement)
        spread = Spread(n=2, median=0.0, p90=1.0)
        bands = tuple(
            each.model_copy(update={"measured": spread, "holds": False})
            if each.p90_limit and mutant.name == "control"
            else each
            for each in found.bands
        )
        return found.model_copy(update={"bands": bands})

    monkeypatch.setattr(ComparisonPart, "against", against)
    record = judge(Wrong(0.9))
    assert any(text.startswith("total goodput: p90 ") for text in record.control["tiny"])
    assert any(text.startswith("total goodput: median ") for text in record.mutants[0].broke)
    assert not any(text.startswith("total goodput: p90 ") for text in record.mutants[0].broke)


def test_a_control_whose_runs_fail_is_no_control(judge: Judge) -> None:
    with pytest.raises(EngineFailure, match=r"runs of the control fail in tiny: .*control, seed 1: a bug"):
        judge(Wrong(0.9), Scaled(failing=(101,)))


def test_a_failure_of_the_reference_notices_nothing(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ComparisonPart.against

    def against(self: ComparisonPart, mutant: Scaled, *others: Any) -> Agreement:
        found = real(self, mutant, *others)
        assert isinstance(found, Agreement)
        failed = found.conditions[0].model_copy(update={"failures": (RunFailure(engine="sim", seed=1, error="a bug"),)})
        return (
            found
            if mutant.name == "control"
            else found.model_copy(update={"conditions": (failed, *found.conditions[1:])})
        )

    monkeypatch.setattr(ComparisonPart, "against", against)
    with pytest.raises(EngineFailure, match="runs of the reference fail in tiny: random-1-1: sim, seed 1: a bug"):
        judge(Wrong(0.9))


def test_the_simulator_is_judged_by_todays_bands(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """A band that it does not keep any more notices no mutant."""
    module = import_module("dumbbell.validation.mutants")
    lost: list[Agreement] = []

    def again(known: Agreement) -> Agreement:
        impossible = dict.fromkeys(("median_limit", "p90_limit", "raw_median_limit", "raw_p90_limit"), -1.0)
        bands = tuple(each.model_copy(update={"holds": False, **impossible}) for each in known.bands)
        lost.append(known.model_copy(update={"bands": bands}))
        return lost[-1]

    monkeypatch.setattr(module, "judged_again", again)
    assert judge(Wrong(0.9)).mutants[0].broke == ()
    assert lost


def test_the_page_names_what_noticed_each_and_what_nothing_noticed(judge: Judge) -> None:
    noticed, missed = judge(Wrong(0.9)), judge(Wrong())
    both = noticed.model_copy(update={"mutants": (*noticed.mutants, *missed.mutants), "control": {"tiny": ()}})
    text = markdown([Section("mutants", "mutants", both)])
    assert re.search(r"\| half \| half \\\| of it \| tiny \| goodput of each group: median [\d.]+ of 5 % \|", text)
    assert "| half | half \\| of it | ✗ nowhere | tried: tiny |" in text
    assert "| the control | nothing: other random streams | nowhere | kept everything in: tiny |" in text
    assert "1 of 2 deliberate errors are noticed" in text


def test_mutants_are_held_against_every_part_with_bands_or_limits() -> None:
    checks = PART.model_copy(update={"name": "checks", "kind": "checks"})
    plan = Plan(parts=(PART, checks, MutantsPart(name="mutants")))
    (part,) = plan.only(["mutants"]).parts
    assert isinstance(part, MutantsPart)
    assert [each.name for each in part.against] == ["tiny"]
    assert part.engines == ("sim", "double")
    told = "mutants are held against what other parts came to, and none was measured as it would be now"
    assert part.obstacle([SimEngine()], lambda _: None) == told


def test_a_record_of_another_simulator_or_of_other_runs_is_nothing_to_hold_a_mutant_against(tmp_path: Path) -> None:
    """Else a mutant would be noticed by what is no error of its own."""
    ours, part = [Scaled(), SimEngine()], MutantsPart(name="mutants", against=(PART,))
    with Store.open(tmp_path / "store", write=True) as store:
        known, _ = PART.measure(store, ours, 2, lambda: None)
    assert isinstance(known, Agreement)
    assert part.obstacle(ours, lambda _: known) is None
    assert part.obstacle([Scaled(0.9), SimEngine()], lambda _: known) is not None
    other = known.conditions[0].model_copy(update={"digest": "0"})
    changed = known.model_copy(update={"conditions": (other, *known.conditions[1:])})
    assert part.obstacle(ours, lambda _: changed) is not None
