"""What the figures measure and no claim does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.studies.borgli2017.claims import SETTLED_S, variation_of

if TYPE_CHECKING:
    from dumbbell.studies.evidence import Observed


def variation_when_settled(run: Observed) -> float | None:
    """The coefficient of variation of the first flow's throughput without its start-up."""
    return variation_of(run, SETTLED_S)


def variation_of_the_second(run: Observed) -> float | None:
    """The same of the second flow, start-up included."""
    return variation_of(run, flow=1)
