"""What the runs of an experiment must show: an `[[expect]]` of a spec in base units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dumbbell.spec.point_text import swept_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A quantity of the catalogue and its bound, in the catalogue's base units: bit/s, seconds, shares of 1."""

    quantity: str
    of: str | None
    """A group of flows or a hop; None: the only group, or the bottleneck."""
    is_least: bool
    """The bound is the least that it may be, and not the most."""
    level: float | None
    """The bound; None: another group or hop gives it."""
    text: str
    """The bound as the spec writes it; empty where another group or hop gives it."""
    relative: tuple[str, float] | None
    """That group or hop, and how many times what it has is the bound."""
    against: tuple[str, Any, float] | None = None
    """A swept field, the first of its values, the baseline, and how many times what is there is the bound."""
    slack: float = 0.0
    """How far beyond such a bound it may be."""
    by_s: float | None
    """Within which time it must be so; None: it is of the window."""
    from_s: float | None
    """When that time begins, after the run's begin; None: at the start of the group's first flow."""
    by: str | None = None
    """`by_s` as the spec writes it."""
    start: str | None = None
    """`from_s` likewise."""
    slack_text: str | None = None
    """`slack` likewise."""
    all_seeds: bool
    """Each seed decides, and not the median."""
    values: Mapping[str, Any]
    """Values of fields by their paths, of the points that it is about."""

    @property
    def subject(self) -> str:
        """What is within the bound.

        >>> expectation = Expectation(
        ...     quantity="goodput", of="bbr", is_least=True, level=4e7, text="40 Mbit/s", relative=None, by_s=5.0,
        ...     by="5 s", from_s=None, all_seeds=False, values={},
        ... )
        >>> expectation.subject, expectation.bound
        ('goodput of bbr', 'at least 40 Mbit/s by 5 s')
        """
        return f"{self.quantity} of {self.of}" if self.of else self.quantity

    @property
    def goal(self) -> str:
        """The bound without the time."""
        if self.against is not None:
            _, baseline, times = self.against
            level = f"{times:g} x " * (times != 1) + f"that with {swept_text(baseline)}"
        else:
            other, times = self.relative or ("", 1.0)
            level = self.text or (f"{times:g} x {other}" if times != 1 else f"that of {other}")
        slack = f" {'-' if self.is_least else '+'} {self.slack_text}" if self.slack_text else ""
        return f"{'at least' if self.is_least else 'at most'} {level}{slack}"

    @property
    def bound(self) -> str:
        """In words, with the time."""
        by = f" by {self.by}" if self.by else ""
        return f"{self.goal}{by}" + (f" from {self.start} on" if self.start else "")

    def __str__(self) -> str:
        return f"{self.subject} {self.bound}"
