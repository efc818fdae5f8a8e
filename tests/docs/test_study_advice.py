"""The answers to the studies' questions are what `dumbbell advise` says, and each is true of its table."""

from __future__ import annotations

import shlex
import sys

import pytest
from typer.testing import CliRunner

from commandline import ROOT
from dumbbell.studies.manifest import advised_of, folder_of, names

sys.path.insert(0, str(ROOT / "docs" / "site"))
from study_advice import advised, answered

ASKING = {path.parent.name: each for path, each in advised().items()}


def test_every_study_of_a_document_asks_its_question() -> None:
    silent = {name for name in names() if advised_of(folder_of(name)) is None}
    assert silent - {"claypool2019_proposals", "theory"} == {"cardwell2026", "heist2021_l4s"}, (
        "these have no path of a document, and advice no ECN"
    )
    for each in ASKING.values():
        assert list(each.answer) == ["Answer", "Why", "When not", "Sure?", "Next"]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", ASKING)
def test_its_answer_is_what_the_simulator_says(name: str) -> None:
    assert answered(ASKING[name]).answer == ASKING[name].answer, "make answers"


def test_its_command_is_one() -> None:
    from dumbbell.cli.main import app  # noqa: PLC0415 (late: it takes long to load)

    for each in ASKING.values():
        done = CliRunner().invoke(app(), ["advise", *shlex.split(each.options), "--rate", "0mbit"])
        assert "--rate" in str(done.exception)
        assert "unknown" not in str(done.exception)
