"""Curves of single flows: judged by hand, and from the command line to the page. Other engines are the simulator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner, Result

from dev.__main__ import app
from dev.curves import judgement as single_flows
from dev.curves.charts import curves_figure
from dev.curves.judgement import compare_bbr, compare_epochs
from dev.curves.record import Curve, Curves, LimitVerdict
from dumbbell.engines import registry
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec import Run
from flowseries import DRAIN, PROBE_RTT, STARTUP, STEP_S, USUAL, VERSION_3, bbr_series, epochs_of
from webpage import Webpage

CONDITIONS = list(single_flows.experiments())
FEWER = ("reno", "cubic", "bbr", "bbr_4_17")
LARGEST_JSON_BYTES = 300_000
QUICK = ("--set", "duration=20 s", "--seeds", "1", "--floor", "1")
RTT_S = 0.02


def test_every_algorithm_is_alone_on_every_path() -> None:
    assert [each.name for each in CONDITIONS[:4]] == ["curve-reno-1", "curve-reno-2", "curve-reno-3", "curve-cubic-1"]
    assert len({each.name for each in CONDITIONS}) == len(CONDITIONS) == 3 * 7
    for each in CONDITIONS:
        (flow,) = each.fields()["flows"]
        assert set(flow) == {"cc"}


def parts(compared: Iterable[LimitVerdict | Curve]) -> tuple[list[LimitVerdict], list[Curve]]:
    every = list(compared)
    curves = [each for each in every if isinstance(each, Curve)]
    return [each for each in every if isinstance(each, LimitVerdict)], curves


def test_equal_sawtooths_hold_every_limit_and_another_factor_breaks_those_of_the_curve() -> None:
    same = epochs_of(50, 60, 60, 60)
    comparisons, curves = parts(compare_epochs(same, same, same, STEP_S))
    assert len(comparisons) == 5
    assert all(each.holds and not each.difference and not each.noise for each in comparisons)
    assert [(curve.key, len(curve.reference)) for curve in curves] == [("epoch", 60)]
    other = epochs_of(50, 60, 60, 60, beta=0.6)
    comparisons, _ = parts(compare_epochs(other, same, same, STEP_S))
    broken = {each.key: each.difference for each in comparisons if not each.holds}
    assert broken == pytest.approx({"curve_largest": 0.2, "curve_median": 0.05, "w_min": 0.2}, rel=0.4)


def test_a_candidate_without_the_long_epochs_breaks_their_share_and_their_limits() -> None:
    both, short = epochs_of(50, 60, 100, 60, 100), epochs_of(50, 60, 60, 60)
    comparisons, _ = parts(compare_epochs(short, both, [], STEP_S))
    by_label = {each.label: each for each in comparisons}
    assert by_label["share of long epochs"].difference == -0.5
    assert not by_label["share of long epochs"].holds
    assert not by_label["length of an epoch, long epochs"].holds
    assert by_label["length of an epoch, short epochs"].holds
    assert all(each.noise is None for each in comparisons)


def test_two_engines_without_an_epoch_are_not_compared() -> None:
    assert list(compare_epochs([], [], [], STEP_S)) == []
    comparisons, _ = parts(compare_epochs([], epochs_of(50, 60), [], STEP_S))
    assert not any(each.holds for each in comparisons)


def test_equal_bbr_runs_hold_every_limit_and_have_three_curves() -> None:
    runs = [bbr_series(USUAL), bbr_series(USUAL)]
    comparisons, curves = parts(compare_bbr(runs, runs, runs, RTT_S, STEP_S))
    assert len(comparisons) == 16
    assert all(each.holds and not each.difference and not each.noise for each in comparisons)
    assert {curve.key for curve in curves} == {"start_up", "cycle", "probe_rtt"}


def bounded(**gauges: float) -> pd.DataFrame:
    """Version 3, whose short-term bounds are set while it cruises."""
    states = [(STARTUP, 20), (DRAIN, 5), *[(each, 10) for each in VERSION_3] * 5, (PROBE_RTT, 20), (VERSION_3[2], 20)]
    series = bbr_series(states, **{"bw_hi_bps": 1e7, "inflight_hi_segments": 50.0} | gauges)
    cruises = series["phase"] == VERSION_3[2][0]
    return series.assign(bw_lo_bps=np.where(cruises, 0.9e7, np.nan), inflight_lo_segments=np.where(cruises, 30, np.nan))


def test_version_3_has_its_bounds_too() -> None:
    comparisons, curves = parts(compare_bbr([bounded()], [bounded()], [], RTT_S, STEP_S))
    assert len(comparisons) == 19, "there is one PROBE_RTT"
    assert all(each.holds and not each.difference for each in comparisons)
    values = {each.key: each.reference for each in comparisons}
    assert values["phases"] == "drain probe_bw_cruise probe_bw_down probe_bw_up probe_rtt startup"
    assert values["share_up"] == pytest.approx(5 / 17, abs=1e-6)
    assert (values["inflight_lo"], values["bw_lo_bps"]) == (30, 0.9e7)
    assert values["share_bounded"] == pytest.approx(7 / 17, abs=1e-6)
    bounds = {curve.gauge: curve for curve in curves if curve.key == "bound"}
    assert list(bounds) == ["inflight_hi", "inflight_lo", "bw_lo"]
    assert None in bounds["bw_lo"].reference
    assert set(bounds["bw_lo"].reference) - {None} == {0.9e7}
    comparisons, _ = parts(compare_bbr([bounded(inflight_hi_segments=53.0)], [bounded()], [], RTT_S, STEP_S))
    assert [each.key for each in comparisons if not each.holds] == ["inflight_hi"]


@pytest.mark.parametrize(
    ("other", "broken"),
    [
        (bbr_series([(STARTUP, 23), *USUAL[1:]]), {"startup_s"}),
        (bbr_series([(STARTUP, 22), *USUAL[1:]]), set()),
        (bbr_series([USUAL[0], *USUAL[2:]]), {"phases", "pacing_gains", "cwnd_gains", "drain_s"}),
        (bbr_series(USUAL, bandwidth_bps=1.06e7), {"bandwidth_low_bps", "bandwidth_bps", "bandwidth_high_bps"}),
        (bbr_series(USUAL, cc_min_rtt_s=0.0205), set()),
        (bbr_series(USUAL, cc_min_rtt_s=0.0215), {"min_rtt_s"}),
        (bbr_series([(STARTUP, 20)]), {
            "phases", "pacing_gains", "cwnd_gains", "startup_s", "drain_s", "share_up", "share_down", "share_cruise",
            "probe_rtt_interval_s", "probe_rtt_length_s", "probe_rtt_cwnd", "bandwidth_low_bps", "bandwidth_bps",
            "bandwidth_high_bps", "cwnd",
        }),
    ],
)  # fmt: skip
def test_a_run_that_differs_breaks_the_limits_of_what_differs(other: pd.DataFrame, broken: set[str]) -> None:
    comparisons, _ = parts(compare_bbr([other], [bbr_series(USUAL)], [], RTT_S, STEP_S))
    assert {each.key for each in comparisons if not each.holds} == broken


def test_seeds_that_say_different_words_are_both_told_and_differ() -> None:
    other = bbr_series([USUAL[0], *USUAL[2:]])
    comparisons, _ = parts(compare_bbr([bbr_series(USUAL), other], [bbr_series(USUAL)] * 2, [], RTT_S, STEP_S))
    phases = next(each for each in comparisons if each.key == "phases")
    assert phases.candidate == "startup drain probe_bw probe_rtt probe_bw; startup probe_bw probe_rtt probe_bw"
    assert (phases.difference, phases.holds) == (1.0, False)


def test_runs_that_say_nothing_of_bbr_have_nothing_that_could_hold() -> None:
    silent = [bbr_series(USUAL).assign(srtt_s=float("nan"))]
    assert parts(compare_bbr(silent, silent, [], RTT_S, STEP_S))[0] == []


class Shrunk(SimEngine):
    """The simulator, whose windows are told a tenth smaller; fails at one rate if it is given one."""

    name = "shrunk"

    def __init__(self, share: float, failing_at_bps: int = 0) -> None:
        self.share, self.failing_at_bps = share, failing_at_bps

    def identity(self) -> str:
        return f"shrunk {self.share} {self.failing_at_bps}"

    def measure(self, run: Run) -> Measurement:
        if run.path.rate_bps == self.failing_at_bps:
            raise EngineFailure("a bug")
        measurement = super().measure(run)
        (flow,) = measurement.flows
        cwnd = (flow.series.cwnd_segments * self.share).round().astype(flow.series.cwnd_segments.dtype)
        return replace(measurement, flows=(replace(flow, series=replace(flow.series, cwnd_segments=cwnd)),))


@pytest.fixture(scope="module")
def _engines_and_fewer_conditions() -> Iterator[None]:
    engines: dict[str, Engine] = {"same": Shrunk(1.0), "less": Shrunk(0.9), "failing": Shrunk(1.0, 80_000_000)}
    fewer = [each for each in CONDITIONS if each.get("flows[0].cc") in FEWER and not each.name.endswith("-3")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "engine", lambda name: engines.get(name) or SimEngine())
        patch.setattr(single_flows, "experiments", lambda _specs: iter(fewer))
        yield


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, _engines_and_fewer_conditions: None) -> Path:
    return tmp_path_factory.mktemp("curves") / "store"


def agree(store: Path, *arguments: str | Path) -> Result:
    """With room for a whole table."""
    command = ["curves", *QUICK, "--out", *map(str, (store, *arguments))]
    return CliRunner().invoke(app, command, env={"COLUMNS": "400"})


@pytest.fixture(scope="module")
def stored(store: Path) -> dict[str, Any]:
    done = agree(store, "--engines", "same,sim", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    fields: dict[str, Any] = json.loads(done.stdout)
    return fields


@pytest.mark.slow
def test_the_same_model_holds_every_limit_and_its_json_is_small(stored: dict[str, Any]) -> None:
    curves = Curves.model_validate(stored)
    assert curves.holds
    assert len(curves.cases) == 8
    compared = [each for case in curves.cases for each in case.comparisons]
    assert len(compared) > 4 * 5 + 4 * 14
    assert not any(each.difference for each in compared)
    assert any(each.noise for each in compared)
    assert len(json.dumps(stored)) < LARGEST_JSON_BYTES * 8 / 21
    assert all(len(curve.reference) <= 240 for case in curves.cases for curve in case.curves)


@pytest.mark.slow
def test_a_window_a_tenth_smaller_breaks_limits_and_exits_1(store: Path) -> None:
    done = agree(store, "--engines", "less,sim")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "Single flows: shrunk over sim"
    assert "one flow, 4 algorithms, 8 conditions; 1 seed an engine, 1 more of sim" in " ".join(lines)
    header = ["algorithm", "path", "quantity", "sim", "shrunk", "difference", "limit", "noise", "verdict"]
    assert header in [line.split() for line in lines]
    assert " limits hold. Broken: " in done.stdout
    before = next(line for line in lines if line.startswith("cubic") and "cwnd before a reduction" in line)
    assert before.endswith("broken")
    assert "-10.4 %" in before  # 60 of 67 segments
    bandwidth = next(line for line in lines if line.startswith("bbr ") and "bandwidth estimate, median" in line)
    assert bandwidth.endswith("holds")


@pytest.mark.slow
def test_a_condition_that_fails_is_told_and_exits_1(store: Path) -> None:
    done = agree(store, "--engines", "failing,sim")
    assert done.exit_code == 1
    assert "failed: curve-bbr-2: shrunk, seed 1: a bug" in done.stderr
    assert any(line.startswith("bbr ") and "10.0 Mbit/s" in line for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.usefixtures("_engines_and_fewer_conditions")
def test_an_algorithm_with_parameters_is_judged_as_what_it_is_and_what_has_no_epoch_is_told(tmp_path: Path) -> None:
    options = ("--set", "duration=8 s", "--set", "flows[0].cc=cubic[beta=0.8]", "--floor", "0")
    done = agree(tmp_path / "store", "--engines", "sim,sim", *options)
    head, *lines = (" ".join(line.split()) for line in done.stdout.splitlines())
    assert head == "Single flows: sim (candidate) over sim (reference)"
    assert any(line.startswith("algorithm path quantity") for line in lines)
    assert "least cwnd after it" in done.stdout
    assert "pacing gains" not in done.stdout
    case = "curve-reno-2 (cubic[beta=0.8], 80.0 Mbit/s, 25 ms, 1 BDP)"
    assert f"not compared: {case}: no whole loss epoch" in done.stderr.splitlines()


@pytest.mark.slow
def test_the_page_is_whole_and_has_every_limit_and_every_curve(store: Path, tmp_path: Path) -> None:
    done = agree(store, "--engines", "less,sim", "--html", tmp_path / "page.html", "--json")
    assert done.stderr == f"{tmp_path / 'page.html'}\n"
    curves = Curves.model_validate_json(done.stdout)
    html = Webpage((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert (html.open, html.requests()) == ([], [])
    assert set(html.plots) == {case.name for case in curves.cases if case.curves}
    assert [option["value"] for option in html.named("option")] == list(html.plots)
    for text in ("✓ holds", "✗ broken", "cwnd before a reduction", "python -m dev curves --set 'duration=20 s'"):
        assert text in html.said
    anchors = {link["href"].removeprefix("#") for link in html.named("a")}
    assert anchors <= {element["id"] for _, element in html.elements if "id" in element}
    limits = sum(len(case.comparisons) for case in curves.cases)
    assert html.said.count("✓ holds") + html.said.count("✗ broken") == limits


@pytest.mark.slow
def test_the_figure_has_a_panel_for_every_algorithm(stored: dict[str, Any]) -> None:
    chart = curves_figure(Curves.model_validate(stored))
    assert chart is not None
    assert {panel.title.partition(":")[0] for panel in chart.panels} == set(FEWER)
    for panel in chart.panels:
        assert [layer.label for layer in panel.layers][-2:] == ["sim", "shrunk"]


@pytest.mark.slow
def test_nothing_compared_is_no_figure(stored: dict[str, Any]) -> None:
    assert curves_figure(Curves.model_validate(stored | {"cases": [], "holds": False})) is None


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("flows[0].count=2", "flows: curves are those of a single flow; there are 2"),
        (
            "flows[0].cc=vegas",
            'flows[0].cc: "vegas" has no curves that could be judged; one of reno, cubic, bbr, bbr3 and their variants',
        ),
        ("measure.record=summary", 'measure.record: "summary" keeps no series to make curves of; write "series"'),
        ("measure.sample=320 ms", "measure.sample: 320 ms is too long: a curve needs a sample in each base RTT, 40 ms"),
    ],
)
@pytest.mark.slow
@pytest.mark.usefixtures("_engines_and_fewer_conditions")
def test_what_has_no_curves_is_told_before_anything_is_run(setting: str, message: str, tmp_path: Path) -> None:
    done = agree(tmp_path / "store", "--engines", "sim,sim", "--set", setting)
    assert message in str(done.exception).splitlines()
    assert not (tmp_path / "store").exists()


def test_what_has_no_such_curves_is_one_message(tmp_path: Path) -> None:
    done = agree(tmp_path / "store", "--of", "bbr4")
    assert done.exit_code != 0
    assert 'no curves of "bbr4"; did you mean "bbr"?' in str(done.exception)


@pytest.mark.slow
@pytest.mark.usefixtures("_engines_and_fewer_conditions")
def test_a_sample_an_rtt_is_enough(tmp_path: Path) -> None:
    done = agree(
        tmp_path / "store", "--engines", "sim,sim", "--json", "--set", "measure.sample=20 ms", "--set", "path.rtt=20 ms"
    )
    assert Curves.model_validate_json(done.stdout).cases
