"""Every class of bad input: each problem with its path and a hint, all at once, no traceback, no time lost.

What is said of each is in `__snapshots__/test_bad_input.ambr`, to be read when it changes.
"""

from __future__ import annotations

import pickle
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from dumbbell import _core, cc
from dumbbell.spec import Experiment, Problem, SpecError, load
from dumbbell.spec.keys import keys
from specs import bad_fields, problems_of, smallest
from work import lines_run

NAN = float("nan")
MBPS = {"rate": "1 Mbit/s"}
ACCESS = {"rate": "1 Gbit/s"}
ONE_FIELD: dict[str, list[Any]] = {
    "path": [3],
    "path.rate": [
        "80 mbps", "80 Mbps", "80", 5, 80.5, "80 MB/s", "80 parsec", "25 ms", "0 bit/s", "2 Tbit/s", "-80 Mbit/s",
        "NaN bit/s", "inf bit/s", NAN,
    ],
    "path.rtt": ["25", "25 m", "1e30 s", "0 s", ["5 ms", "10 ms", "5 ms"]],
    "path.buffer": [
        "100 kb", 100, "1000000000000000000 B", "1e9 GB", "0 B", "1e12 packets", "1e9 bdp", "1513 B", "0 bdp",
        "0 packets", "1e6 s", "0 ms", "infinite", [],
    ],
    "path.loss": ["1", "100 %", "-1 %", "1e-12 %"],
    "path.overhead": [38, "-1 B", "1001 B", "38"],
    "path.mtu": [100, 10**6, "1500", 1500.5, True],
    "path.burst": ["0 B"],
    "path.jitter": [
        "0 s", 0, 50, "none at all", "5 s", "0.1 ns", "0 packets", "-1 packet", "1 pkt", "30000 packets", "50",
        ["none", "0 us"], "0.000000001 packets",
    ],
    "path.offload": [1],
    "path.queue": ["byte"],
    "path.loss_at": ["between"],
    "path.delay_side": [3],
    "path.rat": ["1 Mbit/s"],
    "path.change": [[{"at": "10 s"} | MBPS], [{"at": "0 s"} | MBPS], [{"at": "1 s"}]],
    "duration": [60, "until dawn", "1e30 s", "0 s", "-1 s", "until done"],
    "time_limit": ["20 s"],
    "start_jitter": ["11 s"],
    "rtt_spread": ["2 s", "none", 1],
    "jitter": ["50 us"],
    "seeds": [0, 10**9, "3", [1, -1], [1, 2, 1], [1.5], []],
    "name": ["", 3],
    "rtt": ["25 ms"],
    "flow": [[]],
    "flows": [[], {"cc": "bbr"}, [3]],
    "flows[0].cc": [
        "bbrr", "bbr_4_71", "tahoe", "", "bbr[", "bbr[gain=2]", "cubic[gain=2]", "bbr[cwnd_gain=99]",
        "bbr[cwnd_gain=nan]", "bbr[cwnd_gain]", ["bbr", "cubik"], 3, [],
    ],
    "flows[0].count": [10**7, 0, -3],
    "flows[0].start": ["10 s", "400 s"],
    "flows[0].stop": ["0 s", "11 s"],
    "flows[0].stagger": ["-1 s"],
    "flows[0].qdisc": ["fq"],
    "flows[0].colour": ["red"],
    "flows[0].workload": [
        "blk", {"transfr": "1 MB"}, {}, {"transfer": "0 B"}, {"transfer": "3 packets"}, {"transfer": "1 MB", "evry": 3},
        {"trace": "none.csv"}, ["bulk", {"transfer": ["1 MB", "2 MB"]}],
        [{"stream": ["1 Mbit/s", "2 Mbit/s"], "for": "1 s", "every": "40 ms"}], {"transfer": "1 MB", "#transfer": 1},
        {"stream": "1 kbit/s", "for": "1 ms", "every": "2 ms"},
        {"stream": "1 Gbit/s", "for": "1000 s", "every": "1 us"},
    ],
    "flows[0].access": [ACCESS, ACCESS | {"buffer": "1 bdp"}, ACCESS | {"buffer": "1 kB"}],
    "flows[0].access.kind": ["device"],
    "flows[0].jitter": ["50 us"],
    "host.gro": ["on", 1],
    "host.ack_aggregation": ["none", "1 s", 100],
    "host.socket_memory": [4096, "min"],
    "host.initial_window": [0],
    "host.receive_window": ["1e18 B"],
    "host.qdisc": ["fq_codle"],
    "measure.record": ["seris"],
    "measure.windows": [[]],
    "measure.window": [
        ["50", "85 %"], [], ["1 s"], ["1 s", "2 s", "3 s"], ["85 %", "50 %"], ["5 s", "5 s"], ["5 s", "15 s"],
        ["50 %", "150 %"], ["20 s", "30 s"],
    ],
    "measure.sample": ["11 s", "1 ns"],
}  # fmt: skip


