"""A campaign that was stopped: what is there is of use, and the rest comes to what it would have been."""

from __future__ import annotations

import re
import weakref
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT, dumbbell
from dumbbell.campaign.execution import AHEAD, run_campaign, run_experiments, stored_outcomes
from dumbbell.campaign.plan import count, plan
from dumbbell.cli import campaign
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.experiment import points
from dumbbell.experiment.points import read
from dumbbell.results.campaign import measured_of
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, load
from ledgers import contents

SWEEP = {"path.rtt": [f"{n} ms" for n in range(10, 20)], "path.buffer": [f"{n} kB" for n in range(10, 15)]}
QUICK = {"duration": "100 ms", "flows[1].start": "0 s", "measure.record": "summary"}


def swept(seeds: int | list[int] = 2, **overrides: Any) -> Experiment:
    """Fifty points."""
    return load(MOMENT, overrides={"seeds": seeds} | SWEEP | QUICK | overrides)


def stopped(folder: Path, after: int, spec: Experiment) -> None:
    with (
        Store.open(folder, write=True) as store,
        closing(run_experiments(store, [spec], SimEngine(), jobs=1)) as finished,
    ):
        assert len(list(islice(finished, after))) == after


def run_all(folder: Path, spec: Experiment) -> None:
    with Store.open(folder, write=True) as store:
        assert len(list(run_campaign(store, spec, SimEngine(), jobs=2))) == count(spec)


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 30, 80])
def test_a_campaign_that_was_stopped_resumes_to_the_same_ledger(tmp_path: Path, after: int) -> None:
    stopped(tmp_path / "stopped", after, swept())
    run_all(tmp_path / "stopped", swept())
    run_all(tmp_path / "undisturbed", swept())
    assert contents(tmp_path / "stopped") == contents(tmp_path / "undisturbed")


def test_a_part_has_runs_from_all_over_the_sweep_and_every_command_shows_them(tmp_path: Path) -> None:
    store = tmp_path / "store"
    stopped(store, 20, swept(seeds=5))
    with Store.open(store) as reader:
        (runs,) = read(reader)
        there = runs.measured
    assert 20 <= there <= 20 + AHEAD + 1, "and what was under way"
    assert {len(point.run_ids) for point in runs.points} == {1}
    assert {point.swept["path.buffer"] for point in runs.points} == set(SWEEP["path.buffer"])
    assert len({point.swept["path.rtt"] for point in runs.points}) >= 8
    shown = dumbbell("results", "show", store, "--columns", "n,goodput")
    assert (shown.returncode, f"{there} points, seed 1" in shown.stdout) == (0, True)
    listed = dumbbell("results", "list", store)
    assert (listed.returncode, len(listed.stdout.splitlines())) == (0, there + 1)
    for arguments in (
        ("report", store, "--out", tmp_path / "report.html"),
        ("results", "export", store, tmp_path / "groups.csv", "--table", "groups"),
    ):
        done = dumbbell(*arguments)
        assert done.returncode == 0, done.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{there} of 250 runs are there" in page
    assert len((tmp_path / "groups.csv").read_text(encoding="utf-8").splitlines()) == 2 * there + 1


def test_a_campaign_that_was_stopped_before_its_first_run_is_shown(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True) as store:
        finished = run_experiments(store, [swept()], Unwilling(), jobs=1)
        with pytest.raises(ZeroDivisionError):
            next(finished)
    done = dumbbell("results", "show", tmp_path / "store")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("No run was measured. Of 100 runs, 100 are missing.")
    assert "experiment on sim: 0 points\n" in done.stdout


class Unwilling(SimEngine):
    def measure(self, run: Run) -> Measurement:
        raise ZeroDivisionError(run)


@pytest.mark.slow
def test_what_is_held_does_not_grow_with_the_runs(tmp_path: Path) -> None:
    """Runs that were measured are gone, whoever else waits."""
    measured_runs: list[weakref.ref[Run]] = []

    class Watched(SimEngine):
        def measure(self, run: Run) -> Measurement:
            measured_runs.append(weakref.ref(run))
            return super().measure(run)

    alive_counts = []
    with Store.open(tmp_path / "store", write=True) as store:
        for nth, _ in enumerate(run_experiments(store, [swept(seeds=10)], Watched(), jobs=2)):
            if nth % 50 == 49:
                alive_counts.append(sum(each() is not None for each in measured_runs))
    assert (len(alive_counts), len(measured_runs)) == (10, 500)
    assert max(alive_counts) <= 2 * AHEAD + 2


def test_of_a_part_of_a_large_sweep_all_rows_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the runs that are there which are many or few, not those of the sweep."""
    store, spec = tmp_path / "store", tmp_path / "swept.toml"
    spec.write_text(swept().toml(), encoding="utf-8")
    options = ("--part", "3/10", "--columns", "n,goodput", "--out", store)
    first = dumbbell("run", spec, *options)
    monkeypatch.setattr(campaign, "MOST_SUMMED_UP", 20)
    again = dumbbell("run", spec, *options)
    assert (first.returncode, again.returncode, again.stdout) == (0, 0, first.stdout)
    assert "first" not in again.stderr


def test_seeds_that_are_not_there_keep_their_places_in_the_plan(tmp_path: Path) -> None:
    few, other = swept(seeds=2), swept(seeds=[3, 1])
    run_all(tmp_path, few)
    with Store.open(tmp_path) as store:
        ledger, name, identity = store.ledger, SimEngine().name, SimEngine().identity()
        every = {place: each.resolved.run.seed for place, each in enumerate(plan(other))}
        of_one = [place for place, seed in every.items() if seed == 1]
        assert measured_of(ledger, other, name, identity) == 50
        assert measured_of(ledger, other, name, identity, of_one) == 50
        assert measured_of(ledger, other, name, identity, set(every) - set(of_one)) == 0
        outcomes = list(stored_outcomes(store, other, SimEngine(), of_one[:7]))
    assert [(each.seed, each.point) for each in outcomes] == [(1, each.point) for each in plan(other, of_one[:7])]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [("--columns", "goodput,rtt,jain"), ("--columns", "n,goodput"), ("--each-seed", "--columns", "n,loss")]
)
def test_of_a_large_campaign_the_first_rows_are_those_of_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    store, spec = tmp_path / "store", tmp_path / "swept.toml"
    spec.write_text(swept(seeds=3).toml(), encoding="utf-8")
    run_all(store, swept(seeds=3))
    commands: list[tuple[str | Path, ...]] = [
        ("results", "show", store, *options),
        ("run", spec, "--out", store, "--seeds", "2", *options),
    ]
    in_memory = [dumbbell(*each) for each in commands]
    monkeypatch.setattr(campaign, "MOST_SUMMED_UP", 20)
    monkeypatch.setattr(points, "FIRST", 7)
    read = [dumbbell(*each) for each in commands]
    for one, other in zip(in_memory, read, strict=True):
        assert other.returncode == 0, other.stderr
        said, caption, table = one.stdout.split("\n\n")
        assert said
        first_caption, first_table, *_ = other.stdout.split("\n\n")
        assert first_caption == caption
        rows, first_rows = ([line.split() for line in each.splitlines()] for each in (table, first_table))
        assert 4 < len(first_rows) < len(rows)
        assert first_rows == rows[: len(first_rows)]
        assert re.search(r"the first [3-7] of 50 points; `dumbbell results export` and `query` have all", other.stderr)
