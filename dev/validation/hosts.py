"""Points that others measured on real hosts, with every engine beside them, as `docs/validation/` stores them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import Field

from dev.validation.gains import Gain, gains
from dumbbell.comparison.record import Part, Side
from dumbbell.hosts.record import HostPoint, HostRecord

if TYPE_CHECKING:
    from dumbbell.hosts.points import HostMeasurements
    from dumbbell.studies import Study

    _Place: TypeAlias = tuple[int, str, str, str]


class MeasuredTable(Part):
    """A table of measured points, and what engines have there."""

    table: str
    """The experiment of the study."""
    spec: str
    """Hash of what was asked: of another one no engine's numbers are kept."""
    record: HostRecord


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
    tables: tuple[MeasuredTable, ...]
    instead: dict[str, dict[str, str]] = Field(default_factory=dict)
    """What an engine has in the place of fields of the specs that it cannot honour, by its name and their path."""

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
