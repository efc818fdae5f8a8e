"""Media that adapt by NADA, as real Linux moves their packets, and as the simulator does."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import FlowMeasurement, Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S
from specs import resolved

PATH = {"rate": "1 Mbit/s", "rtt": "100 ms", "delay_side": "split", "buffer": "300 ms"}
VIDEO = {"name": "video", "workload": {"media": {}}}


def run_of(flows: list[dict[str, Any]], duration: str = "60 s", seed: int = 1, **path: Any) -> Run:
    run = resolved(path=PATH | path, flows=flows, duration=duration, measure={"window": ["10 s", "100 %"]}).run
    return replace(run, seed=seed)


def on_both(linux: LinuxEngine, run: Run) -> tuple[Measurement, Measurement]:
    return SimEngine().measure(run), linux.measure(run)


def goodput_bps(flow: FlowMeasurement) -> float:
    begin, end = flow.at_window_begin, flow.at_window_end
    return (end.delivered_bytes - begin.delivered_bytes) * BITS_PER_BYTE * NS_PER_S / (end.at_ns - begin.at_ns)


def frame_delay_s(flow: FlowMeasurement) -> float:
    assert flow.frames is not None
    return flow.frames.delay.sum / flow.frames.delay.count / NS_PER_S


def test_where_there_is_room_both_send_the_same(linux: LinuxEngine) -> None:
    sim, kernel = (measured.flows[0] for measured in on_both(linux, run_of([VIDEO], rate="10 Mbit/s")))
    assert sim.frames is not None
    assert kernel.frames is not None
    assert kernel.frames.captured == sim.frames.captured
    assert kernel.at_end.segments_sent == pytest.approx(sim.at_end.segments_sent, rel=2e-3)
    assert kernel.at_end.acks == pytest.approx(sim.at_end.acks, abs=1)
    assert goodput_bps(kernel) == pytest.approx(goodput_bps(sim), rel=2e-3)
    assert frame_delay_s(kernel) == pytest.approx(frame_delay_s(sim), rel=2e-3)
    for flow in (sim, kernel):
        assert flow.phases == ("ramp-up", "gradual")
        assert set(flow.series.bandwidth_bps[-100:]) == {1_500_000}


def test_on_a_narrow_line_both_have_the_queue_of_the_equilibrium(linux: LinuxEngine) -> None:
    for measured in on_both(linux, run_of([VIDEO])):
        (flow,) = measured.flows
        assert flow.datagrams is not None
        assert flow.delay is not None
        assert flow.datagrams.lost == 0
        assert 0.85e6 < goodput_bps(flow) < 0.97e6
        # 50 ms and a packet's time of 10 ms; XREF * RMAX / r_ref is 16 ms, of the least of 15 packets.
        assert 0.065 < flow.delay.sum / flow.delay.count / NS_PER_S < 0.110


def test_reports_can_be_lost_on_both(linux: LinuxEngine) -> None:
    run = run_of([VIDEO], back={"rate": "10 Mbit/s", "buffer": "100 ms", "loss": "50 %"})
    for measured in on_both(linux, run):
        # Of 599 reports, by chance: four standard deviations are 49.
        assert measured.flows[0].at_end.acks == pytest.approx(299, abs=49)


def test_a_long_tcp_flow_leaves_it_something(linux: LinuxEngine) -> None:
    """RFC 8867 section 5.6, with CUBIC."""
    flows: list[dict[str, Any]] = [VIDEO, {"cc": "cubic"}]
    shares = [
        tuple(goodput_bps(flow) for flow in measured.flows)
        for measured in on_both(linux, run_of(flows, "100 s", rate="2 Mbit/s"))
    ]
    for video_bps, tcp_bps in shares:
        assert 0.2e6 < video_bps < 0.6e6
        assert video_bps + tcp_bps > 1.8e6


def test_it_stops_on_both(linux: LinuxEngine) -> None:
    for measured in on_both(linux, run_of([VIDEO | {"stop": "20 s"}], "30 s", rate="10 Mbit/s")):
        (flow,) = measured.flows
        assert flow.frames is not None
        assert flow.at_end.at_ns == 20 * NS_PER_S
        assert flow.frames.captured == pytest.approx(300, abs=25)
        assert flow.at_end.acks == pytest.approx(198, abs=2)
