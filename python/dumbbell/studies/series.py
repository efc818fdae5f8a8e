"""Series of an observed run in the form that `metrics` takes: counters, samples, rates in bins. Base units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell.metrics.counter import Counter, rates_bps, summed_quantiles

if TYPE_CHECKING:
    from dumbbell.metrics.counter import Floats
    from dumbbell.studies.evidence import RunData

BIN_S = 0.5
"""The documents' usual bin, where none is said."""


class Samples(NamedTuple):
    """A gauge at its instants."""

    time_s: Floats
    value: Floats


def received(run: RunData, group: str | None = None) -> dict[int, Counter]:
    """The bytes of each flow's frames that left the bottleneck, over time: of one group's flows, or of all.

    It is what a capture at the receiver shows. Bytes delivered in order are not: they stand still while a hole is
    filled, and then jump above the line's rate.
    """
    frame = run.flow_series()
    counters = {}
    for flow in run.result.flows:
        if group in {None, flow.name}:
            own = frame[frame["flow"] == flow.flow]
            counters[flow.flow] = Counter.of(own["time_s"], own["bottleneck_bytes"], start_s=flow.start_s)
    return counters


def throughput_bps(run: RunData, flow: int, begin_s: float, end_s: float, bin_s: float = BIN_S) -> Floats:
    """A flow's throughput in whole bins between two instants."""
    return rates_bps(received(run)[flow], begin_s, end_s, bin_s)


def group_rates_bps(run: RunData, group: str | None, begin_s: float, end_s: float, bin_s: float = BIN_S) -> Floats:
    """The summed throughput of a group's flows, or of all, in whole bins between two instants."""
    rates = [rates_bps(flow, begin_s, end_s, bin_s) for flow in received(run, group).values()]
    return np.asarray(np.sum(rates, axis=0), dtype=np.float64)


def quartiles_bps(run: RunData, group: str, bin_s: float = BIN_S) -> tuple[float, float]:
    """First and third quartile of each flow's throughput in the window's bins, summed over the group's flows."""
    rates = [rates_bps(flow, *run.window_s, bin_s) for flow in received(run, group).values()]
    first, third = summed_quantiles(rates, (0.25, 0.75))
    return first, third


def gauge(run: RunData, flow: int, column: str, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """A column of `flow_series` for one flow, between two instants, where it is known.

    `srtt_s`, `cwnd_bytes`, `ssthresh_bytes`, `inflight_bytes`, `min_rtt_s`, `cc_min_rtt_s`, `pacing_rate_bps`,
    `delivery_rate_bps`, `bandwidth_bps`, `pacing_gain`, `cwnd_gain`.
    """
    frame = run.flow_series()
    own = frame[(frame["flow"] == flow) & frame["time_s"].between(begin_s, end_s)].dropna(subset=[column])
    return Samples(own["time_s"].to_numpy(np.float64), own[column].to_numpy(np.float64))


def backlog_bytes(run: RunData, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """What stood in the queue at each sample between two instants."""
    frame = run.queue_series()
    own = frame[frame["time_s"].between(begin_s, end_s)]
    return Samples(own["time_s"].to_numpy(np.float64), own["backlog_bytes"].to_numpy(np.float64))


def dropped_and_sent(run: RunData) -> tuple[Counter, Counter]:
    """The packets that the queue dropped, and those that it sent on, over time."""
    frame = run.queue_series()
    dropped, sent = (Counter.of(frame["time_s"], frame[f"{each}_packets"], start_s=0) for each in ("dropped", "sent"))
    return dropped, sent


def ack_rtts_s(run: RunData, flow: int, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """Single ACKs' round-trip times of one flow; only of an experiment that records "acks"."""
    frame = run.ack_series()
    own = frame[(frame["flow"] == flow) & frame["time_s"].between(begin_s, end_s)]
    return Samples(own["time_s"].to_numpy(np.float64), own["rtt_s"].to_numpy(np.float64))
