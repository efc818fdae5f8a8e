from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store that every command takes unless it is told another; not the one in the checkout."""
    folder = tmp_path / "results"
    monkeypatch.setenv("DUMBBELL_STORE", str(folder))
    return folder
