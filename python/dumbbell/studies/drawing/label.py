"""Factors from base units to those of axes, and words about seeds and intervals that captions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.evidence import SeedSweep

MBIT: Final = 1e-6
PAYLOAD_MBIT: Final = MBIT * 1448 / 1514
"""From bit/s of full frames to Mbit/s of their payload, which iPerf3 counts."""
MS: Final = 1e3
PERCENT: Final = 100.0


def family(group: str) -> str:
    """An algorithm as documents write it, without a version: "BBR", "CUBIC", "Reno"."""
    return group.capitalize() if group == "reno" else group.upper()


def seeds(trials: Sequence[SeedSweep]) -> str:
    """How many there are."""
    return f"{len(trials)} seed{'s' * (len(trials) != 1)}"


def means(trials: Sequence[SeedSweep]) -> str:
    """What points and bars are."""
    return f"mean over {seeds(trials)} with 95 % intervals (Student's t)" if len(trials) > 1 else "one seed"
