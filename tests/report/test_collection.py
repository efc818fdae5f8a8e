"""The report over all studies: pages beside one another, and what a reader finds in the index."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from commandline import MOMENT
from dumbbell.charts.chart import Chart
from dumbbell.report import Collection, ReportError, Side, build
from dumbbell.report.collection import PAGE_BYTES
from dumbbell.report.html import SCRIPT
from dumbbell.results.store import Store
from dumbbell.studies import Display, Shown, Study, Verdict
from reported import side_of, study_of, verdict
from webpage import Webpage

VEGA = "window.vegaEmbed="


@pytest.fixture
def sides(store: Store, verdicts: list[Verdict], chart: Chart) -> list[Side]:
    """Two engines that differ about S1 with one version; the second one shows a figure of each of two seeds."""
    there = side_of(
        store,
        engine="linux",
        verdicts=[verdict(engine="linux", verdict="not reproduced", value=15.0), verdict(engine="linux", claim="S2")],
        rest="On linux 1 of the study's 3 claims wait for runs.",
    )
    by_seed = tuple(Shown(display=chart, seed=seed) for seed in (1, 2))
    return [side_of(store, verdicts=verdicts, charts=[chart]), replace(there, shown=by_seed)]


@pytest.fixture
def folder(store: Store, study: Study, sides: list[Side], tmp_path: Path) -> Path:
    collection = Collection(tmp_path / "report")
    collection.add(study, store, sides)
    collection.add_missing(replace(study_of(MOMENT), name="another"))
    assert collection.close() == tmp_path / "report" / "index.html"
    return tmp_path / "report"


@pytest.fixture
def index(folder: Path) -> Webpage:
    return Webpage((folder / "index.html").read_text(encoding="utf-8"))


@pytest.fixture
def page(folder: Path) -> Webpage:
    return Webpage((folder / "hand.html").read_text(encoding="utf-8"))


def test_pages_share_the_script_that_lies_beside_them(folder: Path, page: Webpage) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["hand.html", "index.html", SCRIPT]
    assert VEGA in (folder / SCRIPT).read_text(encoding="utf-8")
    assert VEGA not in page.text
    assert len(page.text.encode()) <= PAGE_BYTES
    assert set(page.requests()) == {SCRIPT, "index.html"}
    (policy,) = [found["content"] for found in page.named("meta") if "Policy" in found.get("http-equiv", "")]
    assert "script-src 'unsafe-inline' 'self' file:" in policy
    assert "http" not in policy


def test_the_index_counts_by_engine_and_says_what_is_missing(index: Webpage) -> None:
    for words in (
        "hand on sim: bbr reproduces 1 of 2 claims, bbr_4_17 0 of 1; 2 seeds.",
        "hand on linux: bbr reproduces 1 of 2 claims",
        "≠ engines differ about S1.",
        "On linux 1 of the study's 3 claims wait for runs.",
        "There are no runs yet. This makes them: dumbbell study run another",
    ):
        assert words in index.said, words
    assert index.requests() == ["hand.html"]
    for tag in ("section", "nav", "main"):
        assert index.named(tag)
    assert index.open == []


def test_runs_that_engines_have_not_are_told_with_how_to_make_them(tmp_path: Path) -> None:
    collection = Collection(tmp_path)
    collection.add_missing(study_of(MOMENT), ["linux", "sim"], how="with the same --out")
    said = Webpage(collection.close().read_text(encoding="utf-8")).said
    assert (
        "There are no runs on linux and sim. This makes them: dumbbell study run hand --engine linux # with the same"
        " --out , dumbbell study run hand # with the same --out"
    ) in said


def test_a_page_of_another_folder_says_so_without_naming_it(
    store: Store, study: Study, sides: list[Side], tmp_path: Path
) -> None:
    page = build(tmp_path / "page.html", store=store, study=study, sides=sides, how="with the same --out")
    said = Webpage(page.read_text(encoding="utf-8")).said
    assert "dumbbell study report hand # with the same --out" in said
    assert str(store.folder) not in said


def test_engines_stand_side_by_side_and_where_they_differ_is_marked(page: Webpage) -> None:
    rows = [found for found in page.named("tr") if found.get("class") == "disputed"]
    assert len(rows) == 1
    assert "Engines say different things of 1 of 2 claims" in page.said
    disputed = [found for found in page.named("tr") if found.get("data-disputed") == "yes"]
    assert [(found["data-variant"], found["data-engine"]) for found in disputed] == [("bbr", "sim"), ("bbr", "linux")]
    heads = page.said.partition("Claim Statement")[2]
    assert heads.startswith(" bbr bbr_4_17 sim linux sim S1 ")


def test_a_figure_has_a_view_an_engine_and_seed(page: Webpage) -> None:
    (figure,) = [found for found in page.named("figure") if found.get("id") == "figure1"]
    choices = json.loads(figure["data-choices"])
    assert choices == [
        ["sim", "all", "figure1-sim-all"], ["linux", "1", "figure1-linux-1"], ["linux", "2", "figure1-linux-2"],
    ]  # fmt: skip
    plots = json.loads(next(text for found, text in page.scripts if found.get("type") == "application/json"))
    assert {key for _, _, key in choices} <= set(plots)
    places = [found["data-plot"] for found in page.named("div") if "data-plot" in found]
    assert "figure1-sim-all" in places
    assert {found["data-view"] for found in page.named("details") if "data-view" in found} == {
        key for _, _, key in choices
    }


def test_names_are_one_of_a_kind_and_anchors_lead_somewhere(page: Webpage, index: Webpage) -> None:
    for each in (page, index):
        names = [found["id"] for _, found in each.elements if "id" in found]
        assert len(names) == len(set(names))
        anchors = [found["href"] for found in each.named("a") if found["href"].startswith("#")]
        assert {anchor.removeprefix("#") for anchor in anchors} <= set(names)
        controls = len(each.named("select")) + len(each.named("input"))
        assert controls == len(each.named("label"))


def test_a_figure_whose_runs_are_missing_is_not_named(
    store: Store, sides: list[Side], chart: Chart, tmp_path: Path
) -> None:
    seven: Display[Chart] = Display(
        name="figure7", title="Figure 7: loss", experiments=("moment",), draw=lambda _, __: chart
    )
    collection = Collection(tmp_path / "report")
    collection.add(replace(study_of(MOMENT), figures=(seven,)), store, [replace(sides[1], shown=())])
    said = Webpage((tmp_path / "report" / "hand.html").read_text(encoding="utf-8")).said
    assert "Figure 7" not in said


def test_a_folder_that_cannot_be_written_is_told(store: Store, study: Study, sides: list[Side], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(ReportError, match="cannot write the report"):
        Collection(tmp_path / "file").add(study, store, sides)
