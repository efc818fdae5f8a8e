"""The document's clock: a transfer is over for iperf3 when its last byte is written, not when it is delivered."""

from __future__ import annotations

from typing import Final

import numpy as np

from dumbbell.metrics.counter import Floats
from dumbbell.metrics.iperf3 import time_to_write_s
from dumbbell.spec.quantity import Bytes
from dumbbell.spec.run import MSS_BYTES
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sweep import swept

WINDOWS: Final = {"bbr": 3, "cubic": 2}
"""For how many windows a send buffer has room (`tcp_sndbuf_expand`), by algorithm."""


def written_s(run: RunData) -> float | None:
    """From connect() to the last byte written, seconds; of a run with series."""
    flow, size_bytes = run.result.flows[0], Bytes(run.point["flows[0].workload.transfer"]).bytes
    known = run.flow_series().dropna(subset=["cwnd_bytes"])
    at_s = known["time_s"].to_numpy(np.float64)
    written = time_to_write_s(
        at_s - flow.start_s, _acked_bytes(run, at_s), known["cwnd_bytes"].to_numpy(np.float64) / MSS_BYTES,
        size_bytes, windows=WINDOWS[flow.cc.partition("_")[0]],
    )  # fmt: skip
    return flow.fct_s if written is None else written


def delivered_by_then(run: RunData) -> float | None:
    """The share of a transfer that is delivered when its last byte is written."""
    written, flow, series = written_s(run), run.result.flows[0], run.flow_series()
    if written is None:
        return None
    delivered = np.interp(flow.start_s + written, series["time_s"], series["delivered_bytes"])
    return float(delivered) / Bytes(run.point["flows[0].workload.transfer"]).bytes


def _acked_bytes(run: RunData, at_s: Floats) -> Floats:
    """What the sender knows to be delivered: ACKs have the whole delay of the path, which is on the way back."""
    series, rtt_s = run.flow_series(), swept(run, "path.rtt", "ms") / 1e3
    found = np.interp(at_s - rtt_s, series["time_s"], series["delivered_bytes"], left=0.0)
    return np.asarray(found, dtype=np.float64)
