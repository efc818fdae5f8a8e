"""Reno and CUBIC: their loss epochs over one another, long ones and short ones kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dumbbell.agreement.curves import limit
from dumbbell.agreement.curves.comparison import Roles, apart, comparison, curve, farthest
from dumbbell.agreement.curves.epoch import boundary_s, differences, median_curve
from dumbbell.metrics.discrepancy import median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dumbbell.agreement.curves.comparison import Figure
    from dumbbell.agreement.curves.epoch import Epoch, Floats
    from dumbbell.agreement.curves.record import Comparison, Curve

NONE = np.empty(0)


Epochs: TypeAlias = "Sequence[Epoch]"


def compared(epochs: Roles[Epochs], step_s: float) -> tuple[list[Comparison], list[Curve]]:
    """Every quantity and curve of a condition."""
    boundary = boundary_s([*epochs.candidate, *epochs.reference, *epochs.floor])
    if boundary is None:
        return _of_a_kind(epochs, step_s, "epoch", "")
    shared = comparison(limit.LONG_SHARE, epochs.each(lambda of: _long_share(of, boundary)))
    short, long = epochs.each(lambda of: _shorter(of, boundary)), epochs.each(lambda of: _longer(of, boundary))
    of_short, of_long = (
        _of_a_kind(short, step_s, "epoch", ", short epochs"),
        _of_a_kind(long, step_s, "long_epoch", ", long epochs"),
    )
    return [*([shared] if shared else []), *of_short[0], *of_long[0]], [*of_short[1], *of_long[1]]


def _longer(epochs: Epochs, boundary_s: float) -> Epochs:
    return [epoch for epoch in epochs if epoch.length_s > boundary_s]


def _shorter(epochs: Epochs, boundary_s: float) -> Epochs:
    return [epoch for epoch in epochs if epoch.length_s <= boundary_s]


def _long_share(epochs: Epochs, boundary_s: float) -> Figure:
    return len(_longer(epochs, boundary_s)) / len(epochs) if epochs else None


def _of_a_kind(epochs: Roles[Epochs], step_s: float, key: str, kind: str) -> tuple[list[Comparison], list[Curve]]:
    curves = epochs.each(lambda of: median_curve(of, step_s) if of else NONE)
    return list(_comparisons(epochs, curves, kind)), list(_curve(curves, step_s, key, kind))


def _comparisons(epochs: Roles[Epochs], curves: Roles[Floats], kind: str) -> Iterator[Comparison]:
    if not epochs.candidate and not epochs.reference:
        return
    off, noise = (differences(ours, curves.reference) for ours in (curves.candidate, curves.floor))
    yield apart(limit.LARGEST, farthest(off), farthest(noise), kind=kind)
    yield apart(limit.MEDIAN, _middle(np.abs(off)), _middle(np.abs(noise)), kind=kind)
    for quantity in limit.EPOCH:
        found = comparison(quantity, epochs.each(_median_of(quantity.key)), kind=kind)
        if found:
            yield found


def _median_of(name: str) -> Callable[[Epochs], Figure]:
    """The median of a property over epochs."""
    return lambda epochs: median([float(getattr(epoch, name)) for epoch in epochs]) if epochs else None


def _curve(curves: Roles[Floats], step_s: float, key: str, kind: str) -> Iterator[Curve]:
    count = max(curves.reference.size, curves.candidate.size)
    if curves.reference.size and curves.candidate.size and count > 1:  # a point is no curve
        grid_s = step_s * np.arange(count, dtype=np.float64)
        yield curve(key, f"cwnd since the reduction{kind}", "cwnd", grid_s, curves)


def _middle(values: Floats) -> float | None:
    return float(np.median(values)) if values.size else None
