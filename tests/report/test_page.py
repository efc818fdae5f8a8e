"""The file as a whole: what it asks for, how large it is, and that it says all that it should."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import vl_convert
from syrupy.assertion import SnapshotAssertion

import dumbbell
from commandline import MOMENT
from compared import compare_stores, store_of
from dumbbell import studies
from dumbbell.campaign.execution import run_experiments
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.comparison.differences_text import point_cells
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ReportError
from dumbbell.report import experiment, html
from dumbbell.report import page as page_module
from dumbbell.report.html import LARGEST_BYTES
from dumbbell.report.page import build
from dumbbell.results.store import Store
from dumbbell.spec import load
from dumbbell.studies import Study, StudyStatus
from dumbbell.studies.manifest import Advised
from reported import NASTY, status_of, study_of, verdict
from webpage import Webpage

VEGA = "window.vegaEmbed="


@pytest.fixture
def page(store: Store, study: Study, status: StudyStatus, tmp_path: Path) -> Webpage:
    target = build(tmp_path / "made" / "report.html", store=store, study=study, statuses=[status])
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]
    assert target.stat().st_size <= LARGEST_BYTES
    return Webpage(target.read_text(encoding="utf-8"))


@pytest.fixture
def plain(store: Store, tmp_path: Path) -> Webpage:
    return Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8"))


def test_it_asks_for_nothing(page: Webpage) -> None:
    assert page.requests() == []
    (policy,) = [meta["content"] for meta in page.named("meta") if "Policy" in meta.get("http-equiv", "")]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    assert not [attributes for attributes in page.named("script") if "src" in attributes]


def test_the_check_of_requests_sees_them() -> None:
    asking = '<img src="https://a.example/b.png"><style>@import "c.css"; p { background: url(//d.example) }</style>'
    assert len(Webpage(asking).requests()) == 3


def test_the_script_of_vega_is_there_once(page: Webpage) -> None:
    assert page.text.count(VEGA) == 1
    assert sum(len(text) > 500_000 for _, text in page.scripts) == 1


@pytest.mark.long
def test_vega_is_bundled_once_a_machine_and_a_folder_that_keeps_nothing_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(cache: Path) -> str:
        html._vega.cache_clear()
        monkeypatch.setenv("DUMBBELL_CACHE", str(cache))
        return html._vega()

    bundled = script(tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(vl_convert, "javascript_bundle", lambda *_: pytest.fail("bundled again"))
        assert script(tmp_path / "cache") == bundled
    (tmp_path / "file").touch()
    assert script(tmp_path / "file") == bundled


def test_every_tag_is_closed_and_every_name_is_one_of_a_kind(page: Webpage, plain: Webpage) -> None:
    for each in (page, plain):
        assert each.open == []
        names = [attributes["id"] for _, attributes in each.elements if "id" in attributes]
        assert len(names) == len(set(names))
        anchors = [attributes["href"] for attributes in each.named("a")]
        assert {anchor.removeprefix("#") for anchor in anchors} <= set(names)


def test_what_others_wrote_is_text_and_no_markup(page: Webpage) -> None:
    assert NASTY not in page.text
    assert NASTY in page.said
    assert "<script>" in json.dumps(page.plots["figure1"]["spec"])


def test_a_reader_without_eyes_is_told(page: Webpage) -> None:
    plots = [attributes for attributes in page.named("div") if "plot" in attributes.get("class", "").split()]
    assert len(plots) >= 3
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in plots)
    assert page.named("html")[0]["lang"] == "en"
    controls = len(page.named("select")) + len(page.named("input"))
    assert controls == len(page.named("label"))


def test_provenance_is_told(page: Webpage) -> None:
    for text in ("Identity of the engine", "Version of dumbbell", "experiment: 1, 2"):
        assert text in page.said, text


def test_no_path_of_the_machine_is_in_it(page: Webpage, plain: Webpage, moment_folder: Path, tmp_path: Path) -> None:
    for each in (page, plain):
        assert str(tmp_path) not in each.text
        assert str(moment_folder.parent) not in each.text
        assert str(Path.home()) + "/" not in each.said


def test_the_page_of_any_store(plain: Webpage, snapshot: SnapshotAssertion) -> None:
    assert plain.lines == snapshot
    figures = {"throughput-delay", "shares", "costs", "rtt-distribution", "series", "state"}
    assert set(plain.plots) == {*figures, *(f"series-{number}" for number in range(1, 5))}


def test_one_run_without_series_is_told_so(tmp_path: Path) -> None:
    dumbbell.run(
        load(MOMENT, overrides={"measure.record": "summary", "seeds": 1, "path.buffer": "1 bdp"}),
        store=tmp_path / "store",
    )
    with Store.open(tmp_path / "store") as store:
        page = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8"))
    assert "The runs kept no series" in page.said
    assert "the one run that is there kept every rule" in page.said


def test_damaged_series_are_left_out_and_told_without_the_machines_folders(tmp_path: Path) -> None:
    folder = store_of(tmp_path / "store", **{"measure.record": "series"})
    for file in (folder / "series").glob("??/*.parquet"):
        file.write_bytes(b"")
    with Store.open(folder) as store:
        said = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8")).said
    assert "Left out: series " in said
    assert str(tmp_path) not in said


@pytest.mark.slow
def test_each_experiment_of_several_has_its_answer_and_its_figures(tmp_path: Path) -> None:
    for name in ("one", "two"):
        dumbbell.run(load(MOMENT, overrides={"name": name, "duration": "1 s"}), store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        page = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8"))
        other = Webpage(build(tmp_path / "report.html", store=store, experiment="two").read_text(encoding="utf-8"))
    assert page.open == []
    assert {"experiment-1-shares", "experiment-2-shares"} <= set(page.plots)
    assert page.said.count("of the goodput") >= 2
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert "dumbbell run one.toml" not in other.said
    assert "shares" in other.plots


@pytest.mark.slow
def test_every_plot_is_one_that_vega_knows(page: Webpage, plain: Webpage) -> None:
    for each in (page, plain):
        for plot in each.plots.values():
            assert vl_convert.vegalite_to_vega(plot["spec"])


def test_a_part_of_a_study_shows_that_part_and_one_line_about_the_rest(store: Store, tmp_path: Path) -> None:
    longer = study_of(MOMENT.replace("seeds = 2", "seeds = 3"), claims=("S1", "S2", "S3"))
    half = status_of(longer, store, verdicts=[verdict()])
    page = Webpage(
        build(tmp_path / "report.html", store=store, study=longer, statuses=[half]).read_text(encoding="utf-8")
    )
    assert "Made from 4 runs of 1 experiment on engine sim" in page.said
    assert "4 of 4 runs" in page.said
    rest = "On sim 2 of the study's 3 claims wait for runs: dumbbell study run hand makes them."
    assert page.said.count(rest) == 1
    assert "missing" not in page.said


def test_a_run_counts_once_however_many_experiments_share_it(store: Store, study: Study, tmp_path: Path) -> None:
    twice = replace(study, experiments={**study.experiments, "again": study.experiments["moment"]})
    page = build(tmp_path / "report.html", store=store, study=twice, statuses=[status_of(twice, store)])
    said = Webpage(page.read_text(encoding="utf-8")).said
    assert "Made from 4 runs of 1 experiment on engine sim" in said


def test_a_study_ends_with_its_documents_question_to_advise(store: Store, study: Study, tmp_path: Path) -> None:
    advised = Advised(question="Which one?", options="--preset cdn", answer={"Answer": "Use BBR.", "Sure?": "No."})
    said = [
        Webpage(
            build(tmp_path / "report.html", store=store, study=each, statuses=[status_of(each, store)])
            .read_text(encoding="utf-8")
        ).said
        for each in (study, replace(study, advised=advised))
    ]  # fmt: skip
    for text in ("What dumbbell advises", "Which one?", "dumbbell advise --preset cdn", "Use BBR.", "Sure?"):
        assert [text in each for each in said] == [False, True], text


def test_every_experiment_can_be_run_again_from_a_file_of_its_own(tmp_path: Path) -> None:
    """Experiments whose names become one file's, and one without a letter."""
    with Store.open(tmp_path / "my runs", write=True) as store:
        for name, seeds in (("a/b", 1), ("a b", 1), ("<<>>", 1), ("A?b", 2)):
            experiment = load(MOMENT, overrides={"name": name, "seeds": seeds, "duration": "1 s"})
            next(run_experiments(store, [experiment], SimEngine(), jobs=1))
        page = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8"))
    files = ("a-b.toml", "a-b-2.toml", "experiment.toml", "a-b-3.toml")
    commands = [f"dumbbell run {file} --out 'my runs'" for file in files]
    assert " ".join([*commands, "dumbbell report 'my runs'"]) in page.said
    for file, name in zip(files, ("a/b", "a b", "<<>>", "A?b"), strict=True):
        assert (
            f'{file} duration = "1 s" seeds = {1 + (name == "A?b")} start_jitter = "10 ms" name = "{name}"' in page.said
        )


