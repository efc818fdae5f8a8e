"""Two algorithms measured at the same points, each by itself: by how much one is ahead, and whether engines say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from dumbbell.experiment.points import point_key
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.statistics import t_quantile

if TYPE_CHECKING:
    from dumbbell.hosts.record import HostPoint, HostRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """At a point: one algorithm's number over the other's, less 1."""

    point: HostPoint
    other: HostPoint
    measured: float
    interval: tuple[float, float] | None
    """95 %, of the ratio's logarithm (Welch); None where deviations or trials are not told."""

    @property
    def decided(self) -> bool:
        """One of them is ahead on the hosts: by enough, and not by the chance of trials."""
        significant = self.interval is None or self.interval[0] > 0 or self.interval[1] < 0
        return abs(self.measured) >= MATTERS and significant

    def of(self, engine: str) -> float | None:
        """What an engine has; None where it has not both."""
        own, other = self.point.median(engine), self.other.median(engine)
        return own / other - 1 if own is not None and other else None

    def right(self, engine: str) -> bool | None:
        """Whether it has the same one ahead."""
        own = self.of(engine)
        return None if own is None else (own > 0) == (self.measured > 0)


def gains(first: HostRecord, second: HostRecord) -> list[Gain]:
    """Of every point of the first, under each of its settings, that the second has too."""
    others = {point_key(point.at): point for point in second.points}
    return [
        Gain(point=point, other=other, measured=point.measured / other.measured - 1, interval=_interval(point, other))
        for point in first.points
        if (other := others.get(point_key(point.at))) and other.measured and point.measured
    ]


def right_of_decided(compared: Sequence[Gain], engine: str) -> tuple[int, int]:
    """At how many of how many points that are decided an engine has the right one ahead."""
    verdicts = [right for each in compared if each.decided and (right := each.right(engine)) is not None]
    return sum(verdicts), len(verdicts)


def _interval(point: HostPoint, other: HostPoint) -> tuple[float, float] | None:
    """Welch's, with Satterthwaite's degrees, of the logarithms; a deviation of one is its relative deviation."""
    parts = []
    for each in (point, other):
        if each.sd is None or each.trials is None or each.trials < 2:  # noqa: PLR2004
            return None
        parts.append(((each.sd / each.measured) ** 2 / each.trials, each.trials - 1))
    total = sum(square for square, _ in parts)
    middle, half = log(point.measured / other.measured), 0.0
    if total:
        degrees = int(total**2 / sum(square**2 / freedom for square, freedom in parts))
        half = t_quantile(max(1, degrees)) * total**0.5
    return exp(middle - half) - 1, exp(middle + half) - 1
