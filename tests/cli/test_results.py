from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import dumbbell

pytestmark = pytest.mark.slow


@pytest.fixture
def filled(moment: Path, store: Path) -> Path:
    """A store with four runs."""
    assert dumbbell("run", moment).returncode == 0
    return store


def ids(store: Path) -> list[str]:
    return [json.loads(line)["run_id"] for line in dumbbell("results", "list", store, "--json").stdout.splitlines()]


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


def test_the_table_is_that_of_the_campaign(filled: Path, moment: Path) -> None:
    ran = dumbbell("run", moment).stdout.splitlines()
    title, *shown = dumbbell("results", "show", filled).stdout.splitlines()
    assert title == "moment on sim"
    assert shown == ran
    printed = dumbbell("run", moment, "--json").stdout
    assert dumbbell("results", "show", filled, "--json").stdout == printed


def test_everything_about_one_run(filled: Path) -> None:
    run_id = ids(filled)[2]
    text = dumbbell("results", "show", filled, run_id[:10]).stdout
    assert f'"run_id": "{run_id}"' in text
    assert f"{run_id}-" in text.splitlines()[-1]
    found = json.loads(dumbbell("results", "show", filled, run_id, "--json").stdout)
    assert found["point"] == {"path.buffer": "2 bdp"}
    assert found["provenance"]["spec"]["path"]["rtt"] == "20 ms"
    done = dumbbell("results", "show", filled, "zz")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no run id begins" in done.stderr


def test_earlier_campaigns_are_mentioned_listed_on_demand_and_pruned(filled: Path, moment: Path) -> None:
    dumbbell("run", moment, "--set", "path.rtt=40 ms")
    done = dumbbell("results", "list", filled)
    assert len(done.stdout.splitlines()) == 5
    assert done.stderr.startswith("and 4 runs of earlier campaigns")
    assert len(dumbbell("results", "list", filled, "--all").stdout.splitlines()) == 9
    assert "4 runs would be removed" in dumbbell("results", "prune", filled, "--dry-run").stderr
    assert len(dumbbell("results", "list", filled, "--all").stdout.splitlines()) == 9
    assert "4 runs removed" in dumbbell("results", "prune", filled).stderr
    assert len(dumbbell("results", "list", filled, "--all").stdout.splitlines()) == 5


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
    assert header.startswith("run_id,experiment,engine,seed,status,path.buffer,flow,name,cc,")
    assert len(rows) == 8
    assert dumbbell("results", "export", filled, tmp_path / "flows.xlsx").returncode == 2


def test_what_is_no_store(tmp_path: Path) -> None:
    for command in ("list", "show", "verify", "prune"):
        done = dumbbell("results", command, tmp_path / "absent")
        assert (done.returncode, done.stdout) == (2, ""), command
        assert "no such store" in done.stderr
    assert dumbbell("results", "export", tmp_path / "absent", tmp_path / "x.csv").returncode == 2
    assert not (tmp_path / "absent").exists()
