"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.studies import Study, Verdict
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from observed import frame, observed

CLAIMS = tuple(f"Z{number}" for number in range(1, 17))
SEEDS = (1, 2, 3)
MSS = 8949
LOSSES = ("0 %", "0.005 %", "0.01 %")
PROBES_S = (10.0, 20.2, 30.4)


@pytest.fixture(scope="module")
def zhang() -> Study:
    return studies.load("zhang2024")


def series(at: Any, rates: Any, cwnd: Any, ssthresh: Any, rtt_s: float) -> pd.DataFrame:
    """A flow's samples, equally far apart; rates in Mbit/s between them, windows in segments."""
    step = at[1] - at[0]
    total = np.concatenate(([0.0], np.cumsum(step * np.asarray(rates)[:-1] * 1e6 / 8)))
    return frame(0, at, total, None).assign(
        cwnd_bytes=np.asarray(cwnd) * MSS, ssthresh_bytes=np.asarray(ssthresh) * MSS, srtt_s=rtt_s
    )


def bulk(point: Mapping[str, str], sender: str, numbers: Mapping[str, Any], lost: int = 0) -> RunData:
    """A transfer: rate in Mbit/s, completion in seconds, RTT in ms, windows in segments."""
    at = np.arange(0, numbers["fct_s"], 0.05)
    if sender == "cubic":
        cwnd = np.interp(at, [0, 1, 4.8], [10, numbers["early"], numbers["plateau"]])
        ssthresh = np.full(at.shape, 75.0)
    else:
        cwnd = np.where(at < 2.4, 1038.0, np.where(at < 4, numbers["ratio"][1], numbers["ratio"][0]) * 340.0)
        ssthresh = np.where(at < 2.4, np.nan, 340.0)
    return observed(
        point,
        {sender: [numbers["mbit_s"]]},
        (0.0, numbers["fct_s"]),
        flows=[{"goodput_whole_bps": numbers["mbit_s"] * 1e6, "fct_s": numbers["fct_s"], "rtt_mean_s": 0.1}],
        bottleneck={"dropped_packets": numbers.get("dropped", 0), "random_lost_packets": lost},
        series=series(at, np.full(at.shape, numbers["mbit_s"]), cwnd, ssthresh, numbers["rtt_ms"] / 1e3),
    )


def video(loss: str, every: str, sender: str, numbers: Mapping[str, Any]) -> RunData:
    at = np.arange(0, 34.1, 0.02)
    down = np.any([(at >= probe) & (at < probe + numbers["down_s"]) for probe in numbers["probes_s"]], axis=0)
    odd = np.where(np.floor(at) % 2 == 0, 1 + numbers["swing"], 1 - numbers["swing"])
    cwnd = np.where(down & (sender == "bbr"), numbers["floor"], numbers["segments"] * odd)
    return observed(
        {"path.loss": loss, "flows[0].workload.every": every},
        {sender: [2.9]},
        (0.0, 34.1),
        flows=[{"goodput_whole_bps": numbers["kbit_s"] * 1e3, "fct_s": 34.1, "rtt_mean_s": 0.1}],
        series=series(at, np.full(at.shape, 2.9), cwnd, np.full(at.shape, np.nan), 0.1),
    )


def pair(loss: str, sender: str, rates: list[float], whole: float) -> RunData:
    at = np.arange(0, len(rates) + 0.01, 0.1)
    fine = np.repeat(rates, 10)
    flat = np.full(at.shape, 100.0)
    return observed(
        {"path.loss": loss},
        {sender: [whole]},
        (0.0, float(len(rates))),
        flows=[{"goodput_whole_bps": whole * 1e6, "fct_s": float(len(rates))}],
        series=series(at, np.append(fine, fine[-1]), flat, flat, 0.1),
    )


