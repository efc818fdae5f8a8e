from __future__ import annotations

import pytest

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.results.validity import warnings
from dumbbell.spec import Resolved
from experiments import resolved
from measured import flow, flow_counters, measurement, queue, queue_counters

BUSY = queue(end=queue_counters(10, offered_packets=1))
HEALTHY = flow(end=flow_counters(10, delivered_bytes=1_000))


def found(*flows: FlowMeasurement, run: Resolved | None = None, ended_s: float = 10) -> list[str]:
    run = run or resolved()
    return warnings(run.run, measurement(*flows, bottleneck=BUSY, ended_s=ended_s), run.groups)


def test_a_healthy_run_has_none() -> None:
    assert found(HEALTHY) == []


@pytest.mark.parametrize("limit", ["app", "rwnd", "sndbuf"])
def test_a_bulk_sender_that_something_else_held_back(limit: str) -> None:
    words = {"app": "its application", "rwnd": "the receive window", "sndbuf": "the send buffer"}[limit]
    end = {"delivered_bytes": 1_000, f"{limit}_limited_ns": 1_000_000_000}
    assert found(flow(end=flow_counters(10, **end))) == [
        f"flow 0 (bbr): bulk sender limited by {words} for 20.0% of its time in the window"
    ]


def test_a_hundredth_of_the_window_is_nothing() -> None:
    assert found(flow(end=flow_counters(10, delivered_bytes=1_000, app_limited_ns=50_000_000))) == []


def test_a_stream_is_limited_by_its_application_and_should_be() -> None:
    stream = resolved(flows=[{"cc": "bbr", "workload": {"stream": "1 Mbit/s", "for": "10 s", "every": "40 ms"}}])
    assert found(flow(end=flow_counters(10, delivered_bytes=1_000, app_limited_ns=5 * 10**9)), run=stream) == []


def test_a_window_of_few_round_trips() -> None:
    run = resolved(measure={"window": ["5 s", "5200 ms"]})
    assert found(HEALTHY, run=run) == ["measure.window: 0.2 s is less than 10 round trips of 0.025 s"]


def test_a_run_that_ended_before_its_window() -> None:
    done = flow(completed_s=4, begin=flow_counters(4), end=flow_counters(4, delivered_bytes=1_000))
    assert found(done, ended_s=4) == ["measure.window: the run ended at 4 s, before the window began"]


def test_a_window_without_a_packet() -> None:
    run = resolved()
    silent = measurement(flow(begin=flow_counters(5, delivered_bytes=9), end=flow_counters(10, delivered_bytes=9)))
    assert warnings(run.run, silent, run.groups) == [
        "measure.window: no packet came to the bottleneck in it",
        "flow 0 (bbr): delivered nothing in the window",
    ]


def test_a_transfer_that_was_not_complete() -> None:
    run = resolved(flows=[{"cc": "bbr", "workload": {"transfer": "1 MB"}}])
    assert found(HEALTHY, run=run) == ["flow 0 (bbr): its transfer was not complete when the run ended"]
    done = flow(completed_s=9, end=flow_counters(10, delivered_bytes=1_000))
    assert found(done, run=run) == []


def test_a_flow_that_delivered_nothing() -> None:
    assert found(flow()) == ["flow 0 (bbr): delivered nothing"]


def test_a_flow_that_was_gone_before_the_window() -> None:
    gone = flow(
        begin=flow_counters(5, delivered_bytes=9),
        end=flow_counters(10, delivered_bytes=9),
        at_end=flow_counters(4, delivered_bytes=9),
    )
    assert found(gone) == ["flow 0 (bbr): was not active in the window"]


@pytest.mark.parametrize("cc", ["dctcp", "lp"])
def test_an_algorithm_that_behaves_as_reno_here(cc: str) -> None:
    run = resolved(flows=[{"cc": cc}])
    assert found(HEALTHY, run=run) == [f"flow 0 ({cc}): behaves as Reno; `dumbbell cc show {cc}` says why"]
