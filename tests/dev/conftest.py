"""What tests of the proof need: a study with what it published, a kernel, and a store of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from builtkernel import built, linux
from claypool import brief, claypool, evidence, short

__all__ = ["brief", "built", "claypool", "evidence", "linux", "short"]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store that every command takes unless it is told another; not the one in the checkout."""
    folder = tmp_path / "results"
    monkeypatch.setenv("DUMBBELL_STORE", str(folder))
    return folder
