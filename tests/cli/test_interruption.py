"""Ctrl-C says how much is kept."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from commandline import DUMBBELL
from dumbbell.errors import StoreError
from dumbbell.results.store import Store
from processes import HANG_S, soon


def kept(store: Path) -> int:
    """How many runs are there so far."""
    try:
        with Store.open(store) as opened:
            return opened.count()
    except StoreError:  # there is none yet
        return 0


@pytest.mark.slow
def test_an_interrupted_study_says_what_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    command = [str(DUMBBELL), "study", "run", "claypool2019", "--claims", "S7", "--jobs", "1", "--out", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    assert soon(lambda: kept(folder / "store") > 0)
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=HANG_S)
    there = kept(folder / "store")
    assert process.returncode == 130
    said = re.fullmatch(rf"interrupted: (\d+) of (\d+) runs are in {folder}/store; the same command goes on\n", words)
    assert said, words
    assert 1 <= int(said[1]) == there < int(said[2])
