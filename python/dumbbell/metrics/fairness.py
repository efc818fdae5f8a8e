"""How flows and groups of flows share the path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.metrics.window import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def jain(rates: Sequence[float]) -> float | None:
    """Jain's index `(sum x)^2 / (n sum x^2)`: 1 when all are equal, 1/n when one has everything.

    None when there is no rate or all are 0.
    """
    return ratio(sum(rates) ** 2, len(rates) * sum(rate * rate for rate in rates))


def shares(rates: Mapping[str, float]) -> dict[str, float | None]:
    """Each one's part of the sum; None when the sum is 0."""
    total = sum(rates.values())
    return {name: ratio(rate, total) for name, rate in rates.items()}
