"""The document's clock: a transfer is over for iperf3 when its last byte is written, not when it is delivered."""

from __future__ import annotations

from typing import Final

import numpy as np

from dumbbell.metrics.iperf3 import time_to_write_s
from dumbbell.spec.quantity import Bytes
from dumbbell.spec.run import MSS_BYTES
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sweep import swept

WINDOWS: Final = {"bbr": 3, "cubic": 2}
"""For how many windows a send buffer has room (`tcp_sndbuf_expand`), by algorithm."""


def written_s(run: RunData) -> float | None:
    """From connect() to the last byte written, seconds; of a run with series."""
    return _clock(run)[0]


def delivered_by_then(run: RunData) -> float | None:
    """The share of a transfer that is delivered when its last byte is written."""
    return _clock(run)[1]


_FOUND: Final[dict[str, tuple[float | None, float | None]]] = {}
"""By the run's id: formulas ask for each run many times, and its series are long."""


def _clock(run: RunData) -> tuple[float | None, float | None]:
    key = run.result.run_id
    if key not in _FOUND:
        _FOUND[key] = _read(run)
    return _FOUND[key]


def _read(run: RunData) -> tuple[float | None, float | None]:
    flow, size_bytes = run.result.flows[0], Bytes(run.point["flows[0].workload.transfer"]).bytes
    series, rtt_s = run.flow_series(), swept(run, "path.rtt", "ms") / 1e3
    at_s, delivered = series["time_s"].to_numpy(np.float64), series["delivered_bytes"].to_numpy(np.float64)
    acked = np.interp(at_s - rtt_s, at_s, delivered, left=0.0)  # ACKs have the whole delay: it is on the way back
    cwnd_segments = series["cwnd_bytes"].fillna(0).to_numpy(np.float64) / MSS_BYTES
    windows = WINDOWS[flow.cc.partition("_")[0]]
    written = time_to_write_s(at_s - flow.start_s, acked, cwnd_segments, size_bytes, windows=windows)
    if written is None:
        return flow.fct_s, 1.0
    return written, float(np.interp(flow.start_s + written, at_s, delivered)) / size_bytes
