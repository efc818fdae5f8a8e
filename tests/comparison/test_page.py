"""Pages of comparisons: whole, offline, with all that was compared, and no text of it is markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agreed import NASTY, Scaled, agreement_of, by_hand, condition_of, moment, result
from compared import compare_stores, store_of
from dumbbell.comparison import agreement_text, overlay
from dumbbell.comparison.agreement import judge
from dumbbell.comparison.campaigns import Sides
from dumbbell.comparison.difference_plot import charts
from dumbbell.comparison.differences import Comparison
from dumbbell.comparison.differences_text import overall_table, point_cells
from dumbbell.comparison.record import Agreement, Side, Source
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ReportError
from dumbbell.report.comparison import page as engines_page
from dumbbell.report.differences import page as differences_page
from dumbbell.report.figure import MOST_POINTS
from dumbbell.report.html import LARGEST_BYTES
from dumbbell.results.store import Store
from webpage import Webpage

COMMAND = "dumbbell compare a b"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compared")


@pytest.fixture(scope="module")
def comparison(folder: Path) -> Comparison:
    a, b = store_of(folder / "a", seeds=3), store_of(folder / "b", seeds=2, **{"flows[0].cc": "reno"})
    return compare_stores(f"{a}@cc=bbr", f"{b}@cc=reno")


@pytest.fixture(scope="module")
def of_engines(agreement: Agreement, compared_folder: Path, folder: Path) -> Webpage:
    with Store.open(compared_folder) as store:
        return read(engines_page(agreement, store).write(folder / "deep" / "agreement.html"))


@pytest.fixture(scope="module")
def of_runs(comparison: Comparison, folder: Path) -> Webpage:
    return read(differences_page(comparison, COMMAND, everything=True).write(folder / "deep" / "compare.html"))


def read(target: Path) -> Webpage:
    assert target.stat().st_size < LARGEST_BYTES
    return Webpage(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["of_engines", "of_runs"])
def test_it_is_whole_asks_for_nothing_and_has_a_figure_in_every_place(
    name: str, request: pytest.FixtureRequest
) -> None:
    html: Webpage = request.getfixturevalue(name)
    assert (html.open, html.requests()) == ([], [])
    assert [each for each, _ in html.scripts if "src" in each] == []
    places = [each["data-plot"] for each in html.named("div") if "data-plot" in each]
    options = [each["value"] for each in html.named("option")]
    assert set(html.plots) == {*places, *options}
    ids = {each["id"] for _, each in html.elements if "id" in each}
    assert {each["href"].removeprefix("#") for each in html.named("a")} <= ids


def test_the_page_of_two_engines(compared_folder: Path, snapshot: SnapshotAssertion) -> None:
    with Store.open(compared_folder) as store:
        assert Webpage(engines_page(by_hand(spec="moment"), store).html(MOST_POINTS)).lines == snapshot


def test_the_page_of_stored_runs(of_runs: Webpage, folder: Path, snapshot: SnapshotAssertion) -> None:
    text = of_runs.lines.replace(str(folder), "FOLDER")
    said = text[: text.rindex("Provenance")]
    assert re.sub(r"identity [0-9a-f]{12}", "identity …", said) == snapshot
    assert COMMAND in of_runs.said


def test_the_worst_conditions_are_there_in_time(of_engines: Webpage) -> None:
    assert set(of_engines.plots) == {"agreement_errors", "agreement", "in-time-0", "in-time-1"}
    assert [each["value"] for each in of_engines.named("option")] == ["in-time-0", "in-time-1"]


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        ({"spec": "moment"}, "dumbbell agree moment.toml --engines sim,linux --seeds 3"),
        ({"spec": "moment", "sets": ("path.rtt=50 ms",)}, " --set 'path.rtt=50 ms' --engines"),
        ({"spec": "moment", "file": "my spec.toml"}, "dumbbell agree 'my spec.toml' --engines sim,linux"),
    ],
)
def test_the_command_says_what_is_not_usual(fields: dict[str, object], command: str) -> None:
    assert command in agreement_text.command(by_hand(**fields))


def test_without_data_cells_are_dashes() -> None:
    silent = [result({"bbr": 51.0}, loss=None, delay_s=None)]
    side = Side(engine="hand", identity="0", seeds=(1,), measured_on={})
    agreement = judge([condition_of(silent, silent)], Source(spec="hand"), side, side, ())
    table = agreement_text.bands_table(agreement)
    assert {len(row) for row in table.rows} == {len(table.header)}
    assert table.rows[3] == ["queue loss, elsewhere (points)", "0", "-", "-", "-", "-", "-, -", "-, -", "-", "no data"]


def test_a_band_has_todays_words_and_not_those_of_its_record() -> None:
    old = by_hand(spec="moment")
    old = old.model_copy(update={"bands": [each.model_copy(update={"label": "loss"}) for each in old.bands]})
    assert agreement_text.bands_table(old) == agreement_text.bands_table(by_hand(spec="moment"))
    assert agreement_text.summary(old) == agreement_text.summary(by_hand(spec="moment"))


def test_both_engines_are_over_one_another(agreement: Agreement, compared_folder: Path) -> None:
    with Store.open(compared_folder) as store:
        chart = overlay.in_time(store, agreement, agreement.conditions[0], "one", "Title")
    assert [panel.y.label for panel in chart.panels] == [
        "throughput (Mbit/s)", "cwnd a flow (kB)", "smoothed RTT (ms)", "queue (kB)",
    ]  # fmt: skip
    labels = [f"{group}, {engine}" for group in ("bbr", "cubic") for engine in ("sim", "double")]
    assert [layer.label for layer in chart.panels[0].layers] == labels
    for panel in chart.panels:
        assert all(len(layer.x) == len(layer.y) > 10 for layer in panel.layers)
        assert len({layer.instance for layer in panel.layers}) == len(panel.layers)
    reference, candidate = chart.panels[2].layers[:2]
    assert reference.y == candidate.y  # the double only miscounts what is delivered


def test_several_flows_of_a_group_are_drawn_as_their_mean(tmp_path: Path) -> None:
    experiment = moment(**{"path.buffer": "1 bdp", "flows[0].count": 3, "flows[0].stagger": "300 ms"})
    agreement = agreement_of(tmp_path / "s", Sides(Scaled(), SimEngine(), 1, 0), [experiment])
    with Store.open(tmp_path / "s") as store:
        cwnd = overlay.in_time(store, agreement, agreement.conditions[0], "one", "Title").panels[1].layers[0]
        frame = store.flow_series(agreement.conditions[0].reference[0].run_id)
    last = frame[(frame["name"] == "bbr") & (abs(frame["time_s"] - cwnd.x[-1]) < 0.026)]
    assert len(set(last["flow"])) == 3
    assert min(last["cwnd_bytes"]) / 1e3 <= cwnd.y[-1] <= max(last["cwnd_bytes"]) / 1e3


def test_runs_without_series_are_told_and_not_drawn(tmp_path: Path) -> None:
    experiment = moment(**{"path.buffer": "1 bdp", "measure.record": "summary"})
    agreement = agreement_of(tmp_path / "s", Sides(Scaled(), SimEngine(), 1, 0), [experiment])
    with Store.open(tmp_path / "s") as store:
        engines_page(agreement, store).write(tmp_path / "page.html")
    said = Webpage((tmp_path / "page.html").read_text(encoding="utf-8")).said
    assert f"Not drawn: moment: run {agreement.conditions[0].reference[0].run_id} kept no series of this kind" in said
    assert str(tmp_path) not in said


def test_a_share_of_nothing_is_undefined(comparison: Comparison) -> None:
    (first, *_) = comparison.overall
    nothing = replace(first, relative=None, relative_half_width=None)
    (cells,) = overall_table(replace(comparison, overall=[nothing])).rows
    assert cells[6] == "undefined"


def test_dots_and_whiskers_are_the_rows(comparison: Comparison) -> None:
    head, names = point_cells(comparison)
    assert (head, names) == (["path.buffer"], [["0.5 bdp"], ["2 bdp"]])
    plots = {chart.name: chart for chart in charts(comparison, ["0.5 bdp", "2 bdp"], "path.buffer")}
    (panel,) = plots["differences-loss"].panels
    (layer,) = [each for each in panel.layers if each.kind == "points"]
    expected = [each for each in comparison.rows() if each.quantity.name == "loss"]
    assert layer.y == pytest.approx([100 * each.difference for each in expected])
    half = [100 * (each.half_width or 0) for each in expected]
    assert [high - low for low, high in zip(layer.low, layer.high, strict=True)] == pytest.approx([2 * h for h in half])
    (panel,) = plots["differences-goodput"].panels
    layers = [each for each in panel.layers if each.kind == "points"]
    assert [(each.label, each.style) for each in layers] == [("bbr → reno", "reno"), ("cubic", "cubic")]
    rows = [each for each in comparison.rows() if each.quantity.name == "goodput"]
    for layer in layers:
        relative = [each.relative for each in rows if each.group == layer.label]
        assert layer.y == pytest.approx([100 * (each or 0) for each in relative])
    assert layers[0].x != layers[1].x


def test_what_does_not_differ_is_not_drawn(tmp_path: Path) -> None:
    store = store_of(tmp_path / "s", path__buffer=["1 bdp"])
    same = compare_stores(store, store)
    assert list(charts(same, ["1 bdp"], "path.buffer")) == []
    assert 'id="figures"' not in differences_page(same, COMMAND, everything=True).html(MOST_POINTS)


def test_a_page_that_has_no_room_tells_what_it_leaves_out(comparison: Comparison) -> None:
    made = differences_page(comparison, COMMAND, everything=True)
    assert made.sections[-2].above == f"All {comparison.count} rows."
    assert f"{comparison.count - 2} more rows: `--json` has all." in Webpage(made.html(1)).said
    marked = differences_page(comparison, COMMAND, everything=False).sections[-2]
    assert marked.table
    assert len(marked.table.rows) == comparison.marked
    assert f"{comparison.marked} of {comparison.count} rows: those whose interval excludes 0" in marked.above


def test_text_is_text(comparison: Comparison, compared_folder: Path) -> None:
    place = replace(comparison.points[0], swept={"path.buffer": NASTY})
    flows = [{"cc": "bbr", "name": NASTY}]
    condition = condition_of([result({NASTY: 60.0})], [result({NASTY: 50.0})], flows=flows, name=NASTY)
    side = Side(engine=NASTY, identity="0", seeds=(1,), measured_on={NASTY: NASTY})
    engines = judge([condition], Source(spec=NASTY), side, side, ())
    with Store.open(compared_folder) as store:
        made = engines_page(engines, store).html(MOST_POINTS)
    points = [place, comparison.points[1]]
    for text in (
        made,
        differences_page(replace(comparison, points=points), NASTY, everything=True).html(MOST_POINTS),
    ):
        assert NASTY not in text
        assert NASTY in Webpage(text).said


def test_a_page_that_cannot_be_written_is_an_error(
    comparison: Comparison, agreement: Agreement, compared_folder: Path, tmp_path: Path
) -> None:
    target = tmp_path / "file" / "page.html"
    target.parent.touch()
    with Store.open(compared_folder) as store:
        builds: list[Callable[[], Path]] = [
            lambda: engines_page(agreement, store).write(target),
            lambda: differences_page(comparison, COMMAND, everything=True).write(target),
        ]
        for build in builds:
            with pytest.raises(ReportError):
                build()
