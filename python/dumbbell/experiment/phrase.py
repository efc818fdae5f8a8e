"""What a sentence is about: a quantity of a group at the points of an experiment, and its words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from dumbbell.experiment.curves import Curve
from dumbbell.experiment.group_labels import Subject
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import QUANTITIES, Quantity
from dumbbell.metrics.contrast import Contrast, against, contrast
from dumbbell.metrics.number import amount, counted
from dumbbell.metrics.statistics import Estimate
from dumbbell.results.measured import MeasuredPoint


@dataclass(frozen=True, slots=True)
class Phrase:
    """A quantity of a group, in the quantity's unit."""

    quantity: Quantity
    subject: Subject
    verb: str
    of: str = ""
    """What stands after the number."""
    seeds: int = 1
    """The most that any point of the experiment has."""

    @property
    def begin(self) -> str:
        """Subject and verb: "BBR takes", "3 CUBIC flows take"."""
        return f"{self.subject.name} {self.verb}{'' if self.subject.several else 's'}"

    @property
    def unit(self) -> str:
        return f" {self.quantity.unit}"

    @property
    def reference(self) -> float | None:
        """What differences are parts of; None: the larger mean."""
        return 100.0 if self.quantity.name == "share" else None

    def by_seed(self, point: MeasuredPoint) -> dict[int, float]:
        """The value of each run that has one; none at all where there is no mean without the others."""
        if self.quantity.needs_all and self.unknown(point):
            return {}
        values = point.by_seed(self.quantity.name, self.subject.group(point))
        return {seed: self.quantity.factor * value for seed, value in values.items()}

    def unknown(self, point: MeasuredPoint) -> set[int]:
        """The seeds whose runs have no value."""
        return point.run_ids.keys() - point.by_seed(self.quantity.name, self.subject.group(point)).keys()

    def estimate(self, point: MeasuredPoint) -> Estimate | None:
        """The mean over seeds in base units; None where there is none, see `MeasuredPoint.estimate`."""
        return point.estimate(self.quantity.name, self.subject.group(point))

    def level(self, point: MeasuredPoint) -> float:
        """The mean's value; NaN where there is none."""
        values = self.by_seed(point).values()
        return fmean(values) if values else math.nan

    def text(self, point: MeasuredPoint, *, interval: bool = True, unit: bool = True) -> str:
        """The mean with its interval."""
        estimate = self.estimate(point)
        if estimate is None and self.quantity.needs_all:
            return f"not complete in {len(self.unknown(point))} of {counted(len(point.run_ids), 'run')}"
        if estimate is None:
            return "no known amount"
        half_width, quantity = estimate.half_width if interval else None, self.quantity
        return amount(estimate.mean, half_width, quantity.factor, self.unit * unit, limits=quantity.limits)

    def at(self, curve: Curve) -> list[MeasuredPoint]:
        """The points of a curve where it is known."""
        return [point for point in curve.points if self.by_seed(point)]

    def contrast(self, first: MeasuredPoint, second: MeasuredPoint) -> Contrast:
        return contrast(self.by_seed(first), self.by_seed(second), self.reference, self.seeds)

    def extremes(self, points: Sequence[MeasuredPoint]) -> tuple[MeasuredPoint, MeasuredPoint]:
        """Where it is least and most."""
        return min(points, key=self.level), max(points, key=self.level)

    def constant(self, points: Sequence[MeasuredPoint]) -> bool:
        """Whether no two of these points differ by what matters."""
        return self.contrast(*self.extremes(points)).outcome == "same"

    def fair(self, point: MeasuredPoint) -> float:
        return self.quantity.factor * point.fair_shares[self.subject.group(point)]

    def against_fair(self, point: MeasuredPoint) -> Contrast:
        """The share less the fair one."""
        return against(self.by_seed(point), self.fair(point), self.reference, self.seeds)


def phrases(runs: ExperimentRuns, groups: Sequence[Subject]) -> list[Phrase]:
    """Times of transfers, else of pages, rates of streams, times of pings, shares where some are fair, else rates."""
    points = [point for point in runs.points if point.run_ids]
    phrase = partial(Phrase, seeds=max(len(point.run_ids) for point in points))
    finite = [each for each in groups if _ends(runs, each, points)]
    if finite:
        sources = [each for each in finite if _has(runs, each, "arrivals")]
        median = not all(_known("fct", each, points) for each in sources)  # then of all, so that like meets like
        of_source, quantity = " in the median" if median else " on average", QUANTITIES["fct_p50" if median else "fct"]
        return [phrase(quantity, each, "take", of_source if each in sources else " to complete") for each in finite]
    clients = [each for each in groups if _has(runs, each, "pages")]
    if clients:
        return [phrase(QUANTITIES["page_load"], each, "take", " to load a page in the median") for each in clients]
    streams = [each for each in groups if _has(runs, each, "stream")]
    if streams:
        return [phrase(QUANTITIES["goodput"], each, "get", _stream_rate_text(runs, each)) for each in streams]
    pings = [each for each in groups if _has(runs, each, "ping")]
    if pings:
        return [phrase(QUANTITIES["rtt_p50"], each, "take", " to come back in the median") for each in pings]
    if len(groups) > 1 and all(each.group(point) in point.fair_shares for each in groups for point in points):
        return [phrase(QUANTITIES["share"], each, "take", " of the goodput") for each in groups]
    return [phrase(QUANTITIES["goodput"], each, "get") for each in groups]


def _ends(runs: ExperimentRuns, group: Subject, points: Sequence[MeasuredPoint]) -> bool:
    """Whether it has a time at every point, or one that did not come."""
    if "goodput" in runs.decided:
        return True
    if runs.experiment is None:
        return all(("fct", group.group(point)) in point.numbers for point in points)
    return _has(runs, group, "transfer") or (
        _has(runs, group, "arrivals") and (_known("fct", group, points) or _known("fct_p50", group, points))
    )


def _known(name: str, group: Subject, points: Sequence[MeasuredPoint]) -> bool:
    """Whether it has a mean at every point: short flows have none where some were left behind."""
    return all(point.estimate(name, group.group(point)) for point in points)


def _workload(runs: ExperimentRuns, group: Subject) -> Any:  # noqa: ANN401 (as the spec wrote it)
    return None if runs.experiment is None else runs.experiment.get(f"flows[{group.index}].workload")


def _has(runs: ExperimentRuns, group: Subject, kind: str) -> bool:
    """Whether the workload of a group is of a kind, by the key that says which, at every point."""
    workload = _workload(runs, group)
    return all(each and kind in each for each in (workload if isinstance(workload, list) else [workload]))


def _stream_rate_text(runs: ExperimentRuns, group: Subject) -> str:
    """The rate that a stream needs, where it is always the same."""
    workload = _workload(runs, group)
    rate = workload.get("stream") if isinstance(workload, dict) else None
    return f" of {rate}" if isinstance(rate, str) else ""
