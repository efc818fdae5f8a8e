"""A look at the points of an experiment for a limited time: at all of them, or at some from all over the sweep."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from dumbbell.campaign.plan import of_points
from dumbbell.spec import Experiment, Point, Problem, Resolved, resolve
from dumbbell.spec.resolved import on_hosts

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

LOOK_S: Final = 1.0
"""No further point is looked at after this long."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What was seen."""

    points: int
    """How many the experiment has."""
    seen: Sequence[tuple[Point, Resolved]]
    """In the order of expansion, with what the first seed makes of each."""

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        *,
        most_points: int | None = None,
        most_s: float = LOOK_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> Self:
        """Looks at the first point, and at others until there are so many or the time is over."""
        seed = experiment.seed_values[0]
        until_s = clock() + most_s
        samples: dict[int, tuple[Point, Resolved]] = {}
        for number in spread(len(experiment)):
            point = experiment.point(number)
            samples[number] = point, resolve(point, seed)
            if len(samples) == most_points or clock() > until_s:
                break
        return cls(len(experiment), [samples[number] for number in sorted(samples)])

    def refusals(self, engine: Engine) -> list[Problem]:
        """What an engine cannot honour of the points, as `plan.refusals` tells it."""
        seen = ((point, on_hosts(resolved, point) if engine.live else resolved) for point, resolved in self.seen)
        return of_points(seen, engine.unsupported_fields)


def spread(count: int, first: int = 0) -> Iterator[int]:
    """The numbers below a count, each once, so that the first few are from all over."""
    step = max(1, round(count * (math.sqrt(5) - 1) / 2))
    while math.gcd(step, count) > 1:
        step += 1
    return ((first + nth * step) % count for nth in range(count))
