"""What was measured once, and what seeds have there: the median, and the least and the most of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from dumbbell.charts.chart import Kind, Layer
from dumbbell.charts.shapes import Look, band, median_and_range, scatter, sweep
from dumbbell.charts.style import PUBLISHED, label_of
from dumbbell.hosts.columns import Measurand
from dumbbell.metrics.counter import Floats
from dumbbell.metrics.number import counted
from dumbbell.spec.quantity import Rate
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sarpkaya2025.claims import SECOND_S, goodputs_bps, settled_s, settling_time
from dumbbell.studies.sweep import number, swept

BUFFER: Final = "path.buffer"
TC_KB: Final = 1.024
"""A kb of tc's over a thousand bytes: the document's BDP over the path's."""
MEASURED: Final = Measurand("goodput", "bbr", of_rate=True)
PERCENT: Final = 100.0
MBIT: Final = 1e-6
TOGETHER: Final = 10
"""Seconds that a curve over time has the mean of, as the published one beside it."""


def shares(scope: Scope) -> Iterator[Layer]:
    """BBR's share of the line in % over the queue, at the point that the cases name."""
    runs = [run for trial in scope.trials() for run in trial.runs]
    rate_bps, at = Rate(scope.study.experiments[scope.experiment].fields()["path"]["rate"]).bps, scope.at
    one_bdp = _one_bdp(runs[0])
    rows = [row for row in scope.study.measured[scope.experiment].rows if at.items() <= row.at.items()]
    look = Look(f"{PUBLISHED} bbr", label=f"measured ({scope.study.manifest.short})")
    queues = [number(row.at[BUFFER], "B") / one_bdp for row in rows]
    yield scatter(look, queues, [PERCENT * row.measured[MEASURED].value for row in rows], kind="line+points")
    percents: dict[float, list[float]] = {}
    for run in runs:
        place = swept(run, BUFFER, "B") / one_bdp
        percents.setdefault(place, []).append(PERCENT * (run.result.groups["bbr"].goodput_bps or 0.0) / rate_bps)
    yield _over_seeds(percents, scope)


def settling(scope: Scope) -> Iterator[Layer]:
    """When the goodput has settled, over the queue; where not all seeds have it, of how many."""
    published, trials = scope.study.published, scope.trials()
    again = settled_s(published["figure5a"]["bbr_mbit_s"])
    if again is not None:
        yield scatter(Look(f"{PUBLISHED} cubic", label="the same rule on the document's Figure 5a"), (32.0,), (again,))
    times_s: dict[float, list[float]] = {}
    for trial in trials:
        for run in trial.runs:
            place, when_s = swept(run, BUFFER, "B") / _one_bdp(run), settling_time(run)
            known = times_s.setdefault(place, [])
            known += [] if when_s is None else [when_s]
    complete = {place: own for place, own in times_s.items() if len(own) == len(trials)}
    part = {place: own for place, own in sorted(times_s.items()) if 0 < len(own) < len(trials)}
    if complete:
        yield _over_seeds(complete, scope, kind="points")
    if part:
        seed_counts = tuple(f"{len(own)} of {len(trials)}" for own in part.values())
        look = Look("bbr", 1, "the same, of the seeds that have it")
        yield replace(sweep(look, part.items(), median_and_range, kind="points"), words=seed_counts)


def bbr_in_time(scope: Scope) -> Iterator[Layer]:
    """BBR's goodput in Mbit/s over the time since its start."""
    return _in_time(scope, 0)


def other_in_time(scope: Scope) -> Iterator[Layer]:
    """The same of the flow beside it."""
    return _in_time(scope, 1)


def _in_time(scope: Scope, flow: int) -> Iterator[Layer]:
    runs = [trial.only for trial in scope.trials()]
    rates = [_together(goodputs_bps(run, flow)) for run in runs]
    bins = min(rate.size for rate in rates)
    values = MBIT * np.stack([rate[:bins] for rate in rates])
    at = tuple(((np.arange(bins) + 0.5) * TOGETHER * SECOND_S).tolist())
    cc = runs[0].result.flows[flow].cc
    low, middle, high = (tuple(edge.tolist()) for edge in np.quantile(values, [0, 0.5, 1], axis=0))
    name = label_of(cc, scope.evidence.engine)
    yield band(Look(cc, label=f"{name}, range over {counted(len(runs), 'seed')}"), at, low, high)
    yield scatter(Look(cc, label=f"{name}, median over seeds"), at, middle, kind="line")


def _together(rates_bps: Floats) -> Floats:
    """Means of whole groups of seconds."""
    full_groups = rates_bps[: rates_bps.size // TOGETHER * TOGETHER]
    return np.asarray(full_groups.reshape(-1, TOGETHER).mean(axis=1), dtype=np.float64)


def _one_bdp(run: RunData) -> float:
    return TC_KB * run.bdp_bytes


def _over_seeds(values_at: Mapping[float, Sequence[float]], scope: Scope, kind: Kind = "line+points") -> Layer:
    look = Look("bbr", label=f"{label_of('bbr', scope.evidence.engine)}, median and range over seeds")
    return sweep(look, values_at.items(), median_and_range, kind=kind)
