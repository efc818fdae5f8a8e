from __future__ import annotations

from pathlib import Path

import pytest

from commandline import MOMENT


@pytest.fixture
def moment(tmp_path: Path) -> Path:
    """Path of a spec that is over in a moment."""
    path = tmp_path / "moment.toml"
    path.write_text(MOMENT, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store that every command takes unless it is told another; not the one in the checkout."""
    folder = tmp_path / "results"
    monkeypatch.setenv("DUMBBELL_STORE", str(folder))
    return folder
