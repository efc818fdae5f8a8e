"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dumbbell.studies import Study, Verdict
from dumbbell.studies.evidence import Evidence

CLAIMS = ("S1", "S2", "S5", "S7", "S8", "S9", "S10", "S13", "S15", "S17", "S18", "S20", "S21", "S22", "S23")


def verdict_of(study: Study, claim: str, evidence: Evidence) -> Verdict:
    (found,) = [each for each in study.verdicts(evidence) if (each.claim, each.variant) == (claim, "bbr")]
    return found


def test_its_claims_are_those_that_its_runs_can_judge(claypool: Study) -> None:
    assert tuple(claim.id for claim in claypool.claims) == CLAIMS


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_was_published_reproduces_a_claim(claypool: Study, evidence: Callable[..., Evidence], claim: str) -> None:
    found = verdict_of(claypool, claim, evidence())
    assert found.verdict == "reproduced", found.reason


@pytest.mark.parametrize(
    ("claim", "changes", "label", "value"),
    [
        ("S1", {"rates": (32.0, 16.0, 16.0, 16.0)}, "smallest Jain index of a 5-s bin after 30 s", 80**2 / 4 / 1792),
        (
            "S1",
            {"probes_later_s": 5.0},
            "share of entries into PROBE_RTT that are together after 30 s",
            0.0,
        ),
        ("S2", {"queue_bdp": 0.89}, "mean queue", 0.89),
        ("S2", {"queue_bdp": 1.31}, "mean queue", 1.31),
        ("S5", {"cubic_queue_bdp": (7.0, 7.7)}, "largest queue", 7.7),
        ("S5", {"cubic_queue_bdp": (6.4, 8.0)}, "mean queue", 6.4),
        ("S5", {"cubic_queue_bdp": (7.7, 8.0)}, "mean queue", 7.7),
        ("S7", {"loss": {"0.5 bdp": 13.1}}, "loss at 0.5 BDP", 13.1),
        ("S7", {"loss": {"0.5 bdp": 7.9}}, "loss at 0.5 BDP", 7.9),
        ("S8", {"loss": {"0.25 bdp": 15.0}}, "loss at 0.25 BDP", 15.0),
        ("S8", {"loss": {"0.5 bdp": 13.6}}, "loss at 0.5 BDP", 13.6),
        ("S8", {"loss": {"0.75 bdp": 5.6}}, "loss at 0.75 BDP", 5.6),
        ("S8", {"loss": {"1.25 bdp": 5.1}}, "loss at 1.25 BDP", 5.1),
        ("S8", {"loss": {"1.5 bdp": 1.1}}, "loss at 1.5 BDP", 1.1),
        ("S8", {"loss": {"1.75 bdp": 1.1}}, "loss at 1.75 BDP", 1.1),
        ("S8", {"loss": {"2 bdp": 1.1}}, "loss at 2 BDP", 1.1),
        ("S8", {"loss": {"4 bdp": 1.1}}, "loss at 4 BDP", 1.1),
        ("S8", {"loss": {"8 bdp": 1.1}}, "loss at 8 BDP", 1.1),
        ("S9", {"loss": {"0.75 bdp": 12.6}}, "loss at 1 BDP, interpolated", 7.55),
        ("S9", {"loss": {"1.25 bdp": 0.0, "0.75 bdp": 6.9}}, "loss at 1 BDP, interpolated", 3.45),
        (
            "S10",
            {"loss": {"0.25 bdp": 14.0, "0.5 bdp": 14.0, "0.75 bdp": 14.0, "1.25 bdp": 0.0}},
            "R^2 of a straight line from 0.25 to 1.5 BDP",
            14.7**2 / (1.075 * 235.2),
        ),
        ("S10", {"loss": {"4 bdp": 0.11}}, "largest loss from 1.5 BDP on", 0.11),
        ("S13", {"goodput": {"0.25 bdp": 71.0}}, "goodput in the queue in which it is smallest", 71.0),
        ("S15", {"bbr": {"0.5 bdp": 70.5}, "cubic": {"0.5 bdp": 4.5}}, "CUBIC's share at 0.5 BDP", 6.0),
        ("S17", {"cycle": {"period_s": 17.0}}, "dominant period of BBR's throughput", 17.0),
        ("S17", {"cycle": {"period_s": 26.0}}, "dominant period of BBR's throughput", 26.0),
        ("S17", {"cycle": {"period_s": 1000.0}}, "dominant period of BBR's throughput", None),
        ("S17", {"cycle": {"together": True}}, "correlation of BBR's and CUBIC's throughput", 1.0),
        ("S18", {"cycle": {"low_ms": 33.0}}, "median of the low estimates", 33.0),
        ("S18", {"cycle": {"high_ms": 44.0}}, "median of the high estimates", 44.0),
        ("S18", {"cycle": {"high_ms": 76.0}}, "median of the high estimates", 76.0),
        (
            "S18",
            {"cycle": {"alternating": False}},
            "share of estimates followed by one of the other kind",
            100 * 9 / 23,
        ),
        (
            "S20",
            {"third_quartile": {"1.75 bdp": 57.0}},
            "BBR's interquartile range, 1.75 over 1.25 BDP",
            19 / 11,
        ),
        (
            "S20",
            {"bbr": {"1.25 bdp": 36.0}, "cubic": {"1.25 bdp": 39.0}},
            "BBR's smallest share below 1.5 BDP",
            48.0,
        ),
        (
            "S21",
            {"bbr": {"4 bdp": 30.0}, "cubic": {"4 bdp": 46.0}},
            "queue in which both get the same",
            2 + 2 * 31.4 / 47.4,
        ),
        (
            "S21",
            {"bbr": {"8 bdp": 37.0}, "cubic": {"8 bdp": 36.0}},
            "queue in which both get the same",
            None,
        ),
        ("S22", {"bbr": {"8 bdp": 36.0}, "cubic": {"8 bdp": 41.0}}, "CUBIC's share at 8 BDP", 100 * 41 / 77),
        ("S22", {"bbr": {"8 bdp": 18.0}, "cubic": {"8 bdp": 59.0}}, "CUBIC's share at 8 BDP", 100 * 59 / 77),
        (
            "S22",
            {"bbr": {"4 bdp": 56.0}, "cubic": {"4 bdp": 21.0}},
            "smallest rise of CUBIC's share from one size to the next, from 2 BDP on",
            100 * (21 / 77 - 21.8 / 75),
        ),
        ("S23", {"shallow": {"0.5 bdp": 8.1}}, "BBR_Shallow's loss at 0.5 BDP", 8.1),
        ("S23", {"shallow": {"0.5 bdp": 2.9}}, "BBR_Shallow's loss at 0.5 BDP", 2.9),
        ("S23", {"loss": {"0.5 bdp": 13.1}}, "BBR's loss at 0.5 BDP", 13.1),
        ("S23", {"shallow": {"1.75 bdp": 0.11}}, "BBR_Shallow's largest loss from 1.25 BDP on", 0.11),
    ],
)
def test_a_wrong_number_fails_its_claim(  # noqa: PLR0913, PLR0917 (a row of the table)
    claypool: Study,
    evidence: Callable[..., Evidence],
    claim: str,
    changes: dict[str, Any],
    label: str,
    value: float | None,
) -> None:
    found = verdict_of(claypool, claim, evidence(**changes))
    assert found.verdict == "not reproduced"
    assert found.label == label
    assert found.value == (None if value is None else pytest.approx(value, abs=1e-3))
    assert found.label in found.reason


