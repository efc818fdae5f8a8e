"""What to look at before a run is trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from dumbbell.engines.measurement import FlowMeasurement
from dumbbell.results.validity import warnings
from measured import flow, flow_counters, measurement, queue, queue_counters
from specs import resolved

S = 10**9
STREAM = {"flows": [{"cc": "bbr", "workload": {"stream": "1 Mbit/s", "for": "10 s", "every": "40 ms"}}]}
TRANSFER = {"flows": [{"cc": "bbr", "workload": {"transfer": "1 MB"}}]}
OLD = flow_counters(5, delivered_bytes=9)


def ended(at_s: float = 10, completed_s: float | None = None, **counts: int) -> FlowMeasurement:
    return flow(completed_s=completed_s, end=flow_counters(at_s, **{"delivered_bytes": 1_000} | counts))


def warnings_of(
    measured: FlowMeasurement, fields: dict[str, Any], *, packets: int = 1, ended_s: float = 10
) -> list[str]:
    run = resolved(**fields)
    bottleneck = queue(end=queue_counters(10, offered_packets=packets))
    return warnings(run.run, measurement(measured, bottleneck=bottleneck, ended_s=ended_s), run.groups)


@pytest.mark.parametrize(
    ("measured", "fields"),
    [
        (ended(), {}),
        (ended(app_limited_ns=S // 20), {}),  # a hundredth of the window
        (ended(app_limited_ns=5 * S), STREAM),  # as it should be
        (ended(completed_s=9), TRANSFER),
    ],
)
def test_a_healthy_run_has_none(measured: FlowMeasurement, fields: dict[str, Any]) -> None:
    assert warnings_of(measured, fields) == []


@pytest.mark.parametrize(
    ("flow_fields", "facts", "expected"),
    [
        ({"ecn": True}, {"ecn": "1 of 1", "ect": "1 of 1"}, []),
        ({"ecn": True}, {}, []),  # of an engine that says nothing of it
        ({}, {}, []),
        ({"ecn": True}, {"ecn": "8 of 9", "ect": "8 of 9"}, [
            "8 of 9 connections use ECN, and the run has it for all",
            "8 of 9 connections had data that is ECT come, and the run has it for all",
        ]),
        ({"cc": "dctcp"}, {"ecn": "0 of 1", "ect": "0 of 1"}, [
            "0 of 1 connections use ECN, and the run has it for all",
            "0 of 1 connections had data that is ECT come, and the run has it for all",
        ]),
        ({}, {"ecn": "1 of 1", "ect": "1 of 1"}, ["1 of 1 connections use ECN, and the run has it for none"]),
    ],
)  # fmt: skip
def test_connections_whose_ecn_is_not_the_runs(
    flow_fields: dict[str, Any], facts: dict[str, str], expected: list[str]
) -> None:
    run = resolved(
        flows=[{"cc": "cubic"} | flow_fields], path={"rate": "8 Mbit/s", "rtt": "20 ms", "qdisc": "fq_codel"}
    )
    bottleneck = queue(end=queue_counters(10, offered_packets=1))
    measured = replace(
        measurement(ended(), bottleneck=bottleneck, ended_s=10),
        facts={f"flows[0].{name}": text for name, text in facts.items()},
    )
    name = run.groups[0]
    assert warnings(run.run, measured, run.groups) == [f"flow 0 ({name}): {each}" for each in expected]


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("1 from 945.152 s on", "its connection was given up at 945.152 s"),
        ("3 from 127.872 s on", "3 of its connections were given up, from 127.872 s on"),
    ],
)
def test_connections_that_were_given_up(fact: str, expected: str) -> None:
    run = resolved()
    bottleneck = queue(end=queue_counters(10, offered_packets=1))
    measured = replace(measurement(ended(), bottleneck=bottleneck, ended_s=10), facts={"flows[0].given_up": fact})
    (message,) = warnings(run.run, measured, run.groups)
    assert message.startswith(f"flow 0 ({run.groups[0]}): {expected}: nothing was acknowledged")


def test_a_run_that_is_not_healthy(snapshot: SnapshotAssertion) -> None:
    assert {
        "held back by its application": warnings_of(ended(app_limited_ns=S), {}),
        "held back by its receiver": warnings_of(ended(rwnd_limited_ns=S), {}),
        "held back by its send buffer": warnings_of(ended(sndbuf_limited_ns=S), {}),
        "few round trips": warnings_of(ended(), {"measure": {"window": ["5 s", "5200 ms"]}}),
        "ended before the window": warnings_of(ended(4, completed_s=4), {}, ended_s=4),
        "no packet in the window": warnings_of(ended(), {}, packets=0),
        "a transfer that is not complete": warnings_of(ended(), TRANSFER),
        "nothing delivered": warnings_of(flow(), {}),
        "nothing delivered in the window": warnings_of(flow(begin=OLD, end=flow_counters(10, delivered_bytes=9)), {}),
        "gone before the window": warnings_of(flow(begin=OLD, end=OLD, at_end=flow_counters(4, delivered_bytes=9)), {}),
        "an algorithm that behaves as Reno": warnings_of(ended(), {"flows": [{"cc": "dctcp"}]}),
        "another": warnings_of(ended(), {"flows": [{"cc": "lp"}]}),
    } == snapshot
