from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT
from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import load

Campaign = Callable[..., list[Result | FailedRun]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def campaign(folder: Path) -> Campaign:
    """Carries out the four runs of a moment into the store, but for what is set."""

    class Built(SimEngine):
        """Of another build, if it has a name."""

        def __init__(self, build: str) -> None:
            self.build = build

        def identity(self) -> str:
            return self.build or super().identity()

    def run_moment(
        name: str = "moment", *, fresh: bool = False, build: str = "", **settings: Any
    ) -> list[Result | FailedRun]:
        overrides = {path.replace("__", "."): value for path, value in settings.items()}
        experiment = load(MOMENT, overrides={"name": name, "duration": "1 s"} | overrides)
        with Store.open(folder, write=True) as store:
            return list(run_campaign(store, experiment, Built(build), jobs=2, fresh=fresh))

    return run_moment


@pytest.fixture
def filled(folder: Path, campaign: Campaign) -> Iterator[Store]:
    """A store with four runs, open for reading."""
    campaign()
    with Store.open(folder) as store:
        yield store