def test_of_a_half_finished_store_it_is_told_what_is_missing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True) as half:
        experiment = load(MOMENT)
        runs = run_experiments(half, [experiment], SimEngine(), jobs=1)
        next(runs)
        runs.close()
        done = half.count()
        page = Webpage(build(tmp_path / "report.html", store=half).read_text(encoding="utf-8"))
    assert 1 <= done < 4
    assert f"{done} of 4 runs are there, {4 - done} are missing (" in page.said
    assert "path.buffer = 2 bdp, seed 2" in page.said


def test_without_runs_there_is_a_report_too(store: Store, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    other = study_of(f'name = "another"\n{MOMENT}')
    page = Webpage(build(tmp_path / "report.html", store=store, study=other).read_text(encoding="utf-8"))
    assert page.lines == snapshot(name="study")
    with Store.open(tmp_path / "empty", write=True) as empty:
        page = Webpage(build(tmp_path / "report.html", store=empty).read_text(encoding="utf-8"))
    assert page.lines == snapshot(name="store")


@pytest.mark.long
def test_a_table_that_is_cut_tells_of_how_many_rows(
    store: Store, study: Study, status: StudyStatus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (experiment, page_module):
        monkeypatch.setattr(module, "MOST_ROWS", 1)
    pages = [
        build(tmp_path / "store.html", store=store),
        build(tmp_path / "study.html", store=store, study=study, statuses=[status]),
    ]
    for made in pages:
        said = Webpage(made.read_text(encoding="utf-8")).said
        assert said.count("3 more rows: `dumbbell results show --json` and `store.groups()` have all.") == 1


def test_a_table_that_is_swept_over_tables_has_them_as_a_spec_has(tmp_path: Path) -> None:
    workloads = {"flows[0].workload": ["bulk", {"transfer": "100 kB"}], "path.buffer": "1 bdp"}
    folder = store_of(tmp_path / "store", None, load(MOMENT, overrides={"duration": "2 s"} | workloads))
    with Store.open(folder) as store:
        said = Webpage(build(tmp_path / "report.html", store=store).read_text(encoding="utf-8")).said
    assert '{"transfer": "100 kB"}' in said
    assert "{'transfer'" not in said
    axes, points = point_cells(compare_stores(folder, folder))
    assert (axes, points[-1]) == (["flows[0].workload"], ['{"transfer": "100 kB"}'])


def test_lines_are_thinned_until_the_page_is_small_enough(store: Store, study: Study, tmp_path: Path) -> None:
    long = tuple(float(number) for number in range(3000))
    layers = tuple(Layer(label=f"{n}", style="bbr", x=long, y=long, instance=n) for n in range(200))
    panel = Panel(x=Axis(label="x"), y=Axis(label="y"), layers=layers)
    chart = Chart(name="many", title="Many", caption="Lines.", panels=(panel,), alt="Lines")
    target = build(tmp_path / "report.html", store=store, statuses=[status_of(study, store, displays=[chart])])
    assert target.stat().st_size <= LARGEST_BYTES
    assert "is drawn with at most that many" in Webpage(target.read_text(encoding="utf-8")).said


def test_a_place_that_cannot_be_written_is_told(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(ReportError, match="cannot write the report"):
        build(tmp_path / "file" / "report.html", store=store)


def test_the_same_store_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    first, second = (build(tmp_path / name, store=store).read_bytes() for name in ("a.html", "b.html"))
    assert first == second


def test_of_a_part_of_a_study_the_same_part_is_run_again(store: Store, tmp_path: Path) -> None:
    part = studies.only(studies.load("claypool2019"), experiments=["figure7", "figure5"], variants=["bbr"])
    page = Webpage(build(tmp_path / "report.html", store=store, study=part).read_text(encoding="utf-8"))
    assert (
        "dumbbell study run claypool2019 --experiments figure5,figure7 --variants bbr dumbbell study report"
        in page.said
    )