def as_published(study: Study) -> Evidence:
    """As the document's tables have it."""
    table, clips, levels = (study.published[name] for name in ("table1", "video", "levels"))
    seen: dict[str, list[RunData]] = {}
    for sender, tail in (("bbr", ""), ("cubic", "_cubic")):
        transfers = [
            {
                "mbit_s": table[f"{sender}_mbit_s"][place],
                "fct_s": table[f"{sender}_fct_s"][place],
                "rtt_ms": table["cubic_logged_rtt_ms"][place] if sender == "cubic" else table["bbr_rtt_ms"][place],
                "early": 81.0,
                "plateau": levels["cubic_plateau_segments"][place],
                "ratio": (1.95, 2.3),
            }
            for place in range(3)
        ]
        seen[f"bulk{tail}"] = [
            bulk({"path.loss": loss}, sender, numbers) for loss, numbers in zip(LOSSES, transfers, strict=True)
        ]
        seen[f"video{tail}"] = [
            video(
                loss,
                every,
                sender,
                {"segments": clips[f"{sender}_segments"][place], "floor": 4, "down_s": 0.25, "probes_s": PROBES_S,
                 "swing": 0.0, "kbit_s": clips["kbit_s"]},
            )
            for place, loss in enumerate(LOSSES)
            for every in ("33.26 ms", "500 ms")
        ]  # fmt: skip
        seen[f"pair{tail}"] = [
            pair(
                loss,
                sender,
                study.published[name][f"{sender}_mbit_s"][:-1],  # the last one is part of a second
                study.published["pair"][f"{sender}_mbit_s"][place],
            )
            for place, (loss, name) in enumerate((("0 %", "pair_0"), ("0.01 %", "pair_010")))
        ]
        rate = 170.0 if sender == "bbr" else 10.0
        seen[f"lossy{tail}"] = [
            observed({"path.loss": loss}, {sender: [rate]}, (0, 60), flows=[{"goodput_whole_bps": rate * 1e6}])
            for loss in ("0.1 %", "0.5 %", "1 %")
        ]
    seen["early_cubic"] = [
        replace(run, point={"flows[0].workload.transfer": size})
        for size, run in (("100 MiB", seen["bulk_cubic"][0]), ("1 GiB", seen["pair_cubic"][0]))
    ]
    for tail in ("", "_cubic"):
        seen[f"lumps{tail}"] = [
            replace(run, point={"flows[0].workload.transfer": size, "path.loss": loss})
            for size, run in (("100 MiB", seen[f"bulk{tail}"][0]), ("1 GiB", seen[f"pair{tail}"][0]))
            for loss in LOSSES
        ]
    seen["wide"] = [replace(seen["bulk"][0], point={})]
    both = pd.concat([seen["pair"][0].flow_series(), seen["pair_cubic"][0].flow_series().assign(flow=1)])
    seen["shared"] = [
        observed({"path.rate": rate, "path.loss": loss}, {"bbr": [150.0], "cubic": [60.0]}, (0, 40), series=both)
        for rate in ("216 Mbit/s", "432 Mbit/s")
        for loss in ("0 %", "0.01 %")
    ]
    return Evidence(
        engine="sim",
        trials={(name, "bbr"): tuple(SeedSweep(seed, tuple(found)) for seed in SEEDS) for name, found in seen.items()},
    )


def verdict_of(study: Study, claim: str, evidence: Evidence) -> Verdict:
    (found,) = [each for each in study.verdicts(evidence) if each.claim == claim and "bbr" in each.versions]
    return found


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_was_published_reproduces_a_claim(zhang: Study, claim: str) -> None:
    found = verdict_of(zhang, claim, as_published(zhang))
    assert found.verdict == "reproduced", found.reason


def test_what_was_lost_at_random_is_left_out_where_the_claim_is_about_transfers_that_lost_nothing(zhang: Study) -> None:
    numbers = {"mbit_s": 90, "fct_s": 9.0, "rtt_ms": 110, "early": 60.0, "plateau": 120, "ratio": (0.5, 2.3)}
    whole = as_published(zhang)
    trials = dict(whole.trials)
    for experiment, sender in (("bulk", "bbr"), ("bulk_cubic", "cubic")):
        runs = trials[experiment, "bbr"][0].runs
        hit = bulk({"path.loss": "0.01 %"}, sender, numbers, lost=1)
        trials[experiment, "bbr"] = tuple(SeedSweep(seed, (*runs[:2], hit)) for seed in SEEDS)
    found = replace(whole, trials=trials)
    assert {verdict_of(zhang, claim, found).verdict for claim in ("Z3", "Z4")} == {"reproduced"}


