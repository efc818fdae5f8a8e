"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from dumbbell.charts.chart import Chart
from dumbbell.charts.table import Amount
from dumbbell.studies import Study, Verdict
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.judgement import judge

CLAIMS = tuple(f"S{number}" for number in range(1, 25))
FIGURES = [
    "figure4a", "figure4b", "figure5", "standing", "figure6", "figure7", "figure7_sweep", "utilization", "figure8",
    "figure9", "figure10", "figure10_sweep", "figure10_loss", "figure11", "figure12", "mqp8",
]  # fmt: skip
SWEEPS = {"figure7_sweep", "figure10_sweep", "figure10_loss"}
"""Whose legends tell flow counts; the version is each panel's title."""


def verdict_of(study: Study, claim: str, evidence: Evidence) -> Verdict:
    (asked,) = [each for each in study.claims if each.id == claim]
    return judge(asked, evidence, "bbr")


def drawn(study: Study, evidence: Evidence, name: str) -> Chart:
    (found,) = [figure.draw(study, evidence) for figure in study.figures if figure.name == name]
    return found


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_was_published_reproduces_a_claim(claypool: Study, evidence: Callable[..., Evidence], claim: str) -> None:
    found = verdict_of(claypool, claim, evidence())
    assert found.verdict == "reproduced", found.reason


def test_its_bounds_are_those_of_the_reference(claypool: Study) -> None:
    """Written down a second time, from the reference: S8's are the raw curve and 2.5 points, or 1 %."""
    numbers = claypool.published["figure7"]["loss_percent"]
    (eight,) = [claim for claim in claypool.claims if claim.id == "S8"]
    assert [check.published for check in eight.checks] == numbers
    for raw, check in zip(numbers, eight.checks, strict=True):
        if raw > 2:
            assert (check.least, check.most) == pytest.approx((raw - 2.5, raw + 2.5))
        else:
            assert (check.least, check.most) == (None, 1)
    others = {claim.id: [(check.least, check.most) for check in claim.checks] for claim in claypool.claims}
    del others["S8"]
    assert others == {
        "S1": [(0.97, None), (80, None)],
        "S2": [(0.9, 1.3)],
        "S3": [(1.2, 1.7)] * 2,
        "S4": [(0.9, 1.6)] * 6 + [(1.5, 1.85)] + [(0.9, 1.6)] * 2,
        "S5": [(7.8, None), (6.5, 7.6)],
        "S6": [(0.2, 0.33), (45, 60)],
        "S7": [(8, 13)],
        "S9": [(3.5, 7.5)],
        "S10": [(0.9, None), (None, 0.1), (None, 0.1)],
        "S11": [(1, None), (None, 1), (pytest.approx(4.2 - 2.5), pytest.approx(4.2 + 2.5))],
        "S12": [(2.0, 2.4), (2.2, 2.7)],
        "S13": [(pytest.approx(0.93 * 76.5), None)],
        "S14": [(7, 12)],
        "S15": [(None, 5)],
        "S16": [(5, None), (None, 10), (None, 50), (0, None)],
        "S17": [(18, 25), (None, -0.8)],
        "S18": [(25, 32), (45, 75), (60, None)],
        "S19": [(60, None)],
        "S20": [(2, None), (50, None)],
        "S21": [(3.5, 7)],
        "S22": [(55, 75), (0, None)],
        "S23": [(3, 8), (8, 13), (None, 0.1)],
        "S24": [(2, 4.5), (None, 0)],
    }
    own_share = {claim.id: [check.in_seeds for check in claim.checks] for claim in claypool.claims}
    assert own_share["S17"] == [0.6, None]
    assert all(set(shares) == {None} for claim, shares in own_share.items() if claim != "S17")


def test_only_numbers_of_the_document_are_shown_as_published(claypool: Study) -> None:
    (eighteen,) = [claim for claim in claypool.claims if claim.id == "S18"]
    assert [check.published for check in eighteen.checks] == [25, 60, None]


def test_loss_of_eight_flows_from_1_5_bdp_on_is_not_asked_about(
    claypool: Study, evidence: Callable[..., Evidence]
) -> None:
    found = evidence(sweep_loss={(80, 8, "1.5 bdp"): 9.0, (40, 4, "1.25 bdp"): 9.0})
    assert verdict_of(claypool, "S10", found).verdict == "reproduced"


