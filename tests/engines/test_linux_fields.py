"""Every field of a spec means the same to a real kernel as to the model of one.

Each case asks for a field that shows in a number, and each tolerance is smaller than what the number would be off by
if one of the engines ignored that field. The bands of docs/validation.md (3 % of the total goodput, 15 points of the
queueing delay) serve where congestion control decides; where arithmetic does, the tolerance says what it leaves open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.results.schema import Result
from dumbbell.spec import Run
from measured import known
from specs import resolved

pytestmark = pytest.mark.slow

PATH = {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}
CUBIC = [{"cc": "cubic"}]
BBR = [{"cc": "bbr"}]
FRAME = 1514
DRAIN_MS = 25.0
"""What a full buffer of `PATH` adds to the round-trip time."""
BAND = 0.03
DELAY_BAND_MS = 0.15 * DRAIN_MS
DONE = {"duration": "until done", "time_limit": "10 s", "measure": {}}


@dataclass(frozen=True)
class Seen:
    """What one engine gave for a case."""

    run: Run
    result: Result
    measurement: Measurement


@dataclass(frozen=True)
class Number:
    """A number of each engine, and how far apart they may be."""

    of: Callable[[Seen], float | int | None]
    tolerance: float
    relative: bool = False


def goodput(tolerance: float = BAND) -> Number:
    """Of all flows in the window."""
    return Number(lambda seen: sum(flow.goodput_bps or 0 for flow in seen.result.flows), tolerance, relative=True)


def ms(name: str, tolerance: float, flow: int = 0) -> Number:
    """A time of a flow's summary."""
    return Number(lambda seen: 1e3 * (getattr(seen.result.flows[flow], f"{name}_s") or 0), tolerance)


def counted(name: str, tolerance: float, *, relative: bool = False) -> Number:
    """What the first flow counted to its end."""
    return Number(lambda seen: getattr(seen.measurement.flows[0].at_end, name), tolerance, relative)


def of_queue(name: str, tolerance: float, *, relative: bool = False) -> Number:
    return Number(lambda seen: getattr(seen.result.bottleneck, name), tolerance, relative)


def lost_before_the_queue(tolerance: float) -> Number:
    """What flows sent in the window and the queue did not see."""
    return Number(
        lambda seen: (
            sum(flow.segments_sent for flow in seen.result.flows) - (seen.result.bottleneck.offered_packets or 0)
        ),
        tolerance,
    )


RTT = ms("rtt_mean", DELAY_BAND_MS)
FCT = ms("fct", 0.1)

