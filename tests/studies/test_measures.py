"""What every claim measures and every figure shows, of runs whose numbers are drawn by chance.

The snapshots were accepted when the same code gave the stored runs' published verdicts (`bench/outputs`). A changed
metric, sign, bound, unit or point of a claim, or line of a figure, is a changed line there.
"""

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

LONG = "cao2019"
"""It has 9,510 runs, and a module of its own."""


@pytest.fixture(autouse=True)
def few_folds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Trees are judged in a second, and by no number that another test may keep."""
    monkeypatch.setattr(accuracy, "TIMES", 2)
    monkeypatch.setattr(accuracy, "FEWER_TIMES", 1)
    accuracy.accuracy.cache_clear()
    yield
    accuracy.accuracy.cache_clear()


@pytest.fixture(scope="module", params=[name for name in studies.names() if name != LONG])
def named(request: pytest.FixtureRequest) -> tuple[Study, Evidence]:
    study = studies.load(request.param)
    return study, synthetic_evidence(study)


def test_what_each_claim_measures(named: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_claims(*named) == snapshot


def test_what_each_figure_and_table_shows(named: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_displays(*named) == snapshot
