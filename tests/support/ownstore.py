"""A store of its own for every test of a folder whose `conftest.py` imports this fixture."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where every command without `--out` stores its runs; not the folder in the checkout."""
    folder = tmp_path / "results"
    monkeypatch.setenv("DUMBBELL_STORE", str(folder))
    return folder