CASES: dict[str, tuple[dict[str, Any], list[Number]]] = {
    "path.change": (
        {"path": PATH | {"change": [{"at": "4 s", "rate": "20 Mbit/s"}, {"at": "8 s", "rate": "80 Mbit/s"}]}},
        [goodput(), RTT],
    ),
    "path.burst, offload": (
        # One ACK a super-packet: a third of those without.
        {"path": PATH | {"burst": "70 kB", "offload": True}},
        [goodput(), RTT, counted("acks", 0.1, relative=True)],
    ),
    # The bucket takes super-packets whole, and the queue counts them: half as many packets' room is twice the bytes.
    "path.shaper": (
        {
            "path": PATH
            | {"burst": "1600 B", "shaper": "htb", "offload": True, "queue": "packets", "buffer": "50 packets"}
        },
        [goodput(), RTT, of_queue("queue_max_bytes", 0.1, relative=True)],
    ),
    "path.shaper_at": (
        {"path": PATH | {"shaper": "htb", "shaper_at": "receiver"}},
        [goodput(), RTT, of_queue("queue_max_bytes", 5 * FRAME)],
    ),
    # What is on its way, at 76.5 Mbit/s of payload, is 239 kB more or less delivered at the end.
    "path.delay_side forward": (
        {"path": PATH | {"delay_side": "forward"}},
        [goodput(), counted("delivered_bytes", 20 * FRAME)],
    ),
    "path.delay_side split": (
        {"path": PATH | {"delay_side": "split"}},
        [goodput(), counted("delivered_bytes", 20 * FRAME)],
    ),
    "path.buffer in packets": (
        # Samples miss a peak by what the queue grows in between: CUBIC adds less than a packet a round trip there.
        {"path": PATH | {"queue": "packets", "buffer": "100 packets"}},
        [goodput(), of_queue("queue_max_bytes", 5 * FRAME)],
    ),
    # 165 are lost in 5 s, with a standard deviation of 13: four of the difference's are 73.
    "path.loss_at before": (
        {"path": PATH | {"loss": "0.5 %"}, "flows": BBR},
        [goodput(), of_queue("random_lost_packets", 73), lost_before_the_queue(73)],
    ),
    # The queue sees what is sent: nothing is on its way between a sender and the queue.
    "path.loss_at after": (
        {"path": PATH | {"loss": "0.5 %", "loss_at": "after"}, "flows": BBR},
        [goodput(), of_queue("random_lost_packets", 73), lost_before_the_queue(2)],
    ),
    # A wire's: of 80 Mbit/s 75.3 are payload, not 76.5. A change of rate must not take it away.
    "path.overhead": (
        {"path": PATH | {"overhead": "38 B", "change": [{"at": "4 s", "rate": "40 Mbit/s"}]}},
        [goodput(), RTT, of_queue("queue_max_bytes", 5 * FRAME)],
    ),
    "path.overhead, htb": (
        {"path": PATH | {"overhead": "200 B", "shaper": "htb", "queue": "packets", "buffer": "100 packets"}},
        [goodput(), RTT, of_queue("queue_max_bytes", 5 * FRAME)],
    ),
    # Only headers matter: with 1500 bytes goodput is 3.7 % less.
    "path.mtu": ({"path": PATH | {"mtu": 9000, "burst": "20 kB"}}, [goodput(0.005), RTT]),
    # 12 385 frames each in 5 s, one more or less at each end; the queue before the line is another matter.
    "flows.access": (
        {"flows": [{"cc": "cubic", "count": 2, "access": {"rate": "30 Mbit/s", "buffer": "100 kB"}}]},
        [goodput(0.0005)],
    ),
    "flows.rtt": (
        {"flows": [{"cc": "cubic"}, {"cc": "cubic", "name": "far", "rtt": "75 ms", "start": "100 ms"}]},
        # The second begins when the queue still has the first one's slow start, a frame or two of 0.15 ms.
        [goodput(), ms("rtt_min", 0.01, 0), ms("rtt_min", 0.6, 1)],
    ),
    "flows.stop": (
        {"flows": [{"cc": "cubic", "stop": "7 s"}]},
        [goodput(), counted("delivered_bytes", BAND * 66e6)],
    ),
    # The schedule is the application's: nothing is left open but the path's own microseconds.
    "flows.workload stream": (
        {"flows": [{"cc": "cubic", "workload": {"stream": "20 Mbit/s", "for": "4 s", "every": "10 ms"}}]},
        [FCT, counted("acks", 0.15, relative=True), counted("delivered_bytes", 0)],
    ),
    "flows.workload trace": (
        {"flows": [{"cc": "cubic", "workload": {"trace": "TRACE"}}], "measure": {}},
        [FCT],
    ),
    # Slow start and its end, to a tenth of a millisecond: a packet takes 0.15 ms.
    "flows.workload transfer, until done": (
        DONE
        | {
            "flows": [
                {"cc": "cubic", "workload": {"transfer": size}, "name": size.replace(" ", ""), "start": start}
                for size, start in (("10 kB", "0 s"), ("100 kB", "1 s"), ("5 MB", "2 s"))
            ]
        },
        [FCT, ms("fct", 0.1, 1), ms("fct", 0.1, 2)],
    ),
    # One round trip, and five.
    "host.initial_window 32": (
        DONE | {"flows": [{"cc": "cubic", "workload": {"transfer": "40 kB"}}], "host": {"initial_window": 32}},
        [FCT],
    ),
    "host.initial_window 1": (
        DONE | {"flows": [{"cc": "cubic", "workload": {"transfer": "40 kB"}}], "host": {"initial_window": 1}},
        [FCT],
    ),
    # Paced, slow start takes 9 ms longer: half of that.
    "host.qdisc": (
        DONE | {"flows": [{"cc": "cubic", "workload": {"transfer": "100 kB"}}], "host": {"qdisc": "fq"}},
        [ms("fct", 4.5)],
    ),
    # 69 segments a round trip: one is 1.5 % of them, and those that wait for a delayed ACK make it 2 % longer.
    "host.receive_window": (
        {"flows": BBR, "host": {"receive_window": "100 kB"}},
        [goodput(0.035)],
    ),
    # 103 segments, and the same; 64 kB that an application had not read yet would take a fifth of the memory.
    "host.socket_memory": (
        {"host": {"socket_memory": "300 kB"}},
        [goodput(0.035), Number(lambda seen: seen.result.flows[0].rwnd_limited_s, 0.1)],
    ),
    # Compression would take a fifth of the ACKs away.
    "host.sack_compression": (
        {"path": PATH | {"buffer": "0.3 bdp"}, "flows": [*BBR, *CUBIC], "host": {"sack_compression": False}},
        [goodput(), counted("acks", 0.1, relative=True)],
    ),
    # Noise adds half its bound; 200 draws of each engine's own tell that to 0.16 ms, and four times that is allowed.
    "path.jitter": (
        {
            "path": PATH | {"jitter": "8 ms"},
            "flows": [{"cc": "cubic", "workload": {"stream": "1 Mbit/s", "for": "8 s", "every": "10 ms"}}],
        },
        [ms("rtt_mean", 0.9), counted("segments_retransmitted", 0)],
    ),
    # Small queues keep 3 ms in the line; its buffer has room for 27.
    "flows.access.kind device": (
        {"flows": [{"cc": "cubic", "access": {"rate": "30 Mbit/s", "buffer": "100 kB", "kind": "device"}}]},
        [goodput(0.0005), ms("rtt_mean", 1.4)],
    ),
    "flows.access.kind router": (
        {"flows": [{"cc": "cubic", "access": {"rate": "30 Mbit/s", "buffer": "100 kB", "kind": "router"}}]},
        [goodput(0.0005), ms("rtt_mean", 1.4)],
    ),
    # The handshake waits for the end of a slot; merged, half as many ACKs come back. How many ACKs answer a lump
    # hangs on where its bursts end: with noise of hosts one seed of either engine varies by 6 %.
    "host.ack_aggregation": (
        {"path": PATH | {"jitter": "none"}, "host": {"ack_aggregation": "1 ms"}},
        [goodput(), ms("rtt_min", 0.01), RTT, counted("acks", 0.05, relative=True)],
    ),
    "host.gro": (
        {"host": {"ack_aggregation": "1 ms", "gro": True}},
        [goodput(), RTT, counted("acks", 0.1, relative=True)],
    ),
    "many flows, start_jitter, record": (
        {
            "path": PATH | {"rate": "200 Mbit/s"},
            "flows": [{"cc": "cubic", "count": 100}],
            "duration": "6 s",
            "start_jitter": "100 ms",
            "measure": {"window": ["50 %", "100 %"], "record": "summary"},
        },
        [
            goodput(),
            RTT,
            of_queue("loss_rate", 0.3, relative=True),
            Number(lambda seen: sum(flow.start_s for flow in seen.result.flows), 0),
            Number(lambda seen: sum(flow.series.cwnd_segments.size for flow in seen.measurement.flows), 0),
        ],
    ),
}


