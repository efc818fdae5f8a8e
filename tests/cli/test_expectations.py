"""`dumbbell run` of a spec with expectations: what it prints, its exit status, and its file for CI."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from commandline import MOMENT, count_stored_runs, dumbbell

HOLDS = '\n[[expect]]\nquantity = "utilization"\nat_least = "50 %"\nseeds = "all"\n'
FAILS = """
[[expect]]
quantity = "goodput"
of = "cubic"
at_least = "1 Gbit/s"
seeds = "all"
where = { "path.buffer" = "2 bdp" }
"""
UNDECIDED = '\n[[expect]]\nquantity = "goodput"\nof = "bbr"\nat_least = "1 Mbit/s"\n'
"""Of two seeds that differ."""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return tmp_path / "moment.toml"


@pytest.mark.parametrize(
    ("expected", "options", "status"),
    [
        (HOLDS, (), 0),
        (HOLDS, ("--strict",), 0),
        (HOLDS + FAILS, (), 1),
        (UNDECIDED, (), 0),
        (UNDECIDED, ("--strict",), 1),
        ("", ("--strict",), 2),
        ("", ("--junit", "junit.xml"), 2),
        (HOLDS.replace("utilization", "utilisation"), (), 2),
        (HOLDS, ("--junit", "nowhere/junit.xml"), 1),
    ],
)
def test_the_exit_status_says_whether_one_fails(
    expected: str, options: tuple[str, ...], status: int, spec: Path, store: Path
) -> None:
    spec.write_text(MOMENT + expected, encoding="utf-8")
    done = dumbbell("run", spec, "--out", store, *options)
    assert done.returncode == status, done.stderr


def test_expectations_are_printed_after_the_results_and_nothing_is_run_again_for_them(spec: Path, store: Path) -> None:
    spec.write_text(MOMENT + HOLDS, encoding="utf-8")
    first = dumbbell("run", spec, "--out", store)
    assert first.stdout.rstrip().endswith("2 expectations: 2 hold")
    spec.write_text(MOMENT + FAILS + UNDECIDED, encoding="utf-8")
    second = dumbbell("run", spec, "--out", store)
    assert "all there before" in second.stderr
    assert count_stored_runs(store) == 4
    assert second.stdout.rstrip().endswith("3 expectations: 1 fail, 2 undecided")
    assert max(map(len, second.stdout.splitlines())) <= 80
    said = " ".join(second.stderr.split())
    assert "fails: path.buffer = 2 bdp: goodput of cubic is" in said
    assert "undecided: path.buffer = 0.5 bdp: goodput of bbr is" in said
    page = store.with_name("page.html")
    assert dumbbell("report", store, "--out", page).returncode == 0
    assert "goodput of cubic is" in page.read_text(encoding="utf-8")


def test_json_has_the_runs_only(spec: Path, store: Path) -> None:
    spec.write_text(MOMENT + FAILS, encoding="utf-8")
    done = dumbbell("run", spec, "--out", store, "--json")
    assert done.returncode == 1
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 4
    assert "1 expectation: 1 fail" in done.stderr


def test_a_file_for_ci_has_a_case_an_expectation_and_point(spec: Path, store: Path, tmp_path: Path) -> None:
    spec.write_text(MOMENT + HOLDS + FAILS, encoding="utf-8")
    assert dumbbell("run", spec, "--out", store, "--junit", tmp_path / "junit.xml").returncode == 1
    (suite,) = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314 (our own file)
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("moment", "3", "1")
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert (properties["spec"], properties["engine"], properties["seeds"]) == (str(spec), "sim", "1 2")
    cases = {each.get("name"): each for each in suite.iter("testcase")}
    failing = "goodput of cubic at least 1 Gbit/s [path.buffer = 2 bdp]"
    assert list(cases)[-1] == failing
    assert "at least 1000 Mbit/s in 0 of 2 seeds" in (cases[failing].find("failure").get("message") or "")  # type: ignore[union-attr]
    assert float(cases[failing].get("time") or 0) > 0


def test_check_lists_them(spec: Path) -> None:
    spec.write_text(MOMENT + FAILS, encoding="utf-8")
    printed = dumbbell("check", spec, "--no-forecast").stdout
    assert "expects goodput of cubic at least 1 Gbit/s, where path.buffer = 2 bdp" in printed
    facts = json.loads(dumbbell("check", spec, "--no-forecast", "--json").stdout)
    assert facts["expectations"] == [{"text": "goodput of cubic at least 1 Gbit/s", "where": {"path.buffer": "2 bdp"}}]


def test_one_value_of_a_sweep_is_judged_by_what_is_about_it(spec: Path, store: Path) -> None:
    spec.write_text(MOMENT + FAILS, encoding="utf-8")
    assert dumbbell("run", spec, "--out", store, "--set", "path.buffer=2 bdp").returncode == 1
    other = dumbbell("run", spec, "--out", store, "--set", "path.buffer=0.5 bdp")
    assert other.returncode == 0
    assert "no point of the experiment has path.buffer = 2 bdp" in " ".join(other.stderr.split())


def test_groups_that_run_alone_are_not_judged(spec: Path, store: Path) -> None:
    harm = '\n[[expect]]\nquantity = "harm"\nof = "cubic"\nat_most = "100 %"\nseeds = "all"\n'
    spec.write_text(MOMENT + harm, encoding="utf-8")
    done = dumbbell("run", spec, "--out", store)
    assert done.returncode == 1
    assert "which `dumbbell run SPEC --harm` adds" in " ".join(done.stderr.split())
    assert dumbbell("run", spec, "--out", store, "--harm").returncode == 0