@pytest.mark.parametrize("field", ONE_FIELD)
def test_one_bad_field_is_one_clear_problem(field: str, snapshot: SnapshotAssertion) -> None:
    said = [(value, bad_fields({field: value})) for value in ONE_FIELD[field]]
    assert max(len(problems) for _, problems in said) <= 2, "one slip must not read as many"
    assert "\n".join(f"{value!r} -> {' | '.join(problems)}" for value, problems in said) == snapshot


TWO = {"path.rate": ["10 Mbit/s", "20 Mbit/s"], "path.buffer": ["1 bdp", "2 bdp"], "flows[0].count": [1, 2, 3]}
UNTIL_DONE = {"duration": "until done", "time_limit": "60 s"}
SEVERAL_FIELDS: dict[str, dict[str, Any]] = {
    "too many samples": {"measure.sample": "1 us", "duration": "11 s"},
    "until what is done": UNTIL_DONE,
    "a share of nobody knows what": UNTIL_DONE
    | {"flows[0].workload": {"transfer": "1 MB"}, "measure.window": ["50 %", "85 %"]},
    "a queue of packets in bytes": {"path.queue": "packets", "path.buffer": "100 kB"},
    "changes out of order": {"path.change": [{"at": at} | MBPS for at in ("2 s", "1 s", "1 s", "11 s")]},
    "stagger and jitter count as start": {
        "flows": [
            {"cc": "bbr", "count": 11, "stagger": "1 s"},
            {"cc": "reno", "count": 3, "stagger": "1 s", "stop": "2 s"},
            {"cc": "cubic", "start": "9.95 s"},
        ],
        "start_jitter": "100 ms",
    },
    "names are unique": {
        "flows": [
            {"name": "a", "cc": "bbr", "count": 3},
            *({"name": name, "cc": "cubic"} for name in ("b", "a", "a-3", "a-4")),
        ]
    },
    "too many flows in all": {"flows": [{"cc": "bbr", "count": 60_000}, {"cc": "cubic", "count": 60_000}]},
    "at one point only": {"duration": ["10 s", "100 s"], "flows[0].start": ["1 s", "20 s"]},
    "too many points": {
        "path.rate": [f"{n} Mbit/s" for n in range(100, 1101)],
        "path.rtt": [f"{n} ms" for n in range(1, 1001)],
    },
    "nothing is behind a shaper at the receiver": {
        "path.shaper_at": "receiver",
        "path.delay_side": "split",
        "path.loss": "1 %",
        "path.loss_at": "after",
        "host.gro": True,
        "host.ack_aggregation": "1 ms",
    },
    "zip of no field": TWO | {"zip": [["path.rate", "path.bufer"]]},
    "zip of no list": TWO | {"zip": [["path.rate", "path.rtt"]]},
    "zip of one twice": TWO | {"zip": [["path.rate", "path.rate"]]},
    "zip in two": TWO | {"zip": [["path.rate", "path.buffer"], ["path.rate", "path.buffer"]]},
    "zip of unequal lists": TWO | {"zip": [["path.rate", "flows[0].count"]]},
    "zip of one": TWO | {"zip": [["path.rate"]]},
    "zip of none": TWO | {"zip": [[]]},
    "zip that is no list": TWO | {"zip": ["path.rate"]},
    "zip says nothing about a list with a problem": TWO
    | {"path.rate": ["10 mbps", "20 Mbit/s"], "zip": [["path.rate", "path.buffer"]]},
    "keys that look like tags of pydantic's": {
        "flows": [{"cc": "bbr", "#x": 1, "#bulk": 2, "access": ACCESS | {"#one": 3}}]
    },
    "an override with a problem of its own": {"path.rat": "1 Mbit/s", "path.rtt": "1 parsec"},
}


