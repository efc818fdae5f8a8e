"""The stratum of the studies' own specs: points of the experiments that documents are reproduced with, drawn at random.

Each spec is as likely as any other, whatever it sweeps, and each of its points as any other one. Nothing is changed but
the name and what is recorded: a point that carries more than `MOST_PACKETS` is not drawn rather than made shorter, nor
one whose algorithm has parameters, which a kernel would have to be built for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import ceil
from typing import Final

from dev.strata import conditions as of_ranges
from dev.strata.conditions import Chance, packets_of
from dumbbell.comparison.strata import PLAIN
from dumbbell.errors import ComparisonError
from dumbbell.spec import Experiment, Point, expand, load, resolve
from dumbbell.studies import load as load_study
from dumbbell.studies import names

STUDIES: Final = "studies"
MOST_PACKETS: Final = 4_000_000
"""Of one run: what 80 Mbit/s carries in ten minutes."""


def conditions(count: int, seed: int, *, most_packets: int = MOST_PACKETS) -> Iterator[Experiment]:
    """Conditions 1 to `count` of a seed; each name tells the study and its experiment, too.

    Raises:
        ComparisonError: no point has as few packets.
    """
    specs = _specs(most_packets)
    if not specs:
        fewest = min(packets_of(resolve(point, 1).run) for _, points in _specs(MOST_PACKETS) for point in points)
        raise ComparisonError(
            f"--packets: every point of the studies has more than {most_packets:,}; give {ceil(fewest):,} or more"
        )
    for number in range(1, count + 1):
        chance = Chance(f"{STUDIES} {seed} {number}")
        title, points = specs[chance.below("spec", len(specs))]
        point = points[chance.below("point", len(points))]
        name = f"{STUDIES}-{seed}-{number}-{title}"
        yield load(point, overrides={"name": name, "measure.record": "summary"})


@cache
def _specs(most_packets: int) -> list[tuple[str, list[Point]]]:
    """Every experiment of a document, with the points that serve."""
    specs = []
    for study in map(load_study, names()):
        if not study.manifest.document:
            continue
        for title, experiment in study.experiments.items():
            points = [point for point in expand(experiment) if _serves(point, most_packets)]
            if points:
                specs.append((f"{study.name}-{title}", points))
    return specs


def _serves(point: Point, most_packets: int) -> bool:
    """Whether it is short enough, and of algorithms that a kernel has without being built for them."""
    resolved = resolve(point, 1)
    return packets_of(resolved.run) <= most_packets and not any("[" in cc for cc in resolved.ccs)


def drawn(
    stratum: str | None, count: int, seed: int, *, duration: str | None = None, most_packets: int | None = None
) -> Iterator[Experiment]:
    """Conditions of any stratum; None: of the plain path.

    Raises:
        ComparisonError: there is no such stratum, or no such conditions of it.
    """
    if stratum != STUDIES:
        return of_ranges.conditions(count, seed, stratum or PLAIN, duration=duration, most_packets=most_packets)
    if duration is not None:
        raise ComparisonError("a study's experiment has its own duration")
    return conditions(count, seed, most_packets=most_packets or MOST_PACKETS)
