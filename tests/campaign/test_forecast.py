"""How long a campaign will take, from a try of some of its runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from dumbbell.campaign.execution import run_campaign
from dumbbell.campaign.forecast import _costs, _shortened, _Tried, forecast_s, packets
from dumbbell.campaign.plan import plan
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load
from dumbbell.spec.run import Run

WITHIN = 2.5
"""The ratio of forecast and truth: a core that others use half of, and algorithms of different speed."""


def experiment(duration: str = "60 s", **fields: object) -> Experiment:
    return load({
        "name": "sweep",
        "duration": duration,
        "seeds": 4,
        "path": {"rate": "100 Mbit/s", "rtt": "25 ms", "buffer": ["0.5 bdp", "2 bdp"]},
        "flows": [{"cc": ["reno", "bbr"]}, {"name": "late", "cc": "cubic", "start": "20 s"}],
        "measure": {"window": ["50 %", "100 %"]},
        **fields,
    })  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "duration",
    [pytest.param("30 s", id="many runs"), pytest.param("300 s", id="long runs", marks=pytest.mark.long)],
)
def test_it_is_about_what_the_campaign_takes(duration: str, tmp_path: Path) -> None:
    asked, engine = experiment(duration), SimEngine()
    ratios: list[float] = []
    for trial in range(4):  # others may have been busy in one half of a trial
        forecast = forecast_s(list(plan(asked)), engine)
        began = time.perf_counter()
        with Store.open(tmp_path / str(trial), write=True) as store:
            assert len(list(run_campaign(store, asked, engine))) == 16
        ratios.append(forecast / (time.perf_counter() - began))
        if 1 / WITHIN < ratios[-1] < WITHIN:
            return
    pytest.fail(f"forecast / truth: {ratios}")


def test_a_long_campaign_is_forecast_in_about_a_second() -> None:
    """Of days, on any machine."""
    began = time.perf_counter()
    assert forecast_s(list(plan(experiment("100000 s"))), SimEngine()) > 600
    assert time.perf_counter() - began < 10


def test_a_run_and_its_packets_each_have_a_cost() -> None:
    a_run_s, a_packet_s = 0.3, 2e-6

    def tried(runs: int, number: float) -> _Tried:
        return _Tried(runs, number, a_run_s * runs + a_packet_s * number)

    assert _costs(tried(2, 4e4), tried(4, 8e5)) == pytest.approx((a_run_s, a_packet_s))
    assert _costs(tried(2, 4e4), tried(6, 12e4))[0] == 0, "runs of one length cannot tell them apart"
    assert _costs(_Tried(2, 4e4, 1.0), _Tried(2, 8e5, 0.5))[0] == 0, "neither cost is negative"


def test_a_part_of_a_run_has_the_same_shape() -> None:
    whole = next(iter(plan(experiment())))
    part = _shortened(whole, packets(whole.resolved.run) / 10)
    run = part.resolved.run
    assert packets(run) == pytest.approx(packets(whole.resolved.run) / 10)
    assert (run.duration_ns, run.flows[1].start_ns) == (6e9, 2e9)
    assert (run.measure.window_begin_ns, run.measure.window_end_ns) == (3e9, 6e9)
    assert _shortened(whole, 1e9) is whole


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ("bulk", 100e6 * 60 / 8),
        ({"transfer": "3 MB"}, 3e6),
        ({"stream": "8 Mbit/s", "for": "3 s", "every": "40 ms"}, 3e6),
    ],
    ids=str,
)
def test_packets_are_what_flows_have_to_send_or_the_line_can_carry(workload: object, expected: float) -> None:
    asked = experiment(flows=[{"cc": "reno", "workload": workload}])
    assert packets(next(iter(plan(asked))).resolved.run) == pytest.approx(expected / 1514)


def test_a_run_that_fails_tells_nothing() -> None:
    class Failing(SimEngine):
        def measure(self, run: Run) -> Measurement:
            raise EngineFailure(f"no luck with seed {run.seed}")

    with pytest.raises(EngineFailure, match="no luck"):
        forecast_s(list(plan(experiment())), Failing())