@pytest.mark.parametrize("case", SEVERAL_FIELDS)
def test_fields_that_do_not_go_together(case: str, snapshot: SnapshotAssertion) -> None:
    assert "\n".join(bad_fields(SEVERAL_FIELDS[case])) == snapshot


def test_what_goes_together_is_no_problem() -> None:
    """The neighbours of some of the above."""
    for fields in (
        {"measure.sample": "1 us"},
        UNTIL_DONE | {"flows[0].workload": {"transfer": "1 MB"}},
        TWO | {"path.rate": ["10 Mbit/s"]},
        {"path.shaper_at": "receiver", "path.loss": "1 %", "path.offload": True},
    ):
        load(smallest(), overrides=fields)


ARRIVING = {"arrivals": {"load": 0.6}, "size": "100 kB"}
SOURCES: list[dict[str, Any]] = [
    {"arrivals": {}, "size": "1 kB"},
    {"arrivals": {"load": 0.6}},
    {"arrivals": {"load": 0.6, "rate": "5 /s"}, "size": "1 kB"},
    {"arrivals": {"load": 0}, "size": "1 kB"},
    {"arrivals": {"load": "60 %"}, "size": "1 kB"},
    {"arrivals": {"lode": 0.6}, "size": "1 kB"},
    {"arrivals": {"rate": 50}, "size": "1 kB"},
    {"arrivals": {"rate": "50 Hz"}, "size": "1 kB"},
    {"arrivals": {"rate": "1e9999999 Hz"}, "size": "1 kB"},
    {"arrivals": {"rate": "1000000 /s"}, "size": "1 kB"},
    {"arrivals": {"rate": "5 /s", "count": 10**7}, "size": "1 kB"},
    {"arrivals": {"trace": "absent.csv"}, "size": "1 kB"},
    {"arrivals": 3, "size": "1 kB"},
    ARRIVING | {"size": 100},
    ARRIVING | {"size": {"normal": {}}},
    ARRIVING | {"size": {"lognormal": {"sigma": 1}}},
    ARRIVING | {"size": {"lognormal": {"mean": "1 kB", "median": "1 kB", "sigma": 1}}},
    ARRIVING | {"size": {"lognormal": {"mean": "1 kB", "sigma": -1}}},
    ARRIVING | {"size": {"pareto": {"minimum": "1 kB", "shape": 0.9}}},
    ARRIVING | {"size": {"pareto": {"mean": "1 MB", "shape": 1.2, "maximum": "1 MB"}}},
    ARRIVING | {"size": {"pareto": {"mean": "1 kB"}}},
    ARRIVING | {"size": {"cdf": "absent.csv"}},
]  # fmt: skip


