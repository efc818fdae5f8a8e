"""For how much of its time a flow had less than a rate: of any rate, so from the series, which a store keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import rate_below
from dumbbell.metrics.counter import Counter, rates_bps
from dumbbell.metrics.starvation import BIN_S
from dumbbell.metrics.starvation import time_below as below
from dumbbell.results.frames import together
from dumbbell.results.store import Store
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.results.schema import Result


def time_below(
    store: Store, results: Iterable[Result], rate_bps: float, bin_s: float, spec: Mapping[str, Any]
) -> pd.DataFrame:
    """A row a flow of a run of a spec: `flow`, `name`, `below`, `below_s` and `below_longest_s`.

    They are of the whole bins of its part of the window in which it delivered less than the rate: their share, and how
    long they are in all and without a break; NaN of a flow without a whole bin.

    Raises:
        StoreError: a run kept no series.
    """
    return together(((result, _of_run(store, result, rate_bps, bin_s)) for result in results), spec)


def measure_time_below(store: Store, runs: ExperimentRuns, names: Iterable[str]) -> None:
    """Enters the quantities `below[RATE]` among these names into the points of an experiment.

    A group has the mean of its flows' shares, in bins of 1 s.

    Raises:
        StoreError: a run kept no series.
    """
    for name in names:
        rate_bps = rate_below(name)
        for point in runs.points if rate_bps is not None else ():
            shares = [_of_groups(store, run_id, rate_bps or 0) for run_id in point.run_ids.values()]
            for group in point.ccs:
                if any(group in each for each in shares):
                    point.numbers[name, group] = [each.get(group, math.nan) for each in shares]


def _of_groups(store: Store, run_id: str, rate_bps: float) -> dict[str, float]:
    """What each group of a run has; not one whose flows have no whole bin."""
    result = store.get(run_id)
    if result is None or result.status == "failed":
        return {}
    shares = _of_run(store, result, rate_bps, BIN_S).groupby("name")["below"].mean().dropna()
    return {str(group): float(share) for group, share in shares.items()}


def _of_run(store: Store, result: Result, rate_bps: float, bin_s: float) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    series, run = store.flow_series(result.run_id), store.run(result.run_id)
    rows = []
    for flow in result.flows:
        own = series[series["flow"] == flow.flow]
        delivered = Counter.of(own["time_s"], own["delivered_bytes"], start_s=flow.start_s)
        begin_s, end_s = result.window_s
        stop_ns = run.flows[flow.flow].stop_ns
        ends_s = [end_s] + ([] if stop_ns is None else [stop_ns / NS_PER_S])
        ends_s += [] if flow.fct_s is None or flow.transfers is not None else [flow.start_s + flow.fct_s]
        rates = rates_bps(delivered, max(begin_s, flow.start_s), min(ends_s), bin_s)
        row: dict[str, object] = {"flow": flow.flow, "name": flow.name}
        if rates.size:
            total_s, longest_s = below(rates, rate_bps, bin_s)
            row |= {"below": total_s / (rates.size * bin_s), "below_s": total_s, "below_longest_s": longest_s}
        rows.append(row)
    return pd.DataFrame(rows, columns=["flow", "name", "below", "below_s", "below_longest_s"])
