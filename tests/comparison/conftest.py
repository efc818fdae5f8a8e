from __future__ import annotations

from pathlib import Path

import pytest

from agreed import Scaled, agreement_of
from dumbbell.comparison.campaigns import Sides
from dumbbell.comparison.record import Agreement
from dumbbell.engines.sim import SimEngine


@pytest.fixture(scope="session")
def compared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agreement") / "store"


@pytest.fixture(scope="session")
def agreement(compared_folder: Path) -> Agreement:
    """An engine that delivers nine tenths, on two points with two groups."""
    return agreement_of(compared_folder, Sides(Scaled(0.9), SimEngine(), 2, 1))
