"""What the claims measure where a number of one result is not enough. Base units: bits per second, shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.metrics.counter import variation
from dumbbell.results.run_series import group_rates_bps

if TYPE_CHECKING:
    from dumbbell.studies.evidence import RunData

SETTLED_S = 10.0
BIN_S = 1.0


def total(run: RunData) -> float | None:
    """All flows' goodput, each over the time that it ran."""
    return sum(flow.goodput_bps or 0.0 for flow in run.result.flows)


def variation_by_second(run: RunData) -> float | None:
    """Standard deviation / mean of all flows' throughput in bins of 1 s, from 10 s on."""
    return variation(group_rates_bps(run, None, SETTLED_S, run.window_s[1], BIN_S))
