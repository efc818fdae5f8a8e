"""A part of the plan with what it came to, as pages show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dumbbell.charts.chart import Chart
from dumbbell.validation.plan import Record


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the plan, with what it came to."""

    name: str
    kind: str
    record: Record | None
    """None: it is not measured yet."""
    charts: tuple[Chart, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Of conditions in real time that are beyond a bar, by their names."""
