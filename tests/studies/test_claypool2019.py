"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dumbbell.studies import Study, Verdict
from dumbbell.studies.evidence import Evidence

CLAIMS = ("S1", "S7", "S8", "S9", "S10", "S13", "S15", "S20", "S21", "S22")


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
        "S7": [(8, 13)],
        "S9": [(3.5, 7.5)],
        "S10": [(0.9, None), (None, 0.1)],
        "S13": [(pytest.approx(0.93 * 76.5), None)],
        "S15": [(None, 5)],
        "S20": [(2, None), (50, None)],
        "S21": [(3.5, 7)],
        "S22": [(55, 75), (0, None)],
    }


def test_the_sweeps_are_those_of_the_published_curves(claypool: Study) -> None:
    for name in ("figure7", "figure10"):
        written = claypool.experiments[name].words()["path"]["buffer"]
        assert [str(size) for size in written] == claypool.published[name]["buffer"]


def test_its_charts_have_the_published_numbers_beside_ours(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    charts = {chart.name: chart for chart in claypool.drawn(evidence())}
    assert list(charts) == ["figure4b", "figure7", "figure10"]
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


def test_every_legend_names_the_version(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    labels = [layer.label for chart in claypool.drawn(evidence()) for panel in chart.panels for layer in panel.layers]
    assert len(labels) > 10
    for label in labels:
        assert "Linux" in label or "published" in label or label.startswith("flow "), label
