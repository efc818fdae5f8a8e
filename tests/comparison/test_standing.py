"""Where an experiment lies beside what was validated: conditions of strata are within, and what is not is named."""

from __future__ import annotations

import pytest

from dumbbell.comparison.random_conditions import conditions, strata
from dumbbell.comparison.standing import LIVE, faults, outside
from dumbbell.spec import expand, load, resolve

OUTSIDE = {
    'rate = "2 Gbit/s"': "rate 2e+03 Mbit/s, not 5 to 1000 Mbit/s",
    'rtt = "400 ms"': "RTT 400 ms, not 5 to 200 ms",
    'buffer = "80 bdp"': "buffer 80 BDP, not ",
    'loss = "30 %"': "random loss 30 %, not 2 to 20 %",
    'jitter = "1 ms"': "path.jitter = 1 ms",
    'cc = "bbr[cwnd_gain=1.5]"': "constants of bbr",
    "count = 400": "flows: 400, not 9 to 200",
}


@pytest.mark.parametrize("stratum", [name for name in strata() if name != LIVE])
def test_each_condition_of_a_stratum_is_within(stratum: str) -> None:
    for experiment in conditions(8, 20261126, stratum):
        for point in expand(experiment):
            assert faults(point, resolve(point, 1)) == [], experiment.toml()


@pytest.mark.parametrize("line", OUTSIDE)
def test_what_is_outside_is_named(line: str) -> None:
    key = line.split(" = ", maxsplit=1)[0]
    path = {"rate": '"80 Mbit/s"', "rtt": '"25 ms"', "buffer": '"1 bdp"'}
    flow = {"cc": '"bbr"'}
    (flow if key in {"cc", "count"} else path)[key] = line.partition(" = ")[2]
    texts = [f"{name} = {value}" for name, value in path.items()], [f"{name} = {value}" for name, value in flow.items()]
    experiment = load('duration = "5 s"\n[path]\n{}\n[[flows]]\n{}\n'.format(*map("\n".join, texts)))
    (point,) = expand(experiment)
    said = outside([(point, resolve(point, 1))])
    assert said.startswith("outside of what was validated")
    assert OUTSIDE[line] in said
