"""One quantity of both engines held against its limit, beside the reference's own noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

import numpy as np

from dumbbell.agreement.curves.record import Comparison, Curve

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.agreement.curves.epoch import Floats
    from dumbbell.agreement.curves.limit import Quantity
    from dumbbell.agreement.curves.record import Gauge

Figure: TypeAlias = float | str | None
"""Of a run or of many: a number, words, or nothing where there is no such thing."""
T = TypeVar("T")
U = TypeVar("U")

MOST_POINTS: Final = 240
"""Of a curve that is kept for drawing."""
PLACES: Final = 9
"""Of a difference: times are multiples of a sample, and what floating point makes of them beyond that is none."""


@dataclass(frozen=True, slots=True)
class Roles(Generic[T]):
    """The same of the candidate, of the reference, and of the reference under other seeds."""

    candidate: T
    reference: T
    floor: T

    def each(self, change: Callable[[T], U]) -> Roles[U]:
        """What comes of each."""
        return Roles(change(self.candidate), change(self.reference), change(self.floor))


def comparison(quantity: Quantity, figures: Roles[Figure], rtt_s: float = 0.0, *, kind: str = "") -> Comparison | None:
    """How far the candidate is off; None where both have no such thing. `kind` tells of what, if there are several."""
    if figures.candidate is None and figures.reference is None:
        return None
    difference = _difference(quantity, figures.candidate, figures.reference, rtt_s)
    return _comparison(
        quantity, kind, figures, difference, _difference(quantity, figures.floor, figures.reference, rtt_s)
    )


def apart(quantity: Quantity, difference: float | None, noise: float | None, *, kind: str = "") -> Comparison:
    """The same of a difference that is known already, as that of two curves."""
    return _comparison(quantity, kind, Roles(None, None, None), difference, noise)


def _comparison(
    quantity: Quantity, kind: str, figures: Roles[Figure], difference: float | None, noise: float | None
) -> Comparison:
    return Comparison(
        key=quantity.key,
        label=f"{quantity.label}{kind}",
        unit=quantity.unit,
        reference=figures.reference,
        candidate=figures.candidate,
        floor=figures.floor,
        of=quantity.of,
        difference=difference,
        noise=noise,
        limit=quantity.limit,
        holds=difference is not None and abs(difference) <= quantity.limit,
    )


def _difference(quantity: Quantity, ours: Figure, theirs: Figure, rtt_s: float) -> float | None:
    if isinstance(ours, float) and isinstance(theirs, float):
        scale = {"reference": theirs, "rtt": rtt_s}.get(quantity.of, 1.0)
        if scale:
            return round((ours - theirs) / scale, PLACES) + 0.0  # no negative zero
        return 0.0 if ours == theirs else None
    return None if ours is None or theirs is None else float(ours != theirs)


def curve(key: str, label: str, gauge: Gauge, grid_s: Floats, values: Roles[Floats]) -> Curve:
    """Both engines' values on a grid, or on as much of it as they reach, thinned to every so many-th."""
    every = -(-grid_s.size // MOST_POINTS)
    kept = values.each(lambda each: tuple(float(value) for value in each[::every]))
    return Curve(
        key=key,
        label=label,
        gauge=gauge,
        begin_s=float(grid_s[0]),
        step_s=every * float(grid_s[1] - grid_s[0]),
        reference=kept.reference,
        candidate=kept.candidate,
    )


def farthest(differences: Floats) -> float | None:
    """The difference that is largest without its sign; None of none."""
    return float(differences[np.abs(differences).argmax()]) if differences.size else None
