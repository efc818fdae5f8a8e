"""What iperf3's JSON says of its sender's streams, and what is none of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dumbbell.metrics.connection import Connection
from dumbbell.metrics.connections import capture, read
from dumbbell.problem import SpecError

FILE = Path(__file__).parent / "captures" / "iperf3.json"
"""iperf3 3.12 on Linux 6.18, CUBIC for 30 s: 20 Mbit/s, 40 ms, a queue of 1 BDP."""


def changed(change: Callable[[Any], object]) -> bytes:
    said = json.loads(FILE.read_text(encoding="utf-8"))
    change(said)
    return json.dumps(said).encode()


def streams(text: bytes) -> tuple[Connection, ...]:
    return capture("mine.json", text).connections


def test_a_real_stream_is_read_as_a_connection() -> None:
    captured = read(str(FILE))
    (own,) = captured.connections
    assert (captured.source, captured.other_sockets) == ("iperf3", 0)
    assert (own.cc, own.mss_bytes, own.resent_segments, own.app_limited) == ("cubic", 1448, 19, False)
    assert (own.min_rtt_s, own.srtt_s, own.busy_s) == pytest.approx((0.053608, 0.081543, 30.0), rel=0.01)
    assert (own.sent_bytes, own.resent_bytes) == (73_400_320 + 19 * 1448, 19 * 1448)
    assert own.delivery_bps == pytest.approx(18.7e6, rel=0.01), "that of the receiver, with its start"
    assert own.peer.startswith("10.128.0.1:")


def test_several_tests_and_streams_are_as_many_connections() -> None:
    text = FILE.read_bytes()
    assert len(streams(text + b"\n" + text)) == 2

    def doubled(said: Any) -> None:
        other = json.loads(json.dumps(said["end"]["streams"][0]))
        other["sender"] |= {"socket": 99, "retransmits": 3}
        del other["receiver"]
        said["end"]["streams"].append(other)

    first, second = streams(changed(doubled))
    assert (first.resent_segments, second.resent_segments) == (19, 3)
    assert second.delivery_bps == pytest.approx(19.57e6, rel=0.01), "without a receiver the sender's"


def test_a_limited_rate_is_the_applications() -> None:
    (own,) = streams(changed(lambda said: said["start"]["test_start"].update(target_bitrate=10**6)))
    assert own.app_limited


def test_garbled_fields_are_not_there() -> None:
    def garbled(said: Any) -> None:
        said["start"] = []
        said["end"]["streams"][0]["receiver"] = []
        said["end"]["streams"][0]["sender"] |= {
            "bytes": -5,
            "retransmits": "many",
            "seconds": None,
            "bits_per_second": 1e400,
        }

    (own,) = streams(changed(garbled))
    assert (own.sent_bytes, own.resent_segments, own.busy_s, own.delivery_bps, own.local) == (0.0, 0, None, None, "")


BAD = {
    "cut off": (FILE.read_bytes()[:9000], "is no JSON from line 1 on: "),
    "other JSON": (b'{"rate": 3}', "is JSON, and not iperf3's"),
    "no object": (b'{"end": 3} [1]', "is JSON, and not iperf3's"),
    "failed": (
        changed(lambda said: said.update(error="unable to connect")), "is iperf3's JSON of a test that failed: unable",
    ),
    "events": (b'{"event":"start","data":{}}\n{"event":"end","data":{}}', "is iperf3's --json-stream, an event a line"),
    "UDP": (
        changed(lambda said: said["end"].update(streams=[{"udp": {"bytes": 3}}])),
        "is iperf3's JSON of a test of UDP, which has no congestion control",
    ),
    "-R": (
        changed(lambda said: said["end"]["streams"][0]["sender"].update(min_rtt=0)),
        "is iperf3's JSON without a sender's round-trip times: of a receiver",
    ),
    "deep": (b'{"end":' * 100_000, "is no JSON from line 1 on: "),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_none_of_a_sender_is_one_message(name: str) -> None:
    text, message = BAD[name]
    with pytest.raises(SpecError) as caught:
        capture("mine.json", text)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"mine.json: {message}")
    assert str(problem).endswith("give what `iperf3 -c HOST --json` wrote at the sender")
