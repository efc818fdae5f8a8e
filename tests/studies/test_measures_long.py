"""The same as in `test_measures`, of the study that has most runs."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence
from measures import of_claims, of_displays

pytestmark = [
    pytest.mark.usefixtures("few_folds"),
    pytest.mark.parametrize("by_chance", ["cao2019"], indirect=True, scope="module"),
    pytest.mark.long,
]


def test_what_each_claim_measures(by_chance: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_claims(*by_chance) == snapshot


def test_what_each_figure_and_table_shows(by_chance: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_displays(*by_chance) == snapshot
