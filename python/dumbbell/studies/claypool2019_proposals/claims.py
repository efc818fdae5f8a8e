"""What the questions measure where a number of one result is not enough. Base units: shares, bits per second."""

from __future__ import annotations

from itertools import chain
from statistics import fmean

from dumbbell.studies.claypool2019.claims import min_rtts_s, quartile_range
from dumbbell.studies.evidence import RunData
from dumbbell.studies.limits import Share

ACCURATE_S = 0.032
"""The upper end of what claypool2019's S18 takes for the path's 25 ms."""
__all__ = ["accurate_estimates", "quartile_range"]


def accurate_estimates(run: RunData) -> Share | None:
    """Of the estimates with which flows leave PROBE_RTT, from 60 s on, the share up to 32 ms."""
    estimates_s = list(chain.from_iterable(min_rtts_s(run)))
    return fmean(estimate <= ACCURATE_S for estimate in estimates_s) if estimates_s else None
