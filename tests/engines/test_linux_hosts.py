"""What hosts with a real kernel do to a path: timing noise, queues and lines of their own, NICs that give out lumps."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.spec import Run
from measured import known
from specs import resolved

pytestmark = pytest.mark.slow

PATH = {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}
TWO = [{"cc": "cubic"}, {"cc": "cubic", "name": "farther", "rtt": "26 ms"}]
LINE = {"rate": "30 Mbit/s", "buffer": "100 kB"}
PACKET_NS = 151_400
"""At the bottleneck."""


def run(path: dict[str, Any] | None = None, **fields: Any) -> Run:
    return resolved(**{"path": PATH | (path or {}), "flows": [{"cc": "cubic"}], "duration": "5 s"} | fields).run


def resent(measured: Measurement) -> int:
    return sum(flow.at_end.segments_retransmitted for flow in measured.flows)


def mean_srtt_ms(measured: Measurement) -> float:
    series = measured.flows[0].series.srtt_us
    return float(series[len(series) // 2 :].mean()) / 1e3


EVERYTHING: dict[str, dict[str, Any]] = {
    "fq, a router's line": {
        "path": {"jitter": "1 packet", "loss": "0.1 %", "delay_side": "split"},
        "host": {"qdisc": "fq", "gro": True, "ack_aggregation": "1 ms"},
        "flows": [{"cc": "cubic", "access": LINE | {"kind": "router"}}, {"cc": "bbr"}],
    },
    "a device's line": {
        "path": {
            "jitter": "50 us",
            "loss": "0.1 %",
            "loss_at": "after",
            "change": [{"at": "2 s", "rate": "20 Mbit/s"}],
        },
        "host": {"gro": True, "ack_aggregation": "100 us"},
        "flows": [{"cc": "cubic", "access": LINE | {"kind": "device"}}, {"cc": "bbr", "stop": "3 s"}],
    },
}


@pytest.mark.parametrize("fields", EVERYTHING.values(), ids=EVERYTHING)
def test_everything_on_gives_the_same_twice_and_another_with_another_seed(
    linux: LinuxEngine, answers: list[bytes], fields: dict[str, Any]
) -> None:
    spec_run = run(**fields)
    for each in (spec_run, spec_run, structs.replace(spec_run, seed=spec_run.seed + 1)):
        linux.measure(each)
    first, again, other = answers
    assert again == first
    assert other != first


@pytest.mark.parametrize(
    ("host", "line"), [("none", None), ("fq", None), ("none", "device"), ("none", "router"), ("fq", "router")]
)
def test_noise_delays_and_reorders_nothing(linux: LinuxEngine, host: str, line: str | None) -> None:
    access = {"access": {"rate": "60 Mbit/s", "buffer": "1 MB", "kind": line}} if line else {}
    flows = [flow | access for flow in TWO]
    measured = linux.measure(run({"jitter": "2 packets"}, flows=flows, host={"qdisc": host}))
    drops = measured.bottleneck.at_end.dropped_packets
    assert drops > 0
    assert 0 <= drops - resent(measured) <= 2  # what was lost last may not be sent again yet


def test_noise_is_as_large_as_asked_and_each_burst_draws_its_own(linux: LinuxEngine) -> None:
    """A stream so slow that each write is a burst by itself: its round trips are those of an idle path, and noise."""
    flows = [{"cc": "cubic", "workload": {"stream": "115840 bit/s", "for": "60 s", "every": "100 ms"}}]
    bound_us = 8_000
    measured = linux.measure(
        run({"jitter": "8 ms"}, flows=flows, duration="61 s", measure={"sample": "100 ms", "record": "series"})
    )
    # srtt moves an eighth of the way to each sample: in the mean those of a uniform draw.
    (flow,) = measured.flows
    srtt_us = flow.series.srtt_us[50:600]
    added_us = srtt_us - 25_000 - PACKET_NS / 1e3
    assert abs(added_us.mean() - bound_us / 2) < 0.1 * bound_us
    # The smoothed series' standard deviation is sqrt(a / (2 - a)) of a draw's, with a = 1/8; 600 draws tell it to 1/5.
    assert added_us.std() == pytest.approx(bound_us / 12**0.5 * (1 / 15) ** 0.5, rel=0.3)
    assert 25_000 <= known(flow.rtt_min_ns) / 1e3 < 25_000 + 0.05 * bound_us + 200


def test_small_queues_hold_a_sender_back_before_its_own_line_and_not_before_a_routers(linux: LinuxEngine) -> None:
    def srtt_ms(kind: str, jitter: str) -> float:
        flows = [{"cc": "cubic", "access": LINE | {"kind": kind}}]
        return mean_srtt_ms(linux.measure(run({"jitter": jitter}, flows=flows, duration="20 s")))

    full_ms = 25 + 100_000 * 8 / 30e3
    for jitter in ("none", "50 us"):
        assert srtt_ms("device", jitter) < 30
        assert 0.75 * full_ms < srtt_ms("router", jitter) < full_ms + 1


def test_lumps_add_their_time_and_merging_leaves_fewer_acks(linux: LinuxEngine) -> None:
    def measured(**host: Any) -> tuple[float, float]:
        (flow,) = linux.measure(run({"jitter": "none"}, host=host)).flows
        return flow.at_end.acks / flow.at_end.segments_sent, (flow.rtt_min_ns or 0) / 1e6

    (alone, rtt_ms), (merged_alone, _) = measured(), measured(gro=True)
    (lumps, lumps_rtt_ms), (merged, _) = measured(ack_aggregation="1 ms"), measured(ack_aggregation="1 ms", gro=True)
    assert [alone, merged_alone] == pytest.approx([0.5, 0.5], abs=0.02)
    assert lumps == pytest.approx(0.48, abs=0.03)
    # Some 6.6 frames a lump: one ACK answers what was merged, two of them where a lump has both ends of a burst.
    assert 1 / 7 < merged < 2 / 6.6
    assert [rtt_ms, lumps_rtt_ms] == pytest.approx([25, 26], abs=0.01)


@pytest.mark.parametrize("side", ["return", "forward"])
def test_no_lump_is_too_large_for_a_nics_ring(linux: LinuxEngine, side: str) -> None:
    """Thousands of frames at once; the ring has 256."""
    path = {"rate": "1 Gbit/s", "delay_side": side, "buffer": "4 bdp", "jitter": "none"}
    host = {"gro": True, "ack_aggregation": "100 ms"}
    measured = linux.measure(run(path, host=host, duration="10 s"))
    flow, queue = measured.flows[0].at_end, measured.bottleneck.at_end
    assert flow.segments_sent > 100 * 256  # of 100 slots
    # Nothing is lost but by the queue: the rest has been delivered, is on its way, or waits for the end of a slot.
    under_way = queue.queued_packets + 0.15 * 1e9 / 8 / 1514
    assert flow.segments_sent - queue.dropped_packets - flow.delivered_bytes / 1448 < under_way


def test_facts_tell_what_is_on_which_device(linux: LinuxEngine) -> None:
    fields = EVERYTHING["fq, a router's line"] | {"duration": "1 s"}
    facts = linux.measure(run(**fields)).facts
    assert facts["path"].startswith("sender - lane - access - gate - near - far - receiver, 2 lanes")
    assert facts["fq"].startswith("limit 10000 flow_limit 100 quantum 3028 initial_quantum 15140 ")
    assert facts["offloads (sender)"] == "tso on gso on gro off"
    assert facts["offloads (receiver)"] == "tso off gso off gro on"
    qdiscs = {name.split()[1].rstrip("0123456789"): what for name, what in facts.items() if name.startswith("qdisc ")}
    assert qdiscs["lane"].startswith("netem delay 75700ns 75700ns rate ")
    assert "the same on 1 more" in qdiscs["lane"]
    assert qdiscs["sender"].startswith("fq")
    assert qdiscs["far"].startswith("netem delay 12500000ns slot 1000000ns 1000000ns")
    assert qdiscs["access"].startswith("tbf rate 3750000 bytes/s burst 1522, ")
