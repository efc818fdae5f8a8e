"""Short transfers as they arrive: drawn once, from a seed and a name, so that all engines see the same.

Times and sizes have a random stream each: another load moves the same transfers together or apart, other sizes come at
the same times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dumbbell.spec.chance import drawn
from dumbbell.spec.sizes import Sizes

Arrival: TypeAlias = tuple[int, int]
"""When it arrives, ns after the flow's start, and its bytes."""


@dataclass(frozen=True, slots=True)
class ArrivalTimes:
    """Arrivals as a file lists them."""

    at_ns: tuple[int, ...]
    bytes: tuple[int, ...] | None
    """None: the file has times only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Whose arrivals these are, and when there are no more."""

    seed: int
    name: str
    end_ns: int | None
    """None arrives from here on; None: however late."""
    most: int | None
    """So many at most; None: however many."""


def poisson(source: Source, per_s: float, sizes: Sizes) -> tuple[Arrival, ...]:
    """Arrivals by chance, `per_s` a second in the mean: a Poisson process.

    >>> from dumbbell.spec.sizes import Fixed
    >>> source = Source(seed=1, name="web", end_ns=1_000_000_000, most=3)
    >>> [at_ns < 1_000_000_000 for at_ns, _ in poisson(source, 1000, Fixed(100))]
    [True, True, True]
    """
    request = {
        "seed": source.seed, "name": source.name, "per_s": per_s, "sizes": sizes.words(), "end_ns": source.end_ns,
        "count": source.most,
    }  # fmt: skip
    return tuple(map(tuple, drawn("arrivals", request)))


def listed(source: Source, trace: ArrivalTimes, sizes: Sizes | None) -> tuple[Arrival, ...]:
    """Arrivals at the times of a trace, with its sizes or with drawn ones."""
    at_ns = [each for each in trace.at_ns[: source.most] if source.end_ns is None or each < source.end_ns]
    if trace.bytes is not None:
        return tuple(zip(at_ns, trace.bytes, strict=False))
    if sizes is None:
        raise AssertionError("the rules saw no sizes")
    request = {"seed": source.seed, "name": source.name, "sizes": sizes.words(), "count": len(at_ns)}
    return tuple(zip(at_ns, drawn("sizes", request), strict=True))
