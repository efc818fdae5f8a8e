"""The report over all studies: pages beside one another, and what a reader finds in the index."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from commandline import MOMENT
from dumbbell.charts.chart import Chart
from dumbbell.errors import ReportError
from dumbbell.metrics.checked import Checked
from dumbbell.report.collection import PAGE_BYTES, Collection
from dumbbell.report.html import SCRIPT
from dumbbell.report.page import build
from dumbbell.results.store import Store
from dumbbell.studies import Study, StudyStatus, Verdict
from dumbbell.studies.verdict import Flipped, Kind, Word
from dumbbell.tables.table import Amount, Column, Table
from reported import status_of, study_of, verdict
from webpage import Webpage

VEGA = "window.vegaEmbed="
TABLE = Table(
    name="table1",
    title="Table 1",
    caption="made by hand",
    columns=(Column("sender"), Column("retransmits"), Column("published")),
    rows=(("BBR", Amount(305_029.0, 20.0), "68741"), ("CUBIC", Amount(None), "none")),
)


def checked(**changes: object) -> Checked:
    usual: dict[str, object] = {
        "label": "loss", "value": 5.0, "low": 4.0, "high": 6.0, "n": 3, "published": 5.5, "least": 3.5, "most": 7.5,
        "unit": "%", "holds": True, "holding": 3, "seeds": 3,
    }  # fmt: skip
    return Checked(**usual | changes)  # type: ignore[arg-type]


def flipped(kind: Kind, by: str, word: Word) -> Flipped:
    return Flipped(kind=kind, by=by, experiments=(), verdict=word, reason="", checks=())


@pytest.fixture
def statuses(study: Study, store: Store, verdicts: list[Verdict], chart: Chart) -> list[StudyStatus]:
    """Two engines that differ about S1 with one version; the second one shows a figure of each of two seeds."""
    same = checked(low=None, high=None, n=1)
    several = (
        checked(),
        checked(least=None),
        checked(most=None, holds=False, holding=1),
        checked(value=None, n=0),
        same,
    )
    flips = (flipped("fitted", "more memory", "reproduced"), flipped("would need", "less", "not reproduced"))
    there = [
        verdict(verdict="not reproduced", value=15.0, low=14.5, high=15.5, checks=several, flips=flips),
        verdict(claim="S2", flag="SENS", binding="weak", why_weak="anything is"),
        verdict(claim="S3", variant="cubic, reno", versions=("bbr", "bbr_4_17"), low=11.0399, high=11.0401),
    ]
    linux = [replace(each, engine="linux") for each in there]
    return [
        status_of(study, store, verdicts=verdicts, displays=[chart, TABLE]),
        status_of(study, store, engine="linux", verdicts=linux, displays=[chart], by_seed=True),
    ]


@pytest.fixture
def folder(store: Store, study: Study, statuses: list[StudyStatus], tmp_path: Path) -> Path:
    collection = Collection(tmp_path / "report")
    collection.add(study, store, statuses)
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
    (policy,) = [meta["content"] for meta in page.named("meta") if "Policy" in meta.get("http-equiv", "")]
    assert "script-src 'unsafe-inline' 'self' file:" in policy
    assert "http" not in policy


def test_the_page_of_a_study_on_two_engines(page: Webpage, snapshot: SnapshotAssertion) -> None:
    assert page.lines == snapshot


def test_the_index(index: Webpage, snapshot: SnapshotAssertion) -> None:
    assert index.lines == snapshot
    assert index.requests() == ["hand.html"]
    assert index.open == []


def test_runs_that_engines_have_not_are_told_with_how_to_make_them(tmp_path: Path) -> None:
    collection = Collection(tmp_path)
    collection.add_missing(study_of(MOMENT), ["linux", "sim"], comment="with the same --out")
    said = Webpage(collection.close().read_text(encoding="utf-8")).said
    assert (
        "There are no runs on linux and sim. This makes them: dumbbell study run hand --engine linux # with the same"
        " --out , dumbbell study run hand # with the same --out"
    ) in said


def test_a_page_of_another_folder_says_so_without_naming_it(
    store: Store, study: Study, statuses: list[StudyStatus], tmp_path: Path
) -> None:
    page = build(tmp_path / "page.html", store=store, study=study, statuses=statuses, comment="with the same --out")
    said = Webpage(page.read_text(encoding="utf-8")).said
    assert "dumbbell study report hand # with the same --out" in said
    assert str(store.folder) not in said


@pytest.mark.slow
def test_rows_of_claims_can_be_filtered_by_what_engines_dispute(page: Webpage) -> None:
    rows = [row for row in page.named("tr") if "data-verdict" in row]
    assert {row["data-verdict"] for row in rows} == {"reproduced", "not reproduced", "not testable here"}
    disputed = [(row["data-variant"], row["data-engine"]) for row in rows if row.get("data-disputed") == "yes"]
    assert disputed == [("bbr", "sim"), ("bbr", "linux")]


def test_cells_are_sorted_by_their_numbers(page: Webpage) -> None:
    """In the tables of runs and of claims; elsewhere by what is printed."""
    sorts = [attributes["data-sort"] for attributes in page.named("td") if "data-sort" in attributes]
    for key in ("11.04", "14", "5e+08"):
        assert key in sorts
    assert "BBR | 305029 ± 20 | 68741 |" in page.lines


def test_a_figure_has_a_view_an_engine_and_seed(page: Webpage) -> None:
    (figure,) = [attributes for attributes in page.named("figure") if attributes.get("id") == "figure1"]
    choices = json.loads(figure["data-choices"])
    assert choices == [
        ["sim", "all", "figure1-sim-all"], ["linux", "1", "figure1-linux-1"], ["linux", "2", "figure1-linux-2"],
    ]  # fmt: skip
    assert {key for _, _, key in choices} <= set(page.plots)
    places = [attributes["data-plot"] for attributes in page.named("div") if "data-plot" in attributes]
    assert "figure1-sim-all" in places
    assert {attributes["data-view"] for attributes in page.named("details") if "data-view" in attributes} == {
        key for _, _, key in choices
    }


def test_names_are_one_of_a_kind_and_anchors_lead_somewhere(page: Webpage, index: Webpage) -> None:
    for each in (page, index):
        names = [attributes["id"] for _, attributes in each.elements if "id" in attributes]
        assert len(names) == len(set(names))
        anchors = [attributes["href"] for attributes in each.named("a") if attributes["href"].startswith("#")]
        assert {anchor.removeprefix("#") for anchor in anchors} <= set(names)
        controls = len(each.named("select")) + len(each.named("input"))
        assert controls == len(each.named("label"))


def test_a_figure_whose_runs_are_missing_is_not_named(store: Store, study: Study, chart: Chart, tmp_path: Path) -> None:
    complete = status_of(study, store, displays=[chart])
    missing = replace(complete, evidence=replace(complete.evidence, trials={}))
    page = build(tmp_path / "hand.html", store=store, study=complete.study, statuses=[missing])
    assert chart.title not in Webpage(page.read_text(encoding="utf-8")).said


def test_a_folder_that_cannot_be_written_is_told(
    store: Store, study: Study, statuses: list[StudyStatus], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(ReportError, match="cannot write the report"):
        Collection(tmp_path / "file").add(study, store, statuses)
