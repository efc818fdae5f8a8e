"""Runs whose line does something to packets, and what shows that it does."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from dumbbell.engines.measurement import FlowMeasurement, Histogram, Measurement
from dumbbell.spec.line import Change, Impairments
from dumbbell.spec.path import Hop
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S
from specs import resolved

MS = 1_000_000
PERCENT = 10_000_000
"""Parts per billion."""
MBIT = 1_000_000
RTT_MS = 20
PATH: dict[str, Any] = {"rate": "50 Mbit/s", "rtt": f"{RTT_MS} ms", "buffer": "2 bdp", "jitter": "1 us"}
PING = [{"workload": {"ping": "1 ms"}}]
BBR = [{"cc": "bbr"}]


def impaired(
    *, flows: list[dict[str, Any]] = PING, duration: str = "5 s", path: dict[str, Any] | None = None, **fields: Any
) -> Run:
    """A run whose line has these fields; `impairments` are those of a line."""
    run = resolved(path=PATH | (path or {}), flows=flows, duration=duration, measure={"window": ["0 s", "100 %"]}).run
    return replace(run, path=replace(run.path, **fields))


def before_another(run: Run) -> Run:
    """The same run where packets meet a second queue behind, which is never full: it counts what comes."""
    path = run.path
    first = Hop(
        name="first", rate_bps=path.rate_bps, buffer=path.buffer, burst_bytes=path.burst_bytes, changes=path.changes,
        impairments=path.impairments, loss_ppb=path.loss_ppb,
    )  # fmt: skip
    second = Hop(name="second", rate_bps=4 * path.rate_bps, buffer=path.buffer, burst_bytes=path.burst_bytes)
    return replace(run, path=replace(path, hops=(first, second), impairments=Impairments(), changes=()))


def rtts_ms(flow: FlowMeasurement) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The middle of each bin of a flow's round-trip times beyond that of the path, and how many are in it."""
    histogram = flow.ack_rtt
    bins = range(histogram.first_bin, histogram.first_bin + len(histogram.counts))
    middles = [(Histogram.lower_bound(each) + Histogram.lower_bound(each + 1)) / 2 for each in bins]
    return np.array(middles) / MS - RTT_MS, np.asarray(histogram.counts)


def share_beyond(flow: FlowMeasurement, beyond_ms: float) -> float:
    """The share of round-trip times that are longer than the path's by more than this."""
    extra_ms, counts = rtts_ms(flow)
    return float(counts[extra_ms > beyond_ms].sum() / counts.sum())


def extra_ms(flow: FlowMeasurement) -> tuple[float, float]:
    """Mean and standard deviation of what its round-trip times have beyond the path's."""
    values, counts = rtts_ms(flow)
    mean = float(np.average(values, weights=counts))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))


def has_extra(flow: FlowMeasurement, mean_ms: Any, deviation_ms: Any) -> None:
    """What its round-trip times have beyond the path's is about this."""
    assert extra_ms(flow) == (mean_ms, deviation_ms)


def sent(measured: Measurement, begin_s: float, end_s: float) -> int:
    """Packets that the bottleneck sent from one sample to another."""
    series = measured.bottleneck.series
    at = np.searchsorted(series.at_ns, [begin_s * NS_PER_S, end_s * NS_PER_S])
    return int(series.sent_packets[at[1]]) - int(series.sent_packets[at[0]])


def full_frames(rate_bps: float, seconds: float, run: Run) -> float:
    """So many a line of this rate carries."""
    return rate_bps * seconds / BITS_PER_BYTE / run.path.frame_bytes


def rate(at_s: float, rate_bps: int) -> Change:
    """Another rate."""
    return Change(at_ns=round(at_s * NS_PER_S), rate_bps=rate_bps)