def test_every_experiment_is_run_five_times_behind_fq(claypool: Study) -> None:
    for experiment in claypool.experiments.values():
        words = experiment.words()
        assert (words["seeds"], words["host"]["qdisc"]) == (5, "fq")


def test_the_sweeps_are_those_of_the_published_curves(claypool: Study) -> None:
    for name in ("figure7", "figure10", "figure12"):
        written = claypool.experiments[name].words()["path"]["buffer"]
        assert [str(size) for size in written] == claypool.published[name]["buffer"]


def test_its_charts_have_the_published_numbers_beside_ours(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    charts = {chart.name: chart for chart in claypool.drawn(evidence())}
    assert list(charts) == FIGURES == [figure.name for figure in claypool.figures]
    (seven,) = charts["figure7"].panels
    layers = {layer.style: layer for layer in seven.layers}
    assert set(layers) == {"published", "bbr", "bbr_4_17"}
    assert layers["published"].y == pytest.approx(layers["bbr"].y)
    assert layers["published"].x == (0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2, 4, 8)
    ten = charts["figure10"]
    assert (len(ten.panels), ten.columns) == (4, 2)
    for panel, below, variant in zip(ten.panels[:2], ten.panels[2:], claypool.variants, strict=True):
        assert [layer.style for layer in below.layers] == ["published", variant]
        assert below.layers[0].y == tuple(claypool.published["figure10"]["loss_percent"])
        assert below.layers[1].x == below.layers[0].x
        ours = {(layer.style, layer.kind): layer for layer in panel.layers}
        assert ours[variant, "line+points"].y == pytest.approx(ours["published bbr", "line+points"].y)
        assert ours["cubic", "line+points"].y == pytest.approx(ours["published cubic", "line+points"].y)
        assert [each * 1514 / 1448 for each in ours[variant, "band"].low] == pytest.approx(
            ours["published", "band"].low
        )
        assert [each * 1514 / 1448 for each in ours[variant, "band"].high] == pytest.approx(
            ours["published", "band"].high
        )
    four = charts["figure4b"].panels[0]
    flows = [layer for layer in four.layers if layer.kind == "line"]
    assert len(flows) == 4
    assert flows[0].y == pytest.approx([20.0] * 120)


def test_figure_5_has_cubic_once(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = drawn(claypool, evidence(), "figure5")
    (panel,) = chart.panels
    assert [layer.style for layer in panel.layers] == ["bbr", "cubic", "bbr_4_17", "published", "published"]
    bbr, cubic = panel.layers[:2]
    assert bbr.y == pytest.approx([1.13] * len(bbr.y))
    assert max(cubic.y) == pytest.approx(8)
    assert (bbr.x[0], bbr.x[-1]) == pytest.approx((120, 180))


def test_figure_9_shows_the_cycle_of_each_version(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = drawn(claypool, evidence(), "figure9")
    assert (len(chart.panels), chart.columns) == (8, 2)
    turns, _, queue, _, lost, _, delay, _ = chart.panels
    bbr, cubic = turns.layers
    assert [one + other for one, other in zip(bbr.y, cubic.y, strict=True)] == pytest.approx([76.0] * 120)
    assert max(lost.layers[0].y) == pytest.approx(100 * 50 / 3300, rel=0.3)
    assert max(queue.layers[0].y) == pytest.approx(1.75)
    assert sorted(set(delay.layers[1].y)) == pytest.approx([25.0, 60.0])


def test_figure_11_has_both_forms_of_bbr(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = drawn(claypool, evidence(), "figure11")
    styles = [[layer.style for layer in panel.layers] for panel in chart.panels]
    assert styles == [
        ["published bbr_shallow", "published", "bbr_shallow", "bbr"],
        ["published bbr_shallow", "published", "bbr_4_17_shallow", "bbr_4_17"],
    ]


def test_figure_6_and_figure_8_have_the_published_means(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    (six,) = drawn(claypool, evidence(), "figure6").panels
    assert [layer.style for layer in six.layers] == ["bbr", "bbr_4_17", "published"]
    assert six.layers[-1].y == (11.0, 11.0)
    bbr, cubic, *theirs = drawn(claypool, evidence(), "figure8").panels[0].layers
    assert [layer.style for layer in theirs] == ["published bbr", "published cubic"]
    assert bbr.y == pytest.approx([theirs[0].y[0]] * len(bbr.y))
    assert len(cubic.y) == len(bbr.y)


def test_figure_12_is_figure_10_with_bbr_shallow(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = drawn(claypool, evidence(), "figure12")
    for panel, own in zip(chart.panels, ("bbr_shallow", "bbr_4_17_shallow"), strict=True):
        layers = {(layer.style, layer.kind): layer for layer in panel.layers}
        assert layers[own, "line+points"].y == pytest.approx(layers["published bbr", "line+points"].y)
        assert layers["cubic", "line+points"].y == pytest.approx(layers["published cubic", "line+points"].y)


def test_the_sweeps_have_a_line_for_each_number_of_flows(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    found = evidence(sweep_loss={(120, 8, "0.5 bdp"): 17.0})
    seven, ten, lost, whole = (
        drawn(claypool, found, name) for name in ("figure7_sweep", "figure10_sweep", "figure10_loss", "utilization")
    )
    assert [(len(chart.panels), chart.columns) for chart in (seven, ten, lost, whole)] == [(6, 2)] * 3 + [(2, 2)]
    assert [layer.style for layer in lost.panels[2].layers] == ["published flow 2", "flow 1", "flow 2", "flow 3"]
    assert lost.panels[2].layers[0].y == tuple(claypool.published["figure10"]["loss_percent"])
    styles = [[layer.style for layer in panel.layers] for panel in seven.panels]
    assert styles[0] == styles[1] == ["published flow 3", "flow 1", "flow 2", "flow 3"]
    assert styles[2] == styles[3] == ["published flow 2", "flow 1", "flow 2", "flow 3"]
    assert styles[4] == styles[5] == ["flow 1", "flow 2", "flow 3"]
    assert [layer.label for layer in seven.panels[4].layers] == ["2 flows", "4 flows", "8 flows"]
    assert [layer.y[1] for layer in seven.panels[4].layers] == pytest.approx([11.0, 11.0, 17.0])
    theirs, *ours = ten.panels[2].layers
    assert [layer.y for layer in ours] == [pytest.approx(theirs.y)] * 3
    band, *rates = whole.panels[0].layers
    assert [rate.y[0] for rate in rates] == pytest.approx([40, 80, 120])
    assert (band.low, band.high, band.x) == ((75.5, 75.5), (76.5, 76.5), (0.25, 8))


def test_the_standing_queue_has_the_cells_that_are_known(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = drawn(claypool, evidence(), "standing")
    for panel in chart.panels:
        assert panel.heat is not None
        assert panel.heat.cells[2] == pytest.approx((1.75, 1.13, 1.13))
        assert panel.heat.theirs(2, 0) == pytest.approx(panel.heat.cells[2][0])
        assert panel.heat.theirs(1, 1) == pytest.approx(panel.heat.cells[1][1])


def test_a_changing_path_is_drawn_with_its_bdp(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = drawn(claypool, evidence(), "mqp8")
    (panel,) = chart.panels
    assert [at for at, _ in panel.marks] == [20, 40]
    path = panel.layers[-1]
    written = claypool.experiments["mqp8"].words()["path"]
    assert (written["rate"], written["rtt"]) == ("10 Mbit/s", "40 ms")
    assert (path.x, path.y) == ((0, 20, 40, 60), (50, 100, 50, 50))
    assert panel.layers[0].y == pytest.approx([50.0] * len(panel.layers[0].y))


def test_its_tables_have_the_published_numbers_beside_ours(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    tables = {table.name: table for table in claypool.tabled(evidence())}
    assert list(tables) == ["rtt", "shallow", "fair", "cycle"]
    assert [row[0] for row in tables["rtt"].rows] == [
        "BBR of Linux 6.1", "CUBIC of Linux 6.1", "BBR as of Linux 4.17 (parameters)",
    ]  # fmt: skip
    compared = [
        entry
        for row in (*tables["rtt"].rows, *tables["shallow"].rows)
        for entry in row
        if isinstance(entry, Amount) and entry.published is not None
    ]
    assert len(compared) == 3 * 2 + 2 * 2
    for entry in compared:
        assert entry.mean == pytest.approx(entry.published)
    fair = tables["fair"].rows
    assert len(fair) == len(tables["shallow"].rows) == 9
    assert [entry.published for entry in fair[4][1:] if isinstance(entry, Amount)] == ["5.2 to 5.4"] * 2
    assert [entry.mean for entry in fair[4][1:] if isinstance(entry, Amount)] == pytest.approx([5.16] * 2, abs=0.01)


def test_the_cycle_has_a_period_for_each_queue(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    """Hand-made: the groups have one rate, then the other, in bins of 0.5 s; at 1.75 BDP they take turns of 20 s."""
    whole = evidence()
    turns = whole.trials["figure9", "bbr"][0].only.flow_series
    trials = dict(whole.trials)
    for variant in claypool.variants:
        trials["figure10", variant] = tuple(
            replace(
                trial,
                runs=tuple(
                    replace(run, flow_series=turns) if run.point["path.buffer"] == "1.75 bdp" else run
                    for run in trial.runs
                ),
            )
            for trial in whole.trials["figure10", variant]
        )
    (cycle,) = [table for table in claypool.tabled(replace(whole, trials=trials)) if table.name == "cycle"]
    assert [row[0] for row in cycle.rows] == ["1.25 BDP", "1.5 BDP", "1.75 BDP", "2 BDP", "4 BDP", "8 BDP"]
    assert [column.unit for column in cycle.columns] == ["", "s", "", "s", ""]
    found = {row[0]: [entry for entry in row[1:] if isinstance(entry, Amount)] for row in cycle.rows}
    period, mirrored, *other = found["1.75 BDP"]
    assert [period.mean, mirrored.mean] == pytest.approx([20.0, -1.0])
    assert (period.published, mirrored.published) == ("20.5, 20.5, weakly 22.5", "-0.96 to -1.0")
    assert other == [period, mirrored]
    assert [entry.mean for entry in found["4 BDP"][:2]] == pytest.approx([1.0, 1.0])


def test_a_window_of_the_cap_alone_is_told_beside_both_curves(
    claypool: Study, evidence: Callable[..., Evidence]
) -> None:
    whole = evidence()
    trials = dict(whole.trials)
    for variant in claypool.variants:
        trials["strict", variant] = whole.trials["figure7", variant]
        trials["strict_shallow", variant] = whole.trials["figure11", variant]
    (table,) = [each for each in claypool.tabled(replace(whole, trials=trials)) if each.name == "strict"]
    assert [row[0] for row in table.rows] == [
        "BBR, BBR of Linux 6.1", "BBR_Shallow, BBR of Linux 6.1",
        "BBR, BBR as of Linux 4.17 (parameters)", "BBR_Shallow, BBR as of Linux 4.17 (parameters)",
    ]  # fmt: skip
    for row in table.rows:
        for entry in row[1:]:
            assert isinstance(entry, Amount)
            assert entry.mean == pytest.approx(entry.published)


def test_what_probes_find_is_told_for_each_queue(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    whole = evidence()
    trials = {
        ("probes", variant): tuple(
            replace(trial, runs=tuple(replace(trial.only, point={"path.buffer": size}) for size in ("2 bdp", "3 bdp")))
            for trial in whole.trials["figure9", variant]
        )
        for variant in claypool.variants
    }
    (table,) = [each for each in claypool.tabled(replace(whole, trials=trials)) if each.name == "probes"]
    assert [row[1] for row in table.rows] == ["2 BDP", "3 BDP"] * 2
    for row in table.rows:
        assert [entry.mean for entry in row[2:] if isinstance(entry, Amount)] == pytest.approx([25, 60, 100])


def test_an_engine_without_a_version_is_drawn_without_it(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    whole = evidence()
    trials = {key: value for key, value in whole.trials.items() if key[1] == "bbr"}
    charts = claypool.drawn(replace(whole, engine="linux:6.12", trials=trials))
    assert len(charts) == len(claypool.figures)
    labels = {layer.label for chart in charts for panel in chart.panels for layer in panel.layers}
    assert "BBR of Linux 6.12" in labels
    assert not [label for label in labels if "4.17" in label]


def test_every_legend_names_the_version(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    charts = [chart for chart in claypool.drawn(evidence()) if chart.name not in SWEEPS]
    labels = [layer.label for chart in charts for panel in chart.panels for layer in panel.layers]
    assert len(labels) > 10
    for label in filter(None, labels):
        own = label.startswith("flow ") or label == "1 BDP of the path"
        assert own or "Linux" in label or "published" in label, label
