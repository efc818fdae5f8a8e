"""What iperf3 would say: a window's bytes, and those that reach the receiver before its last message does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from dumbbell.metrics.iperf3 import (
    BARE_SEGMENT_MEMORY_BYTES,
    SEGMENT_MEMORY_BYTES,
    SendBuffer,
    goodputs_bps,
    time_to_write_s,
)
from dumbbell.metrics.window import Window
from measured import SECOND, flow, flow_counters, flow_series, measurement, queue
from specs import resolved

LINE = {"rate": "8 Mbit/s", "rtt": "20 ms", "buffer": "3 MB"}
TEST = Window(0, 60 * SECOND)


def goodput_bps(backlog_bytes: int, path: Mapping[str, object] | None = None, window: Window = TEST) -> float | None:
    """Of a flow that has a million bytes a second for 70 s, with such a queue at the end of its test."""
    run = resolved(path=LINE | dict(path or {}), duration="70 s").run
    even = flow(
        at_end=flow_counters(70, delivered_bytes=70_000_000),
        series=flow_series([10, 60, 70], delivered_bytes=[10_000_000, 60_000_000, 70_000_000]),
    )
    measured = measurement(
        even, bottleneck=queue(at_s=[59, 61], backlog_bytes=[backlog_bytes, backlog_bytes]), ended_s=70
    )
    (only,) = goodputs_bps(run, measured, window)
    return only


def test_it_counts_until_the_last_message_has_passed_the_queue() -> None:
    assert goodput_bps(0) == pytest.approx(8e6)
    assert goodput_bps(3_000_000) == pytest.approx(8e6 * 63 / 60), "three seconds of queue are read, too"
    assert goodput_bps(3_000_000, window=Window(30 * SECOND, 60 * SECOND)) == pytest.approx(8e6 * 33 / 30)


def test_the_message_has_the_way_of_the_data_before_it() -> None:
    assert goodput_bps(0, {"rtt": "6 s", "delay_side": "forward"}) == pytest.approx(8e6 * 66 / 60)


def test_the_queue_drains_at_the_rates_of_those_moments() -> None:
    halved = {"change": [{"at": "30 s", "rate": "4 Mbit/s"}, {"at": "65 s", "rate": "8 Mbit/s"}]}
    assert goodput_bps(3_000_000, halved) == pytest.approx(8e6 * 65.5 / 60)  # 5 s at 4 Mbit/s, and half a second at 8


def test_there_is_none_where_the_run_is_over_before() -> None:
    assert goodput_bps(11_000_000) is None


BARE = SendBuffer(windows=2, segment_memory_bytes=BARE_SEGMENT_MEMORY_BYTES)


def written(buffer: SendBuffer = BARE, **series: list[float]) -> float | None:
    """When a million bytes are written by a sender with a window of 110 segments and a sample a tenth of a second."""
    at_s = np.arange(1, 41) / 10
    line = {"acked_bytes": 1e6 * (at_s - 1).clip(0), "cwnd_segments": np.full(40, 110.0)}
    values = line | {name: np.asarray(each, dtype=np.float64) for name, each in series.items()}
    return time_to_write_s(at_s, values["acked_bytes"], values["cwnd_segments"], 1_000_000, buffer)


def test_a_transfer_is_written_before_it_is_delivered_by_what_the_send_buffer_holds() -> None:
    """220 segments of 2304 B are 506,880 B, of which 500,975 are payload: full, and again when 166,992 are free."""
    assert written() == pytest.approx(1.6), "500,975 at once, 200,000 more at 1.2 s, at 1.4 and at 1.6"
    assert written(replace(BARE, windows=3)) == pytest.approx(1.3), (
        "751,463 at once, and when 250,488 are acknowledged the rest"
    )
    assert written(cwnd_segments=[300.0] * 40) == pytest.approx(0.1), "all of it at once"


def test_a_distributions_kernel_reserves_more_for_a_segment() -> None:
    """220 segments of 4352 B are 957,440 B, 946,287 of payload; 315,429 are to be free before more is written."""
    assert SEGMENT_MEMORY_BYTES * 20 == 87_040, "as `ss -tm` tells of a window of ten: tb87040"
    assert BARE_SEGMENT_MEMORY_BYTES * 20 == 46_080, "as the simulator's and the engine linux's"
    assert written(SendBuffer(windows=2)) == pytest.approx(1.4), "and then to the end"
    assert written(SendBuffer(windows=2), cwnd_segments=[120.0] * 40) == pytest.approx(0.1)


def test_a_send_buffer_grows_no_further_than_its_memory() -> None:
    """400,000 B hold 395,340 of payload, and are filled again when 131,780 of it are free."""
    limited = written(replace(BARE, most_bytes=400_000), cwnd_segments=[5000.0] * 40)
    assert limited == pytest.approx(1.8), "395,340 at once, at 1.2 s 200,000 more, and so on at 1.4, 1.6 and 1.8"
    assert written(replace(BARE, most_bytes=1e9)) == written()


def test_a_send_buffer_does_not_shrink_with_the_window() -> None:
    assert written(cwnd_segments=[300.0, *[10.0] * 39]) == pytest.approx(0.1)
    assert written(cwnd_segments=[110.0, *[10.0] * 39]) == written()


def test_what_is_not_written_by_the_last_sample_has_no_time() -> None:
    assert written(acked_bytes=[0.0] * 40) is None
    assert written(cwnd_segments=[1.0] * 40, acked_bytes=[0.0] * 40) is None
