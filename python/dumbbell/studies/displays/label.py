"""Words about algorithms, seeds and intervals that captions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.charts.style import style_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.evidence import SeedSweep


USUAL = "Linux 6.1"
"""The kernel that the table of styles speaks of: the one that `sim` models, and `linux`'s own."""


def label_of(name: str, engine: str) -> str:
    """With the kernel that the engine has.

    >>> label_of("bbr", "sim"), label_of("bbr", "linux:6.12")
    ('BBR of Linux 6.1', 'BBR of Linux 6.12')
    """
    family, _, kernel = engine.partition(":")
    label = style_of(name).label
    return label.replace(USUAL, f"Linux {kernel}") if family == "linux" and kernel else label


def family(group: str) -> str:
    """An algorithm as documents write it, without a version: "BBR", "CUBIC", "Reno"."""
    return group.capitalize() if group == "reno" else group.upper()


def means(trials: Sequence[SeedSweep]) -> str:
    """What points and bars are."""
    return f"mean over {len(trials)} seeds with 95 % intervals (Student's t)" if len(trials) > 1 else "one seed"
