"""What the questions measure where a number of one result is not enough. Base units: shares, bits per second."""

from __future__ import annotations

from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING

from dumbbell.metrics.window import ratio
from dumbbell.studies.claypool2019.claims import QUEUE, SHALLOW_BDP, goodput_bps, loss_per_sent, min_rtts_s
from dumbbell.studies.metric import metric
from dumbbell.studies.series import quartiles_bps

if TYPE_CHECKING:
    from dumbbell.studies.evidence import Observed, Trial

ACCURATE_S = 0.032
"""The upper end of what claypool2019's S18 takes for the path's 25 ms."""
share = metric("groups.bbr.share")


def loss_over_usual(trial: Trial, usual: Trial) -> float | None:
    """Dropped / sent over that of BBR, in the queue below 1.5 BDP in which it is largest."""
    found = [
        ratio(loss_per_sent(run), loss_per_sent(usual.beside(run))) for run in trial.runs if QUEUE.of(run) < SHALLOW_BDP
    ]
    known = [each for each in found if each is not None]
    return max(known) if len(known) == len(found) else None


def smallest_goodput(trial: Trial) -> float | None:
    """All flows' goodput in the queue in which it is smallest."""
    return min(goodput_bps(run) for run in trial.runs)


def smallest_share(trial: Trial) -> float | None:
    """The share beside CUBIC in the queue in which it is smallest."""
    return min(share(run) or 0.0 for run in trial.runs)


def largest_share(trial: Trial) -> float | None:
    """The share beside CUBIC in the queue in which it is largest."""
    return max(share(run) or 0.0 for run in trial.runs)


def accurate_estimates(run: Observed) -> float | None:
    """Of the estimates with which flows leave PROBE_RTT, from 60 s on, the share up to 32 ms."""
    found = list(chain.from_iterable(min_rtts_s(run)))
    return fmean(estimate <= ACCURATE_S for estimate in found) if found else None


def quartiles_over_usual(run: Observed, usual: Observed) -> float | None:
    """The interquartile range of goodput, of each flow and summed, over that of BBR."""
    mine, theirs = (third - first for first, third in (quartiles_bps(each, "bbr") for each in (run, usual)))
    return ratio(mine, theirs)


def loss_over_usual_beside(run: Observed, usual: Observed) -> float | None:
    """Dropped / sent over that of BBR beside CUBIC."""
    return ratio(loss_per_sent(run), loss_per_sent(usual))
