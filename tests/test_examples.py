"""Every spec among the examples, and the notebook's cells, one after the other, as a notebook would run them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from commandline import ROOT, dumbbell
from dumbbell.charts.chart import Chart
from dumbbell.charts.notebook import show

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
SPECS = sorted(EXAMPLES.glob("*.toml"))
NOTEBOOK = EXAMPLES / "first-look.ipynb"


def test_there_are_examples() -> None:
    assert len(SPECS) >= 2


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.name)
def test_every_spec_can_be_run(spec: Path) -> None:
    done = dumbbell("check", spec)
    assert done.returncode == 0, done.stderr
    assert "sim: can run it" in done.stdout


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.name)
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


QUESTIONS = ("cdn", "downloads", "late-joiner", "loss-sweep", "rtt-unfairness")


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_first_thing_that_is_printed_is_the_answer_that_the_spec_tells(name: str, store: Path) -> None:
    spec = EXAMPLES / f"{name}.toml"
    done = dumbbell("run", spec, "--out", store)
    assert done.returncode == 0, done.stderr
    answer = " ".join(done.stdout.partition("\n\n")[0].splitlines())
    head, _, _ = spec.read_text(encoding="utf-8").partition("\nname = ")
    told = " ".join(line.lstrip("# ") for line in head.partition("It answers")[2].splitlines()[1:])
    assert told.strip() == answer


def cells() -> list[dict[str, Any]]:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    found: list[dict[str, Any]] = notebook["cells"]
    return found


def test_it_is_kept_without_its_results() -> None:
    code = [cell for cell in cells() if cell["cell_type"] == "code"]
    assert len(code) >= 5
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in code)


def test_every_cell_runs_and_the_charts_have_what_the_text_says() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells()):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, cell {number}", "exec"), names)  # noqa: S102
    charts = [each for each in names.values() if isinstance(each, Chart)]
    assert [len([layer for layer in chart.panels[0].layers if layer.y]) for chart in charts] == [2, 2]
    for chart in charts:
        shown = show(chart)._repr_mimebundle_()
        assert set(shown) == {"application/vnd.vegalite.v6+json", "image/png"}
    assert len(names["results"]) == 15
    share = names["share"]["mean"]
    assert share.loc["0.5 bdp", "bbr"] > 0.7
    assert share.loc["8 bdp", "cubic"] > share.loc["0.5 bdp", "cubic"]
