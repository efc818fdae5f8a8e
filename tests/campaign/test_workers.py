"""Processes beside the campaign's, in which runs of the simulator are measured."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT
from dumbbell.campaign.execution import SIMULATED, run_campaign, run_experiments
from dumbbell.campaign.measuring import measured_by_worker
from dumbbell.campaign.plan import Planned, run_key
from dumbbell.engines import workers as processes_of_workers
from dumbbell.engines.sim import SimEngine
from dumbbell.engines.workers import Workers, serve
from dumbbell.errors import StoreFailure
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, expand, load, resolve
from processes import alive, children, descendants, soon

SCRIPT = """
import sys
from dumbbell.engines import workers
from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import load
workers.WORTH = 1
spec = {spec!r}
with Store.open({folder!r}, write=True) as store:
    print("begun", flush=True)
    print(len(list(run_campaign(store, load(spec), SimEngine(), jobs=2))))
"""
LONG = {"duration": "100000 s", "measure.record": "summary"}
"""Of a run that nobody waits for."""


def experiment(**overrides: Any) -> Experiment:
    return load(MOMENT, overrides={"seeds": 3, "path.buffer": ["1 bdp", "2 bdp"], "duration": "1 s"} | overrides)


def planned(**overrides: Any) -> Planned:
    (point,) = expand(experiment(**{"path.buffer": "1 bdp"} | overrides))
    return Planned(point.values, resolve(point, 1))


@pytest.fixture
def with_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes_of_workers, "WORTH", 1)


def content(folder: Path) -> dict[str, str]:
    series = (folder / "series").rglob("*.parquet")
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in series}


@pytest.mark.usefixtures("with_workers")
def test_workers_store_what_threads_store_and_end_with_the_campaign(tmp_path: Path) -> None:
    before = set(children(os.getpid()))
    outcomes = {}
    for jobs, folder in ((1, "threads"), (2, "workers")):
        with Store.open(tmp_path / folder, write=True) as store:
            finished = run_experiments(store, [experiment()], SimEngine(), jobs=jobs)
            next(finished)
            assert bool(set(children(os.getpid())) - before) == (jobs == 2)
            assert len(list(finished)) == 5
            outcomes[folder] = [each.model_copy(update={"wall_s": 0.0}) for each in store.outcomes()]
            assert list(store.faults()) == []
    assert outcomes["workers"] == outcomes["threads"]
    assert content(tmp_path / "workers") == content(tmp_path / "threads")
    assert len(content(tmp_path / "workers")) == 12
    assert soon(lambda: not set(children(os.getpid())) - before)


@pytest.mark.usefixtures("with_workers")
def test_other_engines_are_asked_in_this_process(tmp_path: Path) -> None:
    class Other(SimEngine):
        name = "other"

    assert serve(SimEngine(), 6, 2)
    assert not serve(Other(), 6, 2)
    with Store.open(tmp_path, write=True) as store:
        assert [each.engine for each in run_campaign(store, experiment(), Other(), jobs=2)] == ["other"] * 6


def test_a_worker_that_is_killed_is_a_failed_run_and_the_next_one_has_another(tmp_path: Path) -> None:
    workers, before = Workers(*SIMULATED), set(children(os.getpid()))
    engine = SimEngine()

    def measured(run: Planned) -> Any:
        return measured_by_worker(workers, tmp_path, [(run.resolved, run_key(run, engine, engine.identity()))])[0]

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(measured, planned(**LONG))
        assert soon(lambda: bool(set(children(os.getpid())) - before))
        (process,) = set(children(os.getpid())) - before
        os.kill(process, signal.SIGKILL)
        outcome, rows = waiting.result()
    assert (outcome.status, rows.run["status"]) == ("failed", "failed")
    assert outcome.error == "its process was ended by SIGKILL, perhaps for want of memory"
    assert measured(planned(**{"measure.record": "summary"}))[0].status == "ok"
    workers.close()
    assert soon(lambda: not set(children(os.getpid())) - before)


def test_what_a_worker_raises_is_raised_here(tmp_path: Path) -> None:
    workers = Workers(*SIMULATED)
    with pytest.raises(StoreFailure, match="cannot write a series"):
        workers.ask(tmp_path / "away", (planned().resolved, run_key(planned(), SimEngine(), "")))
    workers.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_a_campaign_that_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    """Though each is in the middle of a run that takes hours."""
    script = SCRIPT.format(spec=experiment(**LONG).fields(), folder=str(tmp_path / "s"))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        assert soon(lambda: len(descendants(process.pid)) == 2)
        workers = descendants(process.pid)
        process.send_signal(how)
    assert soon(lambda: not any(alive(each) for each in workers))


def test_a_worker_takes_nothing_from_the_folder_that_it_is_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "queue", "numpy", "dumbbell"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    workers = Workers("os.path", "basename")
    assert workers.ask("a/b") == "b"
    workers.close()


def test_a_script_needs_no_guard_against_being_imported_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(spec=experiment().fields(), folder=str(tmp_path / "s")), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["begun", "6"]
