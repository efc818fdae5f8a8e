"""Single flows from the command line to the page and the documentation. Other engines are the simulator, renamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dumbbell.agreement import curves
from dumbbell.agreement.curves import conditions
from dumbbell.agreement.curves.chart import figure
from dumbbell.agreement.curves.conditions import LOSS_BASED, MODEL_BASED, PATHS
from dumbbell.agreement.curves.record import Curves
from dumbbell.cli.main import app
from dumbbell.engines import registry
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.report import curves as page
from dumbbell.spec import Run
from webpage import Webpage

pytestmark = pytest.mark.slow

LARGEST_JSON_BYTES = 300_000
FEWER = MODEL_BASED[:2]
QUICK = ("--set", "duration=20 s", "--seeds", "1", "--floor", "1")


class Shrunk(SimEngine):
    """The simulator, whose windows are told a tenth smaller; fails at one rate if it is given one."""

    name = "shrunk"

    def __init__(self, share: float, failing_at_bps: int = 0) -> None:
        self.share, self.failing_at_bps = share, failing_at_bps

    def identity(self) -> str:
        return f"shrunk {self.share} {self.failing_at_bps}"

    def measure(self, run: Run) -> Measurement:
        if run.path.rate_bps == self.failing_at_bps:
            raise EngineFailure("a bug")
        found = super().measure(run)
        (flow,) = found.flows
        cwnd = (flow.series.cwnd_segments * self.share).round().astype(flow.series.cwnd_segments.dtype)
        return replace(found, flows=(replace(flow, series=replace(flow.series, cwnd_segments=cwnd)),))


@pytest.fixture(scope="module", autouse=True)
def _engines_and_fewer_conditions() -> Iterator[None]:
    found: dict[str, Engine] = {"same": Shrunk(1.0), "less": Shrunk(0.9), "failing": Shrunk(1.0, 80_000_000)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "engine", lambda name: found.get(name) or SimEngine())
        patch.setattr(conditions, "PATHS", PATHS[:2])
        patch.setattr(conditions, "MODEL_BASED", FEWER)
        yield


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("curves") / "store"


def agree(store: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["agree", "--curves", *QUICK, "--out", *map(str, (store, *arguments))])


@pytest.fixture(scope="module")
def stored(store: Path) -> dict[str, Any]:
    done = agree(store, "--engines", "same,sim", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_algorithm_is_alone_on_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "PATHS", PATHS)
    monkeypatch.setattr(conditions, "MODEL_BASED", MODEL_BASED)
    found = list(conditions.experiments())
    assert len({each.name for each in found}) == len(found) == 3 * 7
    for each in found:
        (flow,) = each.words()["flows"]
        assert set(flow) == {"cc"}


def test_the_same_model_holds_every_limit_and_its_json_is_small(stored: dict[str, Any]) -> None:
    found = Curves.model_validate(stored)
    assert found.holds
    assert len(found.cases) == 8
    compared = [each for case in found.cases for each in case.comparisons]
    assert len(compared) > 4 * 5 + 4 * 14
    assert not any(each.difference for each in compared)
    assert any(each.noise for each in compared)
    assert len(json.dumps(stored)) < LARGEST_JSON_BYTES * 8 / 21
    assert all(len(curve.reference) <= 240 for case in found.cases for curve in case.curves)


def test_a_window_a_tenth_smaller_breaks_limits_and_exits_1(store: Path) -> None:
    done = agree(store, "--engines", "less,sim")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("shrunk over sim: one flow, 4 algorithms, 8 conditions; 1 seed an engine, 1 more of sim")
    assert lines[2].split() == [
        "algorithm", "path", "quantity", "sim", "shrunk", "difference", "limit", "noise", "verdict",
    ]  # fmt: skip
    assert " limits hold. Broken: " in lines[-1]
    before = next(line for line in lines if line.startswith("cubic") and "cwnd before a reduction" in line)
    assert before.endswith("broken")
    assert "-10.4 %" in before  # 60 of 67 segments
    bandwidth = next(line for line in lines if line.startswith("bbr ") and "bandwidth estimate, median" in line)
    assert bandwidth.endswith("holds")


def test_a_condition_that_fails_is_told_and_exits_1(store: Path) -> None:
    done = agree(store, "--engines", "failing,sim")
    assert done.exit_code == 1
    assert "failed: curve-bbr-2: shrunk, seed 1: a bug" in done.stderr
    assert any(line.startswith("bbr ") and "10.0 Mbit/s" in line for line in done.stdout.splitlines())


def test_the_page_is_whole_and_has_every_limit_and_every_curve(store: Path, tmp_path: Path) -> None:
    done = agree(store, "--engines", "less,sim", "--html", tmp_path / "page.html", "--json")
    assert done.stderr == f"{tmp_path / 'page.html'}\n"
    found = Curves.model_validate_json(done.stdout)
    html = Webpage((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert (html.open, html.requests()) == ([], [])
    (plots,) = [json.loads(text) for element, text in html.scripts if element.get("id") == "plots"]
    assert set(plots) == {case.name for case in found.cases if case.curves}
    assert [option["value"] for option in html.named("option")] == list(plots)
    for words in ("✓ holds", "✗ broken", "cwnd before a reduction", "dumbbell agree --curves --set 'duration=20 s'"):
        assert words in html.said
    anchors = {link["href"].removeprefix("#") for link in html.named("a")}
    assert anchors <= {element["id"] for _, element in html.elements if "id" in element}
    assert len(page.compose(found).rows) == sum(len(case.comparisons) for case in found.cases)


def test_the_section_and_the_figure_are_made_from_the_json_alone(stored: dict[str, Any], tmp_path: Path) -> None:
    text = curves.section(stored, figures="drawn")
    assert text == curves.section(json.loads(json.dumps(stored)), figures="drawn")
    assert text.startswith("## Curves of single flows: `shrunk` over `sim`\n")
    assert "$ dumbbell agree --curves --set 'duration=20 s' --engines shrunk,sim --seeds 1" in text
    assert "(drawn/curves.png)" in text
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("| ")]
    assert len(tables) == 2
    for rows in tables:
        assert len({row.count(" | ") for row in rows}) == 1
    first, second = (curves.draw(stored, tmp_path / name) for name in "ab")
    assert [path.name for path in first] == ["curves.png"]
    assert first[0].read_bytes() == second[0].read_bytes()


def test_the_figure_has_a_panel_for_every_algorithm(stored: dict[str, Any]) -> None:
    chart = figure(Curves.model_validate(stored))
    assert chart is not None
    assert {panel.title.partition(":")[0] for panel in chart.panels} == {*LOSS_BASED, *FEWER}
    for panel in chart.panels:
        assert [layer.label for layer in panel.layers][-2:] == ["sim", "shrunk"]


def test_what_is_broken_is_in_the_section(store: Path) -> None:
    text = curves.section(json.loads(agree(store, "--engines", "less,sim", "--json").stdout))
    assert "### Beyond the limit" in text
    assert "**10.4 % (" in text


def test_nothing_compared_is_no_figure(stored: dict[str, Any], tmp_path: Path) -> None:
    empty = stored | {"cases": [], "holds": False}
    assert curves.draw(empty, tmp_path) == []
    assert "Nothing was compared." in curves.section(empty)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("flows[0].count=2", "flows: curves are those of a single flow; there are 2"),
        ("measure.record=summary", 'measure.record: "summary" keeps no series to make curves of; write "series"'),
        ("measure.sample=320 ms", "measure.sample: 320 ms is too long: a curve needs a sample in each base RTT, 40 ms"),
    ],
)
def test_what_has_no_curves_is_told_before_anything_is_run(setting: str, told: str, tmp_path: Path) -> None:
    done = agree(tmp_path / "store", "--engines", "sim,sim", "--set", setting)
    assert told in str(done.exception).splitlines()
    assert not (tmp_path / "store").exists()


def test_a_sample_an_rtt_is_enough(tmp_path: Path) -> None:
    done = agree(
        tmp_path / "store", "--engines", "sim,sim", "--json", "--set", "measure.sample=20 ms", "--set", "path.rtt=20 ms"
    )
    assert Curves.model_validate_json(done.stdout).cases
