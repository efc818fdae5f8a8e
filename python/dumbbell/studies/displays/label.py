"""Words about algorithms, seeds and intervals that captions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.evidence import SeedSweep


def family(group: str) -> str:
    """An algorithm as documents write it, without a version: "BBR", "CUBIC", "Reno"."""
    return group.capitalize() if group == "reno" else group.upper()


def means(trials: Sequence[SeedSweep]) -> str:
    """What points and bars are."""
    return f"mean over {len(trials)} seeds with 95 % intervals (Student's t)" if len(trials) > 1 else "one seed"