def test_every_claim_has_been_seen_to_fail() -> None:
    (rows,) = [mark.args[1] for mark in test_a_wrong_number_fails_its_claim.pytestmark if mark.name == "parametrize"]
    assert {row[0] for row in rows} == set(CLAIMS)


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
        "S5": [(7.8, None), (6.5, 7.6)],
        "S7": [(8, 13)],
        "S9": [(3.5, 7.5)],
        "S10": [(0.9, None), (None, 0.1)],
        "S13": [(pytest.approx(0.93 * 76.5), None)],
        "S15": [(None, 5)],
        "S17": [(18, 25), (None, -0.8)],
        "S18": [(25, 32), (45, 75), (60, None)],
        "S20": [(2, None), (50, None)],
        "S21": [(3.5, 7)],
        "S22": [(55, 75), (0, None)],
        "S23": [(3, 8), (8, 13), (None, 0.1)],
    }
    own_share = {claim.id: [check.in_seeds for check in claim.checks] for claim in claypool.claims}
    assert own_share["S17"] == [0.6, None]
    assert all(set(shares) == {None} for claim, shares in own_share.items() if claim != "S17")


def test_the_sweeps_are_those_of_the_published_curves(claypool: Study) -> None:
    for name in ("figure7", "figure10"):
        written = claypool.experiments[name].words()["path"]["buffer"]
        assert [str(size) for size in written] == claypool.published[name]["buffer"]


