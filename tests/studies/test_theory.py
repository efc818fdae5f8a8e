"""The closed forms: the numbers that claims have from them, computed again, and each claim on hand-made runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.spec.quantity import Rate, Share, Size, Time
from dumbbell.studies import Study
from dumbbell.studies.claim import Check
from dumbbell.studies.evidence import SeedSweep
from dumbbell.studies.theory import claims
from observed import BDP_BYTES, frame, observed

MSS, FRAME = 1448, 1514
CUBIC_C, CUBIC_BETA = 410 / 1024, 717 / 1024
"""As Linux rounds them."""
FRIENDLY = 8 / 15
"""CUBIC's growth as Reno's equal, in segments a round trip: what integers make of 3 (1 - b)/(1 + b)."""


@pytest.fixture(scope="module")
def theory() -> Study:
    return studies.load("theory")


def checks(study: Study, claim: str) -> list[Check]:
    (matching,) = [each for each in study.claims if each.id == claim]
    return list(matching.checks)


def published(study: Study, claim: str) -> list[float | None]:
    return [check.published for check in checks(study, claim)]


def ott(alpha: float, beta: float) -> float:
    """W sqrt(p) under independent loss of a window that grows by alpha a round trip and falls to beta of itself.

    Ott, Kemperman and Mathis 1996; derived in crates/sim/tests/loss_response.rs.
    """
    at = ((np.arange(10_000) + 0.5) * 0.01) ** 2
    transform: Any = np.prod([1 / (1 + at * beta ** (2 * k)) for k in range(60)], axis=0)
    integral = float(transform.sum()) * 0.01
    return math.sqrt(2 * alpha) / (2 / math.sqrt(math.pi) * integral)


def immune(window: float, p: float, power: float) -> float:
    """Losses within one window are one event."""
    return float(window * (1 + p * window) ** power)


def cubics_curve(chains: int = 1000, climbs: int = 40, step: float = 0.04) -> float:
    """Mean window over (RTT/p)^(3/4) of CUBIC's curve with fast convergence, over climbs that end at random."""
    chance = np.random.default_rng(1)
    plateau, window = np.full(chains, 1.2), np.full(chains, 1.2 * CUBIC_BETA)
    packets = seconds = 0.0
    for climb in range(climbs):
        drawn = chance.exponential(size=chains)
        left, at = drawn.copy(), np.zeros(chains)
        k = np.cbrt((plateau - window) / CUBIC_C)

        def curve(t: Any, plateau: Any = plateau, k: Any = k) -> Any:
            return plateau + CUBIC_C * (t - k) ** 3

        while True:
            carried = curve(at + step / 2) * step
            going = left > carried
            if not going.any():
                break
            left, at = np.where(going, left - carried, left), np.where(going, at + step, at)
        at += left / curve(at)
        if climb >= 15:  # the beginning is forgotten
            packets, seconds = packets + drawn.sum(), seconds + at.sum()
        reached = curve(at)
        plateau = np.where(reached < plateau, reached * (1 + CUBIC_BETA) / 2, reached)
        window = CUBIC_BETA * reached
    return float(packets / seconds)


@pytest.mark.slow
def test_constants_of_windows_are_those_of_the_theory(theory: Study) -> None:
    numbers = theory.published["window"]
    assert numbers["mathis"] == pytest.approx(math.sqrt(1.5), abs=1e-4)
    assert numbers["reno"] == pytest.approx(ott(1, 0.5), abs=1e-4)
    assert numbers["cubic_as_reno"] == pytest.approx(ott(FRIENDLY, CUBIC_BETA), abs=1e-4)
    periodic = (CUBIC_C * (3 + CUBIC_BETA) / (4 * (1 - CUBIC_BETA))) ** 0.25
    assert numbers["cubic_periodic"] == pytest.approx(periodic, abs=1e-3)
    assert numbers["cubic"] == pytest.approx(cubics_curve(), abs=0.02)  # three standard errors of 25,000 climbs


def test_windows_under_loss_are_the_corrected_formulas(theory: Study) -> None:
    numbers = theory.published["window"]
    curve = immune(numbers["cubic"] * (0.1 / 1e-4) ** 0.75, 1e-4, 0.75)
    line = immune(numbers["cubic_as_reno"] / math.sqrt(3e-4), 3e-4, 0.5)
    reno = immune(numbers["reno"] / math.sqrt(1e-3), 1e-3, 0.5)
    assert published(theory, "V8") == [pytest.approx(curve, abs=0.5)]
    assert published(theory, "V8b") == [pytest.approx(line, abs=0.06)]
    assert published(theory, "V10a") == [pytest.approx(reno, abs=0.05)] * 2


