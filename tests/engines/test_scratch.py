from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from dumbbell.engines import scratch


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def old(folder: Path) -> Path:
    folder.mkdir()
    an_hour_ago = time.time() - 3600
    os.utime(folder, (an_hour_ago, an_hour_ago))
    return folder


def test_it_is_there_for_as_long_as_it_is_used(tmp_path: Path) -> None:
    with scratch.folder() as folder:
        assert folder.parent == tmp_path
        (folder / "deep" / "deeper").mkdir(parents=True)
    assert not folder.exists()
    with pytest.raises(ZeroDivisionError), scratch.folder() as folder:
        raise ZeroDivisionError
    assert not folder.exists()


def test_what_is_in_use_is_not_swept(tmp_path: Path) -> None:
    with scratch.folder() as folder:
        scratch.sweep(tmp_path)
        assert folder.is_dir()


def test_what_nobody_holds_is_swept_and_nothing_else(tmp_path: Path) -> None:
    stale = tmp_path / f"{scratch.PREFIX}stale"
    stale.mkdir()
    (stale / scratch.HELD).touch()
    ancient = old(tmp_path / f"{scratch.PREFIX}ancient")
    young = tmp_path / f"{scratch.PREFIX}young"
    young.mkdir()
    other = old(tmp_path / "other")
    scratch.sweep(tmp_path)
    assert not stale.exists()
    assert not ancient.exists()
    assert young.is_dir()
    assert other.is_dir()
