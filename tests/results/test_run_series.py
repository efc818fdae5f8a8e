"""Series of hand-made runs, as claims and figures take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dumbbell.results.run_series import (
    ack_rtts_s,
    backlog_bytes,
    dropped_and_sent,
    gauge,
    group_rates_bps,
    quartiles_bps,
    received,
    throughput_bps,
)
from dumbbell.studies.evidence import RunData
from observed import frame, observed

AT = np.arange(0, 10.01, 0.5)


@pytest.fixture
def run() -> RunData:
    """A BBR flow of 8 Mbit/s and two CUBIC flows of 4 and of 0, then 8, half a second each; one drop in ten sent."""
    steady = frame(0, AT, AT * 1e6, "probe_bw").assign(srtt_s=0.05, cwnd_bytes=np.where(AT < 5, np.nan, 30_000.0))
    half = frame(1, AT, AT * 0.5e6, "avoidance")
    turns = frame(2, AT, np.floor(AT + 0.001) * 0.5e6, "avoidance")
    queue = pd.DataFrame(
        {"time_s": AT, "backlog_bytes": AT * 1000, "dropped_packets": AT * 10, "sent_packets": AT * 100}
    )
    acks = pd.DataFrame({"flow": [0, 1, 0], "time_s": [1.0, 1.5, 2.0], "rtt_s": [0.025, 0.1, 0.026]})
    groups = {"bbr": [8.0], "cubic": [4.0, 4.0]}
    return observed({}, groups, (2, 8), series=pd.concat([steady, half, turns]), backlog=queue, acks=acks)


def test_bytes_received_are_counters_by_flow(run: RunData) -> None:
    assert list(received(run)) == [0, 1, 2]
    assert list(received(run, "cubic")) == [1, 2]
    assert received(run)[0].at([2.25]) == pytest.approx([2.25e6])


def test_a_hole_that_is_filled_is_no_burst_of_throughput() -> None:
    filled = frame(0, AT, AT * 1e6, "recovery").assign(delivered_bytes=np.where(AT < 5, 0, AT * 1e6))
    run = observed({}, {"cubic": [8.0]}, (0, 10), series=filled)
    assert throughput_bps(run, 0, 4, 6) == pytest.approx([8e6] * 4)


def test_a_groups_rates_are_the_sum_of_its_flows(run: RunData) -> None:
    assert group_rates_bps(run, "cubic", 2, 4) == pytest.approx([4e6, 12e6] * 2)
    assert group_rates_bps(run, None, 2, 4, bin_s=1) == pytest.approx([16e6] * 2)


def test_quartiles_are_of_each_flow_by_itself(run: RunData) -> None:
    assert quartiles_bps(run, "cubic") == pytest.approx((4e6 + 0, 4e6 + 8e6))


def test_a_gauge_is_taken_where_it_is_known(run: RunData) -> None:
    series = gauge(run, 0, "cwnd_bytes")
    assert (series.time_s[0], series.time_s[-1]) == (5, 10)
    assert set(series.value) == {30_000}
    assert gauge(run, 0, "srtt_s", 1, 2).time_s.tolist() == [1, 1.5, 2]
    assert gauge(run, 1, "cwnd_bytes").value.size == 0


def test_the_queue_and_single_acks(run: RunData) -> None:
    assert backlog_bytes(run, 1, 2).value.tolist() == [1000, 1500, 2000]
    dropped, sent = dropped_and_sent(run)
    assert (dropped.at([3.0])[0], sent.at([3.0])[0]) == (30, 300)
    assert ack_rtts_s(run, 0).value.tolist() == [0.025, 0.026]
    assert ack_rtts_s(run, 0, 1.5).time_s.tolist() == [2.0]
