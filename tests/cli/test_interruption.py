"""Ctrl-C says how much is kept."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from commandline import DUMBBELL
from dumbbell.errors import StoreError
from dumbbell.results.store import Store


@pytest.mark.slow
def test_an_interrupted_study_says_what_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    command = [str(DUMBBELL), "study", "run", "claypool2019", "--claims", "S7", "--jobs", "1", "--out", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    for _ in range(300):
        time.sleep(0.1)
        with suppress(StoreError), Store.open(folder / "store") as store:
            if store.count():
                break
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=30)
    with Store.open(folder / "store") as store:
        there = store.count()
    assert process.returncode == 130
    said = re.fullmatch(rf"interrupted: (\d+) of (\d+) runs are in {folder}/store; the same command goes on\n", words)
    assert said, words
    assert 1 <= int(said[1]) == there < int(said[2])
