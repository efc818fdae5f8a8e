"""What `dumbbell agree --curves --json` prints: every table and figure is made from it.

Keys may be added; renaming or removing one is a new `schema`. Units are in the names or beside the numbers, which have
six digits.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from dumbbell.comparison.record import EngineComparison, Number, Part
from dumbbell.studies.single_flows.limits import Scale, Unit  # noqa: TC001 (pydantic reads them)

Gauge: TypeAlias = Literal["cwnd", "inflight"]


class LimitVerdict(Part):
    """One quantity in one condition: medians over seeds, or over all of their epochs."""

    key: str
    """Of the quantity."""
    label: str
    """In words."""
    unit: Unit
    """Of both values; empty: they are words, or there are none."""
    reference: Number | str | None
    """The reference's; null: it has no such thing, or the difference is one of curves."""
    candidate: Number | str | None
    """The candidate's."""
    floor: Number | str | None
    """The reference's under other seeds."""
    of: Scale
    """What the difference is a share of; "same": it is 0 where both are the same, else 1."""
    difference: Number | None
    """(candidate - reference) / scale; null: one of the engines has no such thing."""
    noise: Number | None
    """The same of the reference under other seeds; null: there are none, or they have no such thing."""
    limit: float
    """The most that the difference may be, without sign."""
    holds: bool
    """Whether it is that."""


class Curve(Part):
    """Both engines over one another, thinned for drawing; what is judged has all samples."""

    key: str
    """`epoch`, `long_epoch`, `start_up`, `cycle` or `probe_rtt`."""
    label: str
    """In words."""
    gauge: Gauge
    """What is drawn, in segments."""
    begin_s: Number
    """Of the first value."""
    step_s: Number
    """From value to value."""
    reference: tuple[Number, ...]
    """Medians over seeds, or over all of their epochs."""
    candidate: tuple[Number, ...]
    """The candidate's."""


class Case(Part):
    """One algorithm on one path."""

    name: str
    """Of the condition."""
    cc: str
    """The algorithm."""
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
    """Likewise."""
    failures: tuple[str, ...]
    """What an engine said of runs that it could not finish."""


class Curves(EngineComparison):
    """All conditions; both engines hold when every limit does."""

    sets: tuple[str, ...]
    """Fields that were set instead of the usual, as `path=value`."""
    cases: tuple[Case, ...]
    """By algorithm, then by path."""
