"""What the claims measure where a number of one result is not enough."""

from __future__ import annotations

import numpy as np

from dumbbell.metrics.phases import entries_s
from dumbbell.studies.evidence import RunData
from dumbbell.studies.theory.claims import startup_rounds

__all__ = ["between", "startup_rounds"]


def between(run: RunData, phase: str) -> float | None:
    """The median time from one entry to a phase to the next, seconds, within the window; None of fewer than two."""
    flow, (begin_s, _) = run.flow_series(), run.window_s
    entries = entries_s(flow["time_s"], flow["phase"], phase)
    gaps = np.diff(entries[entries >= begin_s])
    return float(np.median(gaps)) if gaps.size else None
