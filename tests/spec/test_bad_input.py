"""Every class of bad input: each problem with its path and a hint, all at once, no traceback, no time lost."""

from __future__ import annotations

import pickle
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from dumbbell import cc
from dumbbell.spec import Experiment, Problem, SpecError, load
from dumbbell.spec.tables import WORKLOADS, Access, Change, Flow, Host, Measure, Path
from dumbbell.spec.wishes import instead_of

if TYPE_CHECKING:
    from collections.abc import Callable

Words = dict[str, Any]


def changed(words: Words, path: str, value: object) -> Words:
    """The words with another value at a path; `...` takes the key away."""
    *way, last = path.replace("[", ".[").split(".")
    place: Any = words
    for step in way:
        place = place[int(step[1:-1])] if step.startswith("[") else place.setdefault(step, {})
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return words


ONE_FIELD: list[tuple[str, object, str, str, str]] = [
    # units
    ("path.rate", "80 mbps", "path.rate", "ambiguous", 'write "80 Mbit/s"'),
    ("path.rate", "80 Mbps", "path.rate", "ambiguous", 'write "80 Mbit/s"'),
    ("path.rate", "80", "path.rate", "no unit", 'write it with a unit, as "80 Mbit/s"'),
    ("path.rate", 5, "path.rate", "no unit", 'write it with a unit, as "5 Mbit/s"'),
    ("path.rate", 80.5, "path.rate", "no unit", 'write it with a unit, as "80.5 Mbit/s"'),
    ("path.rate", "80 MB/s", "path.rate", "in bytes", 'write bits: "640 Mbit/s"'),
    ("path.rate", "80 parsec", "path.rate", 'unknown unit "parsec"', "known: bit/s"),
    ("path.rate", "25 ms", "path.rate", 'unknown unit "ms"', "bit/s"),
    ("path.buffer", "100 kb", "path.buffer", "ambiguous", '"100 kB" (decimal)'),
    ("path.buffer", 100, "path.buffer", "no unit", '"100 packets"'),
    ("path.loss", "1", "path.loss", "no unit", 'write it with a unit, as "1 %"'),
    ("path.rtt", "25", "path.rtt", "no unit", 'write it with a unit, as "25 ms" or "25 s"'),
    ("flows[0].stagger", "-1 s", "flows[0].stagger", "negative", 'write "1 s"'),
    ("path.rtt", "25 m", "path.rtt", "ambiguous", '"25 min" or "25 ms"'),
    ("duration", 60, "duration", "no unit", 'as "60 s" or "until done"'),
    ("duration", "until dawn", "duration", "is not a time", '"until done"'),
    ("host.socket_memory", 4096, "host.socket_memory", "no unit", '"4096 B", "max" or "default"'),
    ("host.socket_memory", "min", "host.socket_memory", "is not a size", '"max" or "default"'),
    ("measure.window", ["50", "85 %"], "measure.window[0]", "no unit", '"50 s" or "50 %"'),
    # values that make no sense
    ("path.rate", "0 bit/s", "path.rate", "out of range", "from 1 kbit/s to 1 Tbit/s"),
    ("path.rate", "2 Tbit/s", "path.rate", "out of range", "from 1 kbit/s to 1 Tbit/s"),
    ("path.rate", "-80 Mbit/s", "path.rate", "negative", "80 Mbit/s"),
    ("path.rate", "NaN bit/s", "path.rate", "finite", "80 Mbit/s"),
    ("path.rate", "inf bit/s", "path.rate", "finite", "80 Mbit/s"),
    ("path.rate", float("nan"), "path.rate", "finite", "80 Mbit/s"),
    ("path.rtt", "1e30 s", "path.rtt", "out of range", "from 1 us to 100 s"),
    ("path.rtt", "0 s", "path.rtt", "out of range", "from 1 us to 100 s"),
    ("duration", "1e30 s", "duration", "out of range", "from 1 ms to 1000000 s"),
    ("duration", "0 s", "duration", "out of range", "from 1 ms to 1000000 s"),
    ("duration", "-1 s", "duration", "negative", 'write "1 s"'),
    ("path.buffer", "1000000000000000000 B", "path.buffer", "out of range", "at most 1000 GB"),
    ("path.buffer", "1e9 GB", "path.buffer", "out of range", "at most 1000 GB"),
    ("path.buffer", "0 B", "path.buffer", "out of range", "at most 1000 GB"),
    ("path.buffer", "1e12 packets", "path.buffer", "out of range", "at most 1000000000 packets"),
    ("path.buffer", "1e9 bdp", "path.buffer", "out of range", "at most 100000 bdp"),
    ("path.buffer", "1513 B", "path.buffer", "less than one frame of 1514 B", 'at least "1514 B"'),
    ("path.buffer", "0.001 bdp", "path.buffer", "(250 B) is less than one frame", 'at least "1514 B"'),
    ("path.buffer", "0 packets", "path.buffer", "out of range", "packets"),
    ("path.loss", "100 %", "path.loss", "out of range", "from 0 % to 99.9999999 %"),
    ("path.loss", "-1 %", "path.loss", "negative", 'write "1 %"'),
    ("path.loss", "1e-12 %", "path.loss", "less than can be told from nothing", "0.0000001 %"),
    ("path.mtu", 100, "path.mtu", "out of range", "at least 576"),
    ("path.mtu", 10**6, "path.mtu", "out of range", "at most 65535"),
    ("path.mtu", "1500", "path.mtu", "must be a whole number", ""),
    ("path.mtu", 1500.5, "path.mtu", "must be a whole number", ""),
    ("path.mtu", True, "path.mtu", "must be a whole number", ""),
    ("path.burst", "0 B", "path.burst", "out of range", "from 1 B to 1 GB"),
    ("path.offload", 1, "path.offload", "must be true or false", ""),
    ("path.offload", True, "path.burst", "would cut the super-packets", 'burst = "64 kB" or more'),
    ("path.queue", "byte", "path.queue", 'unknown "byte"', 'did you mean "bytes"?'),
    ("path.loss_at", "between", "path.loss_at", 'unknown "between"', "before"),
    ("path.delay_side", 3, "path.delay_side", "unknown 3", "return"),
    ("seeds", 0, "seeds", "out of range", "at least 1"),
    ("seeds", 10**9, "seeds", "out of range", "at most 1000000"),
    ("seeds", "3", "seeds", "must be a whole number", ""),
    ("seeds", [1, -1], "seeds[1]", "out of range", "at least 0"),
    ("seeds", [1, 2, 1], "seeds", "1 is listed 2 times", "once"),
    ("seeds", [1.5], "seeds[0]", "must be a whole number", ""),
    ("flows[0].count", 10**7, "flows[0].count", "out of range", "at most 100000"),
    ("flows[0].count", 0, "flows[0].count", "out of range", "at least 1"),
    ("flows[0].count", -3, "flows[0].count", "out of range", "at least 1"),
    ("host.initial_window", 0, "host.initial_window", "out of range", "at least 1"),
    ("host.receive_window", "1e18 B", "host.receive_window", "out of range", "2 GiB"),
    ("host.qdisc", "fq_codle", "host.qdisc", 'unknown "fq_codle"', "known: none, fq"),
    ("measure.record", "seris", "measure.record", 'unknown "seris"', 'did you mean "series"?'),
    ("name", "", "name", "is no name", "printable"),
    ("name", 3, "name", "must be text", ""),
    # empty lists
    ("flows", [], "flows", "the list is empty", "[[flows]]"),
    ("path.buffer", [], "path.buffer", "the list is empty", 'buffer = "1 bdp"'),
    ("flows[0].cc", [], "flows[0].cc", "the list is empty", 'cc = "bbr"'),
    ("seeds", [], "seeds", "the list is empty", ""),
    ("measure.window", [], "measure.window", "the list is empty", ""),
    ("measure.window", ["1 s"], "measure.window", "too short", ""),
    ("measure.window", ["1 s", "2 s", "3 s"], "measure.window", "too long", "at most 2"),
    # shapes
    ("path", 3, "path", "must be a table", "[path]"),
    ("path", ..., "path", "missing", "[path]"),
    ("flows", ..., "flows", "missing", "[[flows]]"),
    ("flows", {"cc": "bbr"}, "flows", "must be a list", "[[flows]]"),
    ("flows", [3], "flows[0]", "must be a table", ""),
    ("duration", ..., "duration", "missing", 'duration = "300 s"'),
    ("path.rate", ..., "path.rate", "missing", 'rate = "80 Mbit/s"'),
    ("path.rtt", ..., "path.rtt", "missing", 'rtt = "25 ms"'),
    ("path.buffer", ..., "path.buffer", "missing", 'buffer = "1 bdp"'),
    ("flows[0].cc", ..., "flows[0].cc", "missing", 'cc = "bbr"'),
    # unknown keys
    ("path.rat", "1 Mbit/s", "path.rat", "unknown key", 'did you mean "rate"?'),
    ("rtt", "25 ms", "rtt", "unknown key", '"rtt" belongs in [path]'),
    ("flow", [], "flow", "unknown key", 'did you mean "flows"?'),
    ("flows[0].qdisc", "fq", "flows[0].qdisc", "unknown key", '"qdisc" belongs in [host]'),
    ("flows[0].colour", "red", "flows[0].colour", "unknown key", "known: name, cc"),
    ("measure.windows", [], "measure.windows", "unknown key", 'did you mean "window"?'),
    # congestion controls
    ("flows[0].cc", "bbrr", "flows[0].cc", 'unknown "bbrr"', 'did you mean "bbr"?'),
    ("flows[0].cc", "bbr_4_71", "flows[0].cc", 'unknown "bbr_4_71"', 'did you mean "bbr_4_17"?'),
    ("flows[0].cc", "tahoe", "flows[0].cc", 'unknown "tahoe"', "known: bbr, cubic, reno, bic, cdg, dctcp"),
    ("flows[0].cc", "", "flows[0].cc", "names no congestion control", '"bbr[cwnd_gain=1.5]"'),
    ("flows[0].cc", "bbr[", "flows[0].cc", "names no congestion control", '"bbr[cwnd_gain=1.5]"'),
    ("flows[0].cc", "bbr[gain=2]", "flows[0].cc", 'bbr has no parameter "gain"', "did you mean"),
    ("flows[0].cc", "cubic[gain=2]", "flows[0].cc", 'cubic has no parameter "gain"', "it has none"),
    ("flows[0].cc", "bbr[cwnd_gain=99]", "flows[0].cc", "cwnd_gain=99 is out of range", "from 0.1 to 16"),
    ("flows[0].cc", "bbr[cwnd_gain=nan]", "flows[0].cc", "cwnd_gain=nan is no number", "from 0.1 to 16"),
    ("flows[0].cc", "bbr[cwnd_gain]", "flows[0].cc", "sets no parameter", '"cwnd_gain=1.5"'),
    ("flows[0].cc", ["bbr", "cubik"], "flows[0].cc[1]", 'unknown "cubik"', 'did you mean "cubic"?'),
    ("flows[0].cc", 3, "flows[0].cc", "must be text", 'cc = "bbr"'),
    # moments
    ("flows[0].start", "10 s", "flows[0].start", "10 s is at the end of the run, 10 s", "earlier"),
    ("flows[0].start", "400 s", "flows[0].start", "400 s is after the end of the run, 10 s", "earlier"),
    ("flows[0].stop", "0 s", "flows[0].stop", "not after the start", "moment"),
    ("flows[0].stop", "11 s", "flows[0].stop", "after the end of the run", "earlier"),
    ("start_jitter", "11 s", "start_jitter", "flows[0] may start as late as that", "earlier"),
    ("path.change", [{"at": "10 s", "rate": "1 Mbit/s"}], "path.change[0].at", "at the end", "earlier"),
    ("path.change", [{"at": "0 s", "rate": "1 Mbit/s"}], "path.change[0].at", "0 s is not after 0 s", "path.rate"),
    ("path.change", [{"at": "1 s"}], "path.change[0].rate", "missing", 'rate = "20 Mbit/s"'),
    ("measure.window", ["85 %", "50 %"], "measure.window", "begins at 8.5 s, not before its end at 5 s", "earlier"),
    ("measure.window", ["5 s", "5 s"], "measure.window", "not before its end", "earlier"),
    ("measure.window", ["5 s", "15 s"], "measure.window[1]", "15 s is after the end of the run", "earlier"),
    ("measure.window", ["50 %", "150 %"], "measure.window[1]", "15 s is after the end of the run", "earlier"),
    ("measure.window", ["20 s", "30 s"], "measure.window[0]", "20 s is after the end of the run", "earlier"),
    ("measure.sample", "11 s", "measure.sample", "11 s is longer than the window, 10 s", "more often"),
    ("measure.sample", "1 ns", "measure.sample", "out of range", "from 1 us"),
    ("time_limit", "20 s", "time_limit", 'of use with duration = "until done" only', "leave one"),
    ("duration", "until done", "time_limit", "needs one", 'time_limit = "600 s"'),
    # workloads
    ("flows[0].workload", "blk", "flows[0].workload", '"blk" is no workload', '"bulk"'),
    ("flows[0].workload", {"transfr": "1 MB"}, "flows[0].workload", "is no workload", "transfer"),
    ("flows[0].workload", {}, "flows[0].workload", "is no workload", "transfer"),
    ("flows[0].workload", {"transfer": "0 B"}, "flows[0].workload.transfer", "out of range", "from 1 B"),
    ("flows[0].workload", {"transfer": "3 packets"}, "flows[0].workload.transfer", "unknown unit", "B"),
    ("flows[0].workload", {"transfer": "1 MB", "evry": 3}, "flows[0].workload.evry", "unknown key", "transfer"),
    ("flows[0].workload", {"trace": "none.csv"}, "flows[0].workload.trace", "no such file", "relative"),
    ("flows[0].access", {"rate": "1 Gbit/s"}, "flows[0].access.buffer", "missing", '"1 MB"'),
    ("flows[0].access", {"rate": "1 Gbit/s", "buffer": "1 bdp"}, "flows[0].access.buffer", "no bdp", "1 MB"),
    ("flows[0].access", {"rate": "1 Gbit/s", "buffer": "1 kB"}, "flows[0].access.buffer", "one frame", "1514 B"),
]


