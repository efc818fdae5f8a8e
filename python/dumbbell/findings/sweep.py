"""Where on a sweep something happens: up to which random loss goodput holds, and at which place two groups are equal.

Both are looked for on each curve of the sweep: points that differ in the axis only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from dumbbell.findings.curves import Curve, Curves, curves_of
from dumbbell.findings.points import ExperimentRuns, PointRuns
from dumbbell.metrics.curve import cliff, crossover
from dumbbell.metrics.statistics import estimate
from dumbbell.spec.quantity import Rate, number_and_unit
from dumbbell.units import PPB

LOSS: Final = "path.loss"
CLIFF_SHARE: Final = 0.8
"""Of what the line carries at a loss: goodput that holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossover(Place):
    """Where a flow of one group comes down to what one of another group has, for good."""

    first: str
    """The group whose flows have more before that place."""
    second: str
    axis: str
    unit: str
    """As the spec writes the axis, as "bdp"; base units (bit/s, ns, bytes, parts per billion) have no name here."""


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
        rate = Rate(curve.points[0].swept.get("path.rate", runs.experiment.get("path.rate")))

        def at(goodputs: Sequence[float], losses: Sequence[float] = losses, rate_bps: int = rate.bps) -> float | None:
            return cliff(losses, goodputs, rate_bps, share)

        places.append(Place(condition=curve.condition, **_place(curve, [_total_goodput], at)))
    return places


def crossovers(runs: ExperimentRuns) -> list[Crossover]:
    """Where flows of two groups share equally: where the goodput of a flow of one comes down to that of the other.

    Interpolated between the points. For each two groups there is at most one place on a curve; `at` is None where they
    never cross, or do again. Empty without a swept amount, or with one group.
    """
    curves = curves_of(runs)
    if curves.axis is None:
        return []
    crossings = []
    for curve in curves.curves:
        places, unit = _axis(curves, curve)
        groups = [list(point.ccs) for point in curve.points]
        for one, other in combinations(range(min(map(len, groups))), 2):
            of_flows = [_goodput_of_flow(one), _goodput_of_flow(other)]
            falls = _means(curve, of_flows[0])[-1] < _means(curve, of_flows[1])[-1]
            first, second = (one, other) if falls else (other, one)

            def at(first: Sequence[float], second: Sequence[float], places: Sequence[float] = places) -> float | None:
                return crossover(places, first, second)

            place = _place(curve, of_flows if falls else of_flows[::-1], at)
            names = groups[0]
            crossings.append(
                Crossover(
                    condition=curve.condition, **place, first=names[first], second=names[second], axis=curves.axis,
                    unit=unit,
                )
            )  # fmt: skip
    return crossings


def _place(
    curve: Curve, quantities: Sequence[Callable[[PointRuns, int], float]], at: Callable[..., float | None]
) -> dict[str, Any]:
    """Where it is by the means of the seeds, and how far the seeds' own places are apart."""
    seeds = set.intersection(*(set(point.run_ids) for point in curve.points))
    own = [at(*([of(point, seed) for point in curve.points] for of in quantities)) for seed in sorted(seeds)]
    known = [each for each in own if each is not None]
    complete = len(known) == len(own) > 0
    half_width = estimate(known).half_width if complete else None
    return {"at": at(*(_means(curve, of) for of in quantities)), "half_width": half_width, "n": len(known)}


def _means(curve: Curve, of: Callable[[PointRuns, int], float]) -> list[float]:
    return [math.fsum(of(point, seed) for seed in point.run_ids) / len(point.run_ids) for point in curve.points]


def _total_goodput(point: PointRuns, seed: int) -> float:
    """Of all groups of a run, in bit/s."""
    nth = list(point.run_ids).index(seed)
    return math.fsum(point.measured["goodput", group][nth] for group in point.ccs)


def _goodput_of_flow(place: int) -> Callable[[PointRuns, int], float]:
    """The mean goodput of the flows of a group, by its place, in a run."""

    def of(point: PointRuns, seed: int) -> float:
        group = list(point.ccs)[place]
        return point.measured["goodput", group][list(point.run_ids).index(seed)] / point.sizes[group]

    return of


def _axis(curves: Curves, curve: Curve) -> tuple[list[float], str]:
    """The places of a curve's points as the spec writes them, with the unit; in base units where there are several."""
    written = [number_and_unit(str(point.swept[curves.axis or ""])) for point in curve.points]
    units = {each[1] for each in written if each is not None}
    if None in written or len(units) != 1:
        return [curves.number(point) for point in curve.points], ""
    return [each[0] for each in written if each is not None], units.pop()
