"""How steady a flow's goodput is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dumbbell.metrics.window import ratio

if TYPE_CHECKING:
    from dumbbell.engines.measurement import FlowMeasurement
    from dumbbell.metrics.window import Window

BIN_NS = 500_000_000


def coefficient_of_variation(flow: FlowMeasurement, window: Window, bin_ns: int = BIN_NS) -> float | None:
    """Population standard deviation over mean of the goodput in the window's whole bins.

    Bytes at a bin's edge are interpolated between the samples on both sides. None where that would invent what it
    measures or there is nothing to compare: samples further apart than a bin, fewer than two bins, or no goodput.
    """
    bins = (window.end_ns - window.begin_ns) // bin_ns
    at_ns = np.concatenate(([flow.started_ns], flow.series.at_ns)).astype(np.float64)
    if bins < 2 or np.diff(at_ns).max(initial=bin_ns) > bin_ns:  # noqa: PLR2004
        return None
    delivered = np.concatenate(([0], flow.series.delivered_bytes)).astype(np.float64)
    edges = window.begin_ns + bin_ns * np.arange(bins + 1)
    goodput = np.diff(np.interp(edges, at_ns, delivered))
    return ratio(float(goodput.std()), float(goodput.mean()))
