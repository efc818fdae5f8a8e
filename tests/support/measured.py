"""Measurements made by hand: every counter is 0 and every column empty but for what a test says.

Unless said otherwise the run lasts 10 s and the window is its second half.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from dumbbell.engines.measurement import (
    AckSamples,
    FlowCounters,
    FlowMeasurement,
    FlowSeries,
    Histogram,
    Measurement,
    Program,
    QueueCounters,
    QueueMeasurement,
    QueueSeries,
)
from dumbbell.metrics.window import Window

SECOND = 1_000_000_000
WINDOW = Window(5 * SECOND, 10 * SECOND)
T = TypeVar("T")


def known(value: T | None) -> T:
    """A value that a test needs to be there."""
    assert value is not None
    return value


def flow_counters(at_s: float, **counts: int) -> FlowCounters:
    zero = {each.name: 0 for each in fields(FlowCounters)}
    return FlowCounters(**zero | counts | {"at_ns": round(at_s * SECOND)})


def queue_counters(at_s: float, **counts: int) -> QueueCounters:
    zero = {each.name: 0 for each in fields(QueueCounters)}
    return QueueCounters(**zero | counts | {"at_ns": round(at_s * SECOND)})


def histogram(*values: int) -> Histogram:
    bins = [next(i for i in range(4096) if Histogram.lower_bound(i + 1) > value) for value in values]
    first_bin = min(bins, default=0)
    counts = np.bincount(np.array(bins, dtype=np.int64) - first_bin).astype(np.uint32)
    return Histogram(first_bin=first_bin, counts=counts, count=len(values), sum=sum(values))


def flow_series(
    at_s: Sequence[float] = (), srtt_us: Sequence[int] = (), delivered_bytes: Sequence[int] = ()
) -> FlowSeries:
    """Samples at these seconds, as with `record = "summary"`; a column that is not given is 0."""
    columns: dict[str, Any] = {each.name: np.array([], dtype=np.uint32) for each in fields(FlowSeries)}
    columns["at_ns"] = _instants(at_s)
    columns["srtt_us"] = np.array(srtt_us or [0] * len(at_s), dtype=np.uint32)
    columns["delivered_bytes"] = np.array(delivered_bytes or [0] * len(at_s), dtype=np.uint64)
    return FlowSeries(**columns)


def flow(  # noqa: PLR0913 (each is a part of a measurement)
    *,
    begin: FlowCounters | None = None,
    end: FlowCounters | None = None,
    at_end: FlowCounters | None = None,
    started_s: float = 0,
    completed_s: float | None = None,
    rtt_min_ns: int | None = None,
    ack_rtt: Histogram | None = None,
    series: FlowSeries | None = None,
    program: Program | None = None,
) -> FlowMeasurement:
    end = end or flow_counters(10)
    return FlowMeasurement(
        started_ns=round(started_s * SECOND),
        completed_ns=None if completed_s is None else round(completed_s * SECOND),
        at_window_begin=begin or flow_counters(5),
        at_window_end=end,
        at_end=at_end or end,
        rtt_min_ns=rtt_min_ns,
        ack_rtt=ack_rtt or histogram(),
        series=series or flow_series(),
        acks=AckSamples(at_ns=_instants(()), rtt_ns=_instants(())),
        phases=(),
        program=program,
    )


def queue(
    *,
    begin: QueueCounters | None = None,
    end: QueueCounters | None = None,
    at_s: Sequence[float] = (),
    backlog_bytes: Sequence[int] = (),
) -> QueueMeasurement:
    end = end or queue_counters(10)
    zeros = np.zeros(len(at_s), dtype=np.uint64)
    return QueueMeasurement(
        at_window_begin=begin or queue_counters(5),
        at_window_end=end,
        at_end=end,
        series=QueueSeries(
            at_ns=_instants(at_s),
            backlog_bytes=np.array(backlog_bytes or zeros, dtype=np.uint64),
            backlog_packets=zeros.astype(np.uint32),
            dropped_packets=zeros,
            marked_packets=zeros,
            sent_packets=zeros,
            low_latency_packets=np.full(len(at_s), np.iinfo(np.uint32).max, dtype=np.uint32),
        ),
    )


def measurement(
    *flows: FlowMeasurement, bottleneck: QueueMeasurement | None = None, ended_s: float = 10
) -> Measurement:
    return Measurement(ended_ns=round(ended_s * SECOND), flows=flows, bottleneck=bottleneck or queue())


def written(measured: Measurement) -> bytes:
    """The JSON that the agent writes: a flow says nothing of what it has not, and ACKs are rows."""
    rows: dict[str, Any] = asdict(measured)
    for each in rows["flows"]:
        del each["transfers"], each["pages"]
        if each["program"] is None:
            del each["program"]
        each["acks"] = []
    return json.dumps(rows, default=lambda column: column.tolist()).encode()


def _instants(at_s: Sequence[float]) -> npt.NDArray[np.uint64]:
    return np.array([round(at * SECOND) for at in at_s], dtype=np.uint64)
