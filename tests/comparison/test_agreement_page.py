"""The page about a comparison: whole, offline, and with both engines in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from agreed import NASTY, Scaled, agreement_of, moment, result
from agreed import measured as by_hand
from dumbbell.comparison import overlay
from dumbbell.comparison.agreement import compare_condition, judge
from dumbbell.comparison.campaigns import Sides
from dumbbell.comparison.record import Agreement, Side, Source
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ReportError
from dumbbell.report import comparison as page
from dumbbell.report.html import LARGEST_BYTES
from dumbbell.results.store import Store
from webpage import Webpage


@pytest.fixture(scope="module")
def html(agreement: Agreement, compared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Webpage:
    target = tmp_path_factory.mktemp("page") / "deep" / "agreement.html"
    with Store.open(compared_folder) as store:
        assert page.build_engines(target, agreement, store) == target
    text = target.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST_BYTES
    return Webpage(text)


def test_it_is_whole_and_asks_for_nothing(html: Webpage) -> None:
    assert html.open == []
    assert html.requests() == []
    assert [found for found, _ in html.scripts if "src" in found] == []
    assert sum("window.vegaEmbed=" in text for _, text in html.scripts) == 1


def test_every_place_of_a_figure_has_one(html: Webpage) -> None:
    plots = html.plots
    places = [found["data-plot"] for found in html.named("div") if "data-plot" in found]
    assert set(places) <= set(plots)
    assert set(plots) == {"agreement_errors", "agreement", "in-time-0", "in-time-1"}
    assert [found["value"] for found in html.named("option")] == ["in-time-0", "in-time-1"]
    ids = {found["id"] for _, found in html.elements if "id" in found}
    anchors = {found["href"].removeprefix("#") for found in html.named("a")}
    assert anchors <= ids


def test_it_says_what_was_compared_and_what_came_of_it(html: Webpage, agreement: Agreement) -> None:
    assert "double against sim" in html.said
    assert "✗ broken" in html.said
    assert "✓ holds" in html.said
    for band in agreement.bands:
        assert band.label in html.said
    assert "20.0 Mbit/s, 20 ms, 2 BDP: 1 bbr + 1 cubic" in html.said
    assert "dumbbell agree moment.toml --engines double,sim" in html.said


def test_both_engines_are_over_one_another(agreement: Agreement, compared_folder: Path) -> None:
    condition = agreement.conditions[0]
    with Store.open(compared_folder) as store:
        chart = overlay.in_time(store, agreement, condition, "one", "Title")
    assert [panel.y.label for panel in chart.panels] == [
        "throughput (Mbit/s)", "cwnd a flow (kB)", "smoothed RTT (ms)", "queue (kB)",
    ]  # fmt: skip
    assert [layer.label for layer in chart.panels[0].layers] == [
        "bbr, sim",
        "bbr, double",
        "cubic, sim",
        "cubic, double",
    ]
    for panel in chart.panels:
        assert all(len(layer.x) == len(layer.y) > 10 for layer in panel.layers)
        assert len({layer.instance for layer in panel.layers}) == len(panel.layers)
    theirs, ours = chart.panels[2].layers[:2]
    assert theirs.y == ours.y  # the double only miscounts what is delivered


def test_several_flows_of_a_group_are_drawn_as_their_mean(tmp_path: Path) -> None:
    experiment = moment(**{"path.buffer": "1 bdp", "flows[0].count": 3, "flows[0].stagger": "300 ms"})
    found = agreement_of(tmp_path / "s", Sides(Scaled(), SimEngine(), 1, 0), [experiment])
    with Store.open(tmp_path / "s") as store:
        chart = overlay.in_time(store, found, found.conditions[0], "one", "Title")
        cwnd = chart.panels[1].layers[0]
        frame = store.flow_series(found.conditions[0].reference[0].run_id)
    at = cwnd.x[-1]
    last = frame[(frame["name"] == "bbr") & (abs(frame["time_s"] - at) < 0.026)]
    assert len(set(last["flow"])) == 3
    assert min(last["cwnd_bytes"]) / 1e3 <= cwnd.y[-1] <= max(last["cwnd_bytes"]) / 1e3


def test_runs_without_series_are_told_and_not_drawn(tmp_path: Path) -> None:
    experiment = moment(**{"path.buffer": "1 bdp", "measure.record": "summary"})
    found = agreement_of(tmp_path / "s", Sides(Scaled(), SimEngine(), 1, 0), [experiment])
    with Store.open(tmp_path / "s") as store:
        page.build_engines(tmp_path / "page.html", found, store)
    said = Webpage((tmp_path / "page.html").read_text(encoding="utf-8")).said
    assert "kept no series of this kind" in said


def test_text_is_text() -> None:
    nasty = compare_condition(
        by_hand([result({NASTY: 60.0})], [result({NASTY: 50.0})], flows=[{"cc": "bbr", "name": NASTY}])
    )
    side = Side(engine=NASTY, identity="0", seeds=(1,), measured_on={NASTY: NASTY})
    found = judge([nasty.model_copy(update={"name": NASTY})], Source(spec=NASTY), side, side, ())
    text = page.rendered(page.engines_page(found, [], NASTY))
    assert NASTY not in text
    assert NASTY in Webpage(text).said


def test_a_page_that_cannot_be_written_is_an_error(agreement: Agreement, compared_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Store.open(compared_folder) as store, pytest.raises(ReportError):
        page.build_engines(tmp_path / "file" / "page.html", agreement, store)
