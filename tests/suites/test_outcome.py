"""Outcomes of scenarios by runs that are made up: what decides, and by how much."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from dumbbell.experiment.points import ExperimentRuns
from dumbbell.report.suite import page_of
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from dumbbell.spec import Experiment
from dumbbell.suites import Scenario, ScenarioOutcome, counts, load, outcome_of, table
from dumbbell.suites.outcome import sentence

SCENARIO = Scenario(section="1", title="made up", measures="Nothing.")
NAN = math.nan
HALF = {"quantity": "goodput", "of": "tested", "at_least": {"against": "flows[0].cc", "times": 0.5}}
LEVEL = {"quantity": "goodput", "of": "tested", "at_most": "20 Mbit/s"}


def outcome(tmp_path: Path, expect: list[dict[str, Any]], *points: tuple[list[float], list[float]]) -> ScenarioOutcome:
    """Of points of two buffers, each with what the baseline has and what the algorithm has, in Mbit/s."""
    buffers = ["1 bdp", "2 bdp"][: len(points)]
    experiment = Experiment(
        name="made-up", duration="4 s", seeds=3, path={"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": buffers},
        flows=[{"name": "tested", "cc": ["cubic", "bbr"]}], expect=expect,
    )  # fmt: skip
    numbers = [each for pair in points for each in pair]
    measured = [
        MeasuredPoint(
            swept=experiment.point(nth).values, run_ids={seed: f"run{nth}-{seed}" for seed in range(1, len(own) + 1)},
            errors=dict.fromkeys(range(len(own) + 1, 4), "it broke"), ccs={"tested": "cubic"},
            numbers={("goodput", "tested"): [value * 1e6 for value in own]},
        )
        for nth, own in enumerate(numbers)
    ]  # fmt: skip
    runs = ExperimentRuns(name="made-up", engine="sim", points=measured, experiment=experiment)
    with Store.open(tmp_path / "store", write=True) as store:
        return outcome_of(store, "made-up", SCENARIO, runs, ["flows[0].cc"], "bbr")


@pytest.mark.parametrize(
    ("expect", "baseline", "own", "status", "margin", "shown"),
    [
        (HALF, [8.0, 8.1, 8.2], [6.0, 6.1, 6.2], "holds", "50.6 % to spare", (6.1, 8.1)),
        (HALF, [8.0, 8.1, 8.2], [2.0, 2.1, 2.2], "fails", "48.1 % beyond", (2.1, 8.1)),
        (HALF, [8.0, 8.1, 8.2], [2.0, 4.1, 6.2], "undecided", "1.23 % to spare", (4.1, 8.1)),
        (HALF, [8.0, 8.1, 8.2], [NAN, NAN, 9.0], "fails", "never", (None, 8.1)),
        (HALF, [NAN, NAN, NAN], [2.0, 4.1, 6.2], "undecided", "no baseline", (4.1, None)),
        (LEVEL, [8.0, 8.1, 8.2], [24.0, 24.1, 24.2], "fails", "20.5 % beyond", (24.1, 8.1)),
        (LEVEL, [8.0, 8.1, 8.2], [240.0, 241.0, 242.0], "fails", "12.1 x the bound", (241.0, 8.1)),
        (LEVEL, [28.0, 28.1, 28.2], [4.0, 4.1, 4.2], "holds", "79.5 % to spare", (4.1, 28.1)),
    ],
)  # fmt: skip
def test_a_finding_says_by_how_much(  # noqa: PLR0913, PLR0917 (a row of the table)
    expect: dict[str, Any], baseline: list[float], own: list[float], status: str, margin: str,
    shown: tuple[float | None, float | None], tmp_path: Path,
) -> None:  # fmt: skip
    made = outcome(tmp_path, [expect], (baseline, own))
    (finding,) = made.findings
    assert (made.status, finding.decisive.verdict, finding.margin) == (status, status, margin)
    assert [finding.ours, finding.baseline] == pytest.approx(shown)
    assert finding.unit == "Mbit/s"


def test_the_worst_point_of_the_worst_expectation_decides(tmp_path: Path) -> None:
    near, far = ([8.0, 8.1, 8.2], [3.9, 3.95, 4.0]), ([8.0, 8.1, 8.2], [1.0, 1.1, 1.2])
    made = outcome(tmp_path, [LEVEL, HALF], near, far)
    level, half = made.findings
    assert (made.status, made.decisive) == ("fails", half)
    assert (level.decisive.verdict, level.holding, level.points) == ("holds", 2, 2)
    assert (half.place, half.holding, half.points) == ("path.buffer = 2 bdp", 0, 2)
    assert sentence(half).startswith("fails at path.buffer = 2 bdp: goodput of tested - 0.5 x that with cubic is -2.95")
    assert {each.swept["flows[0].cc"] for each in made.verdicts} == {"bbr"}  # a level is not judged of the baseline


def test_a_point_where_neither_has_such_a_number_does_not_count(tmp_path: Path) -> None:
    nothing = [NAN, NAN, NAN]
    (finding,) = outcome(tmp_path, [HALF], (nothing, nothing), ([8.0, 8.1, 8.2], [6.0, 6.1, 6.2])).findings
    assert (finding.decisive.verdict, finding.points, finding.holding) == ("holds", 1, 1)
    (finding,) = outcome(tmp_path / "all", [HALF], (nothing, nothing)).findings
    assert (finding.decisive.verdict, finding.margin) == ("undecided", "no baseline")


@pytest.mark.parametrize(
    ("own", "baseline", "verdict", "margin"),
    [
        ([], [8.0, 8.1, 8.2], "undecided", "runs failed"),
        ([6.0, 6.1], [8.0, 8.1, 100.0], "undecided", "50.3 % to spare"),
        ([2.0, 2.1], [8.0, 8.1, 0.0], "undecided", "49.1 % beyond"),
    ],
)
def test_means_are_of_seeds_whose_runs_did_not_fail(
    own: list[float], baseline: list[float], verdict: str, margin: str, tmp_path: Path
) -> None:
    (finding,) = outcome(tmp_path, [HALF], (baseline, own)).findings
    assert (finding.decisive.verdict, finding.margin) == (verdict, margin)


def test_a_table_and_a_page_have_what_was_not_run_with_its_reason(tmp_path: Path) -> None:
    suite = load("nsperf")
    missing = ScenarioOutcome(name="x", scenario=SCENARIO, status="missing", why="nothing has it")
    refused = ScenarioOutcome(name="y", scenario=SCENARIO, status="refused", why="path.loss: not here")
    holds = outcome(tmp_path, [HALF], ([8.0, 8.1, 8.2], [6.0, 6.1, 6.2]))
    named = ScenarioOutcome(
        name="coexist", scenario=holds.scenario, status="holds", findings=holds.findings, verdicts=holds.verdicts
    )
    outcomes = [missing, refused, named]
    assert counts(outcomes) == "3 scenarios: 1 holds, 1 refused, 1 missing".replace("holds", "hold")
    rows = table(outcomes, "bbr", "cubic").rows
    assert [row[-1] for row in rows] == ["missing", "refused", "holds"]
    page = page_of(suite, outcomes, "bbr", "cubic", "sim", "dumbbell suite run nsperf", short=True)
    text = page.write(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "missing: nothing has it" in text
    assert "refused: path.loss: not here" in text
    assert "This is the short form" in text
    assert "coexist.toml" in text
    assert "&#34;16 bdp&#34;" in text  # the spec itself
