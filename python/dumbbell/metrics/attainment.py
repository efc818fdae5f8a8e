"""When a group of flows first has what is expected of it: goodput, share or RTT, in bins of half a second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.metrics.counter import Counter, edges, rates_bps

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from dumbbell.metrics.statistics import Bools, Floats

OVER_TIME: Final = ("goodput", "share", "rtt")
"""The quantities of the catalogue that `bins` has."""
BIN_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class GroupSeries:
    """The flows of a run with their groups: `flow`, `time_s`, `delivered_bytes` and `srtt_s` of every sample."""

    samples: pd.DataFrame
    groups: Mapping[int, str]
    """By the flow's number."""
    starts_s: Mapping[int, float]
    """When each flow started, by its number."""
    end_s: float

    def start_s(self, group: str) -> float | None:
        """When the group's first flow started; None where there is no such group."""
        own = [self.starts_s[flow] for flow, name in self.groups.items() if name == group]
        return min(own, default=None)

    def bins(self, quantity: str, group: str, begin_s: float) -> Floats:
        """A mean a bin of half a second from an instant on, in base units; NaN where the group has none.

        A goodput is of all flows of the group, a share of all flows of the run; an RTT is the mean of the samples.
        """
        if quantity == "rtt":
            return self._rtts_s(group, begin_s)
        own = self._goodput_bps({flow for flow, name in self.groups.items() if name == group}, begin_s)
        if quantity == "goodput":
            return own
        every = self._goodput_bps(set(self.groups), begin_s)
        shares = np.full(own.shape, np.nan)
        np.divide(own, every, out=shares, where=every > 0)
        return shares

    def _goodput_bps(self, flows: set[int], begin_s: float) -> Floats:
        total = np.zeros(edges(begin_s, self.end_s, BIN_S).size - 1)
        for flow in flows:
            own = self.samples[self.samples["flow"] == flow]
            delivered = Counter.of(own["time_s"], own["delivered_bytes"], start_s=self.starts_s[flow])
            total += rates_bps(delivered, begin_s, self.end_s, BIN_S)
        return total

    def _rtts_s(self, group: str, begin_s: float) -> Floats:
        at = edges(begin_s, self.end_s, BIN_S)
        members = self.samples["flow"].map(self.groups) == group
        own = self.samples[members & (self.samples["srtt_s"] > 0)]
        count, _ = np.histogram(own["time_s"], at)
        total, _ = np.histogram(own["time_s"], at, weights=own["srtt_s"])
        means = np.full(count.shape, np.nan)
        np.divide(total, count, out=means, where=count > 0)
        return means


def attained_s(reached: npt.NDArray[np.bool_] | Bools) -> float | None:
    """From the begin of the first bin to that of the first one in which something is so; None where it never is.

    >>> attained_s(np.array([False, False, True, False])), attained_s(np.array([False]))
    (1.0, None)
    """
    return BIN_S * float(np.argmax(reached)) if reached.any() else None
