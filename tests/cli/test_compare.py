"""`dumbbell compare` as a user has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agreed import Scaled
from commandline import dumbbell
from compared import kept

pytestmark = pytest.mark.slow


@pytest.fixture
def stock(tmp_path: Path) -> Path:
    return kept(tmp_path / "stock")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return kept(tmp_path / "mine", Scaled(0.9))


def test_a_store_against_itself_is_the_same(stock: Path) -> None:
    done = dumbbell("compare", stock, stock, "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows = [line for line in done.stdout.splitlines() if line.startswith(("metric", "goodput", "queue loss"))]
    assert head.split()[-3:] == ["over", "all", "points"]
    assert {row.split()[-1] for row in rows} == {"same"}
    assert "4 pairs of runs at 2 points" in done.stdout
    assert "None of" in done.stdout


def test_what_differs_is_shown_and_the_rest_on_demand(stock: Path, mine: Path) -> None:
    done = dumbbell("compare", stock, mine)
    assert (done.returncode, done.stderr) == (0, "")
    assert "of double" in done.stdout
    table = done.stdout[done.stdout.index("path.buffer") :]
    assert all(" worse" in line or " lower" in line for line in table.splitlines()[1:-1])
    assert table.splitlines()[-1] == "--all shows every point"
    everything = dumbbell("compare", stock, mine, "--all").stdout
    assert len(everything.splitlines()) > len(done.stdout.splitlines())
    assert "--all" not in everything


def test_strict_fails_where_b_is_worse(stock: Path, mine: Path) -> None:
    worse = dumbbell("compare", stock, mine, "--strict")
    assert worse.returncode == 1
    assert "worse: total goodput\n" in worse.stderr
    better = dumbbell("compare", mine, stock, "--strict")
    assert (better.returncode, better.stderr) == (0, "")


def test_strict_fails_where_a_run_of_b_failed(stock: Path, tmp_path: Path) -> None:
    done = dumbbell("compare", stock, kept(tmp_path / "failing", Scaled(failing=(2,))), "--strict")
    assert done.returncode == 1
    assert "worse: 2 runs failed in B that A finished" in done.stderr
    assert "2 runs of B not paired: failed (the first is moment, path.buffer = 0.5 bdp, seed 2: a bug)" in done.stderr


def test_json_is_an_object_a_row(stock: Path, mine: Path) -> None:
    done = dumbbell("compare", stock, mine, "--json", "--metrics", "total_goodput")
    assert done.returncode == 0
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["row"] for each in found] == ["overall", "point", "point"]
    assert found[0]["relative"] == pytest.approx(-0.1, abs=0.001)


def test_the_page_is_written(stock: Path, mine: Path, tmp_path: Path) -> None:
    done = dumbbell("compare", stock, mine, "--html", tmp_path / "page.html", "--metrics", "loss,goodput")
    assert (done.returncode, done.stderr) == (0, f"{tmp_path / 'page.html'}\n")
    assert f"dumbbell compare {stock} {mine} --metrics loss,goodput" in (tmp_path / "page.html").read_text("utf-8")
    (tmp_path / "file").touch()
    blocked = dumbbell("compare", stock, mine, "--html", tmp_path / "file" / "page.html")
    assert blocked.returncode == 1
    assert "cannot write the report" in blocked.stderr


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("STORE", "absent", "absent: no such store"),
        ("STORE", "@engine=linux", 'has no run of engine "linux"; known: sim'),
        ("STORE", "@nonsense", "selects nothing"),
        ("@cc=bbr", "@cc=cubic", "names no store"),
        ("STORE@path.buffer=2 bdp", "@path.buffer=0.5 bdp", "no two of them were asked the same"),
    ],
)
def test_bad_input_exits_2_with_one_line(a: str, b: str, words: str, stock: Path) -> None:
    done = dumbbell("compare", a.replace("STORE", str(stock)), b)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_metric_that_does_not_exist(stock: Path) -> None:
    done = dumbbell("compare", stock, stock, "--metrics", "goodputs")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'unknown "goodputs"; did you mean "goodput"?' in done.stderr