@pytest.mark.parametrize("row", ONE_FIELD, ids=lambda row: f"{row[0]}={row[1]!s:.40}")
def test_one_bad_field_is_one_clear_problem(
    words: Words, problems_of: Callable[..., list[Problem]], row: tuple[str, object, str, str, str]
) -> None:
    field, value, path, message, hint = row
    found = problems_of(changed(words, field, value))
    (problem,) = [p for p in found if p.path == path]
    assert message in problem.message
    assert hint in problem.hint
    assert len(found) <= 2, "one slip must not read as many"


WISHES = [
    ("flows[0].cc", "bbr2", '"bbr" is BBR v1'),
    ("flows[0].cc", "bbr3", '"bbr" is BBR v1'),
    ("flows[0].cc", "bbr_v3[cwnd_gain=2]", '"bbr" is BBR v1'),
    ("flows[0].cc", ["cubic", "BBRv2"], '"bbr" is BBR v1'),
    ("flows[0].cc", "tcp_prague", "`dumbbell cc list`"),
    ("flows[0].cc", "copa", "`dumbbell cc list`"),
    *(
        ("path.queue", each, "known: bytes, packets")
        for each in ("fq_codel", "codel", "pie", "cake", "red", "FQ-CoDel")
    ),
    ("host.qdisc", "fq_codel", "known: none, fq"),
    ("path.jitter", "1 ms", "keeps its packets in order"),
    ("path.ecn", True, "marks nothing"),
    ("path.aqm", "red", "drop-tail"),
    ("path.trace", "lte.csv", "[[path.change]]"),
    ("flows[0].trace", "writes.csv", 'workload = { trace = "writes.csv" }'),
    ("path.reorder", "1 %", "keeps its packets in order"),
    ("path.loss_model", "gilbert", "path.loss"),
    ("links", [{"rate": "1 Mbit/s"}], "one bottleneck"),
    ("flows[0].workload", {"command": ["iperf3"]}, "transfer"),
]