SEEDS = {"path.shaper": range(1, 9)}
"""Where chance decides, as whether CUBIC has a short cycle or a long one: RTTs of eight seeds are 48.5 to 54.4 ms."""


def seen(engine: LinuxEngine | SimEngine, fields: dict[str, Any], patch: pytest.MonkeyPatch, seed: int = 1) -> Seen:
    measurements: list[Measurement] = []
    original = engine.measure

    def keeping(run: Run) -> Measurement:
        measurements.append(original(run))
        return measurements[-1]

    patch.setattr(engine, "measure", keeping)
    planned = resolved(**{"path": PATH, "flows": CUBIC, "start_jitter": "0 s", "seeds": [seed]} | fields)
    outcome = execute(Planned({}, planned), engine, "0")[0]
    assert isinstance(outcome, Result), outcome
    return Seen(planned.run, outcome, measurements[-1])


def holds_together(each: Seen) -> None:
    """What is true of every measurement, whoever made it."""
    run, queue, flows = each.run, each.measurement.bottleneck, each.measurement.flows
    for at in (queue.at_window_begin, queue.at_window_end, queue.at_end):
        assert at.offered_packets == at.sent_packets + at.dropped_packets + at.queued_packets
    most_bps = max(run.path.rate_bps, *(rate_bps for _, rate_bps in run.path.rates_in_time), 0)
    window_s = each.result.window_s[1] - each.result.window_s[0]
    left = sum(flow.at_window_end.bottleneck_bytes - flow.at_window_begin.bottleneck_bytes for flow in flows)
    # A bucket that may owe lets one packet more pass.
    owed = 65_536 if run.path.shaper == "htb" else 0
    assert 8 * left <= most_bps * window_s + 8 * (run.path.burst_bytes + owed)
    for flow in flows:
        new = flow.at_end.segments_sent - flow.at_end.segments_retransmitted
        assert 0 < flow.at_end.delivered_bytes <= new * (run.path.mtu_bytes - 52)


@pytest.mark.parametrize("case", CASES)
def test_a_field_means_the_same_to_both_engines(
    linux: LinuxEngine, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields, numbers = CASES[case]
    if "trace" in case:
        (tmp_path / "writes.csv").write_text("0,20000\n0.5,1000000\n0.51,100\n2,50000\n", encoding="utf-8")
        fields = fields | {"flows": [{"cc": "cubic", "workload": {"trace": str(tmp_path / "writes.csv")}}]}
    real, model = (
        [seen(engine, fields, monkeypatch, seed) for seed in SEEDS.get(case, [1])] for engine in (linux, SimEngine())
    )
    for each in (*real, *model):
        holds_together(each)
    for number in numbers:
        ours, theirs = (fmean(known(number.of(each)) for each in side) for side in (real, model))
        room = number.tolerance * abs(ours) if number.relative else number.tolerance
        assert abs(ours - theirs) <= room, (ours, theirs, room)
