"""The suites that are there: each scenario is a spec that reads, and its short form runs in a second."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from dumbbell.campaign.execution import run_experiments
from dumbbell.campaign.plan import count
from dumbbell.engines.registry import engine
from dumbbell.errors import SuiteError
from dumbbell.experiment.points import read_campaign
from dumbbell.results.campaign import campaign_of, numbered
from dumbbell.results.store import Store
from dumbbell.spec import SpecError
from dumbbell.spec import load as load_spec
from dumbbell.suites import Suite, baseline_of, experiment_of, load, names, outcome_of, refused
from dumbbell.suites.manifest import FILE
from dumbbell.suites.scenario import fields_in_question

SUITES = [load(name) for name in names()]
SECTIONS = {
    "rfc9743": (24, 22),
    "tcpeval": (7, 7),
    "nsperf": (5, 5),
    "rfc7928": (13, 12),
    "rfc8867": (10, 10),
    "l4s": (6, 6),
    "picoquic": (7, 7),
}
"""Of each document: sections with scenarios, and those of which one runs."""
SHORT_S = 60.0
"""What the engine may take for all short forms together."""


def runnable(suite: Suite) -> list[str]:
    return [name for name, scenario in suite.manifest.scenarios.items() if not scenario.missing]


EACH = [(suite, name) for suite in SUITES for name in runnable(suite)]


def test_of_every_document_all_sections_are_there() -> None:
    assert set(names()) == set(SECTIONS)
    for suite in SUITES:
        scenarios = suite.manifest.scenarios.values()
        runs = {each.section for each in scenarios if not each.missing}
        assert (len({each.section for each in scenarios}), len(runs)) == SECTIONS[suite.name], suite.name


def test_what_is_missing_cannot_be_read_as_a_spec() -> None:
    """Else nothing is missing any more: take `missing` out of its manifest."""
    for suite in SUITES:
        for name, scenario in suite.manifest.scenarios.items():
            if scenario.missing and suite.spec(name).exists():
                with pytest.raises(SpecError):
                    load_spec(suite.spec(name))


def test_each_spec_is_a_scenario_and_each_scenario_that_runs_has_a_spec() -> None:
    for suite in SUITES:
        specs = {file.stem for file in suite.folder.glob("*.toml") if file.name != FILE}
        scenarios = suite.manifest.scenarios
        assert set(runnable(suite)) <= specs <= set(scenarios)
        assert all(each.section and each.title and each.measures for each in scenarios.values())
        assert all(scenarios[name].short for name in runnable(suite))


@pytest.mark.parametrize(("suite", "name"), EACH, ids=[f"{suite.name}-{name}" for suite, name in EACH])
def test_a_scenario_is_an_ordinary_spec_with_a_baseline(suite: Suite, name: str) -> None:
    experiment = load_spec(suite.spec(name))
    fields = fields_in_question(suite, name)
    assert fields[0] == "flows[0].cc"
    assert all(experiment.get(field) == ["cubic", "bbr"] for field in fields)
    assert experiment.expectations
    assert len(experiment.seed_values) == 3
    pairs = len(experiment) / 2  # one point of the baseline for each of the algorithm: its groups vary together
    others = {axis.path: axis.values for axis in experiment.axes if axis.path not in fields}
    bundles = [each for each in experiment.bundles if not set(each) & set(fields)]
    product = 1
    for bundle in bundles:
        product *= len(others[bundle[0]])
    assert pairs == product
    assert not refused(experiment, engine("sim"))


def test_no_expectation_names_an_algorithm_in_question() -> None:
    """A bound is the baseline's, or the document's: it does not depend on who is judged."""
    for suite, name in EACH:
        text = suite.spec(name).read_text(encoding="utf-8")
        for expectation in tomllib.loads(text)["expect"]:
            assert not {"flows[0].cc", "flows[1].cc"} & set(expectation.get("where", {})), (suite.name, name)


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES, ids=names())
def test_short_forms_run_and_are_judged(suite: Suite, tmp_path: Path) -> None:
    sim = engine("sim")
    experiments = {name: experiment_of(suite, name, "bbr", short=True) for name in runnable(suite)}
    wall_s = 0.0
    with Store.open(tmp_path, write=True) as store:
        for _ in run_experiments(store, list(experiments.values()), sim):
            pass
        for name, experiment in experiments.items():
            campaign = numbered(store.ledger, campaign_of(store.ledger, experiment, sim.name, sim.identity()))
            runs = read_campaign(store, campaign, experiment)
            assert (runs.failed, runs.measured) == (0, count(experiment)), name
            scenario = suite.manifest.scenarios[name]
            outcome = outcome_of(store, name, scenario, runs, fields_in_question(suite, name), "bbr")
            assert outcome.status in {"holds", "fails", "undecided"}
            wall_s += outcome.wall_s
            assert outcome.decisive in outcome.findings
            full = experiment_of(suite, name, "bbr")
            assert count(experiment) < count(full), name
    assert wall_s < SHORT_S / len(SUITES)


def test_what_is_misspelt_has_a_hint() -> None:
    with pytest.raises(SuiteError, match='no suite "rfc9473"; did you mean "rfc9743"'):
        load("rfc9473")
    with pytest.raises(SuiteError, match='no scenario "harms"; did you mean "harm"'):
        load("rfc9743").selected(["harms"])
    with pytest.raises(SuiteError, match="bbr is compared with itself"):
        experiment_of(load("nsperf"), "coexist", "bbr", "bbr")


def test_the_baseline_of_a_suites_own_is_reno() -> None:
    assert [baseline_of(load("rfc9743"), each) for each in ("bbr", "reno", "cubic")] == ["cubic", "cubic", "reno"]
    experiment = experiment_of(load("rfc9743"), "own-late-joiner", "cubic")
    assert experiment.get("flows[0].cc") == experiment.get("flows[1].cc") == ["reno", "cubic"]
