"""The smallest spec, and what comes of it with some fields changed: its problems, its points, its run."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dumbbell.spec import Experiment, Problem, Resolved, Run, SpecError, expand, load, resolve

Fields = Mapping[str, Any]
"""Values by path, as `path.rtt`."""
S = 10**9


def smallest(**more: Any) -> dict[str, Any]:
    """What has no default, and what `more` has."""
    path = {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}
    return deepcopy({"duration": "10 s", "path": path, "flows": [{"cc": "bbr"}]} | more)


def problems_of(spec: str | Path | dict[str, Any], **options: Any) -> list[Problem]:
    """Every problem of a spec that has some."""
    with pytest.raises(SpecError) as caught:
        load(spec, **options)
    return caught.value.problems


def bad_fields(fields: Fields, **options: Any) -> list[str]:
    """The problems, as lines, of the smallest spec with those fields."""
    return [str(each) for each in problems_of(smallest(), overrides=fields, **options)]


def points(fields: Fields) -> list[dict[str, Any]]:
    """The values of each point of the smallest spec with those fields."""
    return [point.values for point in expand(load(smallest(), overrides=fields))]


def run_of(fields: Fields, seed: int = 1, **options: Any) -> Run:
    """The only point of the smallest spec with those fields, resolved."""
    (point,) = expand(load(smallest(), overrides=fields, **options))
    return resolve(point, seed).run


def resolved(**fields: Any) -> Resolved:
    """The smallest spec with the window in the second half, but for what `fields` say, resolved with its first seed."""
    experiment = Experiment(**smallest(measure={"window": ["50 %", "100 %"]}) | fields)
    (point,) = expand(experiment)
    return resolve(point, experiment.seed_values[0])


SWEPT = """
name = "claypool-fig10"
duration = "300 s"
seeds = 3
start_jitter = "100 ms"

[path]
rate   = "80 Mbit/s"
rtt    = "25 ms"
buffer = ["0.25 bdp", "0.5 bdp", "0.75 bdp", "1.25 bdp", "1.5 bdp", "1.75 bdp", "2 bdp", "4 bdp", "8 bdp"]

[[flows]]
name = "bbr"
cc = "bbr"
count = 2
start = "0 s"
stagger = "2 s"

[[flows]]
cc = "cubic"
count = 2
start = "4 s"
stagger = "2 s"

[host]
socket_memory = "max"

[measure]
window = ["50 %", "85 %"]
sample = "50 ms"
record = "series"
"""
"""The example of the documents."""
EVERY_FIELD = """
duration = "until done"
time_limit = "600 s"
rtt_spread = "1 ms"

[path]
rate = "80 Mbit/s"
rtt = "25 ms"
buffer = "100 packets"
queue = "packets"
loss = "0.01 %"
loss_at = "after"
burst = "64 kB"
jitter = "0.5 packets"
mtu = 9000
delay_side = "split"
offload = true
[[path.change]]
at = "20 s"
rate = "20 Mbit/s"
[[path.change]]
at = "40 s"
rate = "40 Mbit/s"

[[flows]]
cc = "bbr[cwnd_gain=1.5]"
stop = "60 s"
rtt = "50.000001 ms"
access = { rate = "1 Gbit/s", buffer = "1 MB", kind = "router" }
[[flows]]
cc = "bbr_4_17"
workload = { transfer = "100 MB" }
[[flows]]
cc = "cubic"
workload = { stream = "2916.8 kbit/s", for = "34 s", every = "40 ms" }
[[flows]]
cc = "reno"
workload = { trace = "writes.csv" }

[host]
socket_memory = "default"
receive_window = "3.145 MB"
initial_window = 4
qdisc = "fq"
sack_compression = false
gro = true
ack_aggregation = "100 us"

[measure]
window = ["20 s", "60 s"]
sample = "10 ms"
record = "acks"
"""
