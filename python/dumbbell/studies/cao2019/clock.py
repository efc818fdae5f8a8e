"""The document's clock: a transfer is over for iperf3 when its last byte is written, not when it is delivered."""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias

import numpy as np

from dumbbell.metrics.iperf3 import BARE_SEGMENT_MEMORY_BYTES, SEGMENT_MEMORY_BYTES, SendBuffer, time_to_write_s
from dumbbell.spec.frame import MSS_BYTES
from dumbbell.spec.quantity import Bytes
from dumbbell.studies.evidence import RunData
from dumbbell.studies.limits import Share
from dumbbell.studies.sweep import swept

WINDOWS: Final = {"bbr": 3, "cubic": 2}
"""For how many windows a send buffer has room (`tcp_sndbuf_expand`), by algorithm."""
MOST_BYTES: Final = {"max": math.inf, "default": 4 << 20}
"""How far it may grow (`tcp_wmem`), by `host.socket_memory`."""


Kernel: TypeAlias = Literal["distribution", "bare"]
SEGMENT_BYTES: Final = {"distribution": SEGMENT_MEMORY_BYTES, "bare": BARE_SEGMENT_MEMORY_BYTES}
"""What a kernel reserves for a segment: a distribution's, and that of the engine `linux`."""


def written_s(run: RunData, kernel: Kernel = "distribution") -> float | None:
    """From connect() to the last byte written, seconds; of a run with series."""
    return _clock(run, SEGMENT_BYTES[kernel])[0]


def delivered_by_then(run: RunData, kernel: Kernel = "distribution") -> Share | None:
    """The share of a transfer that is delivered when its last byte is written."""
    return _clock(run, SEGMENT_BYTES[kernel])[1]


_CLOCKS: Final[dict[tuple[str, float, int], tuple[float | None, float | None]]] = {}
"""By the run's id, its time on the clock, which tells one measurement of it from another, and a segment's memory:
formulas ask for each run many times, and its series are long."""


def _clock(run: RunData, segment_memory_bytes: int) -> tuple[float | None, float | None]:
    key = run.result.run_id, run.result.wall_s, segment_memory_bytes
    if key not in _CLOCKS:
        _CLOCKS[key] = _read(run, segment_memory_bytes)
    return _CLOCKS[key]


def _read(run: RunData, segment_memory_bytes: int) -> tuple[float | None, float | None]:
    flow, size_bytes = run.result.flows[0], Bytes(run.point["flows[0].workload.transfer"]).bytes
    series, rtt_s = run.flow_series(), swept(run, "path.rtt", "ms") / 1e3
    at_s, delivered = series["time_s"].to_numpy(np.float64), series["delivered_bytes"].to_numpy(np.float64)
    acked = np.interp(at_s - rtt_s, at_s, delivered, left=0.0)  # ACKs have the whole delay: it is on the way back
    cwnd_segments = series["cwnd_bytes"].fillna(0).to_numpy(np.float64) / MSS_BYTES
    buffer = SendBuffer(
        windows=WINDOWS[flow.cc.partition("_")[0]],
        segment_memory_bytes=segment_memory_bytes,
        most_bytes=MOST_BYTES[run.point["host.socket_memory"]],
    )
    written = time_to_write_s(at_s - flow.start_s, acked, cwnd_segments, size_bytes, buffer)
    if written is None:
        return flow.fct_s, None if flow.fct_s is None else 1.0
    return written, float(np.interp(flow.start_s + written, at_s, delivered)) / size_bytes
