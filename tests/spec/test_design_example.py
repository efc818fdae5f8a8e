"""The whole example of the design's section 3, its commented lines too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.spec import Experiment, expand, load, resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dumbbell.spec import Resolved

MS = 10**6
S = 10**9

EXAMPLE = """
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

EVERYTHING = """
duration = "until done"
time_limit = "600 s"

[path]
rate = "80 Mbit/s"
rtt = "25 ms"
buffer = "100 packets"
queue = "packets"
loss = "0.01 %"
loss_at = "after"
burst = "64 kB"
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
access = { rate = "1 Gbit/s", buffer = "1 MB" }
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

[measure]
window = ["20 s", "60 s"]
sample = "10 ms"
record = "acks"
"""


def test_the_example_has_nine_points_and_three_seeds() -> None:
    experiment = load(EXAMPLE)
    assert experiment.name == "claypool-fig10"
    assert list(experiment.seed_values) == [1, 2, 3]
    buffers = ["0.25 bdp", "0.5 bdp", "0.75 bdp", "1.25 bdp", "1.5 bdp", "1.75 bdp", "2 bdp", "4 bdp", "8 bdp"]
    assert [point.values for point in expand(experiment)] == [{"path.buffer": buffer} for buffer in buffers]


def test_the_example_resolves_to_integers() -> None:
    point = list(expand(load(EXAMPLE)))[1]
    resolved = resolve(point, 2)
    run = resolved.run.model_dump(mode="json")
    starts = [flow.pop("start_ns") for flow in run["flows"]]
    for start, earliest in zip(starts, (0, 2 * S, 4 * S, 6 * S), strict=True):
        assert earliest <= start < earliest + 100 * MS
    assert len({start % S for start in starts}) == 4, "every flow has a jitter of its own"
    same = {
        "stop_ns": None,
        "workload": "bulk",
        "forward_delay_ns": 0,
        "return_delay_ns": 25 * MS,
        "access": None,
    }
    bbr: dict[str, Any]
    cubic: dict[str, Any]
    bbr, cubic = ({"algorithm": name, "parameters": {}} for name in ("bbr", "cubic"))
    assert run == {
        "seed": 2,
        "duration_ns": 300 * S,
        "until_done": False,
        "path": {
            "rate_bps": 80_000_000,
            "buffer": {"bytes": 125_000},
            "burst_bytes": 5000,
            "loss_ppb": 0,
            "loss_at": "before",
            "mtu_bytes": 1500,
            "offload": False,
            "changes": [],
        },
        "flows": [
            {"name": "bbr", "cc": bbr, **same},
            {"name": "bbr-2", "cc": bbr, **same},
            {"name": "cubic", "cc": cubic, **same},
            {"name": "cubic-2", "cc": cubic, **same},
        ],
        "host": {
            "socket_memory": "max",
            "receive_window_bytes": None,
            "initial_window_segments": 10,
            "qdisc": "none",
            "sack_compression": True,
        },
        "measure": {
            "window_begin_ns": 150 * S,
            "window_end_ns": 255 * S,
            "sample_ns": 50 * MS,
            "record": "series",
        },
    }
    assert resolved.groups == ("bbr", "bbr", "cubic", "cubic")
    assert resolved.ccs == ("bbr", "bbr", "cubic", "cubic")
    assert resolved.bdp_bytes == 250_000.0


def test_what_the_example_leaves_to_comments_resolves_too(
    tmp_path: Path, resolved: Callable[..., list[Resolved]]
) -> None:
    (tmp_path / "writes.csv").write_text("time,bytes\n0,1000\n0.25,2000\n", encoding="utf-8")
    (tmp_path / "everything.toml").write_text(EVERYTHING, encoding="utf-8")
    (only,) = resolved(tmp_path / "everything.toml")
    run = only.run.model_dump(mode="json")
    assert run["duration_ns"] == 600 * S
    assert run["until_done"] is True
    assert run["path"] == {
        "rate_bps": 80_000_000,
        "buffer": {"packets": 100},
        "burst_bytes": 64_000,
        "loss_ppb": 100_000,
        "loss_at": "after",
        "mtu_bytes": 9000,
        "offload": True,
        "changes": [
            {"at_ns": 20 * S, "rate_bps": 20_000_000},
            {"at_ns": 40 * S, "rate_bps": 40_000_000},
        ],
    }
    first = run["flows"][0]
    assert first["cc"] == {"algorithm": "bbr", "parameters": {"cwnd_gain": 1.5}}
    assert first["stop_ns"] == 60 * S
    assert (first["forward_delay_ns"], first["return_delay_ns"]) == (25_000_000, 25_000_001)
    assert first["access"] == {"rate_bps": 10**9, "buffer": {"bytes": 10**6}}
    assert [flow["workload"] for flow in run["flows"]] == [
        "bulk",
        {"transfer": {"bytes": 100_000_000}},
        {"stream": {"rate_bps": 2_916_800, "for_ns": 34 * S, "every_ns": 40 * MS}},
        {"trace": {"writes": [{"at_ns": 0, "bytes": 1000}, {"at_ns": 250 * MS, "bytes": 2000}]}},
    ]
    assert run["host"] == {
        "socket_memory": "default",
        "receive_window_bytes": 3_145_000,
        "initial_window_segments": 4,
        "qdisc": "fq",
        "sack_compression": False,
    }
    assert run["measure"] == {
        "window_begin_ns": 20 * S,
        "window_end_ns": 60 * S,
        "sample_ns": 10 * MS,
        "record": "acks",
    }
    assert only.groups == ("bbr", "bbr_4_17", "cubic", "reno")
    assert only.ccs == ("bbr[cwnd_gain=1.5]", "bbr_4_17", "cubic", "reno")


def test_the_same_words_in_python_are_the_same_experiment() -> None:
    words: dict[str, Any] = load(EXAMPLE).words()
    assert Experiment(**words) == load(EXAMPLE)
    assert load(words) == load(EXAMPLE)
    runs = [[resolve(point, 1).run for point in expand(e)] for e in (load(EXAMPLE), Experiment(**words))]
    assert runs[0] == runs[1]
