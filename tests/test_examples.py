"""Every spec among the examples, and the notebook's cells, one after the other, as a notebook would run them."""

from __future__ import annotations

import json
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


def test_two_flows() -> None:
    done = dumbbell("run", EXAMPLES / "two-flows.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1 + 3 * 2 * 2


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
