"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.studies import Study, Verdict
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from observed import frame, observed

CLAIMS = tuple(f"G{number}" for number in range(1, 13))
SEEDS = (1, 2, 3)
WHOLE_S = (0.0, 120.0)
RATES = {"103.7 Mbit/s": 0, "1.037 Gbit/s": 1, "1.34 Gbit/s": 2}
SENDERS = {"": "bbr", "_cubic": "cubic", "_reno": "reno"}


@pytest.fixture(scope="module")
def giordano() -> Study:
    return studies.load("giordano2019")


def swinging(rates: tuple[float, ...], share: float) -> pd.DataFrame:
    """120 s in which each flow's rate in Mbit/s is by turns so much above and below its mean, a second each."""
    at = np.arange(0, 120.01, 0.1)
    frames = []
    for index, rate in enumerate(rates):
        swing = np.where(np.floor(at[:-1] + 1e-9) % 2 == 0, 1 + share, 1 - share)
        total = np.concatenate(([0.0], np.cumsum(0.1 * rate * 1e6 / 8 * swing)))
        frames.append(frame(index, at, total, None))
    return pd.concat(frames)


def run_of(point: Mapping[str, str], group: str, rates: tuple[float, ...], share: float = 0.1) -> RunData:
    jain = sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))
    return observed(point, {group: rates}, WHOLE_S, series=swinging(rates, share), jain=jain)


def as_published(
    study: Study,
    *,
    pairs: Mapping[tuple[str, str], tuple[float, float]] | None = None,
) -> Evidence:
    """Pairs of rates by sender and line or queue, where they are not the published ones."""
    single, varied = study.published["single"], study.published["single_variation"]
    runs: dict[str, list[RunData]] = {}
    for tail, sender in SENDERS.items():
        written = study.experiments["single"].words()["path"]
        runs[f"single{tail}"] = [
            run_of(
                {"path.rate": rate, "path.buffer": buffer},
                sender,
                (single[f"{sender}_mbit_s"][RATES[rate]],),
                varied[sender][RATES[rate]],
            )
            for rate, buffer in zip(map(str, written["rate"]), map(str, written["buffer"]), strict=True)
        ]
        both = {
            "dual": dict.fromkeys((("path.buffer", each) for each in ("1 bdp", "100 packets", "1000 packets")), "d2"),
            "lossy": {("path.rate", "360 Mbit/s"): "d1", ("path.rate", "280 Mbit/s"): "d4"},
        }
        for experiment, points in both.items():
            runs[f"{experiment}{tail}"] = [
                run_of(
                    {path: value},
                    sender,
                    (pairs or {}).get((sender, value), tuple(study.published[table][f"{sender}_mbit_s"])),
                )
                for (path, value), table in points.items()
            ]
    runs["own_cubic"], runs["own_reno"] = runs["lossy_cubic"], runs["lossy_reno"]
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(SeedSweep(seed, tuple(found)) for seed in SEEDS)
            for experiment, found in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )


def verdict_of(study: Study, claim: str, evidence: Evidence) -> Verdict:
    (found,) = [each for each in study.verdicts(evidence) if each.claim == claim and "bbr" in each.versions]
    return found


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_was_published_reproduces_a_claim(giordano: Study, claim: str) -> None:
    found = verdict_of(giordano, claim, as_published(giordano))
    assert found.verdict == "reproduced", found.reason


SLOW, FAST, CPU = RATES


def test_its_bounds_are_those_of_the_reference(giordano: Study) -> None:
    bounds = {claim.id: {(check.least, check.most) for check in claim.checks} for claim in giordano.claims}
    assert bounds == {
        "G1": {(95, 100), (None, 3)},
        "G2": {(None, 6), (None, 1)},
        "G3": {(None, 20)},
        "G4": {(0, None)},
        "G5": {(1, None)},
        "G6": {(85, None), (0.95, 1.2)},
        "G7": {(1, None)},
        "G8": {(1, None)},
        "G9": {(1.5, 3), (0.9, 1.25)},
        "G10": {(1, None), (None, 1.02)},
        "G11": {(0.99, None)},
        "G12": {(None, 6)},
    }


def test_its_figures_and_tables_have_the_published_numbers_beside_ours(giordano: Study) -> None:
    evidence = as_published(giordano)
    charts = {chart.name: chart for chart in giordano.drawn(evidence)}
    assert list(charts) == ["single1", "single2", "single3", "dual1", "dual2", "dual3", "dual4"]
    ours, theirs = charts["single1"].panels
    assert [layer.style for layer in ours.layers] == ["bbr", "bbr", "cubic", "reno"]  # both versions' runs are the same
    assert [layer.style for layer in theirs.layers] == ["bbr", "cubic", "reno"]
    assert theirs.layers[0].y[:2] == (123, 98.5)
    frames, swing = (
        giordano.published[name][key][0] for name, key in (("single", "cubic_mbit_s"), ("single_variation", "cubic"))
    )
    assert max(ours.layers[2].y) == pytest.approx(frames * (1 + swing) * 1448 / 1514)
    tables = {table.name: table for table in giordano.tabled(evidence)}
    assert list(tables) == ["single", "dual", "variation", "own", "evenness"]
    for name, table in tables.items():
        for row in table.rows:
            for cell in row[2 if name == "own" else 1 :]:
                assert not isinstance(cell, str)
                assert cell.published is not None


def test_two_flows_at_the_bottleneck_are_drawn_in_the_short_and_in_the_long_queue(giordano: Study) -> None:
    uneven = as_published(giordano, pairs={("reno", "1 bdp"): (49, 50), ("reno", "1000 packets"): (80, 20)})
    (chart,) = [each for each in giordano.drawn(uneven) if each.name == "dual2"]
    panels = {panel.title: panel for panel in chart.panels}
    assert len(panels) == 11
    apart = {
        queue: max(panels[f"Reno of Linux 6.1, {queue}"].layers[0].y)
        / max(panels[f"Reno of Linux 6.1, {queue}"].layers[1].y)
        for queue in ("1 BDP", "1000 packets")
    }
    assert apart == pytest.approx({"1 BDP": 49 / 50, "1000 packets": 4.0})
    assert panels["Reno, published (Giordano 2019)"].layers[0].y[1:3] == (49.5, 49.5)


def test_an_engine_without_a_version_is_drawn_without_it(giordano: Study) -> None:
    whole = as_published(giordano)
    trials = {key: value for key, value in whole.trials.items() if key[1] == "bbr"}
    charts = giordano.drawn(replace(whole, engine="linux:6.12", trials=trials))
    assert len(charts) == len(giordano.figures)
    titles = {panel.title for chart in charts for panel in chart.panels}
    assert "BBR of Linux 6.12" in titles
    assert not [title for title in titles if "4.17" in title]
