"""What single flows came to, as `python -m dev curves --json` prints it and `docs/validation/curves.json` stores it."""

from __future__ import annotations

from typing import Final, Literal

from dumbbell.comparison.record import EngineComparison, Number, Part, Path

SPECS: Final = ("loss_based", "bbr", "bbr3")
"""Of the folder: whose conditions can be compared."""
USUAL: Final = SPECS[:2]
"""Those that are compared where nobody says which: `bbr3` needs a kernel of its own."""


class Limit(Part):
    """A quantity of a single flow, and how far the engines may be apart in it."""

    key: str
    label: str
    unit: Literal["segments", "s", "bit/s", "%", ""]
    """Of the values; empty: they are words, or there are none."""
    of: Literal["reference", "rtt", "whole", "same"]
    """What the difference is a share of: the reference's value, the base RTT, the whole; "same": it is 0 or 1."""
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
    controls: tuple[Number | None, ...] = ()
    """`difference` of each control."""
    holds: bool


class Curve(Part):
    """Both engines over one another, thinned for drawing; what is judged has all samples."""

    key: Literal["epoch", "long_epoch", "start_up", "cycle", "probe_rtt", "bound"]
    label: str
    gauge: Literal["cwnd", "inflight", "inflight_hi", "inflight_lo", "bw_lo"]
    """What is drawn, in segments; `bw_lo` in bit/s."""
    begin_s: Number
    """Time of the first value."""
    step_s: Number
    """From value to value."""
    reference: tuple[Number | None, ...]
    """Medians over seeds, or over all of their epochs; a bound is that of one seed, and null while it is not set."""
    candidate: tuple[Number | None, ...]


class Case(Path):
    """One algorithm on one path."""

    cc: str
    epochs: dict[str, int]
    """How many loss epochs of the candidate, the reference, and its other seeds; empty for BBR."""
    comparisons: tuple[LimitVerdict, ...]
    """Empty where an engine failed."""
    curves: tuple[Curve, ...]
    """Empty where an engine failed."""


class Curves(EngineComparison):
    """All conditions of single flows; both engines agree when every limit holds."""

    sets: tuple[str, ...]
    """Fields that were set instead of the usual, as `path=value`."""
    specs: tuple[str, ...] = USUAL
    """Whose conditions these are, of `dev/curves`."""
    cases: tuple[Case, ...]
    """By algorithm, then by path."""

    @property
    def conditions(self) -> tuple[Case, ...]:
        """The same, as other comparisons call them."""
        return self.cases
