"""Studies as tests have them: with what was published, cut short, or with numbers by chance."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from claypool import HOME, brief, claypool, evidence, short
from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.cao2019 import accuracy
from dumbbell.studies.evidence import Evidence
from synthesis import synthetic_evidence

__all__ = ["brief", "claypool", "evidence", "short"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a study, to break."""
    copy = tmp_path / "claypool2019"
    shutil.copytree(HOME / "claypool2019", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def few_folds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Trees are judged in a second, and by no number that another test may keep."""
    monkeypatch.setattr(accuracy, "TIMES", 2)
    monkeypatch.setattr(accuracy, "FEWER_TIMES", 1)
    accuracy.accuracy.cache_clear()
    yield
    accuracy.accuracy.cache_clear()


@pytest.fixture(scope="module")
def by_chance(request: pytest.FixtureRequest) -> tuple[Study, Evidence]:
    """A study by its name, and runs whose numbers are drawn by chance."""
    study = studies.load(request.param)
    return study, synthetic_evidence(study)