def test_the_bounds_at_high_loss_are_pftk_and_the_square_root(theory: Study) -> None:
    rtt_s, rto_s = 0.08, 0.28
    for check, p in zip(checks(theory, "V10b"), (0.01, 0.03), strict=True):
        timeouts = rto_s * min(1, 3 * math.sqrt(3 * p / 8)) * p * (1 + 32 * p * p)
        pftk = rtt_s / (rtt_s * math.sqrt(2 * p / 3) + timeouts)
        root = immune(ott(1, 0.5) / math.sqrt(p), p, 0.5)
        assert check.published == pytest.approx(pftk, abs=0.06)
        assert check.least == pytest.approx(0.9 * pftk, abs=0.06)
        assert check.most == pytest.approx(1.1 * root, abs=0.06)


def test_wares_model_is_evaluated_as_published(theory: Study) -> None:
    numbers = theory.published["ware"]
    bps, rtt_s = 10e6, 0.04
    for size, share in zip(numbers["buffer"], numbers["share_percent"], strict=True):
        bdp = float(Size(size).number)
        # the reference evaluates it with packets of 1500 bytes
        packets, packets_s = bdp * bps * rtt_s / 8 / 1500, bps / 8 / 1500
        left = max(0.0, 0.5 - 1 / (2 * bdp) - 4 / packets)
        probing = (packets / packets_s + 0.2 + rtt_s) / 10
        assert share == pytest.approx(100 * (1 - left) * (1 - probing), abs=0.15)
    by_size = dict(zip(numbers["buffer"], numbers["share_percent"], strict=True))
    for claim, sizes in (("V1", ("1.5 bdp", "2 bdp", "4 bdp", "8 bdp")), ("V1b", ("16 bdp", "32 bdp", "64 bdp"))):
        assert published(theory, claim) == [by_size[size] for size in sizes]


def test_the_other_numbers_follow_from_their_formulas(theory: Study) -> None:
    def bdp_packets(mbps: float, rtt_s: float) -> float:
        return mbps * 1e6 * rtt_s / 8 / FRAME

    assert published(theory, "V3") == [pytest.approx(4 * n * FRAME * 8 / 10e6 * 1e3, abs=0.06) for n in (4, 8, 16)]
    paths = ((10, 0.04), (100, 0.05), (500, 0.1))
    assert published(theory, "V6a") == [pytest.approx(math.log2(bdp_packets(*path)), abs=0.01) for path in paths]
    assert published(theory, "V6b") == [pytest.approx(2 / math.log(2) - 1, abs=0.05)] * 3
    assert published(theory, "V6c") == [pytest.approx(8 * math.log(2) / math.log(1.25), abs=0.5)]
    costs = [100 * (0.2 + rtt_s) / (10.2 + rtt_s) for rtt_s in (0.025, 0.05, 0.1)]
    assert published(theory, "V14") == [pytest.approx(cost, abs=0.01) for cost in costs]
    assert published(theory, "V16a") == [pytest.approx(100 * (1 - 1 / gain), abs=0.05) for gain in (1.25, 1.1)]
    assert published(theory, "V16b") == [pytest.approx(100 * 50 / 306, abs=0.05)]
    full = 2 * bdp_packets(100, 0.05)
    assert published(theory, "V9b") == [
        0.925, pytest.approx(0.925 * 3 - 1), pytest.approx(math.cbrt(0.75 * full), abs=0.01),
    ]  # fmt: skip


def test_constants_of_the_functions_are_those_of_the_experiments(theory: Study) -> None:
    specs = {name: experiment.fields() for name, experiment in theory.experiments.items()}
    change = specs["doubling"]["path"]["change"][0]
    assert Time(change["at"]).ns == claims.DOUBLED_AT_S * 1e9
    assert Rate(change["rate"]).bps == claims.DOUBLED_BPS == 2 * Rate(specs["doubling"]["path"]["rate"]).bps
    assert Time(specs["doubling"]["path"]["rtt"]).ns == claims.DOUBLED_RTT_S * 1e9
    for name in ("loss_bbr", "loss_cubic", "loss_reno", "cliff", "cliff_undetected", "cliff_1_1"):
        assert Rate(specs[name]["path"]["rate"]).bps == claims.LOSSY_BPS, name


def test_a_cliff_lies_within_what_is_swept(theory: Study) -> None:
    """Else a claim could neither fail above nor below."""
    for claim in ("V16a", "V16b"):
        for check in checks(theory, claim):
            swept = [Share(each).ppb / 1e7 for each in theory.experiments[check.experiment].fields()["path"]["loss"]]
            assert check.least is not None
            assert min(swept) < check.least
            if claim == "V16b":
                assert check.most is not None
                assert max(swept) > check.most


