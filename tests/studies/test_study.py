"""Studies as files: found by name, complete, and clear about what is wrong with them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dumbbell import studies
from dumbbell.campaign.plan import count, plan, refusals
from dumbbell.engines.sim import SimEngine
from dumbbell.report.page import build
from dumbbell.results.store import Store
from dumbbell.spec import Problem, Run, SpecError, load
from dumbbell.studies import Study, StudyError
from dumbbell.studies.execution import count_runs
from dumbbell.studies.loading import read
from dumbbell.studies.manifest import figure_titles, folder_of, manifest_of


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.long
def test_every_study_is_there_and_whole() -> None:
    assert "claypool2019" in studies.names()
    for name in studies.names():
        study = studies.load(name)
        assert study.name == name
        assert all(getattr(study.manifest, key) for key in ("title", "citation", "short", "summary", "testbed", "here"))
        assert len({claim.id for claim in study.claims}) == len(study.claims)
        assert study.claims or study.measured
        assert len({each.name for each in study.experiments.values()}) == len(study.experiments)
        for title, experiment in study.experiments.items():
            assert refusals(experiment, SimEngine()) == []
            swept = {planned.point.get(study.manifest.axis) for planned in plan(experiment)} - {None}
            assert swept in (set(), {study.control(title, variant) for variant in study.variants})


@pytest.mark.parametrize("name", studies.names())
@pytest.mark.long
def test_the_manifest_counts_runs_claims_and_figures(name: str) -> None:
    study, manifest = studies.load(name), manifest_of(folder_of(name))
    assert manifest.experiments == {title: count(each) for title, each in study.experiments.items()}
    assert manifest.runs == count_runs(study, SimEngine())
    assert (manifest.claims, manifest.figures) == (len(study.claims), len(study.figures))
    assert len(figure_titles(folder_of(name))) == manifest.figures


def test_unknown_studies_are_answered_with_the_known_ones() -> None:
    with pytest.raises(StudyError, match='unknown study "claypol2019"; did you mean "claypool2019"'):
        studies.load("claypol2019")
    with pytest.raises(StudyError, match=r"known: .*claypool2019"):
        studies.load("../results")


@pytest.mark.long
@pytest.mark.slow
def test_more_seeds() -> None:
    study = studies.load("claypool2019", seeds=7)
    assert {len(each.seed_values) for each in study.experiments.values()} == {7}
    manifest = manifest_of(folder_of("claypool2019"))
    assert count_runs(study, SimEngine()) == 7 * manifest.runs // 5


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("study.toml", "[controls.figure11]", "[controls.figure11", "study.toml is not TOML"),
        ("figures.toml", 'metric = "loss"', 'metric = "lost"', 'figure7: no result has "lost"; did you mean "loss"'),
        ("figures.toml", 'experiments = "figure7"', 'experiments = "figure70"', 'there is no experiment "figure70"'),
        ("figures.toml", 'x = "queue"', 'x = "queues"', 'figure7: there is no axis "queues"; did you mean "queue"'),
        ("figures.toml", 'each = "flows"', 'each = "flow"', 'there is no dimension "flow"; did you mean "flows"'),
        ("figures.toml", 'unit = "ms"', 'unit = "msec"', 'figure9: there is no unit "msec"'),
        (
            "figures.toml",
            "span = [0, 60]",
            "spam = [0, 60]",
            "claypool2019: figures.toml: figures[0].spam: Extra inputs are",
        ),
        ("study.toml", "controls.figure11", "controls.figure13", 'controls: there is no experiment "figure13"'),
        ("study.toml", 'bbr = "bbr_shallow"', 'bbr = "bbr"', "experiment figure11: its flows[0].cc (bbr_shallow, "),
        ("figure7.toml", '"bbr_4_17"', '"bbr_1_1"', "figure7: its flows[0].cc (bbr, bbr_1_1) are not"),
        ("study.toml", "\nfigure7 = ", "\nfigure70 = ", "figure70.toml: no such file"),
        (
            "claims.toml",
            "interpolated(queue, loss, 1)",
            "interpolated(queu, loss, 1)",
            'no result has "queu"; did you mean',
        ),
    ],
)
def test_files_that_contradict_one_another(folder: Path, file: str, old: str, new: str, message: str) -> None:
    assert read(folder).name == "claypool2019"
    edit(folder / file, old, new)
    with pytest.raises(StudyError) as caught:
        read(folder)
    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize(
    "file", ["study.toml", "claims.toml", "figures.toml", "published.toml", "README.md", "figure7.toml"]
)
def test_a_file_that_is_no_text_is_named(folder: Path, file: str) -> None:
    text = (folder / file).read_bytes()
    (folder / file).write_bytes(text + b"# caf\xe9")
    message = f"study claypool2019: {file}: is not UTF-8 text: byte {len(text) + 5}, in line {text.count(10) + 1}; "
    with pytest.raises(StudyError, match=re.escape(message)):
        read(folder)


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = " + "1" * 5000], ids=["too deep", "too long a number"])
def test_toml_beyond_all_measure_is_named(folder: Path, text: str) -> None:
    (folder / "published.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=r"study claypool2019: published\.toml is not TOML: "):
        read(folder)


def test_an_experiment_with_problems(folder: Path) -> None:
    edit(folder / "figure7.toml", '"80 Mbit/s"', '"80 mbps"')
    with pytest.raises(SpecError, match=r"path\.rate"):
        read(folder)


CLAIM = """[[claims]]
id = "X1"
kind = "Q"
section = "1"
statement = "it loses"
tolerance = "more than nothing"
flag = "OK"
source = "here"
label = "loss"
experiment = "figure7"
metric = "max(bottleneck.loss_per_sent)"
unit = "%"
least = 1
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('checks = "a("', "claims[0].checks: Input should be a valid list"),
        ("[claims.checks]", "claims[0].checks: Input should be a valid list"),
        ('checks = ["abc"]', "claims[0].checks[0]: Input should be a valid dictionary"),
        ('alternatives = ["abc"]', "claims[0].alternatives[0]: Input should be a valid dictionary"),
        ("[claims.alternatives]", "claims[0].alternatives: Input should be a valid list"),
        (
            '[[claims.alternatives]]\nsubstitutes = ["e"]',
            "claims[0].alternatives[0].substitutes: Input should be a valid",
        ),
        ("checks = [{ experiment = [1] }]", "claims[0].checks[0].experiment: Input should be a valid string"),
        ("[metrics]\nloss = 1", "metrics.loss: Input should be a valid string"),
        ("[[metrics]]\nloss = '1'", "metrics: Input should be a valid dictionary"),
        ("[metrics]\nlost = 'los'", 'metrics.lost: no result has "los"; did you mean "lost"?'),
        ("[metrics]\none = '1 + one'", "metrics.one: is defined by itself, through one"),
        ("[metric]\nloss = '1'", "metric: Extra inputs are not permitted"),
    ],
)
def test_claims_in_the_wrong_form(folder: Path, text: str, message: str) -> None:
    (folder / "claims.toml").write_text(CLAIM + text, encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        read(folder)
    assert str(caught.value).startswith(f"study claypool2019: claims.toml: {message}")


@pytest.mark.parametrize("text", [CLAIM.replace("[[claims]]", "[claims]"), 'claims = ["abc"]'], ids=["table", "word"])
def test_claims_that_are_no_list_of_tables(folder: Path, text: str) -> None:
    (folder / "claims.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=r"study claypool2019: claims.toml: claims.*: Input should be a valid"):
        read(folder)


class Unversed(SimEngine):
    """An engine that has no BBR as of 4.17, nor BBR_Shallow."""

    def unsupported_fields(self, run: Run) -> list[Problem]:
        reasons = []
        for flow in run.flows:
            parameters = dict(flow.parameters)
            reasons += [f"no {name}" for name in ("extra_acked_gain", "cwnd_gain") if name in parameters]
        return [Problem("flows[0].cc", each) for each in dict.fromkeys(reasons)]


def test_a_store_that_is_half_finished(brief: Study, tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True) as store:
        stopped(brief, store, 6)
        verdicts = {(each.claim, each.variant): each for each in studies.status_of(brief, store, "sim").verdicts}
    assert verdicts["S21", "bbr"].verdict == "not run yet"
    assert verdicts["S21", "bbr"].reason == "figure10: 0 of 18 runs are there"
    assert verdicts["S1", "bbr"].seeds == 1


@pytest.mark.long
@pytest.mark.slow
def test_a_study_stopped_after_its_first_seed_is_judged_and_drawn_from_that(brief: Study, tmp_path: Path) -> None:
    first = replace(
        brief, experiments={title: load(each, overrides={"seeds": 1}) for title, each in brief.experiments.items()}
    )
    with Store.open(tmp_path / "store", write=True) as store:
        stopped(brief, store, count_runs(first, SimEngine()))
        status = studies.status_of(brief, store, "sim")
        charts, tables = status.charts(), status.tables()
        page = build(tmp_path / "report.html", store=store, study=brief, statuses=[status])
        later = count_runs(brief, SimEngine()) - store.count()
    assert count_runs(first, SimEngine()) - later <= 2, "and what was under way"
    judged = [min(check.seeds for check in each.checks) for each in status.verdicts if each.checks]
    assert judged.count(1) > 0.9 * len(judged) > 0, "what was under way may have a second"
    assert {each.verdict for each in status.verdicts} == {"undecided"}, "so few seeds tell nothing"
    assert [chart.name for chart in charts] == [figure.name for figure in brief.figures]
    assert len(tables) == len(brief.tables)
    assert "asks for more runs" in page.read_text(encoding="utf-8")


def stopped(study: Study, store: Store, after: int) -> None:
    """Carries out a study until so many of its runs are there."""
    calls = []

    def stop(_: float) -> None:
        calls.append(1)
        if len(calls) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        studies.run(study, store, "sim", 1, stop)


@pytest.mark.slow
def test_a_version_that_an_engine_lacks_is_not_testable_and_the_other_one_is(brief: Study, tmp_path: Path) -> None:
    study = studies.only(brief, claims=["S2", "S5", "S23"])
    with Store.open(tmp_path / "store", write=True) as store:
        seen: list[int] = []
        assert studies.run(study, store, Unversed(), progress=lambda _: seen.append(1)) == []
        assert len(seen) == count_runs(study, Unversed()) == 2 + 2 + 18
        status = studies.status_of(study, store, Unversed())
        verdicts, charts = {(each.claim, each.variant): each for each in status.verdicts}, status.charts()
    untestable = {key: each.verdict for key, each in verdicts.items() if each.verdict == "not testable here"}
    assert set(untestable) == {("S2", "bbr_4_17"), ("S23", "bbr"), ("S23", "bbr_4_17")}
    reason = "figure5: engine sim cannot honour flows[0].cc: no extra_acked_gain"
    assert verdicts["S2", "bbr_4_17"].reason == reason
    assert verdicts["S23", "bbr"].reason == "figure11: engine sim cannot honour flows[0].cc: no cwnd_gain"
    assert verdicts["S5", "cubic"].versions == ("bbr", "bbr_4_17")
    assert [chart.name for chart in charts] == ["figure5", "figure7"]


def test_less_than_a_study(brief: Study) -> None:
    some = studies.only(brief, claims=["S23", "S2"])
    assert [claim.id for claim in some.claims] == ["S2", "S23"]
    assert list(some.experiments) == ["figure5", "figure7", "figure11"]
    assert [figure.name for figure in some.figures] == ["figure7", "figure11"]
    shown = studies.only(brief, experiments=["figure7"], variants=["bbr"])
    assert [claim.id for claim in shown.claims] == ["S7", "S8", "S9", "S13"]
    assert count_runs(shown, SimEngine()) == 2 * 9
    today = studies.only(brief, experiments=["figure11", "figure7"], variants=["bbr"])
    assert [planned.point["flows[0].cc"] for planned in plan(today.experiments["figure11"])] == ["bbr_shallow"] * 18
    assert [claim.id for claim in today.claims][-1] == "S23"
    assert studies.only(brief) == brief


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"claims": ["S77"]}, 'there is no claim "S77"; did you mean'),
        ({"experiments": ["figure70"]}, 'there is no experiment "figure70"; did you mean "figure7"'),
        ({"variants": ["bbr2"]}, 'there is no version "bbr2"; not in this version: "bbr" is BBR v1, and "bbr3" is v3'),
        ({"claims": ["S23", "S7"], "experiments": ["figure7"]}, "figure7 alone cannot judge S23"),
        ({"experiments": []}, "no claim, experiment or version of the study was asked for"),
        ({"variants": []}, "no claim, experiment or version of the study was asked for"),
    ],
    ids=str,
)
def test_what_a_study_has_not(brief: Study, selection: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError) as caught:
        studies.only(brief, **selection)
    assert message in str(caught.value)


