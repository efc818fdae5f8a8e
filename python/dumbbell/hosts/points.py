"""What was measured on real hosts: a CSV with a row a point, and a spec that says what the points have in common.

A column is a field of the spec (`path.rate (Mbit/s)`, `flows[0].count`), to which each row gives its own value, a
quantity that was measured (`goodput.bbr (Mbit/s)`; `goodput.bbr.sd` its standard deviation over trials, `trials` how
many these are), or a remark (`note.figure`). Units stand in the heading, in brackets, or in the cells of a field. Lists
that the spec has of its own are what is not known of the hosts: each combination is a setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from dumbbell.cc import Registry
from dumbbell.hosts import iperf3
from dumbbell.hosts.columns import Column, Measurand, column, count, is_ours
from dumbbell.hosts.sheet import Renamed, Sheet, text_of_points
from dumbbell.problem import Problem, SpecError, quoted, suggestion
from dumbbell.spec import Experiment, Point, expand, load, resolve

Number = TypeVar("Number")
FEW_FOREIGN: Final = 6
_INDEX: Final = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of a row, in base units; of a measurand that is a share of the rate, that share."""

    value: float
    sd: float | None
    """Standard deviation over trials; None: the file does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    line: int
    """Of the file, from 1."""
    at: Mapping[str, Any]
    """What it gives to fields of the spec, by path."""
    measured: Mapping[Measurand, Measured]
    notes: Mapping[str, str]
    trials: int | None = None
    """That it is the mean of; None: the file does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostMeasurements:
    """Points that were measured, and the experiment that has them."""

    file: str
    """Name of the CSV."""
    head: tuple[str, ...]
    """What it says of itself, a line each."""
    rows: Sequence[Row]
    experiment: Experiment
    """The rows' values as lists that vary together, beside the lists of the spec."""
    fields: tuple[str, ...]
    """Those that rows give values to, in the order of the file."""
    settings: tuple[str, ...]
    """Those that the spec sweeps beside them."""

    def points(self) -> Iterator[tuple[Point, Sequence[Row]]]:
        """Each point of the experiment, in the order of expansion, with its rows: all that are of it."""
        rows: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            rows.setdefault(_key(row.at, self.fields), []).append(row)
        for point in expand(self.experiment):
            yield point, rows[_key(point.values, self.fields)]

    def every(self, nth: int) -> HostMeasurements:
        """Every so many-th row, from the first one on, and the experiment that has these points alone."""
        rows = self.rows[::nth]
        distinct = {_key(row.at, self.fields): row for row in rows}.values()
        lists = {path: [row.at[path] for row in distinct] for path in self.fields}
        return replace(self, rows=rows, experiment=load(self.experiment, overrides=lists))


def read(
    points: Path, spec: str | Path | Experiment, *, overrides: Mapping[str, Any] | None = None,
    registry: Registry | None = None, renamed: Sequence[Renamed] = (),
) -> HostMeasurements:  # fmt: skip
    """Reads a CSV of measured points, or what `iperf3 -J` wrote, and the spec of what they have in common.

    `renamed`: what headings of others are called here.

    Raises:
        SpecError: with every problem of both at once; those of a cell name its line and its column.
    """
    base = load(spec, overrides=overrides, registry=registry)
    text = text_of_points(points)
    if iperf3.is_json(text):
        table = _Table(points.name, *iperf3.cells(text, points.name, base), [])
    else:
        table = _Table.read(points, renamed)
    columns = table.columns()
    fields = {each.field: place for place, each in columns.items() if each.field}
    measured = [table.measured(row, columns) for row in table.rows]
    at = [{path: columns[place].value(cells[place]) for path, place in fields.items()} for _, cells in table.rows]
    distinct: dict[tuple[str, ...], tuple[int, Mapping[str, Any]]] = {}
    for (line, _), values in zip(table.rows, at, strict=True):
        distinct.setdefault(_key(values, fields), (line, values))
    lists = {path: [values[path] for _, values in distinct.values()] for path in fields}
    bundle = [list(lists)] if len(lists) > 1 and distinct else []
    own = tuple(axis.path for axis in base.axes if axis.path not in lists)
    try:
        experiment = load(base, overrides={**lists, "zip": [*base.get("zip"), *bundle]} if distinct else None)
    except SpecError as error:
        lines = [line for line, _ in distinct.values()]
        placed = [_placed(each, fields, table, lines) for each in error.problems if each.path not in lists]
        raise SpecError([*table.problems, *placed] or error.problems) from None
    notes = {place: each.note for place, each in columns.items() if each.note}
    trials = [table.trials(row, columns) for row in table.rows]
    rows = [
        Row(
            line=line, at=values, measured=numbers, notes={name: cells[place] for place, name in notes.items()},
            trials=trial_count,
        )
        for (line, cells), values, numbers, trial_count in zip(table.rows, at, measured, trials, strict=True)
    ]  # fmt: skip
    measurements = HostMeasurements(
        file=points.name, head=table.head, rows=rows, experiment=experiment, fields=tuple(fields), settings=own
    )
    if rows:
        table.refuse_rows(measurements)
    if table.problems:
        raise SpecError(table.problems)
    return measurements


