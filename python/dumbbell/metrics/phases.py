"""What an algorithm does at the same time in several flows, from the phases as they were sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dumbbell.metrics.counter import Floats


def entries_s(time_s: npt.ArrayLike, phases: npt.ArrayLike, phase: str) -> Floats:
    """The instants at which a flow was first seen in a phase, each time that it came to it.

    >>> entries_s([0.0, 0.1, 0.2, 0.3], ["probe_rtt", "probe_bw", "probe_rtt", "probe_rtt"], "probe_rtt")
    array([0. , 0.2])
    """
    inside = np.asarray(phases) == phase
    came = inside & ~np.concatenate(([False], inside[:-1]))
    entered_s: Floats = np.asarray(time_s, dtype=np.float64)[came]
    return entered_s


def synchrony(entries_of_flows: Sequence[npt.ArrayLike], within_s: float, from_s: float = 0.0) -> float | None:
    """Of all flows' entries from an instant on, the share near which every other flow has one too; None of no entry.

    "Near" is at most `within_s` away. Entries just before `from_s` count as neighbours, not themselves.
    """
    flows = [np.asarray(entries, dtype=np.float64) for entries in entries_of_flows]
    late = [(index, entry) for index, entries in enumerate(flows) for entry in entries[entries >= from_s]]
    if not late:
        return None
    together = sum(
        all(
            other.size > 0 and bool(np.abs(other - entry).min() <= within_s)
            for each, other in enumerate(flows)
            if each != index
        )
        for index, entry in late
    )
    return together / len(late)


def after_stays(
    time_s: npt.ArrayLike, values: npt.ArrayLike, phases: npt.ArrayLike, phase: str, from_s: float = 0.0
) -> Floats:
    """A gauge as it was first sampled after each stay in a phase that ended at `from_s` or later.

    What a stay that lasts to the end leaves is not known, and what is NaN neither: both are left out.

    >>> after_stays([0.0, 0.1, 0.2], [60.0, 25.0, 26.0], ["probe_rtt", "probe_rtt", "probe_bw"], "probe_rtt")
    array([26.])
    """
    at, gauge = np.asarray(time_s, dtype=np.float64), np.asarray(values, dtype=np.float64)
    inside = np.asarray(phases) == phase
    left = ~inside & np.concatenate(([False], inside[:-1]))
    samples: Floats = gauge[left & (at >= from_s)]
    return samples[~np.isnan(samples)]