@pytest.mark.slow
def test_some_experiments_are_told_without_the_others(brief: Study, tmp_path: Path) -> None:
    class Other(SimEngine):
        name = "other"

    with Store.open(tmp_path / "store", write=True) as store:
        assert studies.engines_of(brief, store) == ()
        some = studies.only(brief, experiments=["figure5", "figure9"], variants=["bbr"])
        assert studies.run(some, store, SimEngine()) == []
        assert studies.run(studies.only(brief, claims=["S5"]), store, Other()) == []
        assert studies.engines_of(brief, store) == ("sim", "other")
        assert studies.engines_of(studies.only(brief, claims=["S17"]), store) == ("sim",)
        here = studies.status_of(brief, store, SimEngine())
        there = studies.status_of(brief, store, Other())
        assert {each.verdict for each in studies.status_of(some, store, Other()).verdicts} == {"not run yet"}
        assert [each.name for each in here.charts()] == ["figure9"]
    assert {each.claim for each in there.verdicts if each.verdict != "not run yet"} == {"S5"}
    assert {each.engine for each in there.verdicts} == {"other"}
    assert [(each.claim, each.variant) for each in here.verdicts if each.verdict != "not run yet"] == [
        ("S2", "bbr"), ("S3", "bbr"), ("S12", "bbr"), ("S17", "bbr"), ("S18", "bbr"), ("S19", "bbr"),
    ]  # fmt: skip
    assert len(here.verdicts) == len(brief.claims) * len(brief.variants) - 1, "S5 contains no version"
    assert here.runs == (2 + 2, count_runs(brief, SimEngine()))