class _Table(Sheet):
    """A sheet of points, and what is wrong with it."""

    def columns(self) -> dict[int, Column]:
        """What each heading names, by its place; what names nothing is a problem, and so is what names nothing new."""
        columns: dict[int, Column] = {}
        foreign = [heading for heading in self.header if not is_ours(heading)]
        if len(foreign) > 1:
            names = ", ".join([*map(quoted, foreign[:FEW_FOREIGN]), *(["…"] if foreign[FEW_FOREIGN:] else [])])
            hint = f"name those that matter: --heading '{foreign[0]}=path.loss:x100'; the others are left out then"
            self.problems.append(
                Problem(self.file, f"{len(foreign)} headings name no field and no quantity: {names}", hint)
            )
        for place, heading in enumerate(self.header):
            if len(foreign) > 1 and heading in foreign:
                continue
            each = column(heading)
            if isinstance(each, Problem):
                self.problems.append(replace(each, path=f"{self.file}, heading {each.path or place + 1}"))
            elif any(
                replace(each, heading="", unit="") == replace(one, heading="", unit="") for one in columns.values()
            ):
                self.problems.append(Problem(f"{self.file}, heading {heading}", "is there twice", "leave one out"))
            else:
                columns[place] = each
        if not any(each.measurand and not each.deviation for each in columns.values()):
            message = "has no column with what was measured"
            self.problems.append(
                Problem(self.file, message, 'add one such as "goodput.bbr (Mbit/s)" or "share.bbr (%)"')
            )
        return columns

    def measured(self, row: tuple[int, list[str]], columns: Mapping[int, Column]) -> dict[Measurand, Measured]:
        """The numbers of a row: an empty cell was not measured."""
        line, cells = row
        values: dict[Measurand, float] = {}
        deviations: dict[Measurand, float] = {}
        for place, each in columns.items():
            if each.measurand and cells[place]:
                value = self._number(line, each.heading, each.number, cells[place])
                if value is not None:
                    (deviations if each.deviation else values)[each.measurand] = value
        return {key: Measured(value, deviations.get(key)) for key, value in values.items()}

    def trials(self, row: tuple[int, list[str]], columns: Mapping[int, Column]) -> int | None:
        line, cells = row
        place = next((place for place, each in columns.items() if each.trials), None)
        return None if place is None else self._number(line, self.header[place], count, cells[place])

    def _number(self, line: int, heading: str, read_cell: Callable[[str], Number], cell: str) -> Number | None:
        """What a cell says; None, and a problem, where that is no such number."""
        try:
            return read_cell(cell)
        except ValueError as error:
            self.add(line, heading, *str(error).split("; ", 1))
            return None

    def refuse_rows(self, measurements: HostMeasurements) -> None:
        """Notes fields that hold for all points of an experiment, as `seeds`; else quantities of groups not there."""
        swept = {axis.path for axis in measurements.experiment.axes}
        fixed = [path for path in measurements.fields if path not in swept]
        for path in fixed:
            message, hint = "holds for all points, so that no row can give it", "leave it out, and say it in the spec"
            self.problems.append(Problem(f"{self.file}, heading {path}", message, hint))
        for point, rows in () if fixed else measurements.points():
            groups = list(dict.fromkeys(resolve(point, measurements.experiment.seed_values[0]).groups))
            for row in rows:
                for of in row.measured:
                    if of.group and of.group not in groups:
                        hint = suggestion(of.group, groups)
                        self.add(row.line, f"{of.quantity}.{of.group}", "there is no such group", hint)


def _placed(problem: Problem, fields: Mapping[str, int], table: _Table, lines: Sequence[int]) -> Problem:
    """A problem of the experiment, at the line where it is first, if it is of a row's value."""
    for path, place in fields.items():
        match = _INDEX.fullmatch(problem.path.removeprefix(path))
        if match and problem.path.startswith(path):
            return replace(problem, path=f"{table.file} line {lines[int(match[1])]}, {table.header[place]}")
    return problem


def _key(values: Mapping[str, Any], fields: Mapping[str, Any] | Sequence[str]) -> tuple[str, ...]:
    return tuple(str(values[path]) for path in fields)
