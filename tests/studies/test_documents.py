"""What claims of one document alone measure, on hand-made runs, and where its experiments must be its own.

`test_measures` holds what every claim and figure measures, `test_claims` that each of its bounds decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.results.run_series import BIN_S
from dumbbell.spec.quantity import Rate, Time
from dumbbell.studies import Study
from dumbbell.studies.evidence import RunData, SeedSweep
from observed import frame, observed
from synthesis import synthetic_evidence

AT = np.arange(0, 300.01, 0.1)


@cache
def loaded(name: str) -> Study:
    return studies.load(name)


def measure(study: str, formula: str, run: RunData | SeedSweep) -> float | None:
    metric = loaded(study).metrics.parse(formula)
    return metric.value(run) if isinstance(run, SeedSweep) else metric.of_run(run)


def moved(rates_mbit_s: Any, step_s: float) -> Any:
    """Bytes received at each sample, of the rates between them."""
    return np.concatenate(([0.0], np.cumsum(np.asarray(rates_mbit_s) * step_s * 1e6 / 8)))


@pytest.fixture(scope="module")
def cycle() -> RunData:
    """Two BBR and two CUBIC flows have 60 and 16 Mbit/s, then the other way round, 10 s each.

    BBR is in PROBE_RTT every 10 s and leaves it with 25 ms, then with 60 ms; 100 packets are dropped 2 s after that.
    The RTT is 10 ms above that in the probe's bin of 0.5 s, and 90 ms without.
    """
    much = (AT[:-1] % 20) < 10
    phase = np.where(AT % 10 < 0.25, "probe_rtt", "probe_bw")
    estimate_s = np.where((AT // 10) % 2 == 1, 0.060, 0.025)
    drawn = np.where(AT % 10 < BIN_S, estimate_s + 0.010, 0.090)
    frames = [
        frame(flow, AT, moved(np.where(much == (flow < 2), 30, 8), 0.1), phase if flow < 2 else "avoidance")
        for flow in range(4)
    ]
    since = (AT - 12.3) % 20
    dropped = np.cumsum(np.where((since > 0.05) & (since < 1.05), 10, 0))
    queue = pd.DataFrame({"time_s": AT, "backlog_bytes": 0.0, "dropped_packets": dropped, "sent_packets": AT * 6600})
    series = pd.concat(frames, ignore_index=True).assign(cc_min_rtt_s=np.tile(estimate_s, 4), srtt_s=np.tile(drawn, 4))
    return observed({}, {"bbr": [27.0] * 2, "cubic": [11.0] * 2}, (150, 240), series=series, backlog=queue)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("cycle_period", 20.0),
        ("correlation_of_groups", -1.0),
        ("low_min_rtt", 0.025),
        ("high_min_rtt", 0.060),
        ("low_drawn_rtt", 0.035),
        ("high_drawn_rtt", 0.070),
        ("alternation_of_drawn_rtt", 1.0),
        ("drops_after_inaccurate_probes", 1.0),
        ("drops_until_the_next_probe", 1.0),
        ("quartile_range", 2 * (30e6 - 8e6)),
    ],
)
def test_claypools_cycle(cycle: RunData, formula: str, value: float) -> None:
    assert measure("claypool2019", formula, cycle) == pytest.approx(value)


def test_claypools_flows_that_share_evenly_and_probe_together() -> None:
    phase = np.where((AT % 10 < 0.25) & (AT > 5), "probe_rtt", "probe_bw")
    series = pd.concat([frame(flow, AT, moved(np.full(AT.size - 1, 20.0), 0.1), phase) for flow in range(4)])
    run = observed({}, {"bbr": [20.0] * 4}, (0, 60), series=series)
    assert measure("claypool2019", "jain_when_settled", run) == pytest.approx(1)
    assert measure("claypool2019", "probe_rtt_synchrony", run) == pytest.approx(1)
    alone = series.assign(phase=np.where(series["flow"] == 0, series["phase"], "probe_bw"))
    assert measure("claypool2019", "probe_rtt_synchrony", replace(run, flow_series=lambda: alone)) == pytest.approx(0)


def test_estimates_are_accurate_up_to_32_ms(cycle: RunData) -> None:
    assert measure("claypool2019_proposals", "accurate_estimates", cycle) == pytest.approx(12 / 24, abs=0.03)


def test_borglis_incumbent_gives_way() -> None:
    """The second flow starts at 60 s and leaves the first 2 Mbit/s for 4 s; then they share."""
    since = AT[:-1] - 60
    first = np.select([since < -1e-6, since < 4], [9.5, 2.0], 4.75)
    series = pd.concat(
        [frame(flow, AT, moved(rates, 0.1), "probe_bw") for flow, rates in enumerate((first, 9.5 - first))]
    )
    run = observed({}, {"bbr": [4.75] * 2}, (0, 300), series=series, flows=[{}, {"start_s": 60.0}])
    assert measure("borgli2017", "time_to_share", run) == pytest.approx(4.5, abs=0.5)
    assert measure("borgli2017", "least_after_join", run) == pytest.approx(2e6)


def test_borglis_throughput_varies_from_bin_to_bin_and_its_rtt_about_the_median() -> None:
    at = np.arange(0, 300.01, 0.05)
    half = np.where((np.arange(at.size - 1) // 10) % 2 == 0, 1.3, 0.7)
    series = frame(0, at, moved(9 * half, 0.05), np.where((at % 10 < 0.2) & (at > 1), "probe_rtt", "probe_bw"))
    swing = np.where(np.arange(at.size) % 2 == 0, 1.02, 0.98)
    run = observed({}, {"bbr": [9.0]}, (0, 300), series=series.assign(srtt_s=0.15 * swing, cc_min_rtt_s=0.076))
    assert measure("borgli2017", "variation", run) == pytest.approx(0.3, abs=0.01)
    assert measure("borgli2017", "settled_variation", run) == pytest.approx(0.3, abs=0.01)
    assert measure("borgli2017", "rtt_spread", run) == pytest.approx(0.04 / 1.02)
    assert measure("borgli2017", "interval_of_probe_rtt", run) == pytest.approx(10)
    assert measure("borgli2017", "rtt_at_probe_rtt", run) == pytest.approx(0.076)


PACKETS = (13, 55, 80, 130)


def borglis_sweep(
    unit: str, losses: Sequence[float] = (0.03, 0.015, 0.0, 0.0), jains: Sequence[float] = ()
) -> SeedSweep:
    runs = [
        observed({"path.buffer": size}, {"bbr": [9.0]}, (0, 300), bottleneck={"loss_rate": lost}, jain=index)
        for packets, lost, index in zip(PACKETS, losses, jains or [0.9] * 4, strict=True)
        for size in [f"{packets} packets" if unit == "packets" else f"{packets * 2900 / 1000:g} kB"]
    ]
    return SeedSweep(1, tuple(replace(run, bdp_bytes=103_750) for run in runs))


@pytest.mark.parametrize("unit", ["packets", "kB"])
def test_borglis_queues_are_packets_of_2900_bytes(unit: str) -> None:
    sweep = borglis_sweep(unit)
    assert measure("borgli2017", "queue_bdp", sweep.runs[1]) == pytest.approx(1.537, abs=1e-3)
    assert measure("borgli2017", "threshold_of_loss_bdp", sweep) == pytest.approx(80 * 2900 / 103_750)
    assert measure("borgli2017", "threshold_of_loss_bdp", borglis_sweep(unit, losses=(0.0, 0.0, 0.0, 0.1))) is None


@pytest.mark.parametrize(
    ("jains", "peak"), [((0.6, 0.9, 0.8, 0.7), 1), ((0.6, 0.7, 0.8, 0.9), 0), ((0.6, 0.9, 0.7, 0.8), 0)]
)
def test_borglis_fairness_rises_and_falls(jains: tuple[float, ...], peak: float) -> None:
    assert measure("borgli2017", "rises_and_falls", borglis_sweep("kB", jains=jains)) == peak
    widening = np.std(jains[2:]) - np.std(jains[:2])
    assert measure("borgli2017", "widening_of_jain", borglis_sweep("kB", jains=jains)) == pytest.approx(widening)


def test_giordanos_variation_is_by_the_second() -> None:
    swing = np.where(np.floor(AT[:-1] + 1e-9) % 2 == 0, 1.1, 0.9)
    run = observed({}, {"bbr": [50.0]}, (0, 120), series=frame(0, AT, moved(50 * swing, 0.1), None))
    assert measure("giordano2019", "variation_by_second", run) == pytest.approx(0.1)


MSS = 8949


def zhangs(cwnd: Any, at: Any, rates: Any = 3.0, threshold: Any = np.nan, **flow: Any) -> RunData:
    received = moved(np.full(at.size - 1, 1.0) * rates, at[1] - at[0])
    series = frame(0, at, received, None).assign(cwnd_bytes=cwnd * MSS, ssthresh_bytes=threshold * MSS, srtt_s=0.118)
    return observed({}, {"bbr": [3.0]}, (0, at[-1]), series=series, flows=[flow])


def test_zhangs_windows_of_a_transfer() -> None:
    at = np.arange(0, 6.7, 0.05)
    cubic = zhangs(np.interp(at, [0, 1, 4.8], [10, 81, 368]), at, fct_s=6.7)
    assert measure("zhang2024", "plateau_window", cubic) == pytest.approx(368)
    assert measure("zhang2024", "early_window", cubic) == pytest.approx(81 / 368, rel=0.01)
    assert measure("zhang2024", "logged_rtt", cubic) == pytest.approx(0.118)
    stages = np.where(at < 2.4, 1038.0, np.where(at < 4, 2.3, 1.95) * 340)
    bbr = zhangs(stages, at, threshold=np.where(at < 2.4, np.nan, 340.0), fct_s=6.7)
    assert measure("zhang2024", "least_window_over_threshold", bbr) == pytest.approx(1.95)
    assert measure("zhang2024", "largest_window_over_threshold", bbr) == pytest.approx(2.3)
    assert measure("zhang2024", "decline_of_window", bbr) == pytest.approx(1038 / (1.95 * 340))
    assert measure("zhang2024", "last_threshold", bbr) == pytest.approx(340)


def test_zhangs_window_of_a_video_dips_as_bbr_probes() -> None:
    at = np.arange(0, 34.1, 0.02)
    down = np.any([(at >= probe) & (at < probe + 0.25) for probe in (10.0, 20.2, 30.4)], axis=0)
    video = zhangs(np.where(down, 4.0, 96.0), at, fct_s=34.1)
    assert measure("zhang2024", "video_window", video) == pytest.approx(96)
    assert measure("zhang2024", "least_window", video) == pytest.approx(4)
    assert measure("zhang2024", "length_of_window_dips", video) == pytest.approx(0.25, abs=0.021)
    assert measure("zhang2024", "interval_of_window_dips", video) == pytest.approx(10.2, abs=0.021)
    assert measure("zhang2024", "variation_of_window_outside_probes", video) == pytest.approx(0)


def test_zhangs_rate_by_the_second() -> None:
    rates = np.array([20.0, 60, 100, 100, 75, *[100] * 9, 75, *[100] * 5])
    at = np.arange(0, rates.size + 0.01, 0.1)
    run = zhangs(1.0, at, np.repeat(rates, 10), fct_s=float(rates.size))
    assert measure("zhang2024", "early_rate", run) == pytest.approx(60e6)
    assert measure("zhang2024", "rise_time", run) == pytest.approx(2.5)
    assert measure("zhang2024", "interval_of_rate_dips", run) == pytest.approx(10)
    assert measure("zhang2024", "settled_variation", run) == pytest.approx(np.std(rates[10:]) / np.mean(rates[10:]))


@pytest.mark.parametrize("formula", ["min(plateau_window[lost_nothing])", "max(plateau_window[lost_nothing])"])
def test_zhangs_transfers_that_lost_a_packet_do_not_count_where_the_others_are_meant(formula: str) -> None:
    at = np.arange(0, 6.7, 0.05)

    def transfer(loss: str, plateau: float, lost: int) -> RunData:
        run = zhangs(np.full(at.size, plateau), at, fct_s=6.7)
        queue = replace(run.result.bottleneck, random_lost_packets=lost)
        return replace(run, point={"path.loss": loss}, result=run.result.model_copy(update={"bottleneck": queue}))

    clean, hit = transfer("0.005 %", 368, 0), transfer("0.01 %", 120, 1)
    assert measure("zhang2024", formula, SeedSweep(1, (transfer("0 %", 500, 0), clean, hit))) == pytest.approx(368)
    assert measure("zhang2024", formula, SeedSweep(1, (transfer("0 %", 500, 0), hit))) is None


@pytest.mark.parametrize(
    ("study", "experiment", "path", "values"),
    [
        *[("cao2019", name, "rtt", [5, 10, 25, 50, 75, 100, 150, 200]) for name in ("grid", "grid_cubic", "transfer")],
        *[("cao2019", name, "rate", [10, 20, 50, 100, 250, 500, 750, 1000]) for name in ("grid", "transfer_cubic")],
        ("cao2019", "grid", "buffer", ["100 kB", "1 MB", "10 MB", "20 MB", "50 MB"]),
        *[
            (
                "borgli2017",
                name,
                "buffer",
                [f"{packets} packets" for packets in (13, 26, 39, 52, 55, 63, 80, 105, 130, 160, 189, 207)],
            )
            for name in ("c2", "b2", "c1b1", "c2b2", "b1", "c1")
        ],
    ],
    ids=str,
)
def test_experiments_sweep_what_the_document_did(study: str, experiment: str, path: str, values: list[Any]) -> None:
    written = loaded(study).experiments[experiment].fields()["path"][path]
    convert = {"rtt": lambda each: Time(each).ns / 1e6, "rate": lambda each: Rate(each).bps / 1e6}.get(path, str)
    assert [convert(each) for each in written] == values


@pytest.mark.parametrize("name", ["figure7", "figure10", "figure12"])
def test_claypools_experiments_sweep_the_queues_of_its_figures(name: str) -> None:
    study = loaded("claypool2019")
    assert study.experiments[name].fields()["path"]["buffer"] == study.published[name]["buffer"]


@pytest.mark.parametrize("name", ["claypool2019", "claypool2019_proposals"])
def test_claypools_experiments_are_run_five_times_behind_fq(name: str) -> None:
    for experiment in loaded(name).experiments.values():
        fields = experiment.fields()
        assert (fields["seeds"], fields["host"]["qdisc"]) == (5, "fq")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claypool2019", "giordano2019"])
def test_an_engine_without_a_version_is_drawn_without_it(name: str) -> None:
    study = loaded(name)
    full_evidence = synthetic_evidence(study, "linux:6.12")
    trials = {key: value for key, value in full_evidence.trials.items() if key[1] == "bbr"}
    charts = studies.drawn(study.figures, study, replace(full_evidence, trials=trials))
    assert len(charts) == len(study.figures)
    labels = {layer.label for chart in charts for panel in chart.panels for layer in panel.layers}
    labels |= {panel.title for chart in charts for panel in chart.panels}
    assert "BBR of Linux 6.12" in labels
    assert not [label for label in labels if "4.17" in label]


def test_probes_are_apart_by_the_median_of_the_window() -> None:
    up = np.isin(np.round(AT, 1), [1.0, 12.0, 14.0, 17.0, 30.0])
    rows = frame(0, AT, np.zeros(len(AT)), np.where(up, "probe_bw_up", "probe_bw_cruise"))
    late = observed({}, {"bbr3": [9.0]}, (10, 300), series=rows)
    assert measure("cardwell2026", 'between("probe_bw_up")', late) == pytest.approx(3.0), "of 2, 3 and 13 s"
    assert measure("cardwell2026", 'between("probe_rtt")', late) is None
