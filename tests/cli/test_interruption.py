"""Ctrl-C and SIGTERM say how much is kept."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from commandline import DUMBBELL, count_stored_runs
from processes import HANG_S, soon


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_study_says_what_is_kept(tmp_path: Path, how: signal.Signals) -> None:
    folder = tmp_path / "study"
    command = [str(DUMBBELL), "study", "run", "claypool2019", "--claims", "S7", "--jobs", "1", "--out", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    assert soon(lambda: count_stored_runs(folder / "store") > 0)
    process.send_signal(how)
    _, printed = process.communicate(timeout=HANG_S)
    there = count_stored_runs(folder / "store")
    assert process.returncode == 128 + how
    said = re.fullmatch(rf"interrupted: (\d+) of (\d+) runs are in {folder}/store; the same command goes on\n", printed)
    assert said, printed
    assert 1 <= int(said[1]) == there < int(said[2])


@pytest.mark.slow
def test_a_process_that_was_started_to_ignore_signals_goes_on(moment: Path, tmp_path: Path) -> None:
    """As a background shell's, and what `nohup` starts."""
    ignored = {signal.SIGINT, signal.SIGTERM}
    process = subprocess.Popen(
        [DUMBBELL, "run", moment, "--out", tmp_path / "kept"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: [signal.signal(each, signal.SIG_IGN) for each in ignored],  # noqa: PLW1509 (no threads)
    )
    while process.poll() is None:
        for each in ignored:
            process.send_signal(each)
        time.sleep(0.05)
    assert process.returncode == 0
