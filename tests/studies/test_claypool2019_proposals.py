"""Each question on hand-made results: what the document hopes for is a yes, and one wrong number a no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence, SeedSweep
from dumbbell.studies.judgement import judge
from observed import frame, observed

QUESTIONS = ("P1", "P2", "P3", "P4", "P5", "P6")
VARIANTS = ("bbr", "bbr_steady_rtt", "bbr_feedback")
QUEUES = ("0.25 bdp", "0.5 bdp", "0.75 bdp", "1 bdp", "1.25 bdp", "1.5 bdp", "1.75 bdp", "2 bdp", "4 bdp", "8 bdp")
PERIOD_S = 20.0


@pytest.fixture(scope="module")
def study() -> Study:
    return studies.load("claypool2019_proposals")


def taking_turns(swing_mbit_s: float, high_s: float) -> pd.DataFrame:
    """300 s of two flows that have 20 Mbit/s and so much more and less in turn, and find the high RTT every 20 s."""
    at = [0.5 * index for index in range(601)]
    rates = [20 + swing_mbit_s * (1 if each % PERIOD_S < PERIOD_S / 2 else -1) for each in at[:-1]]
    delivered = [0.0]
    for rate in rates:
        delivered.append(delivered[-1] + rate * 0.5e6 / 8)
    probing = ["probe_rtt" if each % 10 == 0 else "probe_bw" for each in at]
    estimates = [high_s if each % PERIOD_S < PERIOD_S / 2 else 0.025 for each in at]
    return pd.concat([frame(flow, at, delivered, probing).assign(cc_min_rtt_s=estimates) for flow in (0, 1)])


def as_hoped(  # noqa: PLR0913 (each is a number of a run)
    *,
    loss: Mapping[str, float] | None = None,
    goodput: Mapping[str, float] | None = None,
    share: Mapping[str, float] | None = None,
    swing: float = 2.0,
    high_s: float = 0.026,
    lost_beside: float = 0.2,
) -> Evidence:
    """Losses and shares in %, goodput in Mbit/s, by queue. BBR loses 10 % alone, 1 % beside CUBIC, and swings by 10."""

    def alone(lost: Mapping[str, float], usual: float) -> list[Any]:
        return [
            observed(
                {"path.buffer": size}, {"bbr": [(goodput or {}).get(size, 75.0)]}, (150, 255),
                lost=lost.get(size, usual) / 100,
            )
            for size in QUEUES
        ]  # fmt: skip

    def cycle(lost: float, swing_mbit_s: float, highest_s: float) -> list[Any]:
        series = taking_turns(swing_mbit_s, highest_s)
        return [observed({}, {"bbr": [20.0] * 2, "cubic": [18.0] * 2}, (150, 240), lost=lost / 100, series=series)]

    shares = {size: (share or {}).get(size, 50.0) for size in QUEUES}
    runs = {
        "alone": alone(loss or {}, 4.0),
        "alone_bbr": alone({}, 10.0),
        "beside": [
            observed({"path.buffer": size}, {"bbr": [its], "cubic": [100 - its]}, (150, 240))
            for size, its in shares.items()
        ],
        "cycle": cycle(lost_beside, swing, high_s),
        "cycle_bbr": cycle(1.0, 10.0, 0.04),
    }
    trials = {(name, variant): (SeedSweep(1, tuple(found)),) for name, found in runs.items() for variant in VARIANTS}
    return Evidence(engine="sim", trials=trials)


def test_its_questions_are_told_from_the_documents_claims(study: Study) -> None:
    assert tuple(question.id for question in study.claims) == QUESTIONS
    assert study.variants == VARIANTS
    for question in study.claims:
        assert "own question" in question.section
        assert {check.published for check in question.checks} == {None}
        assert question.id in study.readme


def test_every_experiment_is_run_five_times_behind_fq(study: Study) -> None:
    for experiment in study.experiments.values():
        words = experiment.words()
        assert (words["seeds"], words["host"]["qdisc"]) == (5, "fq")


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_hoped_for_is_a_yes(study: Study, question: str) -> None:
    (asked,) = [each for each in study.claims if each.id == question]
    assert judge(asked, as_hoped(), "bbr_feedback").verdict == "reproduced"


def test_loss_from_1_5_bdp_on_is_not_asked_about(study: Study) -> None:
    (asked,) = [each for each in study.claims if each.id == "P1"]
    assert judge(asked, as_hoped(loss={"1.5 bdp": 9.0}), "bbr_feedback").verdict == "reproduced"


def test_its_charts_have_every_version_beside_what_was_published_of_bbr(study: Study) -> None:
    charts = {chart.name: chart for chart in study.drawn(as_hoped())}
    assert list(charts) == ["alone", "beside", "cycle"]
    for name in ("alone", "beside"):
        (panel,) = charts[name].panels
        assert [layer.style for layer in panel.layers] == ["published", *VARIANTS]
    assert set(charts["beside"].panels[0].layers[1].y) == {50.0}
    assert (len(charts["cycle"].panels), charts["cycle"].columns) == (6, 2)
    assert set(charts["cycle"].panels[1].layers[0].y) == {25.0, 26.0}
