"""How long a campaign will take, with an engine of known speed and its clock."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import dumbbell.campaign.cost as cost
from dumbbell.campaign.forecast import BUDGET_S, Forecast, Trials, forecast, try_some
from dumbbell.campaign.size import Size, carried_packets, packets
from dumbbell.campaign.survey import Survey
from dumbbell.engines.attempt import Attempt
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec import Experiment, load
from dumbbell.spec.run import Run

PACKET_S = 1e-6
"""What a packet takes on the engine of known speed."""


class Known:
    """An engine of known speed, on a line that is always full: it works for as long as it is let, and then leaves."""

    def __init__(self, usage: float = 1.0) -> None:
        self.worked_s = 0.0
        self._usage = usage
        self.attempts: list[tuple[Run, float]] = []

    def _takes_s(self, run: Run, until_ns: float) -> float:
        return PACKET_S * self._usage * carried_packets(run, 0, until_ns)

    def attempt(self, run: Run, most_s: float) -> Attempt:
        self.attempts.append((run, most_s))
        ended_ns, step_ns = 0.0, float(run.duration_ns)
        while step_ns > 1:
            if ended_ns + step_ns <= run.duration_ns and self._takes_s(run, ended_ns + step_ns) <= most_s:
                ended_ns += step_ns
            step_ns /= 2
        passed = [
            (at_ns, int(self._usage * carried_packets(run, 0, at_ns)))
            for at_ns in (round(ended_ns * part / 32) for part in range(1, 33))
        ]
        sent = self._usage * carried_packets(run, 0, ended_ns)
        self.worked_s += PACKET_S * sent
        return Attempt(
            ended=ended_ns == run.duration_ns, ended_ns=round(ended_ns), segments_sent=round(sent),
            delivered_bytes=round(1448 * sent), transfers_started=0, transfers_completed=0, queued_packets=0,
            peak_packets=0, passed=passed,
        )  # fmt: skip


@pytest.fixture(autouse=True)
def _pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine is as fast as the one that the costs were measured on."""
    monkeypatch.setattr("dumbbell.campaign.forecast.own_pace", lambda: 1.0)


def experiment(duration: str = "60 s", **fields: object) -> Experiment:
    return load({
        "name": "sweep",
        "duration": duration,
        "start_jitter": "0 s",
        "path": {"rate": "100 Mbit/s", "rtt": "25 ms", "buffer": ["0.5 bdp", "2 bdp"]},
        "flows": [{"cc": ["reno", "bbr"]}],
        "measure": {"record": "summary", "sample": "500 ms"},
        **fields,
    })  # fmt: skip


def runs_of(spec: Experiment) -> list[Run]:
    return [resolved.run for _, resolved in Survey.of(spec).seen]


def tried(spec: Experiment, engine: Known) -> Trials:
    return try_some(runs_of(spec), engine, clock=lambda: engine.worked_s)


def changing(duration: str, at: str, rate: str) -> Experiment:
    """I1 of the review: nearly all is sent after the change."""
    path = {
        "rate": "1 Mbit/s", "rtt": "10 ms", "buffer": "1000 packets", "change": [{"at": at, "rate": rate}],
    }  # fmt: skip
    return experiment(duration, path=path, flows=[{"cc": "bbr"}])


@pytest.mark.parametrize("usage", [1.0, 0.3])
@pytest.mark.parametrize("duration", ["1 s", "60 s", "100000 s"])
def test_what_the_rest_takes_follows_from_the_part_that_was_tried(duration: str, usage: float) -> None:
    spec, engine = experiment(duration, seeds=3), Known(usage)
    trials = tried(spec, engine)
    total_s = sum(PACKET_S * usage * carried_packets(run, 0, run.duration_ns) for run in trials.runs)
    assert trials.clear
    assert sum(trials.simulated_s) == pytest.approx(total_s, rel=0.02)
    assert engine.worked_s <= 4 * BUDGET_S, "whatever it takes, it is tried for a moment"
    estimate = forecast(trials, SimEngine(), 12, jobs=1)
    overhead_s = sum(cost.overhead_s(size, run) for size, run in zip(trials.sizes, trials.runs, strict=True))
    assert estimate.core_seconds == pytest.approx(cost.START_S + 3 * (total_s + overhead_s), rel=0.02)


def test_the_rate_is_that_of_each_moment() -> None:
    (run,) = runs_of(changing("10 s", "1 s", "10 Gbit/s"))
    assert packets(run) == pytest.approx((1e6 * 1 + 1e10 * 9) / 8 / 1514, rel=1e-4)
    assert carried_packets(run, 0.5e9, 1.5e9) == pytest.approx((1e6 * 0.5 + 1e10 * 0.5) / 8 / 1514)
    engine = Known()
    trials = tried(changing("2 s", "500 ms", "1 Tbit/s"), engine)
    assert sum(trials.simulated_s) == pytest.approx(1.5e12 / 8 / 1514 * PACKET_S, rel=0.02)
    assert engine.worked_s <= 2 * BUDGET_S


def test_the_simulator_answers_of_a_run_of_minutes() -> None:
    """It did not, after five minutes."""
    trials = try_some(runs_of(changing("10 s", "1 s", "10 Gbit/s")))
    assert 1e6 < trials.sizes[0].packets < 1e7


