"""What the claims measure where a number of one result is not enough. Base units: bits per second, shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.metrics.counter import variation
from dumbbell.metrics.window import ratio
from dumbbell.studies.series import group_rates_bps

if TYPE_CHECKING:
    from dumbbell.studies.evidence import Observed

SETTLED_S = 10.0
BIN_S = 1.0


def total(run: Observed) -> float | None:
    """All flows' goodput, each over the time that it ran."""
    return sum(flow.goodput_bps or 0.0 for flow in run.result.flows)


def spread(*runs: Observed) -> float | None:
    """From the slowest to the fastest of these runs, as a share of the fastest."""
    rates = [total(run) or 0.0 for run in runs]
    return ratio(max(rates) - min(rates), max(rates))


def over_slowest_other(run: Observed, *others: Observed) -> float | None:
    """A run's goodput over that of the slowest of the others."""
    return ratio(total(run) or 0.0, min(total(other) or 0.0 for other in others))


def over(run: Observed, other: Observed) -> float | None:
    """A run's goodput over another's."""
    return ratio(total(run) or 0.0, total(other) or 0.0)


def excess_of_variation(run: Observed, *others: Observed) -> float | None:
    """A run's variation less that of the most varying of the others."""
    own, *theirs = (variation_by_second(each) for each in (run, *others))
    known = [each for each in theirs if each is not None]
    return None if own is None or len(known) < len(theirs) else own - max(known)


def evenness(run: Observed) -> float | None:
    """Jain's index of the flows."""
    return run.result.jain


def variation_by_second(run: Observed) -> float | None:
    """Standard deviation / mean of all flows' throughput in bins of 1 s, from 10 s on."""
    return variation(group_rates_bps(run, None, SETTLED_S, run.window_s[1], BIN_S))
