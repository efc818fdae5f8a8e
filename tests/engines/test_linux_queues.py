"""Managed queues: to a real kernel as to the model of one, counted by themselves, and there to the end of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import kernels
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.path_check import check_path, path_of
from dumbbell.engines.sim import SimEngine
from dumbbell.spec import Run
from specs import resolved

PATH = {"rate": "50 Mbit/s", "rtt": "20 ms"}
RTT_MS = 20
TWO = [{"cc": "cubic", "count": 2}]
RED = {"kind": "red", "min": "30 kB", "max": "90 kB"}


@dataclass(frozen=True)
class Case:
    """A queue, what its queueing delay is about, ms, and what the kernel says of it."""

    path: dict[str, Any]
    delay_ms: tuple[float, float]
    fact: str


CASES = {
    "codel": Case(
        {"qdisc": "codel"},
        (2.5, 7.5),
        # The kernel counts in units of 1024 ns (CODEL_SHIFT).
        "codel limit 1000 target 4999us interval 99999us ecn 0",
    ),
    "fq_codel": Case(
        {"qdisc": {"kind": "fq_codel", "ecn": False}},
        (2.5, 7.5),
        "fq_codel limit 10240 flows 1024 quantum 1514 target 4999us interval 99999us memory_limit 33554432 "
        "drop_batch 64 ecn 0",
    ),
    # Of a hundred frames each, by rounds of both: of 48 ms cubic has the most part.
    "fq": Case(
        {"qdisc": "fq"},
        (24, 48),
        "fq limit 10000 flow_limit 100 quantum 3028 initial_quantum 15140 timer_slack 10000ns horizon 10000000us "
        "orphan_mask 1023",
    ),
    "pie": Case({"qdisc": "pie"}, (11, 19), "pie limit 1000 target 15000us tupdate 15000us alpha 2 beta 20 ecn 0"),
    # Between min and max, 4.8 ms and 14.4 ms.
    "red": Case(
        {"qdisc": RED, "buffer": "400 kB"},
        (3, 14.4),
        "red limit 400000 min 30000 max 90000 ewma 5 max_p 85899345 / 2^32 ecn 0",
    ),
    "cake": Case({"qdisc": "cake"}, (2, 7.5), "cake bandwidth 0 rtt 100000us target 5000us"),
}


def run(path: dict[str, Any], **fields: Any) -> Run:
    return resolved(**{"path": PATH | path, "flows": TWO, "duration": "5 s"} | fields).run


def delay_ms(measured: Measurement) -> float:
    """The mean queueing delay of the second half."""
    columns = [(flow.series.at_ns, flow.series.srtt_us) for flow in measured.flows]
    return float(np.mean([srtt_us[at_ns >= at_ns[-1] / 2].mean() for at_ns, srtt_us in columns])) / 1e3 - RTT_MS


def adds_up(measured: Measurement) -> None:
    """What came has left, was dropped, or waits; and what was dropped is what senders lost."""
    queue = measured.bottleneck
    for at in (queue.at_window_begin, queue.at_window_end, queue.at_end):
        assert at.offered_packets == at.sent_packets + at.dropped_packets + at.queued_packets
    sent = sum(flow.at_end.segments_sent for flow in measured.flows)
    # Handshakes and what is on its way to the queue are the rest.
    assert abs(sent - queue.at_end.offered_packets) <= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_managed_queue_keeps_its_target_and_counts_its_drops(linux: LinuxEngine, name: str) -> None:
    case = CASES[name]
    measured = linux.measure(run(case.path))
    adds_up(measured)
    assert measured.bottleneck.at_end.dropped_packets > 0
    least, most = case.delay_ms
    assert least < delay_ms(measured) < most
    (fact,) = [text for key, text in measured.facts.items() if key.startswith("queue near")]
    assert fact.startswith(case.fact)
    (shaper,) = [text for text in measured.facts.values() if text.startswith("tbf ")]
    assert f", {name} " in shaper


@pytest.mark.slow
@pytest.mark.parametrize("shaper", ["tbf", "htb"])
@pytest.mark.parametrize("name", ["codel", "red"])
def test_it_is_there_after_a_change_of_rate(linux: LinuxEngine, shaper: str, name: str) -> None:
    """A drop-tail queue of its room would add 240 ms, and 64 ms."""
    change = [{"at": "1 s", "rate": "20 Mbit/s"}, {"at": "2 s", "rate": "50 Mbit/s"}]
    changed = run(CASES[name].path | {"shaper": shaper, "change": change})
    measured = linux.measure(changed)
    adds_up(measured)
    most = CASES[name].delay_ms[1]
    assert 0.5 < delay_ms(measured) < most
    assert delay_ms(measured) == pytest.approx(delay_ms(SimEngine().measure(changed)), abs=1)


@pytest.mark.slow
def test_each_queue_of_a_path_is_managed_as_it_says(linux: LinuxEngine) -> None:
    hops = [
        {"name": "first", "rate": "100 Mbit/s", "buffer": "100 kB", "delay": "2 ms"},
        {"name": "last", "rate": "50 Mbit/s", "qdisc": "codel"},
    ]
    back = {"rate": "5 Mbit/s", "qdisc": "fq_codel"}
    measured = linux.measure(resolved(path={"rtt": "20 ms", "back": back}, hops=hops, flows=TWO, duration="5 s").run)
    adds_up(measured)
    queues = {name: text.split()[0] for name, text in measured.facts.items() if name.startswith("queue ")}
    assert sorted(queues.values()) == ["codel", "fq_codel"]
    assert 2.5 < delay_ms(measured) < 7.5


@pytest.mark.slow
def test_a_path_is_looked_at_without_what_manages_its_queue(linux: LinuxEngine) -> None:
    for name in ("codel", "fq"):
        assert check_path(linux, path_of(run(CASES[name].path))).deviations == ()


@pytest.mark.slow
def test_super_packets_are_counted_by_their_segments(linux: LinuxEngine) -> None:
    measured = linux.measure(run({"qdisc": "codel", "burst": "70 kB", "offload": True}))
    adds_up(measured)
    assert measured.bottleneck.at_end.dropped_packets > 0


def test_what_its_kernel_lacks_is_refused(linux: LinuxEngine) -> None:
    offload = {"burst": "70 kB", "offload": True}
    refusals = {
        name: [f"{each.path}: {each.message}" for each in linux.unsupported_fields(run(path))]
        for name, path in (
            ("dualpi2", {"qdisc": "dualpi2"}),
            ("cake", {"qdisc": "cake"} | offload),
            ("fq_codel", {"qdisc": "fq_codel"} | offload),
            ("no marks", {"qdisc": "codel"} | offload),
            ("red", {"qdisc": {"kind": "red", "max": "15 MB"}, "buffer": "60 MB"}),
        )
    }
    assert refusals == {
        "dualpi2": ['path.qdisc: this kernel (6.1) has no "dualpi2"'],
        "cake": [],
        "fq_codel": ["path.qdisc: a super-packet that fq_codel marks counts once here, whatever it holds"],
        "no marks": [],
        "red": ["path.qdisc.max: the mean backlog of such a queue takes 36 bits, and Linux has 31"],
    }


def test_marks_by_an_age_that_is_not_the_queues_are_refused(linux: LinuxEngine) -> None:
    (refusal,) = linux.unsupported_fields(run({"qdisc": {"kind": "fq", "ce_threshold": "1 ms"}}))
    assert refusal.path == "path.qdisc.ce_threshold"
    assert "from its departure at the sender" in refusal.message
    assert linux.unsupported_fields(run({"qdisc": {"kind": "codel", "ce_threshold": "1 ms"}})) == []


def test_a_kernel_has_the_disciplines_of_the_recipe_but_those_that_were_left_out() -> None:
    names = ("codel", "red", "dualpi2")
    assert [kernels.kernel().has_qdisc(name) for name in names] == [True, True, False]
    poor = replace(kernels.kernel(), left_out={"CONFIG_NET_SCH_RED": "this source has no such option"})
    assert [poor.has_qdisc(name) for name in names] == [True, False, False]
