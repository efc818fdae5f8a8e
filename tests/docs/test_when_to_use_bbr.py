"""The page "when to use BBR" says what its record and the studies' tables say, and the record is what runs give."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dumbbell.advice.map import around, map_of
from dumbbell.advice.published import measured_gains
from dumbbell.advice.question import question
from dumbbell.cc import known
from dumbbell.charts.image import save
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from when_to_use_bbr import FIGURES, PAGE, PATH, SEEDS, Answers, cells, charts, flip, page, read

MAKE = "make answers"


@pytest.fixture(scope="module")
def answers() -> Answers:
    return read()


def test_the_page_is_what_the_record_says(answers: Answers) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(answers), MAKE


@pytest.mark.slow
def test_the_figures_are_what_the_record_says(answers: Answers, tmp_path: object) -> None:
    for chart in charts(answers):
        (path,) = save(chart, tmp_path, ("svg",))  # type: ignore[arg-type]
        assert path.read_bytes() == (FIGURES / path.name).read_bytes(), MAKE


@pytest.mark.long
@pytest.mark.slow
def test_the_record_is_what_runs_give(answers: Answers, tmp_path: Path) -> None:
    """A company and two queues of the map, which are as long as all of it."""
    full_question = around(question(PATH, known()))
    (row,) = [each for each in full_question.company if each.flows == 1]
    with Store.open(tmp_path, write=True) as store:
        part = map_of([replace(full_question, company=(row,))], SimEngine(), store, seconds=1e9, seeds=SEEDS)
    assert list(part.cells) == cells(answers.maps["bulk"], neighbours=1), MAKE


def test_what_it_says_without_numbers_holds(answers: Answers) -> None:
    alone = [each for each in measured_gains() if not each.neighbours]
    shallow, deep = ([each.gain for each in alone if (each.buffer_bdp < 0.2) is below] for below in (True, False))
    assert min(shallow) > 0.05, "by much"
    assert max(each.gain for each in alone if each.buffer_bdp > 1) < 0.01, "by little"
    assert min(deep) > -0.1
    assert all(0.1 < flip(each) < 0.4 for each in answers.cliffs)
    bulk = answers.maps["bulk"]
    assert all(each.gain > 0.5 and (each.harm or 0) > 0.1 for each in cells(bulk, 0, 1, neighbours=1) if each.gain)
    assert all(each.gain < 0 for each in cells(bulk, 10, 10, neighbours=1) if each.gain is not None), "starves"
    assert all(abs(each.gain or 0) < 0.1 for each in cells(bulk, switch=True)), "nobody gains"
    assert max(each.resent or 0 for each in cells(bulk, 0, 1, switch=True)) > 0.05, "sent again"


def test_it_is_two_screens_long() -> None:
    text = re.sub(r"!\[[^]]*\]\([^)]*\)|^\|.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(text.split()) < 1000, "beside pictures and the table"
