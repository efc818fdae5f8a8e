"""Pages that a client loads: how many objects, how large, how often."""

from __future__ import annotations

from dumbbell.spec.part import Count, RunPart


class Lognormal(RunPart, frozen=True, kw_only=True):
    """Sizes in bytes whose logarithm is normally distributed."""

    median: float
    sigma: float


class Pareto(RunPart, frozen=True, kw_only=True):
    """Sizes in bytes with a heavy tail."""

    minimum: float
    shape: float
    maximum: float | None = None


class Sizes(RunPart, frozen=True, kw_only=True):
    """One of these; `cdf` has sizes and the share that is no larger than each."""

    fixed: Count | None = None
    lognormal: Lognormal | None = None
    pareto: Pareto | None = None
    cdf: tuple[tuple[Count, float], ...] | None = None


class Think(RunPart, frozen=True, kw_only=True):
    """The time between a page and the next, ns: always the same, or of chance with this mean."""

    fixed: Count | None = None
    exponential: Count | None = None


class Pages(RunPart, frozen=True, kw_only=True):
    """A client at the receiver: requests the objects of one page after the other, over connections that it reuses."""

    connections: Count
    objects: Count
    """Of a page."""
    sizes: Sizes
    """Of an object."""
    request_bytes: Count
    think: Think
