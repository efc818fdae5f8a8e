"""What every claim measures and every figure shows, of runs whose numbers are drawn by chance.

The snapshots were accepted when the same code gave the stored runs' published verdicts (`bench/outputs`). A changed
metric, sign, bound, unit or point of a claim, or line of a figure, is a changed line there.
"""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence
from measures import of_claims, of_displays

LONG = "cao2019"
"""It has 9,510 runs, and a module of its own."""
OTHERS = [name for name in studies.names() if name != LONG]

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.usefixtures("few_folds"),
    pytest.mark.parametrize("by_chance", OTHERS, indirect=True, scope="module"),
]


def test_what_each_claim_measures(by_chance: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_claims(*by_chance) == snapshot


def test_what_each_figure_and_table_shows(by_chance: tuple[Study, Evidence], snapshot: SnapshotAssertion) -> None:
    assert of_displays(*by_chance) == snapshot
