"""Advice held against another engine: what the record says is what its numbers come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from agreed import Scaled
from dev.validation import advice_text
from dev.validation.advice import FIRST_SEED, HARD, AdvicePart, AdviceRecord, Answer, Candidate, PrintedValue, drawn
from dev.validation.page import markdown, part_markdown
from dev.validation.section import Section
from dumbbell.advice.question import ORDERS
from dumbbell.comparison.record import Side
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Run

SIDE = Side(engine="sim", identity="", seeds=(), measured_on={})
PART = AdvicePart(name="advice", candidate="sim", reference="sim", paths=2, seed=170, seeds=2)


def candidate(measured: float, predicted: float, half: float, others: float = 0) -> Candidate:
    return Candidate(
        told=PrintedValue(value=predicted, low=predicted - half, high=predicted + half),
        measured=(0.999 * measured, 1.001 * measured), harm=None, others=(others, others) if others else (),
    )  # fmt: skip


def answer(bbr: Candidate, cubic: Candidate, neighbour: str | None = None, **changed: object) -> Answer:
    fields = {
        "rate_bps": 10**7, "rtt_s": 0.04, "buffer_bdp": 0.2, "hard": True, "beside": neighbour, "flows": 0,
        "candidates": {"bbr": bbr, "cubic": cubic}, "right": "bbr", "verdict": "ahead", "advised": "bbr",
        "balanced": "bbr", "balanced_harms": False, "seeds": 3,
    }  # fmt: skip
    return Answer.model_validate(fields | changed)


def record(*answers: Answer) -> AdviceRecord:
    return AdviceRecord(versions={}, candidate=SIDE, reference=SIDE, seed=7, answers=answers)


def test_an_interval_holds_if_it_contains_the_mean_and_a_winner_counts_where_it_is_decided() -> None:
    good = answer(candidate(9, 9.1, 0.2), candidate(6, 6.5, 0.2))
    assert advice_text.coverage([good]) == (1, 2)
    assert advice_text.decided(good)
    assert advice_text.right(good)
    assert not advice_text.right(answer(candidate(9, 9, 1), candidate(6, 6, 1), verdict="open"))
    assert not advice_text.right(answer(candidate(6, 9, 1), candidate(9, 6, 1)))
    alike = answer(candidate(9.05, 9, 1), candidate(9, 9, 1), verdict="no matter", right="cubic")
    assert not advice_text.decided(alike)
    advice_record = record(good, alike)
    assert "3 of 4 intervals contain sim's mean" in advice_text.summary(advice_record)
    assert "Of 1 questions in which" in advice_text.no_matter(advice_record)


def test_regret_is_told_for_each_policy_and_harm_that_is_not_said() -> None:
    harmful = answer(
        candidate(9, 9, 1, others=3), candidate(6, 6, 1, others=6), neighbour="cubic", flows=1, buffer_bdp=0.5,
    )  # fmt: skip
    table = advice_text.regret_table(record(harmful))
    cells = {row[0]: dict(zip(table.header, row, strict=True)) for row in table.texts()}
    assert advice_text.real_harm(harmful, "bbr") == pytest.approx(0.5)
    assert cells["always CUBIC"]["mean regret, beside others"].startswith("33.3")
    assert cells["BBR below 0.35 BDP"]["mean regret, beside others"].startswith("33.3")
    assert cells["advise --for goodput"]["mean regret, beside others"].startswith("0")
    assert advice_text.unsaid(record(harmful)) == [harmful]
    assert advice_text.unsaid(record(harmful.model_copy(update={"balanced_harms": True}))) == []


def test_every_second_path_is_drawn_around_the_flip_and_is_the_same_again() -> None:
    questions = list(drawn(24, 7))
    assert questions == list(drawn(24, 7))
    assert questions[:5] == list(drawn(5, 7))
    assert questions != list(drawn(24, 8))
    assert {order for each in questions for order in each.starts} == {*ORDERS}
    assert {each.company[0].flows > 0 for each in questions} == {False, True}
    for number, each in enumerate(questions):
        assert len(each.starts) == 1
        assert 0 <= each.company[0].flows <= 10
        if number % 2 == 0:
            assert HARD[0] * 0.98 <= each.buffer_bdp(each.buffers_bytes[0]) <= HARD[1] or each.bdp_bytes < 100_000


@pytest.mark.slow
def test_it_is_measured_on_the_engines_themselves_and_goes_on_where_it_was(tmp_path: Path) -> None:
    engine, count = SimEngine(), []
    with Store.open(tmp_path / "store", write=True) as store:
        advice_record, failed = PART.measure(store, [engine], None, lambda: count.append(1))
        again, _ = PART.measure(store, [engine], None, lambda: None)
    assert failed == []
    assert len(count) == PART.total([engine])
    assert advice_record == again
    assert [each.flows > 0 for each in advice_record.answers] == [False, True]
    assert AdviceRecord.model_validate_json(advice_record.model_dump_json()) == advice_record
    contained, of = advice_text.coverage(advice_record.answers)
    assert of == 4
    assert contained >= 3


class FailsAlone(Scaled):
    """An engine that fails one seed of every flow without neighbours."""

    def measure(self, run: Run) -> Measurement:
        if len(run.flows) == 1 and run.seed == FIRST_SEED + 1:
            raise EngineFailure("a bug")
        return super().measure(run)


@pytest.mark.slow
def test_a_question_with_a_failed_run_is_left_out(tmp_path: Path) -> None:
    part = PART.model_copy(update={"reference": "double"})
    with Store.open(tmp_path / "store", write=True) as store:
        advice_record, failed = part.measure(store, [SimEngine(), FailsAlone()], None, lambda: None)
    assert [each.endswith(": a bug") for each in failed] == [True]
    assert [each.flows > 0 for each in advice_record.answers] == [True]
    assert "of 2 intervals contain double's mean" in advice_text.summary(advice_record)


def test_without_answers_the_pages_say_that_nothing_was_compared() -> None:
    section = Section("advice", "advice", record())
    assert part_markdown(section) == "# Advice\n\nNothing was compared.\n"
    assert "| [advice](validation/advice.md) | Nothing was compared | sim, " in markdown([section])
