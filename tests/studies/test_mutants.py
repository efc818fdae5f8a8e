"""Deliberate errors are held against the records of other parts, and noticed by what the simulator itself keeps."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from agreed import Scaled
from dumbbell.comparison.record import Agreement
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.validation.mutants import Mutant, MutantsRecord, judge_mutants
from dumbbell.validation.page import Section, markdown
from dumbbell.validation.plan import ComparisonPart, MutantsPart, Plan

PART = ComparisonPart(
    name="tiny", kind="agreement", candidate="double", reference="sim", random=2, seed=1, seeds=2, floor=1,
    duration="5 s", most_packets=5000,
)  # fmt: skip
MUTANT = Mutant(name="half", kind="tcp", why="half | of it", file="f", find="a", replace="b")
Judge = Callable[[Scaled], MutantsRecord]


class Wrong(Scaled):
    """A mutant."""

    name = "mutant-half"


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Holds an engine against what the simulator came to, in a part with one candidate that is the simulator itself."""

    def judged(wrong: Scaled) -> MutantsRecord:
        module = import_module("dumbbell.validation.mutants")
        monkeypatch.setattr(module, "MutantEngine", lambda change, *_: wrong if change else Scaled())
        with Store.open(tmp_path / "store", write=True) as store:
            ours = [Scaled(), SimEngine()]
            known, _ = PART.measure(store, ours, 2, lambda: None)
            assert isinstance(known, Agreement)
            assert known.holds
            turns: list[None] = []
            record = judge_mutants(
                [MUTANT], store, ours[:1], [(PART, known)], jobs=2, progress=lambda: turns.append(None)
            )
        assert len(turns) == 1
        return record

    return judged


def test_an_error_is_noticed_by_a_band_that_the_simulator_keeps(judge: Judge) -> None:
    wrong = Wrong(0.9)
    (verdict,) = judge(wrong).mutants
    assert (verdict.part, verdict.tried) == ("tiny", ("tiny",))
    assert any(re.fullmatch(r"total goodput: median [\d.]+ of 1 %, p90 [\d.]+ of 3 %", text) for text in verdict.broke)
    assert len(wrong.measured) == 2 * 2, "the reference's runs are those of the record"


def test_what_is_no_error_is_not_noticed(judge: Judge) -> None:
    record = judge(Wrong())
    assert (record.noticed, record.mutants[0].broke, record.mutants[0].part) == (0, (), None)


def test_an_error_that_lets_runs_fail_is_noticed(judge: Judge) -> None:
    (verdict,) = judge(Wrong(failing=(1, 2))).mutants
    assert verdict.broke
    assert "a bug" in verdict.broke[0]


def test_the_page_names_what_noticed_each_and_what_nothing_noticed(judge: Judge) -> None:
    noticed, missed = judge(Wrong(0.9)), judge(Wrong())
    both = noticed.model_copy(update={"mutants": (*noticed.mutants, *missed.mutants)})
    text = markdown([Section("mutants", "mutants", both)])
    assert re.search(r"\| half \| half \\\| of it \| tiny \| goodput of each group: median [\d.]+ of 5 % \|", text)
    assert "| half | half \\| of it | ✗ nowhere | tried: tiny |" in text
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
