"""What a store is for: nothing that happens to the process or its disk loses a finished run or corrupts one."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell, process, python
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store

pytestmark = pytest.mark.slow

RUNS = 60
CAMPAIGN = """
from dumbbell.campaign.execution import run_experiments
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import load
import pyarrow.parquet

experiment = load({spec!r}, overrides={{"seeds": {seeds}, "path.buffer": "1 bdp"}} | {overrides!r})
with Store.open({folder!r}, write=True) as store:
    print("begun", flush=True)
    for finished in run_experiments(store, [experiment], SimEngine(), jobs=2):
        print(finished.run_id, flush=True)
"""


def campaign(folder: Path, seeds: int = RUNS, **overrides: object) -> str:
    return CAMPAIGN.format(spec=MOMENT, folder=str(folder), seeds=seeds, overrides=overrides)


ALLOWED = """
import os

class AllowedEngine(SimEngine):
    def measure(self, run):
        os.read(0, 1)
        return super().measure(run)

SimEngine = AllowedEngine
"""
"""Of the campaign's engine: no run begins before a byte comes for it."""


def outcomes(folder: Path) -> list[Result | FailedRun]:
    with Store.open(folder) as store:
        assert list(store.faults()) == []
        return [each.model_copy(update={"wall_s": 0.0}) for each in store.outcomes()]


@pytest.mark.long
def test_killed_again_and_again_a_campaign_resumes_to_what_it_would_have_been(tmp_path: Path) -> None:
    moments, finished = random.Random(2), [0]  # noqa: S311 (which moments does not matter)
    allowed = campaign(tmp_path / "killed").replace("\nexperiment = ", f"{ALLOWED}\nexperiment = ")
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", allowed], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            awaited = 1 + moments.choice((0, 1, 4, 9, 14))
            process.stdin.write((awaited + 2) * ".")
            process.stdin.flush()
            for _ in range(1 + finished[-1] + awaited):  # "begun" is a line, too
                assert process.stdout.readline()
            time.sleep(moments.uniform(0, 0.03))
            process.send_signal(signal.SIGKILL)
        with Store.open(tmp_path / "killed") as store:
            finished.append(store.count())
    assert sorted(set(finished)) == finished, "each went on from the one before"
    assert finished[-1] < RUNS
    for folder in ("killed", "undisturbed"):
        done = python(campaign(tmp_path / folder))
        assert done.returncode == 0, done.stderr
    assert outcomes(tmp_path / "killed") == outcomes(tmp_path / "undisturbed")
    assert len(outcomes(tmp_path / "killed")) == RUNS
    names = [
        sorted(path.relative_to(tmp_path / folder) for path in (tmp_path / folder).rglob("*"))
        for folder in ("killed", "undisturbed")
    ]
    assert names[0] == names[1]


FEW = 2
"""Seeds of runs of which one alone is larger than the limit."""
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
from dumbbell.cli.main import main
sys.argv = ["dumbbell", *{arguments!r}]
main()
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("limit", "seeds", "sets"),
    [(200_000, FEW, ["duration=12 s", "measure.sample=1 ms"]), (250_000, 30, ["duration=1 s"])],
    ids=["a series", "the ledger"],
)
def test_a_full_disk_is_told_in_a_line_and_loses_nothing(
    moment: Path, tmp_path: Path, limit: int, seeds: int, sets: list[str]
) -> None:
    """No file may grow beyond the limit, which a program sees as it sees a full disk."""
    folder = tmp_path / "store"
    arguments = ["run", str(moment), "--out", str(folder), "--json", "--seeds", str(seeds)]
    arguments += [word for each in sets for word in ("--set", each)]
    done = python(LIMITED.format(limit=limit, arguments=arguments))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{folder}: cannot ")
    assert line.endswith("the store keeps finished runs")
    assert done.stdout == "", "what is printed is whole"
    with Store.open(folder) as store:
        assert list(store.faults()) == []
        there = {each.run_id: each for each in store.outcomes()}
        assert list((folder / "series" / "partial").iterdir()) == []
    assert len(there) < 2 * seeds
    assert there or seeds == FEW, "runs fit below the limit"
    resumed = dumbbell(*arguments)
    assert resumed.returncode == 0
    assert len(resumed.stdout.splitlines()) == 2 * seeds
    with Store.open(folder) as store:
        retained = {each.run_id: each for each in store.outcomes() if each.run_id in there}
    assert retained == there, "not run again"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A disk of its own, where this machine lets us have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False).returncode:  # noqa: S607
        pytest.skip("only root may mount")
    return folder


def test_a_read_only_store_is_read_and_not_written(disk: Path, moment: Path) -> None:
    store = disk / "store"
    try:
        first = dumbbell("run", moment, "--out", store)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)  # noqa: S607
        for folder in (store, disk / "other"):
            done = dumbbell("run", moment, "--out", folder)
            assert (done.returncode, done.stdout) == (1, "")
            assert re.fullmatch(rf"{folder}: cannot .*: Read-only file system\n", done.stderr)
        shown = dumbbell("results", "show", store)
        assert shown.stdout == first.stdout
        assert dumbbell("results", "verify", store).returncode == 0
    finally:
        subprocess.run(["umount", disk], check=True)  # noqa: S607


@pytest.mark.long
def test_a_campaign_of_many_runs_needs_no_more_memory_than_one_of_few(tmp_path: Path) -> None:
    report = "\nimport resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    quick = {"duration": "50 ms", "flows[1].start": "0 s", "measure.record": "summary"}
    peaks_mib = []
    for seeds in (500, 5000):
        done = python(campaign(tmp_path / str(seeds), seeds, **quick) + report)
        assert done.returncode == 0, done.stderr
        peaks_mib.append(int(done.stdout.splitlines()[-1]) / 1024)
    assert peaks_mib[1] - peaks_mib[0] < 8, peaks_mib


def test_a_second_campaign_into_the_same_store_is_refused(moment: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True):
        done = process("run", moment, "--out", tmp_path / "store")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "another dumbbell command (pid " in line


@pytest.mark.long
def test_where_the_system_has_no_locks_a_killed_campaign_blocks_nobody(tmp_path: Path) -> None:
    """Without `fcntl` the lock is a file, which outlives whoever held it."""
    without = "import sys\nsys.modules['fcntl'] = None\n"
    Store.open(tmp_path / "store", write=True).close()  # with locks
    killed = f"{without}import os, signal\nfrom dumbbell.results.store import Store\n"
    killed += f"Store.open({str(tmp_path / 'store')!r}, write=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    assert python(killed).returncode == -signal.SIGKILL
    done = python(without + campaign(tmp_path / "store", 2))
    assert done.returncode == 0, done.stderr
    assert len(outcomes(tmp_path / "store")) == 2
