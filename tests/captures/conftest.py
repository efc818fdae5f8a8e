from __future__ import annotations

import pytest

from captured import Captured, captured_in


@pytest.fixture(scope="session")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    return captured_in(tmp_path_factory.mktemp("captured"))
