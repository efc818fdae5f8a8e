"""Series of one run in the form that `metrics` takes: counters, samples, rates in bins. Base units."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from dumbbell.errors import StoreError
from dumbbell.metrics.counter import Counter, Floats, edges, rates_bps, summed_quantiles
from dumbbell.results.schema import Result
from dumbbell.results.store import Store

if TYPE_CHECKING:
    import pandas as pd

QueueCount: TypeAlias = Literal["dropped", "marked", "sent"]
"""What a queue does of packets that a run has over time."""
BIN_S = 0.5
"""The usual bin of a throughput over time, where none is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeries:
    """One run that was measured, with its series, each read when called."""

    result: Result
    flow_series: Callable[[], pd.DataFrame]
    """The gauges of its flows."""
    queue_series: Callable[[], pd.DataFrame]
    """The gauges of its bottleneck."""
    ack_series: Callable[[], pd.DataFrame]
    """Single ACKs' round-trip times, of an experiment that records "acks"."""
    hop_series: Callable[[], pd.DataFrame] | None = None
    """The gauges of every queue, by name; None: there is but one."""
    ss_series: Callable[[], pd.DataFrame] | None = None
    """What `ss` told of its senders' connections; None: it was not asked."""

    @property
    def window_s(self) -> tuple[float, float]:
        """Where its summary was taken."""
        return self.result.window_s


def stored(store: Store, run_id: str) -> RunSeries:
    """A run of a store; its series are read now.

    Raises:
        StoreError: the run kept no series, or failed, or is not there.
    """
    result = store.get(run_id)
    if not isinstance(result, Result):
        raise StoreError(f"run {run_id} was not measured")
    flows, queue = store.flow_series(run_id), store.queue_series(run_id)
    kinds = store.kinds(run_id)
    return RunSeries(
        result=result,
        flow_series=lambda: flows,
        queue_series=lambda: queue,
        ack_series=partial(store.ack_series, run_id),
        hop_series=partial(store.hop_series, run_id) if "hops" in kinds else None,
        ss_series=partial(store.ss_series, run_id) if "ss" in kinds else None,
    )


class Samples(NamedTuple):
    """A gauge at its instants, or a rate in the middles of bins."""

    time_s: Floats
    value: Floats


def received(run: RunSeries, group: str | None = None) -> dict[int, Counter]:
    """The bytes of each flow's frames that left the bottleneck, over time: of one group's flows, or of all.

    It is what a capture at the receiver shows. Bytes delivered in order are not: they stand still while a hole is
    filled, and then jump above the line's rate.
    """
    return _counted(run, group, "bottleneck_bytes")


def _counted(run: RunSeries, group: str | None, column: str) -> dict[int, Counter]:
    frame = run.flow_series()
    counters = {}
    for flow in run.result.flows:
        if group in {None, flow.name}:
            own = frame[frame["flow"] == flow.flow]
            counters[flow.flow] = Counter.of(own["time_s"], own[column], start_s=flow.start_s)
    return counters


def throughput_bps(run: RunSeries, flow: int, begin_s: float, end_s: float, bin_s: float = BIN_S) -> Floats:
    """A flow's throughput in whole bins between two instants."""
    return rates_bps(received(run)[flow], begin_s, end_s, bin_s)


def group_rates_bps(run: RunSeries, group: str | None, begin_s: float, end_s: float, bin_s: float = BIN_S) -> Floats:
    """The summed throughput of a group's flows, or of all, in whole bins between two instants."""
    rates = [rates_bps(flow, begin_s, end_s, bin_s) for flow in received(run, group).values()]
    return np.asarray(np.sum(rates, axis=0), dtype=np.float64)


def goodputs_bps(run: RunSeries, group: str, begin_s: float, end_s: float, bin_s: float) -> Floats:
    """The summed goodput of a group's flows, in whole bins between two instants."""
    delivered = _counted(run, group, "delivered_bytes").values()
    return np.asarray(np.sum([rates_bps(flow, begin_s, end_s, bin_s) for flow in delivered], axis=0), dtype=np.float64)


def quartiles_bps(run: RunSeries, group: str, bin_s: float = BIN_S) -> tuple[float, float]:
    """First and third quartile of each flow's throughput in the window's bins, summed over the group's flows."""
    rates = [rates_bps(flow, *run.window_s, bin_s) for flow in received(run, group).values()]
    first, third = summed_quantiles(rates, (0.25, 0.75))
    return first, third


