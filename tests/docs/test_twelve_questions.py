"""Each line of the page "twelve questions" is true of its table, and what the commands answer today."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Final

import pytest
from typer.testing import CliRunner

import mixanswers
import pathanswers
from commandline import ROOT
from dumbbell.cli.main import app

sys.path.insert(0, str(ROOT / "docs" / "site"))
from questions_of_people import PAGE, QUESTIONS, Question

TEXT: Final = PAGE.read_text(encoding="utf-8")


def test_the_page_has_twelve_and_each_is_one_of_the_script() -> None:
    assert len(QUESTIONS) == 12
    assert [line.removeprefix("$ dumbbell ") for line in TEXT.splitlines() if line.startswith("$ ")] == [
        each.command for each in QUESTIONS
    ]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.title)
def test_its_lines_are_true_of_its_table(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = shlex.split(question.command)
    printed = CliRunner().invoke(app(), command, env={"COLUMNS": "80"})
    if printed.exit_code:
        assert str(printed.exception).split(";")[0] in TEXT
        return
    assert printed.stdout.strip() in TEXT, "make answers"
    answer = json.loads(CliRunner().invoke(app(), [*command, "--json"]).stdout)
    if "mix" in command:
        assert mixanswers.faults(answer, list(answer["answer"].items())) == []
    else:
        assert pathanswers.faults(answer, answer["answer"]) == []
