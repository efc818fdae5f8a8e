"""`run --part K/N`: parts have no run in common, and together all; merged they are the store of one run."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT, dumbbell, python
from dumbbell.campaign.plan import agenda, each_alone, part_of, places, plan
from dumbbell.spec import Experiment, SpecError, load
from ledgers import contents

SWEEP = """
duration = "0.2 s"
seeds = 2

[path]
rate = "1 Mbit/s"
rtt = ["10 ms", "12 ms", "14 ms", "16 ms", "18 ms", "20 ms", "22 ms", "24 ms", "26 ms", "28 ms"]
buffer = ["4 kB", "5 kB", "6 kB", "7 kB", "8 kB", "9 kB", "10 kB", "11 kB", "12 kB", "13 kB"]

[[flows]]
cc = "bbr"

[[flows]]
cc = "cubic"
"""
PARTS = 40
KILLED = """
import os, signal, sys
from dumbbell.cli.main import main
from dumbbell.engines.sim import SimEngine

measure, begun = SimEngine.measure, []

def deadly(engine, run):
    begun.append(run)
    if len(begun) > 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return measure(engine, run)

SimEngine.measure = deadly
sys.argv = ["dumbbell", *{arguments!r}]
main()
"""
"""A command whose process dies when it begins its third run."""


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    """Path of a spec with 200 runs."""
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP, encoding="utf-8")
    return path


def outcomes(text: str) -> list[dict[str, Any]]:
    """What `--json` prints, but for the times of the machine."""
    return [json.loads(line) | {"wall_s": 0} for line in text.splitlines()]


def run(spec: Path, *options: str | Path) -> list[dict[str, Any]]:
    done = dumbbell("run", spec, "--json", *options)
    assert done.returncode == 0, done.stderr
    return outcomes(done.stdout)


@pytest.mark.long
@pytest.mark.slow
def test_forty_parts_of_which_two_were_killed_merge_to_the_tables_of_one_run(sweep: Path, tmp_path: Path) -> None:
    stores = [tmp_path / f"part-{nth}" for nth in range(1, PARTS + 1)]
    for nth in (7, 23):
        arguments = ["run", str(sweep), "--jobs", "1", "--part", f"{nth}/{PARTS}", "--out", str(stores[nth - 1])]
        assert python(KILLED.format(arguments=arguments)).returncode == -signal.SIGKILL
    for nth, store in enumerate(stores, start=1):
        assert len(run(sweep, "--part", f"{nth}/{PARTS}", "--out", store)) == 5
    full = run(sweep, "--out", tmp_path / "full")
    merged = dumbbell("merge", *stores, "--out", tmp_path / "merged")
    assert (merged.returncode, "200 runs of 40 stores;" in merged.stderr) == (0, True)
    assert contents(tmp_path / "merged") == contents(tmp_path / "full")
    assert outcomes(dumbbell("results", "show", tmp_path / "merged", "--json").stdout) == full
    assert dumbbell("results", "verify", tmp_path / "merged").stderr.endswith("200 runs, 0 faults\n")
    names = [sorted(path.name for path in (tmp_path / each).glob("series/*/*")) for each in ("merged", "full")]
    assert names[0] == names[1]
    again = dumbbell("run", sweep, "--out", tmp_path / "merged")
    assert "200 runs in" in again.stderr
    assert "(all there before)" in again.stderr


def test_parts_have_no_run_in_common_and_together_all_in_the_order_of_the_agenda() -> None:
    experiment = load(SWEEP)
    every = list(agenda([experiment]))
    for count in (1, 7, 40, 300):
        parts = [list(agenda([experiment], part_of(f"{nth + 1}/{count}"))) for nth in range(count)]
        assert [parts[number % count][number // count] for number in range(200)] == every
        assert sum(map(len, parts)) == 200
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_the_places_of_a_part_are_those_of_its_runs_in_the_plan() -> None:
    experiment = load(SWEEP)
    alone = each_alone(experiment)
    assert isinstance(alone, Experiment)
    part = part_of("3/40")
    chosen = places([experiment, alone], part)
    of_agenda = sorted((which, place) for which, place, _ in agenda([experiment, alone], part))
    assert [(which, place) for which, own in enumerate(chosen) for place in own] == of_agenda
    assert list(places([experiment])[0]) == list(range(200))
    every = list(plan(experiment))
    assert list(plan(experiment, chosen[0])) == [every[place] for place in chosen[0]]


@pytest.mark.parametrize(
    "text", ["41/40", "0/40", "3", "3/0", "-1/4", "1/4/5", "a/b", "1.5/4", "", "1/", " 1/2", "٣/40", f"1/{10**30}"]
)
def test_what_is_no_part_is_refused_in_a_line(text: str, moment: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        part_of(text)
    done = dumbbell("run", moment, f"--part={text}", "--out", tmp_path / "store")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'--part: "{text}" is no part of the runs; write it as 3/40, the third of forty\n'
    assert not (tmp_path / "store").exists()


def test_parts_in_one_store_come_to_the_campaign_of_one_run(moment: Path, tmp_path: Path) -> None:
    """Each prints and counts its own, and the same command goes on from what is there."""
    options = ("--seeds", "3", "--set", "path.rtt=30 ms")
    full = run(moment, *options, "--out", tmp_path / "full")
    parts = [run(moment, *options, "--part", f"{nth}/4", "--out", tmp_path / "parts") for nth in (1, 2, 3, 4)]
    assert sorted(map(len, parts)) == [1, 1, 2, 2]
    for part in parts:
        assert [each for each in full if each in part] == part, "in the order of expansion"
    assert contents(tmp_path / "parts") == contents(tmp_path / "full")
    again = dumbbell("run", moment, *options, "--part", "2/4", "--out", tmp_path / "parts")
    assert "\n2 runs in" in again.stderr
    assert "(all there before)" in again.stderr


def test_a_part_may_have_no_run(moment: Path, tmp_path: Path) -> None:
    """As where there are more machines than runs."""
    for options in ((), ("--json",), ("--harm",), ("--dry-run",), ("--measurement",)):
        done = dumbbell("run", moment, "--part", "35/40", "--out", tmp_path / "store", *options)
        assert done.returncode == 0, done.stderr
    assert "0 runs in" in dumbbell("run", moment, "--part", "35/40", "--out", tmp_path / "store").stderr
    assert dumbbell("merge", tmp_path / "store", "--out", tmp_path / "merged").returncode == 0
    assert run(moment, "--out", tmp_path / "merged") == run(moment, "--out", tmp_path / "full")


def test_a_plan_and_measurements_are_those_of_the_part(moment: Path) -> None:
    every = [json.loads(line) for line in dumbbell("run", moment, "--dry-run", "--json").stdout.splitlines()]
    part = [
        json.loads(each) for each in dumbbell("run", moment, "--part", "2/3", "--dry-run", "--json").stdout.splitlines()
    ]
    (place,) = places([load(moment)], part_of("2/3"))[0]
    assert part == [every[place]]
    table = dumbbell("run", moment, "--part", "2/3", "--dry-run").stdout.splitlines()
    assert [line.split()[-1] for line in table[1:]] == [part[0]["run_id"]]
    lines = dumbbell("run", moment, "--measurement").stdout.splitlines()
    assert dumbbell("run", moment, "--part", "2/3", "--measurement").stdout.splitlines() == [lines[place]]


def test_measurements_take_no_option_of_a_table(moment: Path) -> None:
    for options in (("--columns", "goodput"), ("--sort", "goodput"), ("--each-seed",), ("--jobs", "2"), ("--json",)):
        done = dumbbell("run", moment, "--measurement", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"--measurement: cannot be combined with {options[0]}" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_what_groups_have_alone_is_divided_too(tmp_path: Path) -> None:
    spec = tmp_path / "moment.toml"
    spec.write_text(MOMENT.replace('"3 s"', '"0.6 s"'), encoding="utf-8")
    full = run(spec, "--harm", "--out", tmp_path / "full")
    stores = [tmp_path / f"{nth}" for nth in (1, 2, 3)]
    parts = [run(spec, "--harm", "--part", f"{nth}/3", "--out", store) for nth, store in enumerate(stores, start=1)]
    assert sum(map(len, parts)) == len(full) == 12
    assert dumbbell("merge", *stores, "--out", tmp_path / "merged").returncode == 0
    assert contents(tmp_path / "merged") == contents(tmp_path / "full")
    shown = [dumbbell("results", "show", tmp_path / each, "--columns", "harm").stdout for each in ("merged", "full")]
    assert shown[0] == shown[1]
    assert "harm" in shown[0]


def test_a_part_fails_by_its_own_runs(moment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dumbbell.engines.sim import SimEngine  # noqa: PLC0415 (patched below)
    from dumbbell.errors import EngineFailure  # noqa: PLC0415 (likewise)

    measure = SimEngine.measure
    (place,) = places([load(moment)], part_of("2/3"))[0]

    def failing(engine: SimEngine, run: Any) -> Any:
        if run.seed == 1 + place % 2 and run == list(plan(load(moment)))[place].resolved.run:
            raise EngineFailure("a bug")
        return measure(engine, run)

    monkeypatch.setattr(SimEngine, "measure", failing)
    status = [
        dumbbell("run", moment, "--part", f"{nth}/3", "--out", tmp_path / "store").returncode for nth in (1, 2, 3)
    ]
    assert status == [0, 1, 0]