COMMANDS: list[dict[str, Any]] = [
    {"command": []},
    {"command": "iperf3 -c {receiver}"},
    {"command": ["iperf3", ""]},
    {"command": ["iperf3", 3]},
    {"command": ["iperf3", ["-c"]]},
    {"command": [["iperf3"], "nc"]},
    {"command": [["iperf3"], ["nc"], ["iperf3"]]},
    {"command": [[]]},
    {"command": ["iperf3\0"]},
    {"command": ["{host}"]},
    {"command": ["iperf3", "-p", "{prt}"]},
    {"command": ["curl", "-d", '{"a": 1}']},
    {"command": ["curl", "-d", "{{port}"]},
    {"command": ["iperf3"] * 1001},
    {"command": ["iperf3"], "serve": ["iperf3", "-s"]},
    {"command": ["iperf3"], "server": []},
    {"command": ["iperf3"], "server": ["iperf3", "{host}"]},
    {"command": ["iperf3", "-p", "{port}"], "server": ["iperf3", "-s"]},
    {"command": ["iperf3"], "server": ["iperf3", "-s", "-p{port}"]},
    {"command": ["nc", "{port}"], "server": [["nc", "-l", "{port}"], ["nc", "-l", "5000"]]},
    {"server": ["iperf3", "-s"]},
]  # fmt: skip


def test_a_bad_command_is_one_clear_problem(snapshot: SnapshotAssertion) -> None:
    said = [(_shortened(command), bad_fields({"flows[0].workload": command})) for command in COMMANDS]
    late = {"flows[0].workload": {"command": ["iperf3", "-t", "{seconds}"]}, "flows[0].start": "9.5 s"}
    said.append((late, bad_fields(late)))
    assert {len(problems) for _, problems in said} == {1}
    assert "\n".join(f"{command!r} -> {' | '.join(problems)}" for command, problems in said) == snapshot


def _shortened(command: dict[str, Any]) -> dict[str, Any]:
    return {key: [*arguments[:3], "…"] if len(arguments) > 1000 else arguments for key, arguments in command.items()}


def test_a_bad_source_of_short_flows_is_one_clear_problem(snapshot: SnapshotAssertion) -> None:
    said = [(source, bad_fields({"flows[0].workload": source})) for source in SOURCES]
    said += [(fields, bad_fields({"flows[0].workload": ARRIVING} | fields)) for fields in (
        {"flows[0].count": 3},
        {"duration": "until done", "time_limit": "60 s"},
    )]  # fmt: skip
    assert {len(problems) for _, problems in said} <= {1, 2}
    assert "\n".join(f"{value!r} -> {' | '.join(problems)}" for value, problems in said) == snapshot


ARRIVAL_FILES = {
    "trace": ["", "time\n", "0\n1,5\n", "0,5\n1\n", "1\n0.5\n", "0,5,6\n", "x\n", "0,0\n", "0,5\n1,7\n"],
    "cdf": ["", "5\n", "5,0.1\n4,1\n", "5,0.5\n6,0.4\n", "5,50\n6,100\n", "5,0.5\n", "x,1\n", "5,x\n", "5,-1\n"],
}