def test_its_charts_have_the_published_numbers_beside_ours(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    charts = {chart.name: chart for chart in claypool.drawn(evidence())}
    assert list(charts) == ["figure4b", "figure5", "figure7", "figure9", "figure10", "figure11"]
    (seven,) = charts["figure7"].panels
    layers = {layer.style: layer for layer in seven.layers}
    assert set(layers) == {"published", "bbr", "bbr_4_17"}
    assert layers["published"].y == pytest.approx(layers["bbr"].y)
    assert layers["published"].x == (0.25, 0.5, 0.75, 1.25, 1.5, 1.75, 2, 4, 8)
    for panel, variant in zip(charts["figure10"].panels, claypool.variants, strict=True):
        ours = {(layer.style, layer.kind): layer for layer in panel.layers}
        assert ours[variant, "line+points"].y == pytest.approx(ours["published bbr", "line+points"].y)
        assert ours["cubic", "line+points"].y == pytest.approx(ours["published cubic", "line+points"].y)
        assert ours[variant, "band"].low == pytest.approx(ours["published first quartile", "points"].y)
        assert ours[variant, "band"].high == pytest.approx(ours["published third quartile", "points"].y)
    four = charts["figure4b"].panels[0]
    flows = [layer for layer in four.layers if layer.kind == "line"]
    assert len(flows) == 4
    assert flows[0].y == pytest.approx([20.0] * 120)


def test_figure_5_has_cubic_once(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = next(chart for chart in claypool.drawn(evidence()) if chart.name == "figure5")
    (panel,) = chart.panels
    assert [layer.style for layer in panel.layers] == ["bbr", "cubic", "bbr_4_17", "published", "published"]
    bbr, cubic = panel.layers[:2]
    assert bbr.y == pytest.approx([1.13] * len(bbr.y))
    assert max(cubic.y) == pytest.approx(8)
    assert (bbr.x[0], bbr.x[-1]) == pytest.approx((120, 180))


def test_figure_9_shows_the_cycle_of_each_version(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = next(chart for chart in claypool.drawn(evidence()) if chart.name == "figure9")
    assert (len(chart.panels), chart.columns) == (8, 2)
    turns, _, queue, _, lost, _, delay, _ = chart.panels
    bbr, cubic = turns.layers
    assert [one + other for one, other in zip(bbr.y, cubic.y, strict=True)] == pytest.approx([76.0] * 120)
    assert set(lost.layers[0].y) == {0}
    assert max(queue.layers[0].y) == pytest.approx(1.75)
    assert sorted(set(delay.layers[1].y)) == pytest.approx([25.0, 60.0])


def test_figure_11_has_both_forms_of_bbr(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    chart = next(chart for chart in claypool.drawn(evidence()) if chart.name == "figure11")
    styles = [[layer.style for layer in panel.layers] for panel in chart.panels]
    assert styles == [
        ["published bbr_shallow", "published", "bbr_shallow", "bbr"],
        ["published bbr_shallow", "published", "bbr_4_17_shallow", "bbr_4_17"],
    ]


def test_an_engine_without_a_version_is_drawn_without_it(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    whole = evidence()
    trials = {key: value for key, value in whole.trials.items() if key[1] == "bbr"}
    charts = claypool.drawn(replace(whole, engine="linux:6.12", trials=trials))
    assert len(charts) == len(claypool.figures)
    labels = {layer.label for chart in charts for panel in chart.panels for layer in panel.layers}
    assert "BBR of Linux 6.12" in labels
    assert not [label for label in labels if "4.17" in label]


def test_every_legend_names_the_version(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    labels = [layer.label for chart in claypool.drawn(evidence()) for panel in chart.panels for layer in panel.layers]
    assert len(labels) > 10
    for label in filter(None, labels):
        assert "Linux" in label or "published" in label or label.startswith("flow "), label
