"""What a hostile host leaves of a run: it is refused in a line, and nothing of it reaches a terminal as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dumbbell.engines.hosts.join import believed
from dumbbell.errors import EngineFailure
from specs import resolved

RUN = resolved().run
COUNTERS = ("at_window_begin", "at_window_end", "at_end")
FLOW_COUNTS = (
    "at_ns", "delivered_bytes", "bottleneck_bytes", "segments_sent", "segments_retransmitted", "segments_lost", "acks",
    "timeouts", "probes", "undos", "dropped_packets", "random_lost_packets", "app_limited_ns", "rwnd_limited_ns",
    "sndbuf_limited_ns",
)  # fmt: skip
FLOW_SERIES = (
    "at_ns", "srtt_us", "delivered_bytes", "bottleneck_bytes", "cwnd_segments", "ssthresh_segments",
    "inflight_segments", "min_rtt_us", "cc_min_rtt_us", "pacing_rate_bps", "delivery_rate_bps", "bandwidth_bps",
    "pacing_gain_256ths", "cwnd_gain_256ths", "bw_hi_bps", "bw_lo_bps", "inflight_hi_segments", "inflight_lo_segments",
    "alpha_ppm", "phase",
)  # fmt: skip
QUEUE_COUNTS = (
    "at_ns", "offered_packets", "sent_packets", "sent_bytes", "dropped_packets", "random_lost_packets",
    "queued_packets", "queued_bytes",
)  # fmt: skip
QUEUE_SERIES = (
    "at_ns", "backlog_bytes", "backlog_packets", "dropped_packets", "marked_packets", "sent_packets",
    "low_latency_packets",
)  # fmt: skip


def measurement(**more: Any) -> dict[str, Any]:
    """One that is none of any host, and well-formed but for what is given."""
    flow: dict[str, Any] = {
        "started_ns": 0, "completed_ns": None, "rtt_min_ns": None, "acks": [], "phases": [],
        "ack_rtt": {"first_bin": 0, "counts": [], "count": 0, "sum": 0},
        "series": {name: [1, 2] for name in FLOW_SERIES},
        **{each: dict.fromkeys(FLOW_COUNTS, 0) for each in COUNTERS},
    }  # fmt: skip
    queue = {
        "series": {name: [1, 2] for name in QUEUE_SERIES},
        **{each: dict.fromkeys(QUEUE_COUNTS, 0) for each in COUNTERS},
    }
    return {"ended_ns": 1, "flows": [flow], "bottleneck": queue, **more}


def answer(content: dict[str, Any]) -> bytes:
    return json.dumps({"measured": content}).encode()


def test_one_that_is_well_formed_is_taken() -> None:
    assert believed("s1", answer(measurement()), RUN).ended_ns == 1


def uneven() -> dict[str, Any]:
    content = measurement()
    content["flows"][0]["series"]["delivered_bytes"] = [1]
    return content


@pytest.mark.parametrize(
    "left",
    [
        b"", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"measured":' + b"[" * 100_000, b'{"measured":null}',
        answer(measurement(flows=[])), answer(measurement(ended_ns=-1)), answer(uneven()),
        answer(measurement(flows=measurement()["flows"] * 2)), answer(measurement())[:-40],
        json.dumps({"failed": "\x1b[31m" + "no\r" * 10_000 + "\n" * 10_000}).encode(),
    ],
)  # fmt: skip
def test_what_is_no_measurement_of_the_run_is_refused(left: bytes, tmp_path: Path) -> None:
    with pytest.raises(EngineFailure) as failure:
        believed("s1", left, RUN)
    text = str(failure.value)
    assert text.startswith("s1: measure: ")
    assert all(line.isprintable() for line in text.splitlines())
    assert len(text) < 10_000
    assert list(tmp_path.iterdir()) == []
