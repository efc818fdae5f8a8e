"""Completion times: of single transfers and of sources of many, and how much slower they are than an empty path.

A transfer that is not complete has no time, but it is not left out: among the others it counts as the slowest, so that
whoever leaves transfers behind does not look better for it. A percentile that falls on one is None, and so is every
mean as long as there is one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dumbbell.engines.measurement import NEVER_NS, FlowMeasurement, Transfers
from dumbbell.spec.flow import Arrivals, Flow
from dumbbell.spec.frame import wire_bytes
from dumbbell.spec.path import Path
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.metrics.window import Window

_HUGE = 1e300
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """How long the transfers of a flow took, with the names that its summary has."""

    fct_s: float | None = None
    transfers: int | None = None
    transfers_completed: int | None = None
    fct_p50_s: float | None = None
    fct_p95_s: float | None = None
    fct_p99_s: float | None = None
    slowdown_mean: float | None = None
    slowdown_p50: float | None = None
    slowdown_p95: float | None = None
    slowdown_p99: float | None = None


def completion(path: Path, flow: Flow, measured: FlowMeasurement, window: Window) -> Completion:
    """Of a flow: of a single transfer its own time, of a source the times of transfers that start in the window."""
    if flow.work.arrivals:
        return _of_source(path, flow, flow.work.arrivals, measured.transfers, window)
    if measured.completed_ns is None:
        return Completion()
    fct_s = (measured.completed_ns - measured.started_ns) / NS_PER_S
    if not flow.work.transfer:
        return Completion(fct_s=fct_s)
    empty_s = empty_path_s(path, flow, np.array([flow.work.transfer.bytes]))
    return Completion(fct_s=fct_s, slowdown_mean=fct_s / float(empty_s[0]))


def empty_path_s(path: Path, flow: Flow, sizes_bytes: npt.NDArray[np.int64]) -> Floats:
    """What a transfer would take at best: its frames at the rate of the run's beginning, and two round trips."""
    wire = wire_bytes(sizes_bytes, path.mtu_bytes, path.overhead_bytes).astype(np.float64)
    return np.asarray(BITS_PER_BYTE * wire / path.rate_bps + 2 * flow.base_rtt_s, dtype=np.float64)


def times_s(transfers: Transfers) -> Floats:
    """The completion time of each; infinite: it is not complete."""
    begun = np.where(transfers.started_ns == NEVER_NS, 0, transfers.started_ns)
    taken = (transfers.completed_ns - begun).astype(np.float64) / NS_PER_S
    return np.where(transfers.completed_ns == NEVER_NS, math.inf, taken)


def sizes_bytes(source: Arrivals) -> npt.NDArray[np.int64]:
    """The payload of each transfer of a source."""
    return np.array([size for _, size in source.arrivals], dtype=np.int64)


def percentile(values: Floats, percent: float) -> float | None:
    """Of values of which some are infinite; None where it falls on such a one, or there is no value.

    >>> percentile(np.array([3.0, 1.0, np.inf]), 50), percentile(np.array([3.0, np.inf]), 99)
    (3.0, None)
    """
    if not len(values):
        return None
    # On a straight line between two values, of which one is merely huge: infinite times nothing is no number.
    quantile = float(np.percentile(np.minimum(values, _HUGE), percent))
    return quantile if quantile < math.sqrt(_HUGE) else None


def percentile_of_group(flows: Sequence[tuple[int | None, float | None, float | None]], percent: float) -> float | None:
    """Over the transfers of a group, from each flow's `transfers`, its own such percentile and its single value.

    A group of a source has what the source has; flows with one transfer each are ranked, and one that is not complete
    is the slowest.

    >>> percentile_of_group([(None, None, 1.0), (None, None, 3.0)], 50), percentile_of_group([(9, 5.0, 6.0)], 50)
    (2.0, 5.0)
    >>> percentile_of_group([(None, None, 1.0), (None, None, None)], 50)
    """
    transfers, own, _ = flows[0]
    if transfers is not None:
        return own
    ranked = float(np.percentile([_HUGE if single is None else single for *_, single in flows], percent))
    return ranked if ranked < math.sqrt(_HUGE) else None


def mean(values: Floats) -> float | None:
    """None where one is infinite, or there is none."""
    average = float(values.mean()) if len(values) else math.inf
    return average if math.isfinite(average) else None


def _of_source(path: Path, flow: Flow, source: Arrivals, transfers: Transfers | None, window: Window) -> Completion:
    if transfers is None:  # none arrives in this run
        return Completion(transfers=0, transfers_completed=0)
    counted = (transfers.started_ns >= window.begin_ns) & (transfers.started_ns < window.end_ns)
    fct_s = times_s(transfers)[counted]
    slowdown = fct_s / empty_path_s(path, flow, sizes_bytes(source)[counted])
    return Completion(
        fct_s=mean(fct_s),
        transfers=len(fct_s),
        transfers_completed=int(np.isfinite(fct_s).sum()),
        fct_p50_s=percentile(fct_s, 50),
        fct_p95_s=percentile(fct_s, 95),
        fct_p99_s=percentile(fct_s, 99),
        slowdown_mean=mean(slowdown),
        slowdown_p50=percentile(slowdown, 50),
        slowdown_p95=percentile(slowdown, 95),
        slowdown_p99=percentile(slowdown, 99),
    )