def gauge(run: RunSeries, flow: int, column: str, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """A column of `flow_series` for one flow, between two instants, where it is known.

    `srtt_s`, `cwnd_bytes`, `ssthresh_bytes`, `inflight_bytes`, `min_rtt_s`, `cc_min_rtt_s`, `pacing_rate_bps`,
    `delivery_rate_bps`, `bandwidth_bps`, `pacing_gain`, `cwnd_gain`, `bw_hi_bps`, `bw_lo_bps`, `inflight_hi_bytes`,
    `inflight_lo_bytes`, `alpha`.
    """
    return _samples(run.flow_series(), column, begin_s, end_s, flow)


def ss_gauge(run: RunSeries, flow: int, column: str, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """A column of `ss_series` for all connections of one flow's sender, where known; nothing if `ss` was not asked.

    `srtt_s`, `min_rtt_s`, `cwnd_bytes`, `ssthresh_bytes`, `delivery_rate_bps`, `retransmitted`.
    """
    if run.ss_series is None:
        return Samples(np.empty(0), np.empty(0))
    return _samples(run.ss_series(), column, begin_s, end_s, flow)


def _samples(frame: pd.DataFrame, column: str, begin_s: float, end_s: float, flow: int | None = None) -> Samples:
    rows = frame["time_s"].between(begin_s, end_s)
    own = frame[rows if flow is None else rows & (frame["flow"] == flow)].dropna(subset=[column])
    return Samples(own["time_s"].to_numpy(np.float64), own[column].to_numpy(np.float64))


def mean_gauge(run: RunSeries, flows: Sequence[int], column: str, end_s: float, bin_s: float) -> Samples:
    """Of one flow its samples; of several the mean of all their samples in each bin up to an instant that has any."""
    samples = [gauge(run, flow, column) for flow in flows]
    if len(samples) == 1:
        return samples[0]
    time_s, value = (np.concatenate(column) for column in zip(*samples, strict=True))
    at = edges(0, end_s, bin_s)
    count, _ = np.histogram(time_s, at)
    total, _ = np.histogram(time_s, at, weights=value)
    known = count > 0
    return Samples(middles((0, end_s), bin_s)[known], np.asarray(total[known] / count[known], dtype=np.float64))


def middles(span: tuple[float, float], bin_s: float) -> Floats:
    """Of the whole bins in a span."""
    return edges(*span, bin_s)[:-1] + bin_s / 2


def backlog_bytes(run: RunSeries, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """What stood in the queue at each sample between two instants."""
    return _samples(run.queue_series(), "backlog_bytes", begin_s, end_s)


def backlogs_bytes(run: RunSeries) -> dict[str, Samples]:
    """What stood in each queue at each sample, by the hop's name; empty where there is one queue."""
    if run.hop_series is None:
        return {}
    frame = run.hop_series()
    return {
        hop.name: _samples(frame[frame["name"] == hop.name], "backlog_bytes", 0, math.inf) for hop in run.result.hops
    }


def queue_packets(run: RunSeries, what: QueueCount) -> Counter:
    """The packets of which the queue has done something, over time; nothing where it was not counted."""
    frame = run.queue_series()
    column = f"{what}_packets"
    packets = frame[column].fillna(0) if column in frame else np.zeros(len(frame))
    return Counter.of(frame["time_s"], packets, start_s=0)


def dropped_and_sent(run: RunSeries) -> tuple[Counter, Counter]:
    """The packets that the queue dropped, and those that it sent on, over time."""
    return queue_packets(run, "dropped"), queue_packets(run, "sent")


def queue_events(run: RunSeries, what: QueueCount, end_s: float, bin_s: float) -> Samples:
    """How many packets the queue has done something of, in each whole bin in which a sample has counted any."""
    counter = queue_packets(run, what)
    packets, _ = np.histogram(counter.time_s[1:], edges(0, end_s, bin_s), weights=np.diff(counter.total))
    there = packets > 0
    return Samples(middles((0, end_s), bin_s)[there], np.asarray(packets[there], dtype=np.float64))


def ack_rtts_s(run: RunSeries, flow: int, begin_s: float = 0.0, end_s: float = math.inf) -> Samples:
    """Single ACKs' round-trip times of one flow; only of an experiment that records "acks"."""
    return _samples(run.ack_series(), "rtt_s", begin_s, end_s, flow)
