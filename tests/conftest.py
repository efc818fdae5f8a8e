"""Commands under test keep their runs in a store of their own, never in the checkout's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def _store_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    store = tmp_path_factory.mktemp("store") / "results"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DUMBBELL_STORE", os.fspath(store))
        yield store
