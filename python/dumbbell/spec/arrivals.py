"""Short transfers as they arrive: drawn once, from a seed and a name, so that all engines see the same.

Times and sizes have a random stream each: another load moves the same transfers together or apart, other sizes come at
the same times. A stream is SHAKE-256 of its name, whose bytes are the same everywhere and for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, repeat
from math import log
from typing import TypeAlias

from dumbbell.spec.sizes import Fixed, Sizes
from dumbbell.units import NS_PER_S

LARGEST_BYTES = 10**15
"""Of a transfer, whatever a distribution gives."""
_BLOCK = 4096
_DRAW_BYTES = 8
_BITS = 52

Arrival: TypeAlias = tuple[int, int]
"""When it arrives, ns after the flow's start, and its bytes."""


@dataclass(frozen=True, slots=True)
class ArrivalTimes:
    """Arrivals as a file lists them."""

    at_ns: tuple[int, ...]
    bytes: tuple[int, ...] | None
    """None: the file has times only."""


def poisson(seed: int, name: str, per_s: float, sizes: Sizes) -> Iterator[Arrival]:
    """Arrivals by chance without end, `per_s` a second in the mean: a Poisson process.

    >>> from itertools import islice
    >>> [at_ns < 1_000_000_000 for at_ns, _ in islice(poisson(1, "web", 1000, Fixed(100)), 3)]
    [True, True, True]
    """
    return zip(_times_ns(seed, name, per_s), _sizes(seed, name, sizes))  # noqa: B905 (both without end)


def listed(trace: ArrivalTimes, seed: int, name: str, sizes: Sizes | None) -> Iterator[Arrival]:
    """Arrivals at the times of a trace, with its sizes or with drawn ones."""
    if trace.bytes is not None:
        return zip(trace.at_ns, trace.bytes, strict=True)
    return zip(trace.at_ns, _sizes(seed, name, sizes or Fixed(1)))  # noqa: B905 (the latter without end)


def before(arrivals: Iterable[Arrival], end_ns: int | None, most: int | None) -> tuple[Arrival, ...]:
    """The first `most` arrivals, and of these such as come before the end."""
    taken: list[Arrival] = []
    for arrival in arrivals:
        if len(taken) == most or (end_ns is not None and arrival[0] >= end_ns):
            break
        taken.append(arrival)
    return tuple(taken)


def _times_ns(seed: int, name: str, per_s: float) -> Iterator[int]:
    waited = 0.0  # in mean gaps: another rate stretches the same process
    for share in _uniform(seed, name, "times"):
        waited -= log(share)
        yield round(waited * NS_PER_S / per_s)


def _sizes(seed: int, name: str, sizes: Sizes) -> Iterator[int]:
    if isinstance(sizes, Fixed):
        return repeat(sizes.bytes)
    return (max(1, min(LARGEST_BYTES, round(sizes.at(share)))) for share in _uniform(seed, name, "sizes"))


def _uniform(seed: int, name: str, what: str) -> Iterator[float]:
    """Numbers above 0 and below 1 without end."""
    for block in count():
        key = f"dumbbell arrivals {what} {seed} {block} {name}".encode()
        drawn = hashlib.shake_256(key).digest(_BLOCK * _DRAW_BYTES)
        for start in range(0, len(drawn), _DRAW_BYTES):
            number = int.from_bytes(drawn[start : start + _DRAW_BYTES], "big") >> (64 - _BITS)
            yield (number + 0.5) / 2**_BITS
