"""What samples of a path say of it: of a queue that is computed, and of samples that no path gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from dumbbell.engines.hosts.path_estimate import MeasuredPath, estimated
from dumbbell.engines.hosts.path_samples import PathSamples
from dumbbell.spec.quantity import Bytes, Rate, Time

MS, S = 1_000_000, 1_000_000_000
FRAME_BYTES, ECHO_BYTES = 1514, 58
BEGIN_NS = 1_700_000_000 * S
AHEAD_NS = -123 * S
"""How far the receiver's clock is ahead."""


def echo(sent_ns: int, way_ns: int, back_ns: int) -> dict[str, int]:
    """The receiver takes 0.3 ms to answer."""
    there_ns = sent_ns + way_ns
    return {
        "sent_ns": sent_ns,
        "there_ns": there_ns + AHEAD_NS,
        "left_ns": there_ns + AHEAD_NS + 300_000,
        "back_ns": there_ns + 300_000 + back_ns,
    }


def samples(rate_bps: float, rtt_ns: int, queue_bytes: int, *, lost_of: int = 0, fills: bool = True) -> dict[str, Any]:
    """Of a flow whose window grows by a segment each 10 ms and halves where the queue is full, or else stops growing.

    One of `lost_of` segments is lost elsewhere, and ACKs wait for up to 3 ms.
    """
    bdp_bytes = rate_bps * rtt_ns / 8 / S
    most_bytes = bdp_bytes + (queue_bytes if fills else 0.5 * queue_bytes)
    window_bytes, segments, sent_again = 0.9 * most_bytes, 0.0, 0
    sent, arrived, echoes = [], [], []
    for step in range(1000):
        now_ns = BEGIN_NS + 3 * S + 10 * MS * step
        queued_bytes = min(max(window_bytes - bdp_bytes, 0.0), queue_bytes)
        wait_ns = round(queued_bytes * 8 * S / rate_bps)
        echoes.append(echo(now_ns, rtt_ns // 2 + wait_ns, rtt_ns - rtt_ns // 2 + 3 * MS * (step % 7) // 6))
        flowing_bps = min(rate_bps, window_bytes * 8 * S / rtt_ns)
        wire_bytes = flowing_bps * 10e-3 / 8 - ECHO_BYTES
        segments += wire_bytes / FRAME_BYTES
        if lost_of and int(segments / lost_of) > int((segments - wire_bytes / FRAME_BYTES) / lost_of):
            sent_again += 1
        if window_bytes >= most_bytes and fills:
            sent_again += 5
            window_bytes /= 2
        window_bytes = min(window_bytes + FRAME_BYTES, most_bytes)
        rtt_us = (rtt_ns + wait_ns) // 1000
        sent.append({"at_ns": now_ns, "segments": int(segments), "again": sent_again, "rtt_us": rtt_us})
        arrived.append(
            {"at_ns": now_ns + rtt_ns // 2 + AHEAD_NS, "segments": int(segments), "bytes": int(segments) * 1448}
        )
    idle = [echo(BEGIN_NS + 30 * MS * nth, rtt_ns // 2, rtt_ns - rtt_ns // 2 + 7_000 * (nth % 5)) for nth in range(50)]
    load = {
        "control": "cubic", "mss_bytes": 1448, "mtu_bytes": 1500, "took_ns": 10 * S, "sent_bytes": int(segments) * 1448,
        "busy_us": 10_000_000, "window_limited_us": 0, "buffer_limited_us": 0, "sent": sent, "arrived": arrived,
    }  # fmt: skip
    return {
        "echo_bytes": ECHO_BYTES,
        "idle": {"sent": 50, "echoes": idle},
        "loaded": {"sent": 1000, "echoes": echoes},
        "load": load,
    }


def said(raw: dict[str, Any]) -> MeasuredPath:
    measured = estimated(convert(raw, PathSamples))
    assert measured is not None
    return measured


@pytest.mark.parametrize(
    ("rate_bps", "rtt_ns", "queue_bytes"), [(20e6, 30 * MS, 150_000), (2e6, 40 * MS, 40_000), (200e6, 20 * MS, 300_000)]
)
def test_a_path_that_was_filled(rate_bps: float, rtt_ns: int, queue_bytes: int) -> None:
    measured = said(samples(rate_bps, rtt_ns, queue_bytes))
    for number, truth, bar in (
        (measured.rate_bps, rate_bps, 0.002),
        (measured.rtt_ns, rtt_ns, 0.001),
        (measured.queue_bytes, queue_bytes, 0.1),
    ):
        assert number.value == pytest.approx(truth, rel=bar), number
        assert number.low is not None
        assert number.high is not None
        assert number.low <= truth <= number.high
    assert measured.random_loss.value == 0
    assert "overflowed" in measured.limit


def test_a_queue_that_was_never_full_is_at_least_what_waited() -> None:
    measured = said(samples(20e6, 30 * MS, 150_000, fills=False))
    assert measured.rate_bps.value == pytest.approx(20e6, rel=0.01)
    queue = measured.queue_bytes
    assert (queue.value, queue.high) == (None, None)
    assert queue.low == pytest.approx(75_000, rel=0.05)
    assert measured.limit == "the path, but its queue never overflowed"


def test_loss_elsewhere_is_not_the_queues() -> None:
    raw = samples(20e6, 30 * MS, 150_000, lost_of=500)
    # A flow that has half of what fills the path, so that nothing waits.
    for each in raw["loaded"]["echoes"]:
        each.update(echo(each["sent_ns"], 15 * MS, 15 * MS))
    for each in raw["load"]["sent"]:
        each["rtt_us"] = 30_000
    measured = said(raw)
    assert measured.rate_bps.reason.startswith("no queue stood")
    assert measured.limit.startswith("neither the path nor the hosts")
    assert measured.rate_bps.value is None
    assert measured.queue_bytes.value is None
    loss = measured.random_loss
    assert loss.low is not None
    assert loss.high is not None
    again = raw["load"]["sent"][-1]["again"] / raw["load"]["sent"][-1]["segments"]
    assert 0 < loss.low < again < loss.high


def test_a_queue_for_each_flow_is_no_queue_of_small_packets() -> None:
    raw = samples(20e6, 30 * MS, 150_000)
    for each in raw["loaded"]["echoes"]:
        each.update(echo(each["sent_ns"], 15 * MS, 15 * MS))
    rate = said(raw).rate_bps
    assert (rate.value, rate.high) == (None, None)
    assert rate.low == pytest.approx(20e6, rel=0.1)
    assert rate.reason.startswith("the flow waited and small packets did not: ")


def test_who_is_held_back_by_a_window_says_so() -> None:
    raw = samples(20e6, 30 * MS, 150_000, fills=False)
    raw["load"]["window_limited_us"] = 6_000_000
    assert said(raw).limit == "the receiver's window, for 60.0 % of its time"


def test_nothing_came_back() -> None:
    raw = samples(20e6, 30 * MS, 150_000)
    nothing = {"sent": 50, "echoes": []}
    assert estimated(convert({**raw, "idle": nothing}, PathSamples)) is None
    assert estimated(convert({**raw, "loaded": nothing}, PathSamples)) is None


NUMBER = st.one_of(st.integers(0, 3), st.integers(0, 2**63 - 1))
TIMES = ("sent_ns", "there_ns", "left_ns", "back_ns")
ECHOES = st.builds(
    lambda echoes: {"sent": 9, "echoes": echoes},
    st.lists(st.fixed_dictionaries(dict.fromkeys(TIMES, NUMBER)), max_size=9),
)
LOAD = st.fixed_dictionaries(
    {
        "control": st.just("reno"),
        **dict.fromkeys(("mss_bytes", "mtu_bytes"), st.integers(1, 65535)),
        **dict.fromkeys(("took_ns", "sent_bytes", "busy_us", "window_limited_us", "buffer_limited_us"), NUMBER),
        "sent": st.lists(
            st.fixed_dictionaries(dict.fromkeys(("at_ns", "segments", "again", "rtt_us"), NUMBER)), max_size=9
        ),
        "arrived": st.lists(st.fixed_dictionaries(dict.fromkeys(("at_ns", "segments", "bytes"), NUMBER)), max_size=9),
    }
)


@given(st.fixed_dictionaries({"echo_bytes": st.integers(1, 65535), "idle": ECHOES, "loaded": ECHOES, "load": LOAD}))
def test_whatever_hosts_say_is_judged_without_a_crash(raw: dict[str, Any]) -> None:
    measured = estimated(convert(raw, PathSamples))
    if measured is not None:
        for kind, each in ((Rate, measured.rate_bps), (Time, measured.rtt_ns), (Bytes, measured.queue_bytes)):
            assert all(kind.show(end, 4) for end in (each.low, each.value, each.high) if end is not None)
