"""What `dumbbell agree --curves --json` prints: every table and figure is made from it.

Keys may be added; renaming or removing one is a new `schema`. Units are in the names or beside the numbers, which have
six digits.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from dumbbell.comparison.record import EngineComparison, Number, Part

Scale: TypeAlias = Literal["reference", "rtt", "whole", "same"]
"""What a difference is a share of: the reference's value, the base RTT, or the whole; "same": words, equal or not."""


class Limit(Part):
    """A quantity and how far the engines may be apart in it."""

    key: str
    label: str
    """For readers."""
    unit: Literal["segments", "s", "bit/s", "%", ""]
    """Of the values; empty: they are words, or there are none."""
    of: Scale
    """What the difference is a share of; "same": it is 0 where both are the same, else 1."""
    limit: float
    """The most that the difference may be, without sign."""


class LimitVerdict(Limit):
    """One quantity in one condition: medians over seeds, or over all of their epochs."""

    reference: Number | str | None
    """Null: the reference has no such thing, or the difference is one of curves."""
    candidate: Number | str | None
    floor: Number | str | None
    """Of the reference under other seeds."""
    difference: Number | None
    """(candidate - reference) / scale; null: one of the engines has no such thing."""
    noise: Number | None
    """The same of the reference under other seeds; null: there are none, or they have no such thing."""
    holds: bool
    """Whether the difference is within the limit."""


class Curve(Part):
    """Both engines over one another, thinned for drawing; what is judged has all samples."""

    key: Literal["epoch", "long_epoch", "start_up", "cycle", "probe_rtt"]
    label: str
    """For readers."""
    gauge: Literal["cwnd", "inflight"]
    """What is drawn, in segments."""
    begin_s: Number
    """Time of the first value."""
    step_s: Number
    """From value to value."""
    reference: tuple[Number, ...]
    """Medians over seeds, or over all of their epochs."""
    candidate: tuple[Number, ...]


class Case(Part):
    """One algorithm on one path."""

    name: str
    """Of the condition."""
    cc: str
    rate_bps: int
    """Of the bottleneck."""
    rtt_s: Number
    """Base RTT."""
    buffer_bdp: Number
    """Room of the queue in bandwidth-delay products."""
    epochs: dict[str, int]
    """How many loss epochs of the candidate, the reference, and its other seeds; empty for BBR."""
    comparisons: tuple[LimitVerdict, ...]
    """Empty where an engine failed."""
    curves: tuple[Curve, ...]
    """Empty where an engine failed."""
    failures: tuple[str, ...]
    """What an engine reported of runs that it could not finish."""


class Curves(EngineComparison):
    """All conditions; both engines agree when every limit holds."""

    sets: tuple[str, ...]
    """Fields that were set instead of the usual, as `path=value`."""
    cases: tuple[Case, ...]
    """By algorithm, then by path."""
