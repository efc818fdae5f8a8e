"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.metrics.window import ratio

if TYPE_CHECKING:
    from dumbbell.studies.evidence import SeedSweep


def pooled_loss(trial: SeedSweep) -> float | None:
    """Retransmitted / sent of all runs together."""
    flows = [run.result.flows[0] for run in trial.runs]
    return ratio(sum(flow.retransmits for flow in flows), sum(flow.segments_sent for flow in flows))
