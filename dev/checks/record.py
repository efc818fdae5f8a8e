"""What checks came to, as `python -m dev checks --json` prints it and `docs/validation/checks.json` stores it."""

from __future__ import annotations

from typing import Literal

from dumbbell.comparison.record import Condition, EngineComparison, Number, Part


class CheckRow(Part):
    """One figure of a check, with its bar: means over seeds, in the quantity's unit."""

    check: str
    condition: str
    """Its name; that of the check where the figure is one of all its conditions."""
    setting: str
    """What of the spec makes the condition."""
    label: str
    unit: Literal["share", "bit/s", "s"]
    reference: Number | None
    candidate: Number | None
    floor: Number | None
    """Of the reference under other seeds."""
    difference: Number | None
    """Compared with the limit; of both engines' own figures the candidate's."""
    noise: Number | None
    """The same of the reference under other seeds."""
    limit: Number
    """The one that was applied: the bar, or the noise where that will do, too, and is larger."""
    reference_limit: float | None = None
    """The bar of the reference's own figure, where both engines have one."""
    holds: bool


class Checks(EngineComparison):
    """Experiments whose figures have bars that were set before they were measured.

    The seeds of both engines are those of all checks; each condition's runs have its own.
    """

    checks: tuple[str, ...]
    rows: tuple[CheckRow, ...]
    conditions: tuple[Condition, ...]
