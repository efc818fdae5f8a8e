"""Deliberate errors are held against the controls of other parts, and noticed by what is no chance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agreed import Scaled
from dev.validation.mutants import LEVEL, Mutant, MutantsRecord, judge_mutants
from dev.validation.page import markdown, part_markdown
from dev.validation.plan import SHIFT, ComparisonPart, MutantsPart, Plan
from dev.validation.section import Section
from dumbbell.comparison.record import Agreement, RunFailure
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Run

PART = ComparisonPart(
    name="tiny", kind="agreement", candidate="double", reference="sim", random=6, seed=1, seeds=2, floor=1,
    duration="5 s", most_packets=5000, controls=10,
)  # fmt: skip
MUTANT = Mutant(name="half", kind="tcp", why="half | of it", file="f", find="a", replace="b")
Judge = Callable[..., MutantsRecord]


class Wrong(Scaled):
    """A mutant."""

    name = "mutant-half"

    def identity(self) -> str:
        return f"{super().identity()} {self.failing}"


class Chancy(Scaled):
    """The simulator, to which the seeds of one control are unkind."""

    def identity(self) -> str:
        return "chancy"

    def measure(self, run: Run) -> Measurement:
        return Scaled(0.5).measure(run) if 5 * SHIFT < run.seed < 6 * SHIFT else super().measure(run)


def measured(store: Store, ours: Scaled, part: ComparisonPart = PART) -> tuple[Agreement, list[str]]:
    record, failed = part.measure(store, [ours, SimEngine()], 2, lambda: None)
    assert isinstance(record, Agreement)
    return record, failed


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Of all tests, so that what they have in common is measured once."""
    with Store.open(tmp_path_factory.mktemp("mutants") / "store", write=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def ours() -> Scaled:
    """The candidate of the records: the simulator itself."""
    return Scaled()


@pytest.fixture(scope="module")
def known(store: Store, ours: Scaled) -> Agreement:
    record, failed = measured(store, ours)
    assert not failed
    return record


@pytest.fixture
def judge(store: Store, known: Agreement, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Holds an engine against what the simulator came to."""

    def judged(wrong: Scaled, ours: Scaled | None = None) -> MutantsRecord:
        module = import_module("dev.validation.mutants")
        monkeypatch.setattr(module, "MutantEngine", lambda change, *_: wrong if change else ours or Scaled())
        record = measured(store, ours)[0] if ours else known
        turns: list[None] = []
        verdicts = judge_mutants(
            [MUTANT], store, [ours or Scaled()], [(PART, record)], jobs=2, progress=lambda: turns.append(None)
        )
        assert len(turns) == 1
        return verdicts

    return judged


def test_errors_are_noticed_and_what_is_none_is_not_and_the_page_says_so(judge: Judge) -> None:
    wrong = Wrong(0.9)
    noticed, missed = judge(wrong), judge(Wrong())
    (verdict,) = noticed.mutants
    assert verdict.noticed
    assert verdict.evidence is not None
    assert (verdict.evidence.part, verdict.tried) == ("tiny", ("tiny",))
    assert verdict.evidence.probability < noticed.level == pytest.approx(LEVEL / noticed.tests)
    assert len(wrong.measured) == 6 * 2, "the reference's runs are those of the record"
    assert (noticed.noticed, len(noticed.controls)) == (1, 10)
    assert (missed.noticed, missed.mutants[0].noticed) == (0, False)
    assert missed.mutants[0].evidence is not None, "the least probable of its tests is told"

    both = noticed.model_copy(update={"mutants": (*noticed.mutants, *missed.mutants)})
    section = Section("mutants", "mutants", both)
    text = part_markdown(section)
    for sign in "✓✗":
        assert re.search(rf"\| half \| half \\\| of it \| {sign} \| tiny: [a-z ]+ \| [\d.e-]+ \| tiny \|", text)
    alarms = both.false_alarms
    assert f"1 of 2 deliberate errors are noticed (hits), and {alarms} of\n10 controls (false alarms)." in text
    assert f"1 of 2 hits, {alarms} of 10 false alarms" in markdown([section])


@pytest.mark.parametrize("failing", [(1, 2), (1,)], ids=["all", "some"])
def test_an_error_that_lets_runs_fail_is_noticed(judge: Judge, failing: tuple[int, ...]) -> None:
    (verdict,) = judge(Wrong(failing=failing)).mutants
    assert verdict.noticed
    assert "a bug" in verdict.failure


def test_a_control_that_chance_is_unkind_to_is_a_false_alarm(judge: Judge) -> None:
    """Nothing is wrong with the others, but each has its 5 %."""
    usual, unkind = ({each.shift for each in record.controls if each.noticed} for record in (
        judge(Wrong()), judge(Wrong(), Chancy()),
    ))  # fmt: skip
    assert (len(usual) < 4, unkind - usual) == (True, {5 * SHIFT})


def test_controls_start_when_the_simulator_does_and_draw_otherwise(known: Agreement, ours: Scaled) -> None:
    assert known.controls == tuple(range(SHIFT, 11 * SHIFT, SHIFT))
    assert {seed for _, seed in ours.measured} == {shift + seed for shift in (0, *known.controls) for seed in (1, 2)}
    assert all(len(each.controls) == 10 for of in known.conditions for each in of.differences)


def test_controls_whose_runs_fail_are_told(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True) as store:
        record, failed = measured(store, Scaled(failing=(102,)), PART.model_copy(update={"random": 2, "controls": 1}))
    assert not record.controls
    assert re.search(r"control, seed 2: a bug", failed[0])


def test_a_mutant_whose_parts_were_not_measured_is_named_before_any_runs(store: Store, known: Agreement) -> None:
    elsewhere = MUTANT.model_copy(update={"only": ("codel", "pie")})
    with pytest.raises(EngineFailure, match=r"half needs codel or pie, measured with the engines of now: --only codel"):
        judge_mutants([elsewhere], store, [Scaled()], [(PART, known)], jobs=2, progress=lambda: None)


def test_a_failure_of_the_reference_notices_nothing(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    real = ComparisonPart.against

    def against(self: ComparisonPart, other: Scaled, *others: Any) -> Agreement:
        agreement = real(self, other, *others)
        assert isinstance(agreement, Agreement)
        if other.name == "control":
            return agreement
        failure = RunFailure(engine="sim", seed=1, error="a bug")
        failed = agreement.conditions[0].model_copy(update={"failures": (failure,)})
        return agreement.model_copy(update={"conditions": (failed, *agreement.conditions[1:])})

    monkeypatch.setattr(ComparisonPart, "against", against)
    with pytest.raises(EngineFailure, match="runs of the reference fail in tiny: random-1-1: sim, seed 1: a bug"):
        judge(Wrong(0.9))


def test_mutants_are_held_against_every_part_with_controls() -> None:
    checks = PART.model_copy(update={"name": "checks", "kind": "checks", "controls": 0})
    plan = Plan(parts=(PART, checks, MutantsPart(name="mutants")))
    (part,) = plan.only(["mutants"]).parts
    assert isinstance(part, MutantsPart)
    assert [each.name for each in part.against] == ["tiny"]
    assert part.engines == ("sim", "double")
    message = "mutants need the records of other parts, and none is of the engines of now"
    assert part.obstacle([SimEngine()], lambda _: None) == message


def test_a_record_of_another_simulator_or_of_other_runs_is_nothing_to_hold_a_mutant_against(
    known: Agreement, ours: Scaled
) -> None:
    """Else a mutant would be noticed by what is no error of its own."""
    engines, part = [ours, SimEngine()], MutantsPart(name="mutants", against=(PART,))
    assert part.obstacle(engines, lambda _: known) is None
    assert part.obstacle([Scaled(0.9), SimEngine()], lambda _: known) is not None
    assert part.obstacle(engines, lambda _: known.model_copy(update={"controls": ()})) is not None
    other = known.conditions[0].model_copy(update={"digest": "0"})
    changed = known.model_copy(update={"conditions": (other, *known.conditions[1:])})
    assert part.obstacle(engines, lambda _: changed) is not None