def test_a_seed_in_which_each_transfer_lost_a_packet_is_not_judged_by_the_one_without_loss(zhang: Study) -> None:
    numbers = {"mbit_s": 90, "fct_s": 9.0, "rtt_ms": 110, "early": 60.0, "plateau": 368, "ratio": (1.95, 2.3)}
    whole = as_published(zhang)
    trials = dict(whole.trials)
    for experiment, sender in (("bulk", "bbr"), ("bulk_cubic", "cubic")):
        clean = trials[experiment, "bbr"][0].runs[0]
        hit = [bulk({"path.loss": loss}, sender, numbers, lost=1) for loss in LOSSES[1:]]
        trials[experiment, "bbr"] = tuple(SeedSweep(seed, (clean, *hit)) for seed in SEEDS)
    found = replace(whole, trials=trials)
    for claim in ("Z3", "Z4"):
        judged = verdict_of(zhang, claim, found)
        assert judged.verdict == "not reproduced"
        assert [check.value for check in judged.checks] == [None, None]


def test_its_bounds_are_those_of_the_reference(zhang: Study) -> None:
    bounds = {claim.id: {(check.least, check.most) for check in claim.checks} for claim in zhang.claims}
    table = zhang.published["table1"]
    for claim, column, share in (("Z6", "fct_s", 0.25), ("Z8", "mbit_s", 0.2)):
        numbers = [*table[f"cubic_{column}"], *table[f"bbr_{column}"]]
        (judged,) = [each for each in zhang.claims if each.id == claim]
        for number, check in zip(numbers, judged.checks, strict=True):
            assert (check.least, check.most) == pytest.approx(((1 - share) * number, (1 + share) * number))
        del bounds[claim]
    assert bounds == {
        "Z1": {(340, 380), (None, 0.5)},
        "Z2": {(1.9, None), (None, 3.1), (1.1, None)},
        "Z3": {(340, None), (None, 380)},
        "Z4": {(1.9, None), (None, 3.1)},
        "Z5": {(1.2, 1.8)},
        "Z7": {(12, 24)},
        "Z9": {(None, 5)},
        "Z10": {(1, None), (4, 4), (0.2, 0.3), (8.9, 11.4)},
        "Z11": {(2.8876, 2.946)},
        "Z12": {(189, 231), (0.99, None)},
        "Z13": {(2, None), (10, None)},
        "Z14": {(4, 6), (1, 2), (0, None)},
        "Z15": {(None, 1), (0.9, None)},
        "Z16": {(1, None), (0.95, None)},
    }


def test_its_figures_and_tables_have_the_published_numbers_beside_ours(zhang: Study) -> None:
    evidence = as_published(zhang)
    charts = {chart.name: chart for chart in zhang.drawn(evidence)}
    assert list(charts) == [*(f"figure{number}" for number in range(1, 12)), "loss", "shared", "slow_start"]
    for number in (1, 2, 3, 4, 5, 6, 10, 11):
        (panel,) = charts[f"figure{number}"].panels
        styles = [layer.style for layer in panel.layers]
        assert {"bbr", "cubic", "published bbr", "published cubic"} == set(styles)
    (windows,) = charts["figure1"].panels
    theirs = {layer.style: layer for layer in windows.layers}["published cubic"]
    assert dict(zip(theirs.x, theirs.y, strict=True))[5.0] == 368
    (rates,) = charts["figure10"].panels
    theirs = {layer.style: layer for layer in rates.layers}["published bbr"]
    assert (theirs.x[0], theirs.y[0]) == (0.5, 76.5)
    tables = {table.name: table for table in zhang.tabled(evidence)}
    assert list(tables) == ["table1", "video", "pair", "early", "wide"]
    cells = [cell for row in tables["table1"].rows for cell in row[1:4]]
    assert len(cells) == 18
    for cell in cells:
        assert not isinstance(cell, str)
        assert cell.published is not None
