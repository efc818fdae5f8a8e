"""Studies as files: found by name, complete, and clear about what is wrong with them."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import pytest

from dumbbell import studies
from dumbbell.campaign.local import plan, refusals
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import Problem, Run, SpecError
from dumbbell.studies import Study, StudyError
from dumbbell.studies.study import read

HOME = Path(studies.__file__).parent
CLAIMS = import_module("dumbbell.studies.claypool2019.claims")
FIGURES = import_module("dumbbell.studies.claypool2019.figures")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a study, to break."""
    copy = tmp_path / "claypool2019"
    shutil.copytree(HOME / "claypool2019", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_every_study_is_there_and_whole() -> None:
    assert studies.names() == ("claypool2019",)
    for name in studies.names():
        study = studies.load(name)
        assert study.name == name
        assert all((study.title, study.citation, study.short, study.summary, study.testbed, study.here))
        assert len({claim.id for claim in study.claims}) == len(study.claims) > 0
        assert len({each.name for each in study.experiments.values()}) == len(study.experiments)
        for claim in study.claims:
            assert set(claim.why) <= set(study.variants)
            assert claim.id in study.readme
        for experiment in study.experiments.values():
            assert refusals(experiment, SimEngine()) == []
            assert {planned.point[study.axis] for planned in plan(experiment)} == set(study.variants)


def test_unknown_studies_are_answered_with_the_known_ones() -> None:
    with pytest.raises(StudyError, match='unknown study "claypol2019"; did you mean "claypool2019"'):
        studies.load("claypol2019")
    with pytest.raises(StudyError, match="known: claypool2019"):
        studies.load("../results")


def test_more_seeds() -> None:
    study = studies.load("claypool2019", seeds=7)
    assert {len(each.seed_values) for each in study.experiments.values()} == {7}
    assert study.total() == 7 * (18 + 18 + 2)


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("study.toml", "[[figures]]", "[[figures", "study.toml is not TOML"),
        ("study.toml", 'name = "figure7"', 'name = "figure70"', "figure figure70: nothing draws it"),
        ("study.toml", 'experiment = "figure7"', 'experiment = "figure70"', 'there is no experiment "figure70"'),
        ("study.toml", '"figure7", "fig', '"figure70", "fig', "figure70.toml cannot be read"),
        ("claims.toml", '"loss_at_1_bdp"', '"loss_at_1bdp"', 'claim S9: there is no metric "loss_at_1bdp"'),
    ],
    ids=["broken", "undrawn", "shows nothing", "no file", "no metric"],
)
def test_files_that_contradict_one_another(folder: Path, file: str, old: str, new: str, told: str) -> None:
    assert read(folder, CLAIMS, FIGURES).name == "claypool2019"
    edit(folder / file, old, new)
    with pytest.raises(StudyError) as caught:
        read(folder, CLAIMS, FIGURES)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_experiment_with_problems(folder: Path) -> None:
    edit(folder / "figure7.toml", '"80 Mbit/s"', '"80 mbps"')
    with pytest.raises(SpecError, match=r"path\.rate"):
        read(folder, CLAIMS, FIGURES)


@pytest.fixture
def brief(folder: Path) -> Study:
    """The study with runs that are over in a moment."""
    for name in ("figure4b", "figure7", "figure10"):
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        text = text.replace('"300 s"', '"40 s"').replace('"80 Mbit/s"', '"8 Mbit/s"')
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return read(folder, CLAIMS, FIGURES, seeds=2)


def test_a_study_is_carried_out_judged_and_drawn(brief: Study, tmp_path: Path) -> None:
    seen = []
    with Store.open(tmp_path / "store", write=True) as store:
        assert brief.run(store, "sim", 2, lambda: seen.append(1)) == []
        verdicts = brief.judge(store, "sim")
        charts = brief.charts(store, SimEngine())
    assert len(seen) == brief.total()
    assert [(each.claim, each.variant) for each in verdicts] == [
        (claim.id, variant) for claim in brief.claims for variant in ("bbr", "bbr_4_17")
    ]
    assert {each.verdict for each in verdicts} <= {"reproduced", "not reproduced"}
    for each in verdicts:
        assert each.engine == "sim"
        assert each.reason
        assert [check.seeds for check in each.checks] == [2] * len(each.checks)
    assert [chart.name for chart in charts] == ["figure4b", "figure7", "figure10"]


def test_a_store_that_is_half_finished(brief: Study, tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True) as store:
        calls = []

        def stop() -> None:
            calls.append(1)
            if len(calls) == 6:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            brief.run(store, "sim", 1, stop)
        with pytest.raises(StudyError) as caught:
            brief.judge(store, "sim")
    told = str(caught.value)
    assert told.startswith("claypool2019: runs on sim are not in the store (")
    assert "36 of figure10" in told
    assert told.endswith("; `dumbbell study run claypool2019` makes them")


def test_an_experiment_that_an_engine_refuses_is_not_testable(brief: Study, tmp_path: Path) -> None:
    class Picky(SimEngine):
        def refuses(self, run: Run) -> list[Problem]:
            mixed = len({flow.cc.algorithm for flow in run.flows}) > 1
            return [Problem("flows[1].cc", "only one algorithm at a time")] if mixed else []

    with Store.open(tmp_path / "store", write=True) as store:
        assert brief.run(store, Picky()) == []
        verdicts = {each.claim: each for each in brief.judge(store, Picky())}
        charts = brief.charts(store, Picky())
    assert verdicts["S21"].verdict == "not testable here"
    assert verdicts["S21"].reason == ("figure10: engine sim cannot honour flows[1].cc: only one algorithm at a time")
    assert verdicts["S7"].verdict != "not testable here"
    assert [chart.name for chart in charts] == ["figure4b", "figure7"]
