"""UDP datagrams that nothing answers, as real Linux sends and queues them, and as the simulator does."""

from __future__ import annotations

import math
from statistics import fmean, stdev
from typing import Any

import pytest
from msgspec.structs import replace

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import FlowMeasurement, Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S
from specs import resolved

PATH = {"rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 MB", "jitter": "none", "burst": "1514 B"}
FRAME_BYTES = 1242
"""1200 bytes of payload with 28 of IP and UDP and 14 of Ethernet."""
SERVICE_S = FRAME_BYTES * BITS_PER_BYTE / 10e6


def run_of(flows: list[dict[str, Any]], duration: str = "20 s", seed: int = 1, **path: str) -> Run:
    measure = {"window": ["2 s", "100 %"]}
    run = resolved(path=PATH | path, flows=flows, duration=duration, measure=measure, start_jitter="0 s").run
    return replace(run, seed=seed)


def udp(**table: str) -> dict[str, Any]:
    return {"workload": {"udp": table}}


def on_both(linux: LinuxEngine, run: Run) -> tuple[Measurement, Measurement]:
    return SimEngine().measure(run), linux.measure(run)


def delay_s(flow: FlowMeasurement) -> float:
    assert flow.delay is not None
    return flow.delay.sum / flow.delay.count / NS_PER_S


def goodput_bps(flow: FlowMeasurement) -> float:
    begin, end = flow.at_window_begin, flow.at_window_end
    return (end.delivered_bytes - begin.delivered_bytes) * BITS_PER_BYTE * NS_PER_S / (end.at_ns - begin.at_ns)


def loss(flow: FlowMeasurement) -> float:
    assert flow.datagrams is not None
    return flow.datagrams.lost / flow.datagrams.sent


def test_an_even_rate_passes_an_idle_line_on_both(linux: LinuxEngine) -> None:
    run = run_of([udp(rate="5 Mbit/s")])
    # The kernel's bucket has a frame saved whenever one comes.
    for measured, expected_s in zip(on_both(linux, run), (SERVICE_S, 0), strict=True):
        flow = measured.flows[0]
        assert flow.at_end.segments_sent == 10417
        assert loss(flow) == 0
        assert goodput_bps(flow) == pytest.approx(5e6, rel=1e-3)
        assert delay_s(flow) == pytest.approx(expected_s, abs=0.05e-3)
        assert flow.at_end.bottleneck_bytes == flow.at_end.delivered_bytes // 1200 * FRAME_BYTES


@pytest.mark.long
@pytest.mark.parametrize("load", [0.5, 0.8])
def test_by_chance_they_wait_as_in_an_m_d_1_queue(linux: LinuxEngine, load: float) -> None:
    """A frame takes its time on the line of `sim`; the kernel's bucket saves a frame's, and lets it go earlier."""
    rate = f"{round(load * 10e6 * 1200 / FRAME_BYTES)} bit/s"
    delays: list[list[float]] = []
    for seed in range(1, 7):
        both = on_both(linux, run_of([udp(rate=rate, spacing="poisson")], "60 s", seed))
        # At the same instants, so that there are as many.
        assert both[0].flows[0].at_end.segments_sent == both[1].flows[0].at_end.segments_sent
        delays.append([delay_s(measured.flows[0]) / SERVICE_S for measured in both])
    wait = load / (2 * (1 - load))
    for own, expected in zip(zip(*delays, strict=True), (1 + wait, wait - saved(load)), strict=True):
        error = stdev(own) / len(own) ** 0.5
        assert error < 0.1 * expected
        assert fmean(own) == pytest.approx(expected, abs=5 * error)


def saved(load: float) -> float:
    """What a bucket of 1514 bytes spares those that wait in an M/D/1 queue, in service times.

    Who waits w leaves after (w - t)+, t being the bucket's time less the frame's. Up to one service time
    P(w <= x) = (1 - load) exp(load x), by Erlang; the integral of P(w > x) to t is what is spared.
    """
    early = 1514 / FRAME_BYTES - 1
    return early - (1 - load) / load * math.expm1(load * early)


def test_what_is_too_fast_is_lost_on_both(linux: LinuxEngine) -> None:
    run = run_of([udp(rate="20 Mbit/s")], buffer="50 packets")
    sim, kernel = (measured.flows[0] for measured in on_both(linux, run))
    assert loss(sim) == pytest.approx(1 - 1200 / FRAME_BYTES / 2, abs=1e-3)
    assert loss(kernel) == pytest.approx(loss(sim), abs=2e-3)
    assert goodput_bps(kernel) == pytest.approx(goodput_bps(sim), rel=2e-3)
    assert delay_s(kernel) == pytest.approx(delay_s(sim), rel=0.01)


def test_pauses_are_at_the_same_times(linux: LinuxEngine) -> None:
    run = run_of([udp(rate="6 Mbit/s", on="1 s", off="1 s")])
    for measured in on_both(linux, run):
        series = measured.flows[0].series
        assert goodput_bps(measured.flows[0]) == pytest.approx(3e6, rel=2e-3)
        sending = series.delivered_bytes[1:] > series.delivered_bytes[:-1]
        at_s = series.at_ns[1:] / NS_PER_S % 2
        assert not sending[(at_s > 1.1) & (at_s < 2)].any()
        assert sending[(at_s > 0.1) & (at_s < 1)].all()


def test_a_trace_is_sent_as_listed(linux: LinuxEngine) -> None:
    run = run_of([udp(rate="1 Mbit/s")], "4 s")
    (flow,) = run.flows
    from dumbbell.spec.flow import DatagramTrace, Work, Write  # noqa: PLC0415 (for this one only)

    listed = tuple(Write(at_ns=at_ns, bytes=size) for at_ns, size in [(0, 100), (0, 1472), (3_000_000_000, 200)])
    run = replace(run, flows=(replace(flow, workload=Work(datagram_trace=DatagramTrace(datagrams=listed))),))
    for measured in on_both(linux, run):
        end = measured.flows[0].at_end
        assert (end.segments_sent, end.delivered_bytes) == (3, 1772)


@pytest.mark.parametrize("cc", ["cubic", "bbr"])
def test_tcp_has_what_datagrams_leave(linux: LinuxEngine, cc: str) -> None:
    run = run_of([udp(rate="5 Mbit/s"), {"cc": cc}], "30 s", buffer="1 bdp", jitter="50 us")
    sim, kernel = on_both(linux, run)
    for measured in (sim, kernel):
        datagrams, tcp = measured.flows
        assert goodput_bps(datagrams) == pytest.approx(5e6 * (1 - loss(datagrams)), rel=5e-3)
        assert loss(datagrams) < 0.1
        assert goodput_bps(tcp) > 3.5e6
    assert goodput_bps(kernel.flows[0]) == pytest.approx(goodput_bps(sim.flows[0]), rel=0.03)
    assert goodput_bps(kernel.flows[1]) == pytest.approx(goodput_bps(sim.flows[1]), rel=0.08)
