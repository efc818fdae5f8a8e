"""What is told of the engines of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.agreement.gathering import side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.agreement.gathering import Sides
    from dumbbell.agreement.record import Condition, Side
    from dumbbell.results.store import Store


def both(store: Store, sides: Sides, conditions: Sequence[Condition]) -> tuple[Side, Side]:
    """Candidate and reference, each with what all of its compared runs say of where they were measured."""
    ours = [run for each in conditions for run in each.candidate]
    theirs = [run for each in conditions for run in each.reference]
    return (
        side(store, sides.candidate, sides.candidate_seeds, ours),
        side(store, sides.reference, sides.reference_seeds, theirs),
    )