@pytest.mark.parametrize(("field", "value", "instead"), WISHES, ids=[f"{row[0]}={row[1]}" for row in WISHES])
def test_what_this_version_has_not_is_said_with_what_there_is(
    field: str, value: object, instead: str, words: Words, problems_of: Callable[..., list[Problem]]
) -> None:
    (problem,) = problems_of(changed(words, field, value))
    assert problem.path.startswith(field)
    assert problem.hint.startswith("not in this version: ")
    assert problem.hint.endswith("see docs/limitations.md")
    assert instead in problem.hint
    assert "did you mean" not in problem.hint


def test_no_wish_is_something_that_there_is() -> None:
    there = {*cc.known(), *cc.variants(), "bytes", "packets", "none", "fq", "bulk", *WORKLOADS}
    assert not [word for word in there - {"trace"} if instead_of(word)]
    keys = {key for section in (Experiment, Path, Flow, Host, Measure, Change, Access) for key in section.model_fields}
    assert len(keys) > 30
    assert not [key for key in keys if instead_of(key)]


def test_ten_million_samples_are_the_most(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    load(changed(words, "measure.sample", "1 us"))
    (problem,) = problems_of(changed(words, "duration", "11 s"))
    assert (problem.path, problem.hint) == ("measure.sample", "at most 10000000 a run")


def test_a_stream_must_be_possible(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    slow = {"stream": "1 kbit/s", "for": "1 ms", "every": "2 ms"}
    found = problems_of(changed(words, "flows[0].workload", slow))
    assert [p.path for p in found] == ["flows[0].workload.for", "flows[0].workload.every"]
    many = {"stream": "1 Gbit/s", "for": "1000 s", "every": "1 us"}
    (problem,) = problems_of(changed(words, "flows[0].workload", many))
    assert (problem.path, problem.hint) == ("flows[0].workload.every", "at most 10000000")


def test_until_done_needs_something_to_be_done(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words |= {"duration": "until done", "time_limit": "60 s"}
    assert [p.path for p in problems_of(words)] == ["duration"]
    words["flows"][0]["workload"] = {"transfer": "1 MB"}
    load(words)
    words["measure"] = {"window": ["50 %", "85 %"]}
    assert [p.path for p in problems_of(words)] == ["measure.window[0]"]


def test_a_queue_that_counts_packets_has_no_room_in_bytes(
    words: Words, problems_of: Callable[..., list[Problem]]
) -> None:
    words["path"] |= {"queue": "packets", "buffer": "100 kB"}
    (problem,) = problems_of(words)
    assert (problem.path, problem.hint[:27]) == ("path.buffer", "write the buffer in packets")
    words["path"]["buffer"] = "0.001 bdp"
    assert "less than one frame" in problems_of(words)[0].message


def test_changes_are_in_order(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["path"]["change"] = [{"at": at, "rate": "1 Mbit/s"} for at in ("2 s", "1 s", "1 s", "11 s")]
    assert [p.path for p in problems_of(words)] == [f"path.change[{n}].at" for n in (1, 2, 3)]


def test_stagger_and_jitter_count_as_start(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["flows"] = [
        {"cc": "bbr", "count": 11, "stagger": "1 s"},
        {"cc": "reno", "count": 3, "stagger": "1 s", "stop": "2 s"},
        {"cc": "cubic", "start": "9.95 s"},
    ]
    found = problems_of(words | {"start_jitter": "100 ms"})
    assert [p.path for p in found] == ["flows[0].stagger", "flows[1].stop", "start_jitter"]
    assert found[0].message == "flow 11 of the group starts late: 10 s is at the end of the run, 10 s"


def test_names_are_unique(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["flows"] = [
        {"name": "a", "cc": "bbr", "count": 3},
        {"name": "b", "cc": "bbr"},
        {"name": "a", "cc": "cubic"},
        {"name": "a-3", "cc": "cubic"},
        {"name": "a-4", "cc": "cubic"},
    ]
    first, second = problems_of(words)
    assert (first.path, first.message) == ("flows[2].name", '"a" is already the name of flows[0]')
    assert second.path == "flows[3].name"
    assert '"a-3" is also a flow of group "a"' in second.message


def test_too_many_flows_in_all(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["flows"] = [{"cc": "bbr", "count": 60_000}, {"cc": "cubic", "count": 60_000}]
    assert [str(p) for p in problems_of(words)] == ["flows: 120000 flows in all are too many; at most 100000"]


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
workload = { command = ["iperf3"] }
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


def test_all_problems_are_told_at_once(problems_of: Callable[..., list[Problem]]) -> None:
    assert {problem.path for problem in problems_of(BROKEN)} == {
        "seeds",
        "flow",
        "path.rate",
        "path.rtt[1]",
        "path.buffer",
        "path.rat",
        "flows[0].cc",
        "flows[0].start",
        "flows[0].count",
        "flows[1].name",
        "flows[1].cc[0]",
        "flows[1].cc[1]",
        "flows[1].stop",
        "flows[1].workload",
        "flows[2].colour",
        "flows[2].workload.for",
        "flows[2].workload.every",
        "flows[2].workload.evry",
        "host.qdisc",
        "measure.window",
        "measure.sample",
    }
    assert len([p for p in problems_of(BROKEN) if p.path == "flows[1].cc[1]"]) == 2


def test_every_problem_reads_as_a_line(problems_of: Callable[..., list[Problem]]) -> None:
    problems = problems_of(BROKEN)
    assert str(SpecError(problems)).splitlines() == [str(problem) for problem in problems]
    assert 'flows[0].cc: unknown "bbrr"; did you mean "bbr"?' in map(str, problems)


def test_python_words_have_the_same_problems(words: Words) -> None:
    words["path"]["rate"] = "80 mbps"
    with pytest.raises(SpecError) as caught:
        Experiment(**words, flow=3)
    assert [problem.path for problem in caught.value.problems] == ["path.rate", "flow"]


def test_no_words_at_all(problems_of: Callable[..., list[Problem]]) -> None:
    assert [problem.path for problem in problems_of({})] == ["duration", "path", "flows"]


def test_ten_million_flows_cost_nothing(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["flows"] = [{"cc": "bbr", "count": 10**7}, {"cc": "bbr", "count": 10**300}, {"cc": "bbr", "count": 100_000}]
    problems_of(words)  # imports and caches are not what is measured
    tracemalloc.start()
    before = time.perf_counter()
    found = problems_of(words)
    took, (_, peak) = time.perf_counter() - before, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [problem.path for problem in found] == ["flows[0].count", "flows[1].count"]
    assert took < 0.5
    assert peak < 2_000_000


def test_a_large_sweep_is_checked_quickly(words: Words, problems_of: Callable[..., list[Problem]]) -> None:
    words["path"] |= {"rate": [f"{n} Mbit/s" for n in range(1, 1001)], "rtt": [f"{n} ms" for n in range(1, 1001)]}
    words["path"]["buffer"] = "0.01 bdp"
    before = time.perf_counter()
    assert [problem.path for problem in problems_of(words)] == ["path.buffer"]
    assert time.perf_counter() - before < 5


@pytest.mark.parametrize("value", [None, [], {}, "x", 3, [[]], [{}], {"a": {}}, object(), b"x", {1: 2}, [None]])
def test_nothing_makes_it_stumble(words: Words, value: object) -> None:
    for table in ({}, words):
        for key in Experiment.model_fields:
            with pytest.raises(SpecError):
                load({**table, key: value, "nonsense": 1})
    for table_name in ("path", "host", "measure"):
        with pytest.raises(SpecError):
            load(words | {table_name: {**words.get(table_name, {}), "rate": value, "qdisc": value, "window": value}})


def test_a_problem_survives_pickling() -> None:
    error = SpecError([Problem("a", "b", "c")])
    assert pickle.loads(pickle.dumps(error)).problems == error.problems  # noqa: S301 (its own pickle)
