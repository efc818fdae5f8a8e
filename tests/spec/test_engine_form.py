"""The form of a run in which the engines read it: the simulator's own parser is the judge."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell import cc
from dumbbell.spec import expand, load, resolve

Words = dict[str, Any]

CHANGES: list[Words] = [
    {},
    {"flows": [{"cc": "bbr_4_17_shallow[probe_gain=1.1]", "count": 3, "stagger": "1 s", "stop": "5 s"}]},
    {"flows": [{"cc": "cubic", "workload": {"transfer": "1 MB"}}], "duration": "until done", "time_limit": "60 s"},
    {"flows": [{"cc": "cubic", "workload": {"stream": "1 Mbit/s", "for": "1 s", "every": "40 ms"}}]},
    {"flows": [{"cc": "reno", "access": {"rate": "1 Gbit/s", "buffer": "1 MB"}}]},
    {"flows": [{"cc": "reno", "access": {"rate": "1 Gbit/s", "buffer": "100 packets"}}]},
    {"host": {"socket_memory": "default", "receive_window": "3 MB", "qdisc": "fq", "sack_compression": False}},
    {"host": {"socket_memory": "16 MB", "initial_window": 4}},
    {"measure": {"record": "summary"}, "seeds": [2**63 - 1]},
    {"measure": {"record": "acks", "window": ["1 s", "90 %"], "sample": "10 ms"}},
    {
        "path": {
            "rate": "1 Gbit/s",
            "rtt": "1 ms",
            "buffer": "100 packets",
            "queue": "packets",
            "loss": "1 %",
            "loss_at": "after",
            "burst": "1514 B",
            "mtu": 9000,
            "delay_side": "split",
            "change": [{"at": "1 s", "rate": "100 Mbit/s"}],
        }
    },
]


@pytest.mark.parametrize("changes", CHANGES, ids=lambda changes: "-".join(changes) or "defaults")
def test_the_simulator_reads_every_form(words: Words, changes: Words) -> None:
    core = pytest.importorskip("dumbbell._core")
    experiment = load(words | changes, registry=cc.registry_of(core.algorithms()))
    for point in expand(experiment):
        for seed in experiment.seed_values:
            assert core.problems(resolve(point, seed).run.to_json()) == []
