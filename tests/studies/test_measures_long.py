"""The same as in `test_measures`, of the study that has most runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from syrupy.assertion import SnapshotAssertion

from dumbbell import studies
from dumbbell.decide import accuracy
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence
from measures import of_claims, of_displays
from synthesis import synthetic_evidence

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def few_folds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Trees are judged in a second, and by no number that another test may keep."""
    monkeypatch.setattr(accuracy, "TIMES", 2)
    monkeypatch.setattr(accuracy, "FEWER_TIMES", 1)
    accuracy.accuracy.cache_clear()
    yield
    accuracy.accuracy.cache_clear()


@pytest.fixture(scope="module", params=["cao2019"])
def named(request: pytest.FixtureRequest) -> tuple[Study, Evidence]:
    study = studies.load(request.param)
    return study, synthetic_evidence(study)


def test_what_each_claim_measures(named: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_claims(*named) == snapshot


def test_what_each_figure_and_table_shows(named: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_displays(*named) == snapshot
