"""Points that others measured on real hosts, with every engine beside them, as `docs/validation/` stores them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import Field

from dev.table import TomlTable
from dev.validation.gains import Gain, gains
from dumbbell.comparison.record import Part, Side
from dumbbell.hosts.record import HostPoint, HostRecord

if TYPE_CHECKING:
    from dumbbell.hosts.points import HostMeasurements
    from dumbbell.studies import Study

    _Place: TypeAlias = tuple[int, str, str, str]


class HostBar(TomlTable):
    """A bar for an engine: so many of a table's points, those that starved too, are so near to what was measured."""

    quantity: str
    points: float
    """The share of the points."""
    within: float
    """The most that one is off, in the quantity's base unit: of a share 0.05 are 5 points, of an RTT 0.002 are 2 ms."""
    relative: float = 0.0
    """Or so much of what was measured, where that is more."""
    of_rate: bool = False
    """The quantity is a share of the bottleneck's rate."""


class BarOutcome(Part):
    """How many points of a table an engine has within a bar."""

    bar: HostBar
    engine: str
    within: int
    n: int

    @property
    def holds(self) -> bool:
        return self.within >= self.bar.points * self.n


class MeasuredTable(Part):
    """A table of measured points, and what engines have there."""

    table: str
    """The experiment of the study."""
    spec: str
    """Hash of what was asked: of another one no engine's numbers are kept."""
    record: HostRecord
    bars: tuple[BarOutcome, ...] = ()


class HostsRecord(Part):
    """What a study of real hosts came to."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    study: str
    short: str
    """What the document is called."""
    testbed: str
    pairs: tuple[tuple[str, str], ...] = ()
    """Tables that have an algorithm each, whose gain over the other is told."""
    drawn: tuple[str, ...]
    """Tables whose points, under their first settings, are drawn and counted together."""
    by: str = ""
    """The remark that alone parts the points; empty: each that does."""
    tables: tuple[MeasuredTable, ...]
    instead: dict[str, dict[str, str]] = Field(default_factory=dict)
    """What an engine has in the place of fields of the specs that it cannot honour, by its name and their path."""
    note: str = ""
    """What else is to be said of it, from the plan."""
    differences_only: bool = False
    """Nobody gave leave to pass on what was measured: the points of the tables are those of `differences`."""

    def of(self, table: str) -> HostRecord | None:
        return next((each.record for each in self.tables if each.table == table), None)

    def gains(self) -> Iterator[tuple[str, str, list[Gain]]]:
        """Of each pair of tables: their names, and one over the other, point by point."""
        for first, second in self.pairs:
            own, other = self.of(first), self.of(second)
            if own and other:
                yield first, second, gains(own, other)


def spec_hash(study: Study, table: str) -> str:
    """The hash of a table's points and of everything that its runs are asked for, but for the seeds."""
    measurements: HostMeasurements = study.measured[table]
    fields = {key: value for key, value in measurements.experiment.fields().items() if key != "seeds"}
    rows = [[row.line, {str(key): number.value for key, number in row.measured.items()}] for row in measurements.rows]
    return hashlib.sha256(json.dumps([fields, rows], sort_keys=True).encode()).hexdigest()[:16]


def outcomes(record: HostRecord, bars: Sequence[HostBar]) -> Iterator[BarOutcome]:
    """How many points of each engine are within each bar."""
    for bar in bars:
        points = [each for each in record.points if (each.quantity, each.of_rate) == (bar.quantity, bar.of_rate)]
        for engine in record.engines:
            known = [(point.measured, own) for point in points if (own := point.median(engine)) is not None]
            if known:
                near = [abs(own - there) <= max(bar.within, bar.relative * there) for there, own in known]
                yield BarOutcome(bar=bar, engine=engine, within=sum(near), n=len(near))


def differences(record: HostRecord) -> HostRecord:
    """The record without what was measured: 0 stands for it, or 1, and engines' values are less it, or over it.

    Shares differ by points, times by percent. Who starves cannot be said without it.
    """
    points = []
    for point in record.points:
        there, absolute = point.measured, point.absolute
        relative = {
            engine: tuple(value - there if absolute else value / there for value in values)
            for engine, values in point.values.items()
        }
        update = {"measured": 0.0 if absolute else 1.0, "sd": None, "starves_below": None, "values": relative}
        points.append(point.model_copy(update=update))
    return record.model_copy(update={"points": tuple(points)})


def with_earlier_values(record: HostRecord, earlier: HostRecord | None, engines: Sequence[str]) -> HostRecord:
    """The record with the numbers of other engines than these as an earlier one of the same points has them."""
    if earlier is None:
        return record
    sides: tuple[Side, ...] = tuple(each for each in earlier.sides if each.engine not in engines)
    names = [side.engine for side in sides]
    there = {_place(point): point for point in earlier.points}
    points = [
        point.model_copy(
            update={"values": {**point.values, **{name: old.values.get(name, ()) for name in names}}}
        ) if (old := there.get(_place(point))) else point
        for point in record.points
    ]  # fmt: skip
    return record.model_copy(update={"sides": (*record.sides, *sides), "points": tuple(points)})


def _place(point: HostPoint) -> _Place:
    return point.line, json.dumps(point.setting, sort_keys=True), point.quantity, point.group
