"""Where on a sweep something happens: up to which random loss goodput holds, and at which place two groups are equal.

Both are looked for on each curve of the sweep: points that differ in the axis only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Final, TypeAlias

from dumbbell.experiment.curves import Curve, Curves, curves_of
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import mean_rate_bps
from dumbbell.metrics.curve import cliff, crossover
from dumbbell.metrics.statistics import estimate
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec import Experiment, expand, resolve
from dumbbell.spec.point_text import point_text
from dumbbell.spec.quantity import number_and_unit
from dumbbell.units import PPB

ValuesBySeed: TypeAlias = Callable[[MeasuredPoint], Mapping[int, float]]
LOSS: Final = "path.loss"
CLIFF_SHARE: Final = 0.8
"""Of what the line carries at a loss: goodput that holds."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place on the axis of a sweep."""

    condition: Mapping[str, Any]
    """What the other swept fields say of the curve."""
    at: float | None
    """By the means over seeds; None where there is no such place."""
    half_width: float | None
    """Of the 95 % interval over the seeds, each of which has a place of its own; None where one has none, or all have
    the same."""
    n: int
    """Seeds that have one."""

    def row(self, name: str, **labels: str) -> dict[str, Any]:
        """The cells of a frame, NaN where there is no number: the condition, labels, and the place by a name."""
        known = {name: self.at, "half_width": self.half_width}
        numbers = {key: math.nan if value is None else value for key, value in known.items()}
        return {**self.condition, **labels, **numbers, "n": self.n}


def cliffs(runs: ExperimentRuns, share: float = CLIFF_SHARE) -> list[Place]:
    """The largest random loss, as a share, up to which the goodput of all flows is `share` of rate x (1 - loss).

    It is one of the losses that were swept. Empty where `path.loss` is not what the sweep goes over.
    """
    curves = curves_of(runs)
    if curves.axis != LOSS or runs.experiment is None:
        return []
    places = []
    for curve in curves.curves:
        losses = [curves.number(point) / PPB for point in curve.points]
        rate_bps = _rate_bps(runs.experiment, curve.points[0])
        places.append(_place(curve, [_total_goodput], partial(cliff, losses, rate_bps=rate_bps, share=share)))
    return places


def _rate_bps(experiment: Experiment, measured: MeasuredPoint) -> float:
    """What the line carries at a point, in its window: a recorded line, or one of a preset, has no rate in the spec."""
    point = next(each for each in expand(experiment) if point_text(each.values) == measured.text)
    return mean_rate_bps(resolve(point, experiment.seed_values[0]).run)


def crossovers(runs: ExperimentRuns) -> list[dict[str, Any]]:
    """Rows of where flows of two groups share equally: where the goodput of a flow of `first` comes down to `second`'s.

    Interpolated between the points. For each two groups there is at most one `crossover` on a curve; it is NaN where
    they never cross, or do again. `unit` is that of the `axis` as the spec writes it, as "bdp"; base units (bit/s, ns,
    bytes, parts per billion) have no name here. Empty without a swept amount, or with one group.
    """
    curves = curves_of(runs)
    if curves.axis is None:
        return []
    rows = []
    for curve in curves.curves:
        places, unit = _axis(curves, curve)
        names = list(curve.points[0].ccs)
        for pair in combinations(range(min(len(point.ccs) for point in curve.points)), 2):
            ends = {index: _means(curve, partial(_goodput_of_flow, index))[-1] for index in pair}
            first, second = pair if ends[pair[0]] < ends[pair[1]] else pair[::-1]
            of_flows = [partial(_goodput_of_flow, index) for index in (first, second)]
            place = _place(curve, of_flows, partial(crossover, places))
            rows.append(place.row("crossover", first=names[first], second=names[second], axis=curves.axis, unit=unit))
    return rows


def _place(curve: Curve, quantities: Sequence[ValuesBySeed], at: Callable[..., float | None]) -> Place:
    """Where it is by the means of the seeds, and how far the seeds' own places are apart."""
    seeds = set.intersection(*(set(point.run_ids) for point in curve.points))
    own = [at(*([of(point)[seed] for point in curve.points] for of in quantities)) for seed in sorted(seeds)]
    known = [each for each in own if each is not None]
    half_width = estimate(known).half_width if len(known) == len(own) > 0 else None
    return Place(curve.condition, at(*(_means(curve, of) for of in quantities)), half_width, len(known))


def _means(curve: Curve, of: ValuesBySeed) -> list[float]:
    return [math.fsum(of(point).values()) / len(point.run_ids) for point in curve.points]


def _total_goodput(point: MeasuredPoint) -> dict[int, float]:
    """Of all groups of a run, in bit/s."""
    of_groups = [point.numbers["goodput", group] for group in point.ccs]
    return {seed: math.fsum(values) for seed, values in zip(point.run_ids, zip(*of_groups, strict=True), strict=True)}


def _goodput_of_flow(place: int, point: MeasuredPoint) -> dict[int, float]:
    """The mean goodput of the flows of a group, by its place, in a run."""
    group = list(point.ccs)[place]
    return {
        seed: value / point.sizes[group]
        for seed, value in zip(point.run_ids, point.numbers["goodput", group], strict=True)
    }


def _axis(curves: Curves, curve: Curve) -> tuple[list[float], str]:
    """The places of a curve's points as the spec writes them, with the unit; in base units where there are several."""
    written = [number_and_unit(str(point.swept[curves.axis or ""])) for point in curve.points]
    units = {each[1] for each in written if each is not None}
    if None in written or len(units) != 1:
        return [curves.number(point) for point in curve.points], ""
    return [each[0] for each in written if each is not None], units.pop()