def test_arrivals_send_first_windows_however_slow_the_line() -> None:
    """I3 of the review, with a tenth of its connections: 82 packets were expected."""
    source = {"cc": "bbr", "workload": {"arrivals": {"rate": "1000000 /s"}, "size": "10 kB"}}
    path = {"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1000 GB"}
    spec = experiment("100 ms", path=path, flows=[source], measure={"sample": "10 ms"})
    (run,) = runs_of(spec)
    assert packets(run) > 7 * 0.79 * 100_000, "those that connect a round trip before the end"
    estimate = forecast(try_some([run]), SimEngine(), 1)
    assert estimate.memory_bytes > 3e8, "the review's were 2.7 kB for each connection"
    assert estimate.core_seconds > cost.START_S + 1e5 * 1.2e-5


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        ("bulk", 100e6 * 60 / 8 / 1514 + 10),
        ({"transfer": "3 MB"}, 2072),
        ({"stream": "8 Mbit/s", "for": "3 s", "every": "40 ms"}, 3e6 / 1448),
    ],
    ids=str,
)
def test_packets_are_what_flows_have_to_send_or_the_line_can_carry(workload: object, expected: float) -> None:
    (run, *_) = runs_of(experiment(flows=[{"cc": "reno", "workload": workload}]))
    assert packets(run) == pytest.approx(expected)


def test_flows_that_stop_send_nothing_more() -> None:
    (run, *_) = runs_of(experiment(flows=[{"cc": "reno", "start": "10 s", "stop": "40 s"}]))
    assert packets(run) == pytest.approx(100e6 * 30 / 8 / 1514 + 10)


def test_a_run_that_was_not_seen_to_answer_is_told_as_longer_than() -> None:
    """Its first round trip is longer than the moment that it was tried for."""
    path = {"rate": "1 Tbit/s", "rtt": "100 s", "buffer": "1 bdp"}
    trials = tried(experiment("200 s", path=path, flows=[{"cc": "reno"}]), Known())
    assert not trials.clear
    assert forecast(trials, SimEngine(), 1).at_least


def test_more_cores_take_less_time_and_more_memory() -> None:
    trials = tried(experiment("600 s"), Known())
    one, two = (forecast(trials, SimEngine(), 4, jobs) for jobs in (1, 2))
    assert one.seconds > 1.5 * two.seconds
    assert two.memory_bytes > one.memory_bytes
    assert (one.disk_bytes, one.core_seconds) == (two.disk_bytes, two.core_seconds)
    assert forecast(trials, SimEngine(), 4, jobs=64).at_once == 4


@pytest.mark.parametrize(
    ("fields", "grows"),
    [
        ({"record": "series", "sample": "1 ms"}, ("memory_bytes", "disk_bytes", "core_seconds")),
        ({"record": "acks", "sample": "500 ms"}, ("memory_bytes", "disk_bytes", "core_seconds")),
        ({"record": "summary", "sample": "100 us"}, ("memory_bytes", "core_seconds")),
    ],
    ids=["samples", "acks", "summary"],
)
def test_what_is_recorded_takes_memory_and_disk(fields: dict[str, Any], grows: tuple[str, ...]) -> None:
    def of(measure: dict[str, Any]) -> Forecast:
        return forecast(tried(experiment(measure=measure), Known()), SimEngine(), 4)

    usual, more = of({"record": "summary", "sample": "500 ms"}), of(fields)
    assert {
        name
        for name in ("memory_bytes", "disk_bytes", "core_seconds")
        if getattr(more, name) > 1.02 * getattr(usual, name)
    } == set(grows)


def test_a_run_that_fails_is_forecast_by_its_packets() -> None:
    class Failing(Known):
        def attempt(self, run: Run, most_s: float) -> Attempt:
            raise EngineFailure(f"no luck with seed {run.seed}, {most_s}")

    trials = tried(experiment(), Failing())
    assert not trials.clear
    assert trials.simulated_s == pytest.approx(
        [cost.SIM_PACKET_S * cost.SIM.units(Size.of(run)) for run in trials.runs]
    )


def test_programs_are_not_started_to_know_how_long_they_take() -> None:
    engine = Known()
    tried(experiment(flows=[{"cc": "vegas", "workload": {"command": ["touch", "here"]}}]), engine)
    assert {flow.workload for run, _ in engine.attempts for flow in run.flows} == {"bulk"}
    assert {flow.algorithm for run, _ in engine.attempts for flow in run.flows} == {"cubic"}, (
        "the simulator has no vegas"
    )


def test_a_sweep_of_a_million_points_is_looked_at_for_a_limited_time() -> None:
    rates, rtts = ([f"{number} {unit}" for number in range(1, 1001)] for unit in ("Mbit/s", "ms"))
    spec = experiment(path={"rate": rates, "rtt": rtts, "buffer": "1 MB"}, flows=[{"cc": "reno"}])
    survey = Survey.of(spec, most_s=20.0, clock=map(float, itertools.count()).__next__)
    assert survey.points == 10**6
    assert len(survey.seen) == 21
    seen = sorted(resolved.run.path.rate_bps for _, resolved in survey.seen)
    assert (seen[0] < 250e6, seen[-1] > 750e6) == (True, True), "from all over the sweep"
