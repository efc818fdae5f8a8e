"""What follows a flow's stop, on both engines: the application aborts, as SO_LINGER with no time has it."""

from __future__ import annotations

import pytest

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from specs import resolved

pytestmark = pytest.mark.slow

STOP = "5 s"
FRAME_BYTES = 1_514
RESET_BYTES = 54


def measured(engine: LinuxEngine | SimEngine, cc: str, qdisc: str) -> Measurement:
    path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "2 bdp"}
    run = resolved(
        path=path,
        flows=[{"cc": cc, "stop": STOP}],
        duration="7 s",
        start_jitter="0 s",
        measure={"window": [STOP, "7 s"]},
        host={"qdisc": qdisc},
    ).run
    return engine.measure(run)


def after(measurement: Measurement) -> tuple[int, int]:
    """Full frames and resets that left the bottleneck after the stop."""
    begin, end = measurement.bottleneck.at_window_begin, measurement.bottleneck.at_window_end
    assert end.queued_packets == 0
    packets, size = end.sent_packets - begin.sent_packets, end.sent_bytes - begin.sent_bytes
    data = round((size - RESET_BYTES * packets) / (FRAME_BYTES - RESET_BYTES))
    # What was in the queue, and with fq what the host still had: two bursts.
    assert begin.queued_packets <= data <= begin.queued_packets + 6
    return data, packets - data


@pytest.mark.parametrize("cc", ["cubic", "bbr"])
@pytest.mark.parametrize("qdisc", ["none", "fq"])
def test_after_a_stop_come_what_was_under_way_and_resets(linux: LinuxEngine, cc: str, qdisc: str) -> None:
    """One reset of the abort's, and one for each ACK that finds no connection any more."""
    model = after(measured(SimEngine(), cc, qdisc))
    kernel = after(measured(linux, cc, qdisc))
    assert model[1] > 10
    assert model[1] == pytest.approx(kernel[1], abs=3)


def test_a_lost_tail_is_not_sent_again_after_a_stop(linux: LinuxEngine) -> None:
    """A stop in slow start, while the queue overflows: what is lost stays lost."""
    for engine in (linux, SimEngine()):
        path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "10 packets"}
        flows = [{"cc": "reno", "stop": "140 ms"}, {"cc": "reno", "start": "3 s"}]
        fields = {"path": path, "flows": flows, "duration": "4 s", "start_jitter": "0 s"}
        run = resolved(**fields, measure={"window": ["140 ms", "2.9 s"]}).run
        measurement = engine.measure(run)
        begin, end = measurement.bottleneck.at_window_begin, measurement.bottleneck.at_window_end
        sent = measurement.flows[0].at_end.segments_sent
        # Whatever left after the stop had been sent before it, or is a reset of 66 bytes at most.
        data = (end.sent_bytes - begin.sent_bytes - 66 * (end.sent_packets - begin.sent_packets)) // 1_448
        assert begin.sent_packets + data <= sent + 3
        assert begin.dropped_packets > 0
        assert end.dropped_packets - begin.dropped_packets < 20
