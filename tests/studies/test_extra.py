"""A study without the package that its trees are grown with: it says so, and does all else."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dumbbell import studies
from dumbbell.cli.study.figures import drawn
from dumbbell.errors import MissingExtra
from dumbbell.studies import StudyStatus
from dumbbell.studies.extra import imported
from dumbbell.studies.judgement import verdicts
from dumbbell.studies.verdict import NOT_TESTABLE
from synthesis import synthetic_evidence

MESSAGE = 'scikit-learn is not installed: pip install "dumbbell[trees]"'


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)


@pytest.fixture(scope="module")
def status() -> StudyStatus:
    """Of one claim about a tree, one about cells, and the figures of both, by runs whose numbers are by chance."""
    study = studies.only(studies.load("cao2019"), claims=["C1", "C6"], variants=["bbr"])
    figures = tuple(each for each in study.figures if each.name in {"figure4", "figure5a"})
    tables = tuple(each for each in study.tables if each.name == "signs")
    study = replace(study, figures=figures, tables=tables)
    return StudyStatus(study=study, full_study=study, evidence=synthetic_evidence(study), verdicts=())


def test_its_rows_say_what_needs_the_extra() -> None:
    study = studies.load("cao2019")
    needed = {each.name for displays in (study.figures, study.tables) for each in displays if each.needs}
    assert needed == {"figure4", "figure4_default", "trees", "trees_ties"}


@pytest.mark.usefixtures("without")
def test_a_claim_about_a_tree_is_not_testable_and_the_others_are_judged(status: StudyStatus) -> None:
    tree, cells = verdicts(status.study, status.evidence)
    assert (tree.claim, tree.verdict, tree.reason) == ("C1", NOT_TESTABLE, MESSAGE)
    assert cells.verdict != NOT_TESTABLE


@pytest.mark.usefixtures("without")
def test_a_figure_of_a_tree_is_not_computed_and_the_others_are_drawn(
    status: StudyStatus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [each.name for each in status.drawable()] == ["figure5a", "signs"]
    files = drawn(status, tmp_path)
    assert "figure5a.svg" in {file.name for file in files}
    assert not [file for file in files if file.stem.startswith("figure4")]
    assert capsys.readouterr().err == f"not computed: figure4: {MESSAGE}\n"


@pytest.mark.usefixtures("without")
def test_what_needs_it_has_one_message() -> None:
    with pytest.raises(MissingExtra) as missing:
        imported("trees", "tree", "DecisionTreeClassifier")
    assert str(missing.value) == MESSAGE


def test_with_the_extra_nothing_is_missing(status: StudyStatus) -> None:
    assert (status.not_computed, status.not_computed_text) == ({}, "")
    assert "figure4" in {each.name for each in status.drawable()}
