"""When a goodput has settled by the document's rule, on hand-made series, and which points its figures show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sarpkaya2025.claims import settled_s
from observed import frame, observed
from synthesis import synthetic_evidence


@pytest.fixture(scope="module")
def study() -> Study:
    return studies.load("sarpkaya2025")


def run_of(goodputs_mbit_s: Any, start_s: float) -> RunData:
    """A BBR flow that starts at some instant and has these goodputs in the seconds after it, beside a steady one."""
    own = np.asarray(goodputs_mbit_s, dtype=np.float64)
    at = np.linspace(0, own.size + 1, 20 * (own.size + 1) + 1)
    moved = np.concatenate(([0.0], np.cumsum(own))) * 1e6 / 8
    delivered = np.interp(at - start_s, np.arange(own.size + 1), moved)
    series = pd.concat([frame(0, at, delivered, None), frame(1, at, 5e5 * at, None)])
    rates = {"bbr": [float(own.mean())], "other": [4.0]}
    return observed({}, rates, (0, float(own.size + start_s)), series=series, flows=[{"start_s": start_s}, {}])


FALLS = [8.0] * 100 + [4.0] * 400
"""The means of the seconds 101 to 220 and 221 to 340 are the first that are alike."""


@pytest.mark.parametrize(
    ("goodputs", "settled"),
    [
        (FALLS, 221),
        (FALLS[:340], 221),
        (FALLS[:339], None),
        ([5.0, *[5.004] * 120], 2),  # a tenth of a percent is little change
        ([5.0, *[5.006] * 120], None),
        ([6.0, 4.0, *[5.0] * 120], 3),  # the first mean is of the seconds 1 and 2
        ([0.0, *[5.0] * 120], 2),  # nothing before counts as no change
    ],
)
def test_it_settles_with_the_second_of_two_means_that_are_alike(goodputs: list[float], settled: float | None) -> None:
    assert settled_s(goodputs) == settled


def test_seconds_are_counted_from_the_flows_own_start(study: Study) -> None:
    rule = study.metrics.parse("settling_time")
    assert rule.of_run(run_of(FALLS, 0.35)) == 221
    assert rule.of_run(run_of(1.002 ** np.arange(600), 0.35)) is None


def test_means_that_cross_meet_the_rule_though_nothing_has_settled() -> None:
    """What rises for 300 s and falls for 300 s is alike on both sides of its top."""
    rises = np.linspace(1, 6, 300)
    assert settled_s(rises) is None
    assert settled_s([*rises, *rises[::-1]]) == pytest.approx(301, abs=2)


def test_the_documents_own_series_settles_at_451_s_by_its_rule(study: Study) -> None:
    """Of 480 seconds that could, it is the only one: its Figure 2a has 488 s for the same path and queue."""
    goodputs = study.published["figure5a"]["bbr_mbit_s"]
    assert settled_s(goodputs) == 451
    assert settled_s(goodputs[:569]) is None


@pytest.mark.parametrize(
    ("figure", "panels", "points", "last"),
    [("figure1b", 2, 10, 9.1), ("figure2b", 2, 5, 3.1), ("figure8a", 6, 7, 1.86)],
)
def test_panels_show_the_measured_points_that_are_theirs(
    study: Study, figure: str, panels: int, points: int, last: float
) -> None:
    part = studies.only(study, experiments=[figure])
    (chart,) = studies.drawn(part.figures, part, synthetic_evidence(part, seeds=(1, 2, 3)))
    measured = [next(layer for layer in panel.layers if layer.label.startswith("measured")) for panel in chart.panels]
    assert [len(layer.x) for layer in measured] == [points] * panels
    assert measured[0].y[-1] == pytest.approx(last)
    assert all(layer.x == pytest.approx([2.0 ** round(np.log2(at)) for at in layer.x]) for layer in measured)
