"""What legends and reports call an algorithm on an engine."""

from __future__ import annotations

from dumbbell.charts.style import style_of

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
