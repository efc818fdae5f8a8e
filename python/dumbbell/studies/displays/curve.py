"""Curves over a swept field, with intervals, and bands."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from dumbbell.charts.chart import Layer
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.evidence import SeedSweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dumbbell.metrics.statistics import Estimate
    from dumbbell.studies.evidence import RunData

Together: TypeAlias = "Sequence[SeedSweep] | Sequence[tuple[SeedSweep, ...]]"
"""An experiment's trials, or those of several experiments seed by seed, as `Evidence.together` gives them."""
Value: TypeAlias = "Callable[..., float | None]"
"""A number of a run; of several experiments', of the runs at the same point."""
Place: TypeAlias = "Callable[[RunData], float]"
"""Where a run stands on the axis: `Sweep.of`."""


def estimates(trials: Together, place: Place, value: Value, factor: float = 1.0) -> dict[float, Estimate]:
    """At each place the mean over seeds; without places at which no seed gives the number."""
    found: dict[float, list[float]] = {}
    for runs in runs_of(trials):
        told = value(*runs)
        if told is not None:
            found.setdefault(place(runs[0]), []).append(factor * told)
    return {at: estimate(values) for at, values in sorted(found.items())}


def curve(  # noqa: PLR0913, PLR0917 (what a curve is made of)
    label: str, style: str, trials: Together, place: Place, value: Value, factor: float = 1.0
) -> Layer:
    """A mean over seeds at each point, with its 95 % interval; where nothing varied, an interval of no width."""
    found = estimates(trials, place, value, factor)
    return Layer(
        label=label,
        style=style,
        kind="line+points",
        x=tuple(found),
        y=tuple(each.mean for each in found.values()),
        low=tuple(each.mean - (each.half_width or 0) for each in found.values()),
        high=tuple(each.mean + (each.half_width or 0) for each in found.values()),
    )


def band(  # noqa: PLR0913, PLR0917 (what a band is made of)
    label: str,
    style: str,
    trials: Sequence[SeedSweep],
    place: Place,
    ends: Callable[[RunData], tuple[float, float]],
    factor: float = 1.0,
) -> Layer:
    """Between two numbers of each run, each the mean over seeds: quartiles."""
    found: dict[float, list[tuple[float, float]]] = {}
    for (run,) in runs_of(trials):
        found.setdefault(place(run), []).append(ends(run))
    places = sorted(found)
    return Layer(
        label=label,
        style=style,
        kind="band",
        x=tuple(places),
        y=(),
        low=tuple(factor * fmean(low for low, _ in found[at]) for at in places),
        high=tuple(factor * fmean(high for _, high in found[at]) for at in places),
    )


def runs_of(trials: Together) -> Iterator[tuple[RunData, ...]]:
    """Each run of each seed, with those at its point of the other experiments."""
    for each in trials:
        first, *others = (each,) if isinstance(each, SeedSweep) else each
        for run in first.runs:
            yield run, *(other.beside(run) for other in others)
