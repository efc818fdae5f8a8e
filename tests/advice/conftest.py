from __future__ import annotations

from collections.abc import Iterator

import pytest

from dumbbell.results.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Where answers have their runs."""
    with Store.open(tmp_path_factory.mktemp("answers"), write=True) as opened:
        yield opened
