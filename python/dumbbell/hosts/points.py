"""What was measured on real hosts: a CSV with a row a point, and a spec that says what the points have in common.

A column is a field of the spec (`path.rate (Mbit/s)`, `flows[0].count`), to which each row gives its own value, a
quantity that was measured (`goodput.bbr (Mbit/s)`; `goodput.bbr.sd` its standard deviation over trials, `trials` how
many these are), or a remark (`note.figure`). Units stand in the heading, in brackets, or in the cells of a field. Lines
that begin with `#`, and those above the headings, say where it is all from. Cells are separated by commas, semicolons or
tabs; beside semicolons numbers may have decimal commas. Lists that the spec has of its own are what is not known of the hosts:
each combination is a setting.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from dumbbell.cc import Registry
from dumbbell.hosts.columns import NOTE, Column, Measurand, column, count, is_named
from dumbbell.problem import Problem, SpecError, quoted, suggestion
from dumbbell.spec import Experiment, Point, expand, load, resolve
from dumbbell.spec.sweep import axes
from dumbbell.spec.tables import Spec
from dumbbell.text_file import Unreadable, text_of

COMMENT: Final = "#"
SEPARATORS: Final = (",", ";", "\t")
COMMAS_BESIDE: Final = ";"
"""The separator of those whose numbers have decimal commas."""
MOST_ROWS: Final = 100_000
MOST_HEADINGS: Final = 1_000
MOST_TITLE_LINES: Final = 20
"""Above the headings."""
_DECIMAL_COMMA: Final = re.compile(r"([+-]?\d+),(\d+)(?![\d.,])")
_DECIMAL_POINT: Final = re.compile(r"[+-]?\d+\.\d")
_INDEX: Final = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Measured:
    """A number of a row, in base units; of a measurand that is told of the rate, a share of it."""

    value: float
    sd: float | None
    """Standard deviation over trials; None: it is not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A point that was measured."""

    line: int
    """Of the file, from 1."""
    at: Mapping[str, Any]
    """What it gives to fields of the spec, by path."""
    measured: Mapping[Measurand, Measured]
    notes: Mapping[str, str]
    trials: int | None = None
    """That it is the mean of; None: it is not told."""


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

    @property
    def measurands(self) -> tuple[Measurand, ...]:
        """What was measured, in the order of the file."""
        return tuple(dict.fromkeys(key for row in self.rows for key in row.measured))

    def points(self) -> Iterator[tuple[Point, Sequence[Row]]]:
        """Each point of the experiment, in the order of expansion, with its rows: all that are of it."""
        rows: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            rows.setdefault(_key(row.at, self.fields), []).append(row)
        for point in expand(self.experiment):
            yield point, rows[_key(point.values, self.fields)]


def read(
    points: Path, spec: str | Path | Spec, *, overrides: Mapping[str, Any] | None = None,
    registry: Registry | None = None,
) -> HostMeasurements:  # fmt: skip
    """Reads a CSV of measured points, and the spec of what they have in common.

    Raises:
        SpecError: with every problem of both at once; those of a cell name its line and its column.
    """
    base = load(spec, overrides=overrides, registry=registry)
    table = _Table.read(points)
    columns = table.columns()
    fields = {each.field: place for place, each in columns.items() if each.field}
    measured = [table.measured(row, columns) for row in table.rows]
    at = [{path: columns[place].value(cells[place]) for path, place in fields.items()} for _, cells in table.rows]
    first = {_key(values, fields): index for index, values in reversed(list(enumerate(at)))}
    distinct = [at[index] for index in sorted(first.values())]
    lines = [table.rows[index][0] for index in sorted(first.values())]
    lists = {path: [values[path] for values in distinct] for path in fields}
    bundle = [list(lists)] if len(lists) > 1 and distinct else []
    own = tuple(axis.path for axis in axes(base) if axis.path not in lists)
    try:
        experiment = load(base, overrides={**lists, "zip": [*base.zip, *bundle]} if distinct else None)
    except SpecError as error:
        told = [_placed(each, fields, table, lines) for each in error.problems if each.path not in lists]
        raise SpecError([*table.problems, *told]) from None
    notes = {place: each.note for place, each in columns.items() if each.note}
    trials = [table.trials(row, columns) for row in table.rows]
    rows = [
        Row(
            line=line, at=values, measured=numbers, notes={name: cells[place] for place, name in notes.items()},
            trials=told,
        )
        for (line, cells), values, numbers, told in zip(table.rows, at, measured, trials, strict=True)
    ]  # fmt: skip
    found = HostMeasurements(
        file=points.name, head=table.head, rows=rows, experiment=experiment, fields=tuple(fields), settings=own
    )
    if rows:
        table.refuse_groups(found)
    if table.problems:
        raise SpecError(table.problems)
    return found


@dataclass(slots=True)
class _Table:
    """The text of the file in cells, and what is wrong with it."""

    file: str
    head: tuple[str, ...]
    header: list[str]
    rows: list[tuple[int, list[str]]]
    """Each with its line."""
    problems: list[Problem]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises SpecError where it is no CSV with a header."""
        lines = [(number, line) for number, line in enumerate(_text(path).split("\n"), start=1) if line.strip()]
        remarks = {number: line.lstrip(COMMENT).strip() for number, line in lines if line.startswith(COMMENT)}
        told = [each for each in lines if each[0] not in remarks]
        if len(told) < 2:  # noqa: PLR2004 (a header, and a row)
            raise _refusal(str(path), "has no points", "a line of headings, and below it a line for each point")
        if len(told) > MOST_ROWS:
            raise _refusal(str(path), f"has {len(told) - 1} points", f"at most {MOST_ROWS}")
        place, separator = _headings(told)
        if place is None:
            where, shown = f"{path.name} line {told[0][0]}", quoted(told[0][1].strip())
            hint = 'write headings as "path.rate (Mbit/s)" and "goodput.bbr (Mbit/s)"; lines of words begin with #'
            raise _refusal(where, f"{shown} has no heading, nor has a line below it", hint)
        titles = {number: line.strip(f'{separator} "') for number, line in told[:place]}
        remarks |= {number: title for number, title in titles.items() if not title.startswith("sep=")}
        header = _cells(told[place][1], separator)
        while not header[-1]:
            header.pop()
        if len(header) > MOST_HEADINGS:
            raise _refusal(str(path), f"has {len(header)} headings", f"at most {MOST_HEADINGS}")
        found = cls(path.name, (), header, [], [])
        for number, line in told[place + 1 :]:
            try:
                cells = _cells(line, separator)
            except csv.Error as error:
                found.add(number, "", f"is no CSV: {error}", "close every quotation mark in its line")
                continue
            if cells[0].startswith(COMMENT):  # as a spreadsheet quotes a remark that has separators
                remarks[number] = " ".join(filter(None, cells)).lstrip(COMMENT).strip()
            elif any(cells):
                found.add_row(number, cells)
        found.head = tuple(remarks[number] for number in sorted(remarks))
        if separator == COMMAS_BESIDE:
            found.read_commas()
        return found

    def add_row(self, line: int, cells: list[str]) -> None:
        """Notes the cells of a point; those that are too many may be empty, as spreadsheets leave them."""
        width = len(self.header)
        if len(cells) < width or any(cells[width:]):
            self.add(line, "", f"has {len(cells)} cells", f"as many as headings: {width}")
        else:
            self.rows.append((line, cells[:width]))

    def read_commas(self) -> None:
        """Writes points for decimal commas. Where there are points, too, nobody knows what a comma says."""
        numbers = [place for place, heading in enumerate(self.header) if not heading.startswith(NOTE)]
        told = [(line, cells, place) for line, cells in self.rows for place in numbers]
        comma = next(((line, cells, place) for line, cells, place in told if _DECIMAL_COMMA.match(cells[place])), None)
        point = next(((line, cells[place]) for line, cells, place in told if _DECIMAL_POINT.match(cells[place])), None)
        if comma and point:
            line, cells, place = comma
            message = f"{quoted(cells[place])} has a decimal comma, and {quoted(point[1])} in line {point[0]} a point"
            where = f"{self.file} line {line}, {self.header[place]}"
            raise _refusal(where, message, "write all numbers with a point, or all with a comma")
        for _, cells, place in told:
            if match := _DECIMAL_COMMA.match(cells[place]):
                cells[place] = f"{match[1]}.{match[2]}{cells[place][match.end() :]}"

    def add(self, line: int, heading: str, message: str, hint: str = "") -> None:
        """Notes a problem of a line, or of one of its cells."""
        self.problems.append(Problem(", ".join(filter(None, (f"{self.file} line {line}", heading))), message, hint))

    def columns(self) -> dict[int, Column]:
        """What each heading names, by its place; what names nothing is a problem, and so is what names nothing new."""
        found: dict[int, Column] = {}
        for place, heading in enumerate(self.header):
            each = column(heading)
            if isinstance(each, Problem):
                self.problems.append(replace(each, path=f"{self.file}, heading {each.path or place + 1}"))
            elif any(replace(each, heading="", unit="") == replace(one, heading="", unit="") for one in found.values()):
                self.problems.append(Problem(f"{self.file}, heading {heading}", "is there twice", "leave one out"))
            else:
                found[place] = each
        if not any(each.measurand and not each.deviation for each in found.values()):
            told = "has no column with what was measured"
            self.problems.append(Problem(self.file, told, 'add one such as "goodput.bbr (Mbit/s)" or "share.bbr (%)"'))
        return found

    def measured(self, row: tuple[int, list[str]], columns: Mapping[int, Column]) -> dict[Measurand, Measured]:
        """The numbers of a row: an empty cell was not measured."""
        line, cells = row
        values: dict[Measurand, float] = {}
        deviations: dict[Measurand, float] = {}
        for place, each in columns.items():
            if each.measurand is None or not cells[place]:
                continue
            try:
                (deviations if each.deviation else values)[each.measurand] = each.number(cells[place])
            except ValueError as error:
                self.add(line, each.heading, *str(error).split("; ", 1))
        return {key: Measured(value, deviations.get(key)) for key, value in values.items()}

    def trials(self, row: tuple[int, list[str]], columns: Mapping[int, Column]) -> int | None:
        """How many trials a row tells of."""
        line, cells = row
        place = next((place for place, each in columns.items() if each.trials), None)
        try:
            return None if place is None else count(cells[place])
        except ValueError as error:
            self.add(line, self.header[place or 0], *str(error).split("; ", 1))
            return None

    def refuse_groups(self, found: HostMeasurements) -> None:
        """Notes quantities of groups that a point has not."""
        for point, rows in found.points():
            groups = list(dict.fromkeys(resolve(point, found.experiment.seed_values[0]).groups))
            for row in rows:
                for of in row.measured:
                    if of.group and of.group not in groups:
                        hint = suggestion(of.group, groups)
                        self.add(row.line, f"{of.quantity}.{of.group}", "there is no such group", hint)


