"""Where an experiment lies beside what was validated: conditions of strata are within, and what is not is named."""

from __future__ import annotations

from typing import Any

import pytest

from dev.strata.conditions import conditions
from dumbbell.comparison.standing import LIVE, faults, outside
from dumbbell.comparison.strata import strata
from dumbbell.spec import Experiment, expand, load, resolve
from outside import OUTSIDE, spec_with


@pytest.mark.parametrize("stratum", [name for name in strata() if name != LIVE])
def test_each_condition_of_a_stratum_is_within(stratum: str) -> None:
    for experiment in conditions(8, 20261126, stratum):
        for point in expand(experiment):
            assert faults(point, resolve(point, 1)) == [], experiment.toml()


@pytest.mark.parametrize("line", OUTSIDE)
def test_what_is_outside_is_named(line: str) -> None:
    experiment = load(spec_with(line))
    (point,) = expand(experiment)
    said = outside([(point, resolve(point, 1))])
    assert said.startswith("outside of what was validated")
    assert OUTSIDE[line] in said


HOPS = [
    {"name": "core", "rate": "20 Mbit/s", "buffer": "1 bdp", "delay": "5 ms"},
    {"name": "last", "rate": "24 Mbit/s", "buffer": "2 bdp"},
]
MANAGED = {"rate": "20 Mbit/s", "rtt": "30 ms"}
BACK = {"rate": "20 Mbit/s", "rtt": "30 ms", "buffer": "1 bdp"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"path": {"rtt": "30 ms"}, "hops": [*HOPS, HOPS[1] | {"name": "end"}], "flows": [{"cc": "reno"}, *(
            {"cc": "cubic", "name": name, "route": [name]} for name in ("core", "last", "end"))]}, []),
        ({"path": {"rtt": "30 ms"}, "hops": [HOPS[0], HOPS[1] | {"rate": "90 Mbit/s", "delay": "1 ms"}]},
         ["hops[1].rate = 90 Mbit/s"]),
        ({"path": {"rtt": "30 ms"}, "hops": [*HOPS, *(HOPS[1] | {"name": name} for name in "abcd")]},
         ["6 links in a row"]),
        ({"path": BACK | {"back": {"rate": "10 Mbit/s", "buffer": "50 packets"}}, "flows": [
            {"cc": "reno"}, {"cc": "cubic", "direction": "up"}]}, []),
        ({"path": BACK | {"back": {"rate": "1 Mbit/s", "buffer": "50 packets"}, "queue": "packets"}}, []),
        ({"path": BACK | {"back": {"rate": "4 Mbit/s", "buffer": "50 packets"}}}, ["path.back.rate = 4 Mbit/s"]),
        ({"path": MANAGED | {"qdisc": "pie"}}, []),
        ({"path": MANAGED | {"qdisc": {"kind": "codel", "target": "10 ms", "limit": 900}}}, []),
        ({"path": MANAGED | {"qdisc": "fq_codel"}, "flows": [{"cc": "bbr", "count": 12}, {"cc": "cubic"}]}, []),
        ({"path": MANAGED | {"qdisc": {"kind": "pie", "tupdate": "30 ms"}}}, ["path.qdisc.tupdate = 30 ms"]),
        ({"path": MANAGED | {"qdisc": {"kind": "codel", "target": "40 ms"}}}, ["path.qdisc.target = 40 ms"]),
        ({"path": MANAGED | {"qdisc": "red", "buffer": "2000 packets"}},
         ["buffer 2000 packets, not 60 to 1000 packets"]),
        ({"path": MANAGED | {"buffer": "1000 packets"}}, []),
        ({"path": BACK | {"loss": {"gilbert_elliott": {"loss": "1 %", "burst": 5}}}}, []),
        ({"path": BACK | {"reorder": {"share": "2 %", "by": "15 ms"}}}, []),
        ({"path": BACK | {"reorder": {"spread": "8 ms"}}}, []),
        ({"path": BACK | {"corrupt": "0.1 %"}}, []),
        ({"path": BACK | {"aggregation": "4 ms"}}, []),
        ({"path": MANAGED | {"shaper": "police", "burst": "125 kB"}}, []),
        ({"path": MANAGED | {"shaper": "police", "burst": "125 kB", "peak": "50 Mbit/s"}},
         ["path.peak = 50 Mbit/s"]),
        ({"path": BACK | {"change": [{"at": "9 s", "rtt": "50 ms", "over": "500 ms"}]}}, []),
        ({"path": BACK | {"change": [{"at": "9 s", "rate": "0 bit/s"}, {"at": "9.5 s", "rate": "20 Mbit/s"}]}}, []),
        ({"path": BACK | {"change": [{"at": "9 s", "rate": "9 Mbit/s", "over": "300 ms", "every": "12 s"}]}}, []),
        ({"path": BACK | {"change": [{"at": "9 s", "buffer": "60 kB"}, {"at": "12 s", "loss": "0.5 %"}]}}, []),
        ({"path": BACK | {"change": [{"at": "9 s", "rtt": "9 s"}]}}, ["path.change: rtt = 9 s"]),
        ({"path": BACK | {"change": [{"at": "9 s", "rate": "0 bit/s"}, {"at": "12 s", "rate": "15 Mbit/s"}]}},
         ["path.change: rate = 15 Mbit/s"]),
        ({"path": BACK | {"change": [{"at": "9 s", "buffer": "400 kB"}]}}, ["buffer 5.33 BDP, not 0.3 to 4 BDP"]),
        ({"path": BACK | {"reorder": {"spread": "8 ms"}, "corrupt": "0.1 %"}}, ["path.corrupt = 0.1 %"]),
    ],
)  # fmt: skip
def test_several_queues_are_within_where_such_were_drawn(fields: dict[str, Any], said: list[str]) -> None:
    (point,) = expand(Experiment(**{"name": "own", "duration": "60 s", "flows": [{"cc": "cubic"}]} | fields))
    assert faults(point, resolve(point, 1)) == said
