"""A study that is killed, and gone on with, has the runs that it would have had."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commandline import python
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store

pytestmark = pytest.mark.slow

SCRIPT = """
from pathlib import Path
from dumbbell import studies
from dumbbell.results.store import Store
from dumbbell.studies.loading import read

study = studies.only(read(Path({study!r}), seeds=2), experiments=["figure4b", "figure7", "figure10"])
with Store.open({store!r}, write=True) as store:
    studies.run(study, store, "sim", jobs=2, progress=lambda _: print("one more", flush=True))
"""
BEFORE = 9
"""Runs that are told before the kill; the study has many more."""


def outcomes(folder: Path) -> dict[str, Result | FailedRun]:
    with Store.open(folder) as store:
        assert list(store.faults()) == []
        return {each.run_id: each.model_copy(update={"wall_s": 0.0}) for each in store.outcomes()}


@pytest.mark.long
def test_killed_and_gone_on_with_a_study_has_what_it_would_have_had(short: Path, tmp_path: Path) -> None:
    killed, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    script = SCRIPT.format(study=str(short), store=str(killed))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        for _ in range(BEFORE):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    survived = outcomes(killed)
    for store in (killed, undisturbed):
        done = python(SCRIPT.format(study=str(short), store=str(store)))
        assert done.returncode == 0, done.stderr
    complete = outcomes(undisturbed)
    assert BEFORE <= len(survived) < len(complete)
    assert survived.items() <= complete.items()
    assert outcomes(killed) == complete
