"""The page about stored runs held against one another: whole, offline, and no text of it is markup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compared import held, kept
from dumbbell.comparison.difference_plot import charts
from dumbbell.comparison.differences import Comparison
from dumbbell.comparison.differences_text import chance, overall_table, point_cells, points_table
from dumbbell.errors import ReportError
from dumbbell.report import comparison as page
from dumbbell.report.html import LARGEST_BYTES
from webpage import Webpage

NASTY = "<script>alert('&')</script>"
COMMAND = "dumbbell compare a b"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("compared")
    a = kept(folder / "a", seeds=3)
    b = kept(folder / "b", seeds=2, **{"flows[0].cc": "reno"})
    return held(f"{a}@cc=bbr", f"{b}@cc=reno")


@pytest.fixture(scope="module")
def html(found: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Webpage:
    target = tmp_path_factory.mktemp("page") / "deep" / "compare.html"
    assert page.build_differences(target, found, COMMAND) == target
    text = target.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST_BYTES
    return Webpage(text)


def test_it_is_whole_and_asks_for_nothing(html: Webpage) -> None:
    assert html.open == []
    assert html.requests() == []
    assert [each for each, _ in html.scripts if "src" in each] == []


def test_every_place_of_a_figure_has_one(html: Webpage) -> None:
    plots = html.plots
    places = [each["data-plot"] for each in html.named("div") if "data-plot" in each]
    assert places == list(plots)
    assert "differences-loss" in plots
    ids = {each["id"] for _, each in html.elements if "id" in each}
    assert {each["href"].removeprefix("#") for each in html.named("a")} <= ids


def test_it_says_everything(html: Webpage, found: Comparison) -> None:
    for cells in (*overall_table(found)[1], *points_table(found, found.rows())[1]):
        for cell in cells:
            assert cell in html.said
    assert chance(found) in html.said
    assert "2 runs of A not paired: B has not this seed" in html.said
    assert COMMAND in html.said


def test_a_share_of_nothing_is_undefined(found: Comparison) -> None:
    (first, *_) = found.overall
    nothing = replace(first, difference=replace(first.difference, relative=None, relative_half_width=None))
    _, (cells,) = overall_table(replace(found, overall=[nothing]))
    assert cells[6] == "undefined"


def test_dots_and_whiskers_are_the_rows(found: Comparison) -> None:
    head, names = point_cells(found)
    assert (head, names) == (["path.buffer"], [["0.5 bdp"], ["2 bdp"]])
    drawn = {chart.name: chart for chart in charts(found, ["0.5 bdp", "2 bdp"], "path.buffer")}
    (panel,) = drawn["differences-loss"].panels
    (layer,) = [each for each in panel.layers if each.kind == "points"]
    expected = [each for each in found.rows() if each.quantity.name == "loss"]
    assert layer.y == pytest.approx([100 * each.difference.value for each in expected])
    half = [100 * (each.difference.half_width or 0) for each in expected]
    assert [high - low for low, high in zip(layer.low, layer.high, strict=True)] == pytest.approx([2 * h for h in half])
    (panel,) = drawn["differences-goodput"].panels
    layers = [each for each in panel.layers if each.kind == "points"]
    assert [each.label for each in layers] == ["bbr → reno", "cubic"]
    for layer in layers:
        relative = [
            each.difference.relative
            for each in found.rows()
            if (each.quantity.name, each.group) == ("goodput", layer.label)
        ]
        assert layer.y == pytest.approx([100 * (each or 0) for each in relative])
    assert layers[0].x != layers[1].x


def test_what_does_not_differ_is_not_drawn(tmp_path: Path) -> None:
    store = kept(tmp_path / "s", path__buffer=["1 bdp"])
    same = held(store, store)
    assert list(charts(same, ["1 bdp"], "path.buffer")) == []
    text = page.rendered(page.differences_page(same, COMMAND))
    assert 'id="figures"' not in text
    assert "= </span>" not in text


def test_a_page_that_has_no_room_tells_what_it_leaves_out(found: Comparison) -> None:
    small = page.differences_page(found, COMMAND, most=1)
    points = small["sections"][-1]
    assert len(points.rows) == 2
    assert f"{found.count} rows are too many for a page: these are the first 2 of the {found.marked}" in points.above
    assert page.differences_page(found, COMMAND)["sections"][-1].above == f"All {found.count} rows."


def test_text_is_text(found: Comparison) -> None:
    place = replace(found.points[0], swept={"path.buffer": NASTY})
    text = page.rendered(page.differences_page(replace(found, points=[place, found.points[1]]), NASTY))
    assert NASTY not in text
    assert NASTY in Webpage(text).said


def test_a_page_that_cannot_be_written_is_an_error(found: Comparison, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReportError):
        page.build_differences(tmp_path / "file" / "page.html", found, COMMAND)
