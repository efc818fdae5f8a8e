"""What the claims measure where a number of one result is not enough."""

from __future__ import annotations

import numpy as np

from dumbbell.metrics.phases import entries_s
from dumbbell.spec.run import FRAME_BYTES, MSS_BYTES
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sweep import swept

ESTIMATED_SHARE = 0.9
"""Share of what the line carries at which the estimate has found it."""


def startup_rounds(run: RunData) -> float | None:
    """Round trips from connect() until the estimate has found the bandwidth."""
    flow, start_s = run.flow_series(), run.result.flows[0].start_s
    wanted_bps = ESTIMATED_SHARE * swept(run, "path.rate", "bit/s") * MSS_BYTES / FRAME_BYTES
    reached = flow["time_s"][flow["bandwidth_bps"] >= wanted_bps]
    return float(reached.min() - start_s) / swept(run, "path.rtt", "s") if len(reached) else None


def between(run: RunData, phase: str) -> float | None:
    """The median time from one entry to a phase to the next, seconds, within the window; None of fewer than two."""
    flow, (begin_s, _) = run.flow_series(), run.window_s
    entries = entries_s(flow["time_s"], flow["phase"], phase)
    gaps = np.diff(entries[entries >= begin_s])
    return float(np.median(gaps)) if gaps.size else None