def _refusal(path: str, message: str, hint: str) -> SpecError:
    return SpecError([Problem(path, message, hint)])


def _headings(lines: Sequence[tuple[int, str]]) -> tuple[int | None, str]:
    """The place of the first line that names a field or a quantity, and the separator by which it names the most."""
    for place, (_, line) in enumerate(lines[: MOST_TITLE_LINES + 1]):
        named = dict.fromkeys(SEPARATORS, 0)
        for separator in SEPARATORS:
            with suppress(csv.Error):
                named[separator] = sum(map(is_named, _cells(line, separator)))
        separator = max(named, key=lambda each: named[each])
        if named[separator]:
            return place, separator
    return None, SEPARATORS[0]


def _cells(line: str, separator: str) -> list[str]:
    """Raises csv.Error."""
    (cells,) = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
    return [cell.strip() for cell in cells]


def _text(path: Path) -> str:
    try:
        return text_of(path, "a CSV file")
    except Unreadable as error:
        raise _refusal(str(path), error.message, error.hint) from None


def _placed(problem: Problem, fields: Mapping[str, int], table: _Table, lines: Sequence[int]) -> Problem:
    """A problem of the experiment, at the line where it is first, if it is of a row's value."""
    for path, place in fields.items():
        match = _INDEX.fullmatch(problem.path.removeprefix(path))
        if match and problem.path.startswith(path):
            return replace(problem, path=f"{table.file} line {lines[int(match[1])]}, {table.header[place]}")
    return problem


def _key(values: Mapping[str, Any], fields: Mapping[str, Any] | Sequence[str]) -> tuple[str, ...]:
    return tuple(str(values[path]) for path in fields)
