"""What tests of engines need of this machine."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builtkernel import built, linux
from dumbbell.engines import process
from dumbbell.engines.guest import Guests, Left, Order
from dumbbell.engines.netns import NetnsEngine
from dumbbell.errors import EngineFailure
from processes import soon

__all__ = ["built", "linux"]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made, by nobody else."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def live() -> NetnsEngine:
    """The engine of this machine's own kernel, where it can measure."""
    try:
        engine = NetnsEngine()
        engine.ready()
    except EngineFailure as failure:
        pytest.skip(f"no live engine here: {failure}")
    return engine


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with room for 64 kB."""
    if os.geteuid() != 0:
        pytest.skip("mounts a small file system, which needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no mounts here")
    try:
        yield folder
    finally:
        subprocess.run(["/bin/umount", folder], check=True)


@pytest.fixture
def limit_begins(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has the time limit of a process begin when its console has this text, however slow the machine is."""
    ended = process._ended

    def begins(text: str) -> None:
        def later(started: subprocess.Popen[bytes], limit_s: float) -> bool:
            console = Path(f"/proc/{started.pid}/fd/1").resolve()
            assert soon(lambda: text in console.read_text(encoding="utf-8"))
            return ended(started, limit_s)

        monkeypatch.setattr(process, "_ended", later)

    return begins


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What the agents wrote, as they wrote it."""
    written: list[bytes] = []
    outcome = Guests.outcome

    def noted(guests: Guests, order: Order) -> Left:
        left = outcome(guests, order)
        written.append(left.answer)
        return left

    monkeypatch.setattr(Guests, "outcome", noted)
    return written