def series(at: Any, **columns: Any) -> pd.DataFrame:
    return frame(0, at, columns.pop("delivered", np.zeros(len(at))), columns.pop("phase", "probe_bw")).assign(**columns)


def test_start_up_is_over_at_nine_tenths_of_the_payload() -> None:
    at = np.arange(0.0, 1.0, 0.001)
    estimate = 10e6 * MSS / FRAME * np.minimum(at / 0.5, 1.0)
    point = {"path.rate": "10 Mbit/s", "path.rtt": "40 ms"}
    run = observed(point, {"bbr": [9.0]}, (0, 1), series=series(at, bandwidth_bps=estimate), flows=[{"start_s": 0.05}])
    assert claims.startup_rounds(run) == pytest.approx((0.45 - 0.05) / 0.04, abs=0.05)
    slow = observed(point, {"bbr": [9.0]}, (0, 1), series=series(at, bandwidth_bps=0.8 * estimate))
    assert claims.startup_rounds(slow) is None


def test_a_doubled_rate_is_looked_for_after_the_change_only() -> None:
    at = np.arange(0.0, 7.0, 0.01)
    estimate = np.where((at < 1) | (at > 4.8), 20e6, 9e6)
    run = observed({}, {"bbr": [9.0]}, (0, 7), series=series(at, bandwidth_bps=estimate))
    assert claims.doubling_rounds(run) == pytest.approx(0.8 / 0.04, abs=0.3)


def test_a_dip_costs_what_is_not_delivered_in_it() -> None:
    at = np.arange(0.0, 60.0, 0.02)
    inside = (at % 10) < 0.25
    delivered = np.concatenate(([0.0], np.cumsum(np.where(inside[:-1], 0.0, 1e6 * 0.02))))
    run = observed({}, {"bbr": [8.0]}, (0, 60), series=series(
        at, delivered=delivered, phase=np.where(inside, "probe_rtt", "probe_bw"),
    ))  # fmt: skip
    assert claims.cost_of_probe_rtt(run) == pytest.approx(0.025, abs=0.002)
    never = observed({}, {"bbr": [8.0]}, (0, 60), series=series(at, delivered=delivered))
    assert claims.cost_of_probe_rtt(never) is None


def test_min_rtts_are_those_after_the_crowd_has_settled() -> None:
    at = np.arange(0.0, 60.0, 0.1)
    phase = np.where((at % 10) < 0.25, "probe_rtt", "probe_bw")
    both = pd.concat([
        frame(flow, at, 0, phase).assign(cc_min_rtt_s=np.where(at < 25, 0.01, 0.03 + 0.01 * flow)) for flow in (0, 1)
    ])  # fmt: skip
    assert claims.min_rtt_after_probes(observed({}, {"bbr": [5.0, 5.0]}, (30, 60), series=both)) == pytest.approx(0.035)


def test_a_sawtooth_has_a_period_and_a_mean() -> None:
    at = np.arange(0.02, 180.0, 0.02)
    full = 2 * BDP_BYTES * MSS / FRAME
    window = full * (0.7 + 0.3 * ((at - 5) % 10) / 10)
    run = observed({"path.buffer": "1 bdp"}, {"cubic": [90.0]}, (60, 180), series=series(at, cwnd_bytes=window))
    assert claims.sawtooth_period(run) == pytest.approx(10, abs=0.01)
    assert claims.window_share(run) == pytest.approx(0.85, abs=0.001)
    flat = observed({"path.buffer": "1 bdp"}, {"cubic": [90.0]}, (60, 180), series=series(at, cwnd_bytes=full))
    assert claims.sawtooth_period(flat) is None


def test_a_cliff_is_the_last_loss_that_is_borne_with_all_before(theory: Study) -> None:
    possible = [100 * MSS / FRAME * (1 - p) for p in (0.10, 0.12, 0.14, 0.16)]
    shares = (0.95, 0.81, 0.79, 0.90)
    runs = [
        observed({"path.loss": loss}, {"bbr": [share * most]}, (20, 30))
        for loss, share, most in zip(("10 %", "12 %", "14 %", "16 %"), shares, possible, strict=True)
    ]
    cliff, goodput = (checks(theory, claim)[0].metric for claim in ("V16a", "V7a"))
    assert cliff.value(SeedSweep(1, tuple(runs))) == pytest.approx(0.12)
    assert goodput.of_run(runs[0]) == pytest.approx(0.95)
    assert cliff.value(SeedSweep(1, tuple(runs[2:]))) is None
    window = checks(theory, "V8")[0].metric
    run = observed({"path.rtt": "100 ms"}, {"reno": [MSS * 8 * 50 / 0.1 / 1e6]}, (20, 600))
    assert window.of_run(run) == pytest.approx(50)
