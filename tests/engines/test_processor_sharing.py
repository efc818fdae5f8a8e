"""Short flows against queueing theory: processor sharing, of which the mean slowdown is 1 / (1 - load).

Connections share a line equally where their windows are equal: a receive window of 12 kB at a BDP below a packet, in a
queue that never drops, keeps 8 segments of each in it. Sizes are 345 packets, so that opening the window costs little.
Without that window transfers of one size lie in such a queue whole, first come first served, and their mean slowdown is
less than that of processor sharing: it falls towards the M/D/1 queue's 1 + load / (2 (1 - load)).
"""

from __future__ import annotations

from statistics import fmean

import pytest

import dumbbell
from dumbbell.results.schema import Result
from measured import known

SPEC = {
    "duration": "until done",
    "time_limit": "1000000 s",
    "path": {"rate": "10 Mbit/s", "rtt": "1 ms", "buffer": "100000 packets"},
    "host": {"receive_window": "12 kB"},
    "measure": {"record": "summary", "sample": "10 s"},
}


def slowdowns(load: float, arrivals: int, seeds: int) -> list[float]:
    workload = {"arrivals": {"load": load, "count": arrivals}, "size": "500 kB"}
    results = dumbbell.run(SPEC | {"seeds": seeds, "flows": [{"cc": "reno", "workload": workload}]})
    means = []
    for run in results:
        assert isinstance(run, Result)
        assert run.bottleneck.dropped_packets == 0
        means.append(known(run.flows[0].slowdown_mean))
    return means


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
@pytest.mark.parametrize(
    ("arrivals", "seeds"),
    [(1_500, 5), pytest.param(10_000, 10, marks=[pytest.mark.slow, pytest.mark.long])],
    ids=["quick", "full"],
)
def test_the_mean_slowdown_is_that_of_processor_sharing(load: float, arrivals: int, seeds: int) -> None:
    assert fmean(slowdowns(load, arrivals, seeds)) == pytest.approx(1 / (1 - load), rel=0.1)
