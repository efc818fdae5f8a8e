"""Warnings that a spec decides: each by a spec that must raise it, and by one that must not."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import dumbbell.cc
from dumbbell.experiment.spec_warnings import spec_warnings
from dumbbell.experiment.warning import summaries
from dumbbell.spec import load
from specs import smallest

NEAR_AND_FAR = [{"name": "near", "cc": "cubic"}, {"name": "far", "cc": "cubic", "rtt": "51 ms"}]
QUIET = {"path.jitter": "none", "start_jitter": "0 s"}
SLOW = QUIET | {"path.rate": "10 Mbit/s", "path.rtt": "50 ms"}
LONG = {"path.rate": "1 Gbit/s", "path.rtt": "100 ms"}
PAIR = {"flows": [{"cc": "cubic", "count": 2}]}


def kinds(fields: dict[str, Any], **spec: Any) -> list[str]:
    experiment = load(smallest(**spec), overrides=fields, registry=dumbbell.cc.known())
    return list(summaries(spec_warnings(experiment)))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ["phase effects"]),
        ({"flows[1].rtt": "100 ms"}, ["phase effects"]),  # any other RTT where few packets fill the path
        ({"flows[1].rtt": "50 ms"}, []),
        ({"flows[1].rtt": ["51 ms", "52 ms", "60 ms"]}, ["phase effects"]),
        ({"flows[1].rtt": ["51 ms", "51.3 ms", "51.6 ms", "51.9 ms"]}, []),  # a mean over phases can be taken
        ({"flows[0].cc": "bbr"}, []),
        ({"flows[1].workload": {"transfer": "1 MB"}}, []),
        ({"flows[1].start": "10 s", "duration": "20 s", "measure.window": ["0 s", "9 s"]}, []),
        ({"path.loss": "0.01 %"}, ["phase effects"]),
        ({"path.loss": "0.1 %"}, []),  # as frequent as their own losses
        ({"path.loss": {"gilbert_elliott": {"loss": "0.1 %", "burst": 50}}}, ["phase effects"]),  # one in 50,000 begins
        ({"path.loss": {"gilbert_elliott": {"loss": "1 %", "burst": 5}}}, []),
        ({"path.reorder": {"spread": "4 ms"}}, []),
        ({"path.shaper": "police", "path.buffer": None, "path.burst": "125 kB"}, []),
        ({"path.rate": "200 Mbit/s"}, []),
        ({"path.rate": "200 Mbit/s", "flows[1].rtt": "50.1 ms"}, ["phase effects"]),  # 1.65 packet times
        ({"path.rate": "400 Mbit/s", "flows[1].rtt": "50.05 ms"}, []),
        ({"path.jitter": "50 us"}, ["phase effects"]),  # 0.04 packet times
        ({"path.jitter": "1 packet"}, []),
        ({"path.jitter": ["50 us", "1 packet"]}, ["phase effects"]),
        ({"path.jitter": "50 us", "path.rate": "200 Mbit/s", "flows[1].rtt": "50.1 ms"}, []),  # 0.83 packet times
        ({"rtt_spread": "2 ms", "seeds": 5}, []),
        ({"rtt_spread": "2 ms", "seeds": 4}, ["phase effects"]),
        ({"rtt_spread": "1 ms", "seeds": 5}, ["phase effects"]),  # less than a packet time
        ({"rtt_spread": "2 ms", "seeds": 2, "flows[1].rtt": "50 ms"}, ["phase effects"]),  # then they differ
    ],
)
def test_phases(fields: dict[str, Any], expected: list[str]) -> None:
    assert kinds(SLOW | fields, flows=NEAR_AND_FAR) == expected


@pytest.mark.parametrize(
    "other", [{"cc": "bbr"}, {"cc": "cubic", "workload": {"arrivals": {"load": 0.1}, "size": "20 kB"}}]
)
@pytest.mark.parametrize(("rate", "expected"), [("10 Mbit/s", ["phase effects"]), ("50 Mbit/s", [])])
def test_phases_beside_others_that_come_at_other_times(other: dict[str, Any], rate: str, expected: list[str]) -> None:
    assert kinds(SLOW | {"path.rate": rate}, flows=[*NEAR_AND_FAR, other]) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"seeds": 5}, ["seeds alike"]),
        ({"seeds": 1}, []),
        ({"seeds": 5, "start_jitter": "10 ms"}, []),
        ({"seeds": 5, "path.loss": "1 %"}, []),
        ({"seeds": 5, "path.jitter": "1 us"}, []),
        ({"seeds": 5, "rtt_spread": "1 ms"}, []),
        ({"seeds": 5, "flows[0].cc": "bbr"}, []),
        ({"seeds": 5, "flows[0].cc": ["cubic", "bbr"]}, ["seeds alike"]),
        ({"seeds": 5, "flows[0].count": 1}, ["seeds alike"]),
        ({"seeds": 5, "flows[0].count": 1, "path.loss": ["0 %", "1 %"]}, []),  # nobody expects it of a flow alone
    ],
)
def test_seeds_that_draw_nothing(fields: dict[str, Any], expected: list[str]) -> None:
    assert kinds(QUIET | fields, **PAIR) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (LONG, ["socket memory"]),
        (LONG | {"host.socket_memory": "max"}, []),  # asked for
        (LONG | {"host.socket_memory": "default"}, []),
        (LONG | {"host.receive_window": "1 MB"}, []),
        (LONG | {"flows[0].workload": {"transfer": "1 MB"}}, []),
        (LONG | {"flows[0].count": 10}, []),  # together they have enough
        ({"path.rate": "200 Mbit/s", "path.rtt": "100 ms"}, []),
        ({"path.rate": "200 Mbit/s", "path.rtt": "100 ms", "flows[0].cc": "cubic"}, ["socket memory"]),  # the queue
        ({}, []),
    ],
)
def test_memory_that_a_host_has_not(fields: dict[str, Any], expected: list[str]) -> None:
    assert kinds(fields) == expected


def test_algorithms_that_are_reno_here() -> None:
    assert kinds({"flows[0].cc": ["dctcp", "lp"]}) == ["behaves as Reno"]
    assert kinds({"flows[0].cc": ["reno", "vegas"]}) == []
    assert kinds({"flows[0].cc": ["dctcp"], "path.qdisc": "fq_codel"}) == []
    assert kinds({"flows[0].cc": ["dctcp", "lp"], "path.qdisc": "codel"}) == ["behaves as Reno"]


def test_each_is_said_once_with_its_numbers_and_a_remedy(snapshot: SnapshotAssertion) -> None:
    rates = QUIET | {"path.rate": ["10 Mbit/s", "5 Mbit/s"], "path.rtt": "50 ms", "seeds": 3, "flows[0].cc": "dctcp"}
    specs = [
        load(smallest(flows=NEAR_AND_FAR), overrides=rates, registry=dumbbell.cc.known()),
        load(smallest(flows=NEAR_AND_FAR), overrides=SLOW | {"path.jitter": "50 us"}),
        load(smallest(flows=NEAR_AND_FAR), overrides=SLOW | {"rtt_spread": "2 ms", "seeds": 2}),
        load(smallest(**PAIR), overrides=LONG),
        load(smallest(), overrides=LONG | QUIET | {"path.rate": "200 Mbit/s", "flows[0].cc": "cubic", "seeds": 2}),
    ]
    assert [list(summaries(spec_warnings(spec)).values()) for spec in specs] == snapshot
