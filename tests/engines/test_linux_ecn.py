"""ECN on kernels: negotiated by the flows that are to, and by no others; marks that queue and sender count alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from builtkernel import kernel_named
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.results.validity import warnings
from dumbbell.spec import Run
from specs import resolved

PATH = {"rate": "50 Mbit/s", "rtt": "20 ms", "buffer": "400 kB"}
RED = {"kind": "red", "min": "30 kB", "max": "90 kB", "ecn": True}
MARKING: dict[str, dict[str, Any]] = {
    "codel": {"qdisc": {"kind": "codel", "ecn": True}, "buffer": "1000 packets", "queue": "packets"},
    "fq_codel": {"qdisc": "fq_codel", "buffer": "10240 packets", "queue": "packets"},
    "pie": {"qdisc": {"kind": "pie", "ecn": True}, "buffer": "1000 packets", "queue": "packets"},
    "red": {"qdisc": RED},
}
STEP = {"kind": "codel", "ecn": True, "ce_threshold": "1 ms"}
ECN = {"cc": "cubic", "ecn": True}


def run(path: dict[str, Any], flows: list[dict[str, Any]], duration: str = "5 s") -> Run:
    return resolved(path=PATH | path, flows=flows, duration=duration).run


def negotiated(measured: Measurement, flows: int) -> list[tuple[str | None, str | None]]:
    """Of each flow: connections that use ECN, and those to which ECT has come."""
    facts = measured.facts
    return [(facts.get(f"flows[{flow}].ecn"), facts.get(f"flows[{flow}].ect")) for flow in range(flows)]


def marks(measured: Measurement) -> int:
    return measured.bottleneck.at_end.marked_packets or 0


def echoed(measured: Measurement) -> list[int]:
    return [flow.at_end.delivered_ce or 0 for flow in measured.flows]


@pytest.mark.slow
@pytest.mark.parametrize("name", MARKING)
def test_each_queue_that_marks_drops_nothing_of_flows_with_ecn(linux: LinuxEngine, name: str) -> None:
    marked = run(MARKING[name], [ECN | {"count": 2}])
    theirs, ours = linux.measure(marked), SimEngine().measure(marked)
    assert negotiated(theirs, 2) == [("1 of 1", "1 of 1")] * 2
    assert warnings(marked, theirs, ["cubic"] * 2) == warnings(marked, ours, ["cubic"] * 2)
    for measured in (theirs, ours):
        assert marks(measured) > 3
        assert measured.bottleneck.at_end.dropped_packets == 0
        assert [flow.at_end.segments_retransmitted for flow in measured.flows] == [0, 0]
        # A receiver echoes a mark until the sender has answered, for a round trip.
        assert sum(echoed(measured)) > marks(measured)
    # The kernel counts no reductions, and whose frames were marked only senders know.
    assert {flow.at_end.cwr_reductions for flow in theirs.flows} == {None}
    assert {flow.at_end.marked_packets for flow in theirs.flows} == {None}
    assert min(flow.at_end.cwr_reductions or 0 for flow in ours.flows) > 0


@pytest.mark.slow
def test_dualpi2_marks_what_is_not_scalable_too() -> None:
    """Of Linux 7.3, by the square of its probability."""
    fields = {"qdisc": "dualpi2", "buffer": "10000 packets", "queue": "packets"}
    measured = LinuxEngine(kernel_named("7.3")).measure(run(fields, [ECN | {"count": 2}]))
    assert negotiated(measured, 2) == [("1 of 1", "1 of 1")] * 2
    assert 0 < marks(measured) < sum(echoed(measured))
    assert measured.bottleneck.at_end.dropped_packets == 0


@pytest.mark.slow
def test_a_group_with_ecn_is_marked_and_one_without_loses(linux: LinuxEngine) -> None:
    measured = linux.measure(run(MARKING["codel"], [ECN | {"name": "marked"}, {"cc": "cubic", "name": "plain"}]))
    assert negotiated(measured, 2) == [("1 of 1", "1 of 1"), (None, None)]
    of_marked, of_plain = measured.flows
    assert echoed(measured)[0] > 0 == echoed(measured)[1]
    assert of_marked.at_end.segments_retransmitted == 0 < of_plain.at_end.segments_retransmitted
    assert marks(measured) > 0 < measured.bottleneck.at_end.dropped_packets
    settings = {name: text for name, text in measured.facts.items() if name.startswith("net.ipv4.tcp_ecn ")}
    assert settings == {"net.ipv4.tcp_ecn (sender)": "2", "net.ipv4.tcp_ecn (receiver)": "2"}


@pytest.mark.slow
def test_without_ecn_a_queue_that_would_mark_drops(linux: LinuxEngine) -> None:
    measured = linux.measure(run(MARKING["codel"], [{"cc": "cubic"}]))
    assert negotiated(measured, 1) == [(None, None)]
    assert (marks(measured), echoed(measured)) == (0, [0])
    assert measured.bottleneck.at_end.dropped_packets > 0


@pytest.mark.slow
@pytest.mark.parametrize("own", [{}, {"ecn": True}])
def test_dctcp_has_ecn_at_both_ends_and_counts_each_mark(linux: LinuxEngine, own: dict[str, bool]) -> None:
    alone = run(MARKING["codel"] | {"qdisc": STEP}, [{"cc": "dctcp", "count": 2} | own])
    theirs, ours = linux.measure(alone), SimEngine().measure(alone)
    assert negotiated(theirs, 2) == [("1 of 1", "1 of 1")] * 2
    for measured in (theirs, ours):
        assert marks(measured) > 100
        # What was marked last is on its way.
        assert sum(echoed(measured)) == pytest.approx(marks(measured), rel=0.02)
        assert measured.bottleneck.at_end.dropped_packets == 0
    assert marks(theirs) == pytest.approx(marks(ours), rel=0.1)
    alpha = [float(np.median(measured.flows[0].series.alpha_ppm[20:])) for measured in (theirs, ours)]
    assert 0 < alpha[0] < 1e6
    assert alpha[0] == pytest.approx(alpha[1], rel=0.1)


@pytest.mark.slow
def test_codel_takes_a_kernels_beginning_for_no_drop(linux: LinuxEngine) -> None:
    """Else it would have just dropped often, after a start that fills its queue, and would mark five times as much."""
    pair = run({"qdisc": "fq_codel", "buffer": "4 bdp"}, [{"cc": "dctcp", "count": 2}])
    theirs, ours = linux.measure(pair), SimEngine().measure(pair)
    assert marks(theirs) == pytest.approx(marks(ours), rel=0.1)


@pytest.mark.slow
def test_each_of_many_transfers_negotiates(linux: LinuxEngine) -> None:
    workload = {"size": "50 kB", "arrivals": {"load": 0.2}}
    measured = linux.measure(run(MARKING["codel"], [ECN | {"workload": workload}], "2 s"))
    ((senders, receivers),) = negotiated(measured, 1)
    assert senders is not None
    assert senders == receivers
    count, _, all_of_them = senders.partition(" of ")
    assert count == all_of_them
    assert int(count) > 20


@pytest.mark.slow
def test_accurate_ecn_stands_beside_the_classic_and_none() -> None:
    """On a kernel that has it; others refuse it."""
    flows = [{"cc": "cubic", "ecn": ecn, "name": str(ecn)} for ecn in ("accurate", True, False)]
    three = run(MARKING["codel"], flows)
    theirs = LinuxEngine(kernel_named("7.3")).measure(three)
    assert negotiated(theirs, 3) == [("1 of 1", "1 of 1"), ("1 of 1", "1 of 1"), (None, None)]
    assert warnings(three, theirs, ["cubic"] * 3) == warnings(three, SimEngine().measure(three), ["cubic"] * 3)
    assert theirs.facts["net.ipv4.tcp_ecn (sender)"] == "5"
    accurate, classic, none = echoed(theirs)
    # Each mark is counted once, where the classic echo lasts for a round trip.
    assert 0 < accurate < marks(theirs)
    assert classic > accurate
    assert none == 0


def test_a_kernel_without_accurate_ecn_refuses_it(linux: LinuxEngine) -> None:
    (refusal,) = linux.unsupported_fields(run({}, [{"cc": "cubic", "ecn": "accurate"}]))
    assert str(refusal) == "flows[0].ecn: this kernel (6.1) has no accurate ECN; ecn = true, or Linux 7.0 or later"


@pytest.mark.usefixtures("temporary")
def test_a_kernel_of_the_machines_own_negotiates_for_each_flow(live: NetnsEngine) -> None:
    fifo = resolved(path=PATH, flows=[ECN, {"cc": "reno"}], duration="1 s")
    assert live.unsupported_fields(fifo.run) == []
    measured = live.measure(fifo.run)
    assert negotiated(measured, 2) == [("1 of 1", "1 of 1"), (None, None)]
    assert not [each for each in warnings(fifo.run, measured, fifo.groups) if "ECN" in each]
