"""What engines come to at points that were measured on real hosts, as `dumbbell agree --measured --json` prints it.

Times are seconds, rates bit/s and shares ratios, but for what is told as a share of the rate. Numbers have six digits.
"""

from __future__ import annotations

from functools import cached_property
from statistics import median
from typing import Any, Final, Literal

from pydantic import Field

from dumbbell.comparison.record import Group, Number, Part, Side
from dumbbell.hosts.columns import Measurand
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.spec.point_text import point_text

FIRST: Final = "the first setting"
FEW_SETTINGS: Final = 4
"""A table of points under more settings is one about these."""


class HostPoint(Part):
    """One number that was measured, and what engines have there under one setting of what is not known."""

    line: int
    """Of the CSV."""
    at: dict[str, Any]
    """What the row says of the path and the flows, by the spec's paths."""
    setting: dict[str, Any]
    """What the spec sweeps beside the rows, by path: what is not known of the hosts."""
    notes: dict[str, str]
    rate_bps: int
    """Of the bottleneck."""
    rtt_s: Number
    """Base RTT; the mean where flows differ."""
    buffer_bdp: Number
    groups: tuple[Group, ...]
    """In the order of the spec."""
    quantity: str
    group: str
    of_rate: bool
    """Both are told as shares of the rate."""
    measured: Number
    sd: Number | None
    """Over trials; null: it is not told."""
    trials: int | None = None
    """That were measured; null: it is not told."""
    starves_below: Number | None
    """The group starves with less; null where nothing says what is fair, or it is no goodput and no share."""
    values: dict[str, tuple[Number, ...]]
    """By engine, a value a seed; of a seed whose run has none there is none."""

    @property
    def measurand(self) -> Measurand:
        return Measurand(self.quantity, self.group, of_rate=self.of_rate)

    @property
    def starved(self) -> bool:
        return self.starves_below is not None and self.measured < self.starves_below

    @property
    def absolute(self) -> bool:
        """Differences are told in points, and not as shares of what was measured."""
        return self.of_rate or QUANTITIES[self.quantity].unit == "%"

    def median(self, engine: str) -> float | None:
        values = self.values.get(engine, ())
        return median(values) if values else None

    def difference(self, engine: str) -> float | None:
        """The engine's median less what was measured: in points / 100, or as a share of what was measured."""
        own = self.median(engine)
        if own is None or (not self.absolute and not self.measured):
            return None
        return own - self.measured if self.absolute else own / self.measured - 1

    def starving(self, engine: str) -> tuple[int, int] | None:
        """In how many of how many seeds the group starves on an engine; None where nothing tells."""
        values = self.values.get(engine, ())
        if self.starves_below is None or not values:
            return None
        return sum(each < self.starves_below for each in values), len(values)


class HostRecord(Part):
    """A CSV of measured points, and engines beside it."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    versions: dict[str, str | None]
    title: str
    """Of the experiment."""
    file: str
    """Name of the CSV."""
    head: tuple[str, ...]
    """What it says of itself."""
    sides: tuple[Side, ...]
    """The engines."""
    settings: dict[str, tuple[Any, ...]]
    """What is not known of the hosts: the values that were tried, by path."""
    points: tuple[HostPoint, ...]
    failures: tuple[str, ...]
    """Runs that an engine could not finish, a line each."""

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(side.engine for side in self.sides)

    @cached_property
    def tried(self) -> list[dict[str, Any]]:
        """The settings of what is not known, each once, in the order of the spec."""
        return list({str(point.setting): point.setting for point in self.points}.values())

    @property
    def few_settings(self) -> bool:
        """It is about its points, and not about what is not known of the hosts."""
        return len(self.tried) <= FEW_SETTINGS

    def setting_text(self, point: HostPoint) -> str:
        """Under which setting a point is: where several things are tried, what differs from the first setting."""
        if len(self.settings) < 2:  # noqa: PLR2004
            return point_text(point.setting)
        first = self.tried[0]
        return point_text({path: value for path, value in point.setting.items() if value != first[path]}) or FIRST