@pytest.mark.parametrize("kind", ARRIVAL_FILES)
def test_a_bad_file_of_short_flows_is_one_message_with_its_line(
    kind: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    said = []
    for content in ARRIVAL_FILES[kind]:
        (tmp_path / "file.csv").write_text(content, encoding="utf-8")
        by = ({"trace": "file.csv"}, "1 kB") if kind == "trace" else ({"load": 0.6}, {"cdf": "file.csv"})
        (problem,) = bad_fields(
            {"flows[0].workload": dict(zip(("arrivals", "size"), by, strict=True))}, folder=tmp_path
        )
        said.append(f"{content!r} -> {problem}")
    assert "\n".join(said) == snapshot


def test_an_override_of_nothing(snapshot: SnapshotAssertion) -> None:
    paths = ["", "path.", "a b", "flows[x]", "flows[1].cc", "duration.x", "path[0]", "[0]", "seeds[0]"]
    assert "\n".join(f"{path!r} -> {'; '.join(bad_fields({path: '1 s'}))}" for path in paths) == snapshot


WISHES: dict[str, list[Any]] = {
    "flows[0].cc": ["bbr2", "bbr_v2[cwnd_gain=2]", ["cubic", "BBRv2"], "tcp_vivace", "copa"],
    "path.queue": ["sfq", "choke", "FQ-PIE"],
    "host.qdisc": ["sfq"],
}


def test_what_this_version_has_not_is_said_with_what_there_is(snapshot: SnapshotAssertion) -> None:
    said = [f"{value!r} -> {bad_fields({field: value})}" for field, values in WISHES.items() for value in values]
    assert all("not in this version: " in line and "see docs/limitations.md" in line for line in said)
    assert "\n".join(said) == snapshot


def test_no_wish_is_something_that_there_is() -> None:
    terms = ("bytes", "packets", "none", "fq", "bulk", "transfer", "stream", "arrivals", "command")
    there = {*cc.known(), *cc.variants(), *terms}
    assert not [word for word in there if _core.instead_of(word)]
    own = {key.path.rpartition(".")[2] for key in keys()}
    assert len(own) > 30
    assert not [key for key in own if _core.instead_of(key)]


BROKEN = """
duration = "10 s"
seeds = [1, 1]
flow = 3
[path]
rate = "80 mbps"
rtt = ["25 ms", "25"]
buffer = "0 B"
rat = 3
[[flows]]
name = "a"
cc = "bbrr"
start = "400 s"
count = 10000000
[[flows]]
name = "a"
cc = ["cubic[x=1]", "bbr[cwnd_gain=100, probe_gan=1]"]
stop = "0 s"
workload = { command = ["iperf3", "-c", "{host}"] }
[[flows]]
cc = "cubic"
colour = "red"
workload = { stream = "1 Mbit/s", evry = "3 s" }
[host]
qdisc = "codel"
[measure]
window = ["90 %", "10 %"]
sample = "1e30 s"
"""


@pytest.mark.parametrize(
    "spec", [BROKEN, {}, {"duration": "10 s", "path": {}, "flows": [{}]}], ids=["broken", "empty", "empty tables"]
)
def test_all_problems_are_told_at_once_each_in_a_line(spec: str | dict[str, Any], snapshot: SnapshotAssertion) -> None:
    problems = problems_of(spec)
    message = str(SpecError(problems))
    assert message.splitlines() == [str(each) for each in problems]
    assert message == snapshot


DOCUMENTS: dict[str, bytes] = {
    "no TOML": b'name = "x"\nthis is no TOML\n',
    "a key twice": b'name = "x"\nname = "y"\n',
    "a table without end": b"[path\nrate = 3\n",
    "a text without end": b'name = "x\n',
    "not UTF-8": b"\xff\xfe\x00",
    "too deep": b"x = " + b"[" * 100_000,
    "too long a number": b"x = " + b"1" * 5000,
    "JSON": b"{}\n",
    "too large": b"# nothing" * 2_000_000,
}


def test_what_is_no_toml_or_no_file_is_one_message(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    for number, content in enumerate(DOCUMENTS.values()):
        (tmp_path / f"{number}.toml").write_bytes(content)
    files = [tmp_path / f"{number}.toml" for number in range(len(DOCUMENTS))]
    said = []
    specs: list[str | Path] = [*files, tmp_path / "absent.toml", tmp_path, tmp_path / "\0", "duration = 10 s\n[path]\n"]
    for spec in specs:
        (problem,) = problems_of(spec)
        assert problem.hint
        path = problem.path.replace(str(tmp_path), "FOLDER")
        message = re.sub("(not TOML|cannot be read): .*", r"\1", problem.message)  # the rest is Python's
        said.append(f"{path!r}: {message}")
    assert "\n".join(said) == snapshot


def test_a_key_deeper_than_any_field_is_refused() -> None:
    assert "not TOML: recursion limit" in str(SpecError(problems_of(f"{'a.' * 3000}b = 1\nduration = 10\n")))


TRACES = [
    "", "time,bytes\n", "0,1000\nx,20\n", "0,1000\n-1,20\n", "0,1000\nnan,20\n", "0,1000\n1e30,20\n",
    "0,1000\n9999999,20\n", "0,1000\n1,0\n", "0,1000\n1,2.5\n", "0,1000\n1,1000000000000000000\n", "0,1000\n1\n",
    "0,1000,3\n", "1,1000\n0.5,20\n", "bytes,time\n0,1\n", "\xff,1",
]  # fmt: skip


def test_a_bad_trace_is_one_message_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for content in TRACES:
        Path("writes.csv").write_text(content, encoding="utf-8")
        (problem,) = bad_fields({"flows[0].workload": {"trace": "writes.csv"}}, folder=Path())
        said.append(f"{content!r} -> {problem}")
    Path("writes.csv").write_bytes(b"\xff\xff\x00")
    Path("folder.csv").mkdir()
    said += bad_fields({"flows[0].workload": {"trace": ["writes.csv", "folder.csv", "absent.csv"]}}, folder=Path())
    Path("writes.csv").write_text("".join(f"{n},1\n" for n in range(1000)), encoding="utf-8")
    Path("long.csv").write_text(f"{'1' * 5000},1\n", encoding="utf-8")
    said += bad_fields({"flows[0].workload": {"trace": "long.csv"}}, folder=Path())
    many = {"flows[0].workload": {"trace": "writes.csv"}, "flows[0].count": 100_000}
    said += bad_fields(many, folder=Path())
    assert "\n".join(said) == snapshot


def test_python_words_have_the_same_problems() -> None:
    with pytest.raises(SpecError) as caught:
        Experiment(**smallest(path={"rate": "80 mbps", "rtt": "25 ms", "buffer": "1 bdp"}, flow=3))
    assert [problem.path for problem in caught.value.problems] == ["path.rate", "flow"]


def test_ten_million_flows_cost_nothing() -> None:
    flows = [{"cc": "bbr", "count": 10**7}, {"cc": "bbr", "count": 10**300}, {"cc": "bbr", "count": 100_000}]
    problems_of(smallest(flows=flows))  # imports and caches are not what is measured
    tracemalloc.start()
    problems = problems_of(smallest(flows=flows))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [problem.path for problem in problems] == ["flows[0].count", "flows[1].count"]
    assert peak < 2_000_000
    few = [{"cc": "bbr", "count": count} for count in (100_001, 100_001, 1)]
    work = lines_run(lambda: problems_of(smallest(flows=flows)))
    assert work < 1.1 * lines_run(lambda: problems_of(smallest(flows=few)))


@pytest.mark.long
@pytest.mark.slow
def test_a_large_sweep_is_as_much_work_as_its_axes_and_not_as_its_points() -> None:
    def work(values: int) -> int:
        path = {"rate": [f"{n} Mbit/s" for n in range(1, values + 1)], "rtt": [f"{n} ms" for n in range(1, values + 1)]}
        problems: list[Problem] = []
        lines = lines_run(lambda: problems.extend(problems_of(smallest(path=path | {"buffer": "1 kB"}))))
        assert [problem.path for problem in problems] == ["path.buffer"]
        return lines

    assert work(1000) < 15 * work(100), "of 100 times as many points"


@pytest.mark.parametrize("value", [None, [], {}, "x", 3, [[]], [{}], {"a": {}}, object(), b"x", {1: 2}, [None]])
def test_nothing_makes_it_stumble(value: object) -> None:
    for table in ({}, smallest()):
        for key in (key.path for key in keys() if "." not in key.path):
            with pytest.raises(SpecError):
                load({**table, key: value, "nonsense": 1})
    for name in ("path", "host", "measure"):
        with pytest.raises(SpecError):
            load(smallest(**{name: {**smallest().get(name, {}), "rate": value, "qdisc": value, "window": value}}))


def test_a_problem_survives_pickling() -> None:
    error = SpecError([Problem("a", "b", "c")])
    assert pickle.loads(pickle.dumps(error)).problems == error.problems  # noqa: S301 (its own pickle)
