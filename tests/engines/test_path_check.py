"""What is said of a path, given what packet trains saw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dumbbell.engines.path_check import PathReport, check_paths, deviations, path_of, plausible
from dumbbell.engines.sim import SimEngine
from dumbbell.spec import Run
from specs import resolved

RIGHT = PathReport(
    rate_bps=79_900_000,
    rtt_ns=(25_200_000,),
    queue_bytes=248_296,
    queue_packets=164,
    spaced_packets=20_000,
    lost_packets=0,
    reordered_packets=0,
)


class Prober(SimEngine):
    """Sees what it is told to see."""

    def __init__(self, *reports: PathReport) -> None:
        self.reports = reports
        self.probed_runs: list[Run] = []

    def slots(self) -> int:
        return 1

    def probe(self, run: Run) -> PathReport:
        self.probed_runs.append(run)
        return self.reports[min(len(self.probed_runs), len(self.reports)) - 1]


def run(**fields: Any) -> Run:
    return path_of(resolved(**fields).run)


@pytest.mark.parametrize(
    ("seen", "lines"),
    [
        ({}, []),
        ({"rate_bps": 79_500_000}, ["path.rate: asked for 80 Mbit/s, saw 79.5 Mbit/s"]),
        ({"rtt_ns": (24_400_000,)}, ["path.rtt: asked for 25 ms, saw 24.4 ms (way-1)"]),
        ({"rtt_ns": (25_440_000,)}, []),
        ({"rtt_ns": ()}, ["path.rtt: asked for that of 1 flows, saw 0"]),
        ({"queue_bytes": 254_500}, ["path.buffer: asked for 250000 B, saw 254500 B"]),
        ({"lost_packets": 1}, ["path.loss: asked for 0 %, saw 0.005 % of 20000 packets"]),
        ({"spaced_packets": 0}, ["path.loss: no packet was sent to see it"]),
        ({"reordered_packets": 3}, ["path: asked for no reordering, saw 3 packets out of order"]),
        (
            {"rate_bps": 1, "reordered_packets": 1},
            [
                "path.rate: asked for 80 Mbit/s, saw 1 bit/s",
                "path: asked for no reordering, saw 1 packets out of order",
            ],
        ),
    ],
)
def test_each_deviation_is_a_line_with_what_was_asked_and_seen(seen: dict[str, Any], lines: list[str]) -> None:
    assert list(deviations(run(), replace(RIGHT, **seen))) == lines


@pytest.mark.parametrize(("seen_bps", "holds"), [(993_960_000, True), (992_000_000, False)])
def test_a_rate_seen_by_six_frames_is_as_sharp_as_the_clock(seen_bps: int, *, holds: bool) -> None:
    spec_run = run(path={"rate": "1 Gbit/s", "rtt": "20 ms", "buffer": "10 kB"})
    seen = replace(RIGHT, rate_bps=seen_bps, rtt_ns=(20_000_000,), queue_bytes=9_084, queue_packets=6)
    assert (not list(deviations(spec_run, seen))) is holds


def test_a_queue_of_packets_is_counted_in_packets() -> None:
    spec_run = run(path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "100 packets", "queue": "packets"})
    assert list(deviations(spec_run, replace(RIGHT, queue_packets=102, queue_bytes=0))) == []
    (line,) = deviations(spec_run, replace(RIGHT, queue_packets=103))
    assert line == "path.buffer: asked for 100 packets, saw 103 packets"


@pytest.mark.parametrize(
    ("lost", "sent", "probability", "believed"),
    [
        (0, 1000, 0.0, True),
        (1, 1000, 0.0, False),
        (0, 1000, 0.001, True),
        (0, 10_000, 0.001, False),
        (6, 1000, 0.001, True),
        (7, 1000, 0.001, False),
        (1000, 10_000, 0.1, True),
        (890, 10_000, 0.1, False),
        (1110, 10_000, 0.1, False),
        (9_900, 10_000, 0.99, True),
        (0, 1_000_000, 0.5, False),
        (500_000, 1_000_000, 0.5, True),
    ],
)
def test_losses_within_the_binomial_interval_are_believed(
    lost: int, sent: int, probability: float, *, believed: bool
) -> None:
    assert plausible(lost, sent, probability) is believed


def test_losses_that_look_wrong_are_looked_at_with_another_seed() -> None:
    lossy = resolved(path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp", "loss": "1 %"}).run
    unlucky, lucky = replace(RIGHT, lost_packets=300), replace(RIGHT, lost_packets=200)
    engine = Prober(unlucky, lucky)
    (checked,) = check_paths(engine, [lossy])
    assert checked.deviations == ()
    assert [each.seed for each in engine.probed_runs] == [1, 2]
    (checked,) = check_paths(Prober(unlucky, unlucky), [lossy])
    assert len(checked.deviations) == 1
    engine = Prober(replace(unlucky, rate_bps=1), lucky)
    (checked,) = check_paths(engine, [lossy])
    assert len(checked.deviations) == 2
    assert len(engine.probed_runs) == 1


def test_in_real_time_all_that_looks_wrong_is_looked_at_again() -> None:
    spec_run, disturbed = resolved().run, replace(RIGHT, rate_bps=76_000_000)
    engine = Prober(disturbed, disturbed, RIGHT)
    engine.live = True
    (checked,) = check_paths(engine, [spec_run])
    assert (checked.deviations, len(engine.probed_runs)) == ((), 3)
    engine = Prober(disturbed)
    engine.live = True
    (checked,) = check_paths(engine, [spec_run])
    assert (len(checked.deviations), len(engine.probed_runs)) == (1, 3)


def test_each_distinct_path_is_looked_at_once() -> None:
    paths = [{"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": buffer} for buffer in ("1 bdp", "2 bdp", "1 bdp")]
    flows = [[{"cc": "bbr"}], [{"cc": "cubic", "count": 9}], [{"cc": "cubic", "start": "1 s"}, {"cc": "vegas"}]]
    runs = [
        resolved(path=path, flows=each, duration=duration).run
        for path in paths
        for each in flows
        for duration in ("5 s", "20 s")
    ]
    engine = Prober(RIGHT)
    checked = list(check_paths(engine, runs))
    assert len(checked) == len(engine.probed_runs) == 2
    assert [each.requested for each in checked] == ["80 Mbit/s, 25 ms, 250000 B", "80 Mbit/s, 25 ms, 500000 B"]
    assert checked[0].deviations == ()
    assert len(checked[1].deviations) == 1


def test_each_way_through_a_path_has_a_flow() -> None:
    flows = [{"cc": "bbr", "count": 3}, {"cc": "bbr", "rtt": "50 ms", "name": "far"}]
    spec_run = run(flows=flows, path={"rate": "8 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp", "change": []})
    assert [(flow.name, flow.return_delay_ns) for flow in spec_run.flows] == [
        ("way-1", 25 * 10**6),
        ("way-2", 50 * 10**6),
    ]


def test_an_engine_that_builds_no_path_has_none_to_look_at() -> None:
    assert list(check_paths(SimEngine(), [resolved().run])) == []
