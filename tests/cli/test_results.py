from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commandline import answered, dumbbell, json_lines
from ledgers import execute


@pytest.fixture
def filled(moment: Path, store: Path) -> Path:
    """A store with four runs."""
    assert dumbbell("run", moment).returncode == 0
    return store


def ids(store: Path) -> list[str]:
    return [each["run_id"] for each in json_lines("results", "list", store)]


def test_the_runs_are_listed_in_order(filled: Path) -> None:
    done = dumbbell("results", "list", filled)
    header, *lines = done.stdout.splitlines()
    assert header.split()[:4] == ["run", "id", "experiment", "engine"]
    assert [line.split()[0] for line in lines] == ids(filled)
    assert [line.split("  ")[-1] for line in lines] == [
        f"path.buffer = {each} bdp" for each in ("0.5", "0.5", "2", "2")
    ]
    assert done.stderr == ""
    assert dumbbell("results", "list").stdout == done.stdout  # DUMBBELL_STORE


@pytest.mark.parametrize(
    "options", [(), ("--each-seed",), ("--columns", "rtt_p95,goodput", "--sort", "-goodput")], ids=str
)
def test_the_table_is_that_of_the_campaign(filled: Path, moment: Path, options: tuple[str, ...]) -> None:
    ran = dumbbell("run", moment, *options)
    shown = dumbbell("results", "show", filled, *options)
    assert shown.stdout == ran.stdout
    assert "moment on sim: 2 points" in shown.stdout
    printed = dumbbell("run", moment, "--json").stdout
    assert dumbbell("results", "show", filled, "--json").stdout == printed


def test_everything_about_one_run(filled: Path) -> None:
    run_id = ids(filled)[2]
    text = dumbbell("results", "show", filled, run_id[:10]).stdout
    assert f'"run_id": "{run_id}"' in text
    assert f"{run_id}-" in text.splitlines()[-1]
    stored_run = json.loads(dumbbell("results", "show", filled, run_id, "--json").stdout)
    assert stored_run["point"] == {"path.buffer": "2 bdp"}
    assert stored_run["provenance"]["spec"]["path"]["rtt"] == "20 ms"
    done = dumbbell("results", "show", filled, "zz")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no run id begins" in done.stderr


def test_what_was_set_is_another_experiment_and_nothing_is_hidden_or_pruned(
    filled: Path, moment: Path, tmp_path: Path
) -> None:
    dumbbell("run", moment, "--set", "path.rtt=40 ms")
    labels = ["moment"] * 4 + ["moment [path.rtt=40 ms]"] * 4
    done = dumbbell("results", "list", filled)
    assert [re.split(r" {2,}", line)[1] for line in done.stdout.splitlines()[1:]] == labels
    assert done.stderr == ""
    shown = dumbbell("results", "show", filled).stdout
    assert re.findall(r"^moment.*(?= on sim)", shown, re.MULTILINE) == ["moment", "moment [path.rtt=40 ms]"]
    only = json_lines("results", "list", filled, "--experiment", labels[-1])
    assert [each["experiment"] for each in only] == labels[4:]
    unknown = dumbbell("results", "show", filled, "--experiment", "momnt")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert 'has no experiment "momnt"; did you mean "moment"?' in unknown.stderr
    assert dumbbell("results", "export", filled, tmp_path / "runs.csv").returncode == 0
    rows = (tmp_path / "runs.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == labels
    pruned = dumbbell("results", "prune", filled)
    assert (pruned.returncode, pruned.stderr) == (0, f"{filled}: 0 runs removed\n")


@pytest.fixture
def rebuilt(filled: Path, moment: Path) -> Path:
    """Four runs of an earlier build of the engine, and the same of today's."""
    execute(
        filled,
        "UPDATE campaign SET identity = 'earlier'",
        "UPDATE run SET run_id = substr(run_id, 9) || substr(run_id, 1, 8)",
        "UPDATE series SET file = 'ab/' || file",
    )
    assert dumbbell("run", moment).returncode == 0
    return filled


def test_runs_of_an_earlier_build_are_mentioned_listed_on_demand_and_pruned_if_one_says_so(rebuilt: Path) -> None:
    done = dumbbell("results", "list", rebuilt)
    assert len(done.stdout.splitlines()) == 5
    prune = "`dumbbell results prune` removes them\n"
    assert done.stderr == f"and 4 runs of earlier builds: --all has them, {prune}"
    everything = dumbbell("results", "list", rebuilt, "--all").stdout
    assert len(everything.splitlines()) == 9
    assert everything.count("moment (build earlier)") == 4
    counts = "moment (build earlier) on sim: 4 runs\n"
    assert dumbbell("results", "prune", rebuilt, "--dry-run").stderr == f"{counts}{rebuilt}: 4 runs would be removed\n"
    refused = dumbbell("results", "prune", rebuilt)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(counts)
    assert "--yes removes 4 runs" in refused.stderr
    assert dumbbell("results", "list", rebuilt, "--all").stdout == everything
    assert dumbbell("results", "prune", rebuilt, "--yes").stderr == f"{counts}{rebuilt}: 4 runs removed\n"
    assert len(dumbbell("results", "list", rebuilt, "--all").stdout.splitlines()) == 5


@pytest.mark.parametrize("options", [(), ("--all",)], ids=" ".join)
def test_runs_of_no_experiment_are_not_called_those_of_earlier_builds(filled: Path, options: tuple[str, ...]) -> None:
    execute(filled, "DELETE FROM member WHERE position < 2")
    done = dumbbell("results", "list", filled, *options)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)
    assert done.stderr == "and 2 runs of no experiment: `dumbbell results prune` removes them\n"


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "left"), [("n", 9), ("y", 5)])
def test_prune_asks_on_a_terminal(rebuilt: Path, answer: str, left: int) -> None:
    status, shown = answered(answer, "results", "prune", rebuilt)
    assert (status, "remove 4 runs? [y/N]" in shown) == (0, True)
    assert len(dumbbell("results", "list", rebuilt, "--all").stdout.splitlines()) == left


def test_damage_is_found_and_mended_by_running_again(filled: Path, moment: Path) -> None:
    assert dumbbell("results", "verify", filled).returncode == 0
    series = next(filled.glob("series/*/*.parquet"))
    series.write_bytes(series.read_bytes()[:-20])
    done = dumbbell("results", "verify", filled)
    assert done.returncode == 1
    assert series.name in done.stdout
    assert dumbbell("run", moment).returncode == 0
    assert dumbbell("results", "verify", filled).returncode == 0


def test_an_export_for_other_programs(filled: Path, tmp_path: Path) -> None:
    done = dumbbell("results", "export", filled, tmp_path / "flows.csv", "--table", "flows")
    assert (done.returncode, done.stdout) == (0, "")
    header, *rows = (tmp_path / "flows.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith(
        "run_id,experiment,engine,seed,status,path.buffer,path.buffer_bytes,path.buffer_bdp,flow,name,cc,"
    )
    assert len(rows) == 8
    assert dumbbell("results", "export", filled, tmp_path / "flows.xlsx").returncode == 2
