"""Every example: specs as a terminal has them, notebooks as they are kept."""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import notebook
from commandline import ROOT, dumbbell

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
SPECS = sorted(EXAMPLES.glob("*.toml"))
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
LONG = {"rtt-unfairness", "loss-sweep", "late-joiner", "order-of-start", "short-flows", "web"}
"""Examples that take more than five seconds of a core."""


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.long] * (name in LONG)


def test_there_are_examples() -> None:
    assert len(SPECS) >= 2


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


@pytest.mark.parametrize("spec", [pytest.param(each, marks=marks(each.stem), id=each.stem) for each in SPECS])
def test_what_a_run_prints_fits_the_terminal_and_uses_it(spec: Path, store: Path) -> None:
    wide: dict[int, int] = {}
    for width in (80, 120, 200):
        for options in ((), ("--each-seed",), ("--columns", "all")):
            done = dumbbell("run", spec, "--out", store, *options, COLUMNS=str(width))
            assert done.returncode == 0, done.stderr
            longest = max(done.stdout.splitlines(), key=len)
            assert len(longest) <= width, longest
            if not options:
                wide[width] = max(map(len, done.stdout.partition("\n\n")[2].splitlines()))
    assert wide[80] < wide[120], "more columns where there is room"


def test_two_flows(store: Path) -> None:
    done = dumbbell("run", EXAMPLES / "two-flows.toml", "--out", store)
    assert done.returncode == 0
    table = done.stdout.partition("\n\n")[2]
    assert len(re.findall(r"^ *(?:\d.*bdp  )?(?:bbr|cubic) ", table, re.MULTILINE)) == 3 * 2
    columns = ("goodput", "share", "fair", "RTT", "queue loss")  # what a newcomer asks for first, at 80 columns
    assert all(column in table for column in columns)


def test_the_example_of_a_quic_stack_reads() -> None:
    """Nothing more is done here: the stack is not ours to install."""
    done = dumbbell("check", EXAMPLES / "quic" / "aioquic.toml")
    assert done.returncode == 0, done.stderr
    assert "6 points, 18 runs" in done.stdout
    program = EXAMPLES / "quic" / "upload.py"
    compile(program.read_text(encoding="utf-8"), program.name, "exec")


QUESTIONS = ("cdn", "downloads", "late-joiner", "loss-sweep", "narrow-uplink", "order-of-start", "rtt-unfairness")


@pytest.mark.parametrize("name", [pytest.param(each, marks=marks(each)) for each in QUESTIONS])
def test_the_first_thing_that_is_printed_is_the_answer_that_the_spec_tells(name: str, store: Path) -> None:
    spec = EXAMPLES / f"{name}.toml"
    done = dumbbell("run", spec, "--out", store)
    assert done.returncode == 0, done.stderr
    answer = " ".join(done.stdout.partition("\n\n")[0].splitlines())
    head, _, _ = spec.read_text(encoding="utf-8").partition("\nname = ")
    lines = [line.removeprefix("#     ") for line in head.partition("It answers")[2].splitlines() if "#     " in line]
    assert " ".join(lines) == answer


@cache
def ran(path: Path) -> tuple[list[list[dict[str, Any]]], dict[str, Any]]:
    """What each cell of a notebook shows when it is run, and the names that there are then."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return list(notebook.outputs(notebook.read(path), path.name, names)), names


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_and_shows_what_is_kept_in_it(path: Path) -> None:
    saved_outputs = [cell["outputs"] for cell in notebook.code_cells(notebook.read(path))]
    shown, _ = ran(path)
    assert [list(map(_without_pictures, each)) for each in saved_outputs] == [
        list(map(_without_pictures, each)) for each in shown
    ]
    data = [output["data"] for each in saved_outputs for output in each if "data" in output]
    pictures = [base64.b64decode(each[notebook.PICTURE]) for each in data if notebook.PICTURE in each]
    assert len(pictures) >= 2
    assert all(each.startswith(b"\x89PNG") for each in pictures)
    assert path.stat().st_size < 1_000_000


def _without_pictures(output: dict[str, Any]) -> dict[str, Any]:
    """An output without the pixels, which are the renderer's."""
    return output | {"data": {kind: own for kind, own in output.get("data", {}).items() if kind != notebook.PICTURE}}


@pytest.mark.long
def test_what_the_notebooks_conclude_is_so() -> None:
    (_, look), (_, choice) = map(ran, NOTEBOOKS)
    share = look["means"].query("group == 'bbr' and quantity == 'share'").set_index("path.buffer_bdp")["mean"]
    assert share[0.5] > 80
    assert share[8] < 50
    times, neighbours = choice["at_half_a_percent"], choice["neighbours"]
    clean = choice["downloads"].means("fct").query("`path.loss_ratio` == 0")["mean"]
    assert times["bbr"] < 1.1 * clean.max() < times[["reno", "cubic"]].min() / 3
    assert neighbours["bbr"] < 20 < neighbours[["reno", "cubic"]].min()
