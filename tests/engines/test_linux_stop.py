"""What follows a flow's stop, on both engines: the application aborts, as SO_LINGER with no time has it."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from specs import resolved

pytestmark = pytest.mark.slow

STOP = "5 s"
RATE_BPS = 20_000_000


def measured(engine: LinuxEngine | SimEngine, cc: str, **words: Any) -> Measurement:
    path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "2 bdp"}
    run = resolved(
        path=path,
        flows=[{"cc": cc, "stop": STOP}],
        duration="7 s",
        start_jitter="0 s",
        measure={"window": [STOP, "7 s"]},
        **words,
    ).run
    return engine.measure(run)


def after(measurement: Measurement) -> tuple[int, int, int]:
    """Packets and bytes that left the bottleneck after the stop, and packets that had waited there at it."""
    begin, end = measurement.bottleneck.at_window_begin, measurement.bottleneck.at_window_end
    assert end.queued_packets == 0
    return end.sent_packets - begin.sent_packets, end.sent_bytes - begin.sent_bytes, begin.queued_packets


@pytest.mark.parametrize(
    ("cc", "words"),
    [("cubic", {}), ("bbr", {}), ("cubic", {"host": {"qdisc": "fq"}}), ("bbr", {"host": {"qdisc": "fq"}})],
)
def test_a_flow_that_stops_sends_resets_and_nothing_else(linux: LinuxEngine, cc: str, words: dict[str, Any]) -> None:
    engines = (linux, SimEngine())
    (packets, size, _), (model_packets, model_size, _) = (after(measured(engine, cc, **words)) for engine in engines)
    print(cc, words, packets, size, model_packets, model_size)
    assert model_packets == pytest.approx(packets, rel=0.05)
    assert model_size == pytest.approx(size, rel=0.05)


def test_a_lost_tail_is_not_sent_again_after_a_stop(linux: LinuxEngine) -> None:
    """A stop in slow start, while the queue overflows: what is lost stays lost."""
    for engine in (linux, SimEngine()):
        path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "10 packets"}
        flows = [{"cc": "reno", "stop": "140 ms"}, {"cc": "reno", "start": "3 s"}]
        words = {"path": path, "flows": flows, "duration": "4 s", "start_jitter": "0 s"}
        run = resolved(**words, measure={"window": ["140 ms", "2.9 s"]}).run
        measurement = engine.measure(run)
        begin, end = measurement.bottleneck.at_window_begin, measurement.bottleneck.at_window_end
        sent = measurement.flows[0].at_end.segments_sent
        # Whatever left after the stop had been sent before it, or is a reset of 66 bytes at most.
        data = (end.sent_bytes - begin.sent_bytes - 66 * (end.sent_packets - begin.sent_packets)) // 1_448
        assert begin.sent_packets + data <= sent + 3
        assert begin.dropped_packets > 0 and end.dropped_packets - begin.dropped_packets < 20
