from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import dumbbell, json_lines


@pytest.mark.long
def test_check_counts_the_runs_of_groups_alone(moment: Path) -> None:
    line = "moment: 2 points, 4 runs and 8 of a group alone, 36 simulated seconds"
    assert dumbbell("check", moment, "--harm").stdout.startswith(line)
    assert json.loads(dumbbell("check", moment, "--harm", "--json").stdout)["runs_alone"] == 8
    assert "alone" not in dumbbell("check", moment).stdout


def test_harm_adds_runs_once_and_is_in_the_table_from_then_on(moment: Path, store: Path) -> None:
    harmless = dumbbell("run", moment, "--columns", "share,harm")
    assert "harm is not known: it needs runs of each group alone, which `dumbbell run SPEC --harm` adds" in (
        " ".join(harmless.stderr.split())
    )
    done = dumbbell("run", moment, "--harm")
    assert "harm" in done.stdout
    assert "12 runs in " in done.stderr
    assert "(4 of them there before)" in done.stderr
    again = dumbbell("run", moment, "--columns", "share,harm")
    assert "harm is not known" not in again.stderr
    assert "(all there before)" in dumbbell("run", moment, "--harm").stderr
    harms = [line.split()[-1] for line in again.stdout.splitlines() if "cubic" in line][-2:]
    assert all(0 < float(word) < 100 for word in harms)
    assert [len(json_lines("results", "list", store, *options)) for options in ((), ("--all",))] == [4, 12]


def test_json_has_the_runs_of_groups_alone_last(moment: Path) -> None:
    results = json_lines("run", moment, "--harm")
    places = [each["point"].get("alone") for each in results]
    assert places == [None] * 4 + ["flows[0]", "flows[0]", "flows[1]", "flows[1]"] * 2
    assert [list(each["groups"]) for each in results[4:6]] == [["bbr"]] * 2
    planned = json_lines("run", moment, "--harm", "--dry-run")
    assert [each["run_id"] for each in planned] == [each["run_id"] for each in results]


def test_a_group_that_is_alone_already_has_no_harm(moment: Path) -> None:
    done = dumbbell("run", moment, "--harm", "--set", "alone=flows[0]")
    assert done.returncode == 2
    assert "alone: --harm needs at least two groups, and this leaves one; leave one of the two out" in done.stderr
