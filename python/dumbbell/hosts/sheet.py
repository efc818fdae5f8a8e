"""A sheet of points as people have it: a CSV of their own, or what a spreadsheet wrote.

Cells are separated by commas, semicolons or tabs; beside semicolons numbers may have decimal commas. Lines that begin
with `#`, and those above the headings, say where it is all from. What can be read in two ways is refused. Where some
headings are named anew (`Renamed`), those that nobody named are left out.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final, Self

from dumbbell.hosts.columns import NOTE, SHARES, is_named, is_ours
from dumbbell.metrics.number import counted
from dumbbell.problem import Problem, SpecError, quoted, suggestion
from dumbbell.text_file import Unreadable, text_of

COMMENT: Final = "#"
SEPARATORS: Final = (",", ";", "\t")
DECIMAL_COMMA_SEPARATOR: Final = ";"
"""The separator of those whose numbers have decimal commas."""
MOST_ROWS: Final = 100_000
MOST_HEADINGS: Final = 1_000
MOST_TITLE_LINES: Final = 20
"""Above the headings."""
_DECIMAL_COMMA: Final = re.compile(r"([+-]?\d+),(\d+)(?![\d.,])")
_DECIMAL_POINT: Final = re.compile(r"[+-]?\d+\.\d")

Lines = Sequence[tuple[int, str]]
"""Those that are not empty, each with its number from 1."""
_RENAMING: Final = re.compile(r"(?P<own>[^=]+)=(?P<heading>[^:]+?)(?::x(?P<factor>[0-9]{1,9}(?:\.[0-9]{1,9})?))?")
_MOST_DIGITS: Final = 20
"""Of a number that is written without an exponent: 1e999999999 would fill the memory."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A heading of a sheet of others: what it is called here, and what its numbers are to be multiplied by."""

    own: str
    heading: str
    factor: Decimal = Decimal(1)

    @classmethod
    def of(cls, text: str) -> Self:
        """Reads `loss_rate=path.loss:x100`. A share has one unit, which need not be written.

        >>> Renamed.of("loss_rate=path.loss:x100"), Renamed.of("rate=path.rate (Mbit/s)").factor
        (Renamed(own='loss_rate', heading='path.loss (%)', factor=Decimal('100')), Decimal('1'))

        Raises:
            SpecError: it says no such thing.
        """
        match = _RENAMING.fullmatch(text.strip())
        if match is None:
            hint = "write --heading 'THEIRS=path.loss:x100' or --heading 'THEIRS=goodput.bbr (Mbit/s)'"
            raise refusal("--heading", f"{quoted(text)} names nothing", hint)
        heading = match["heading"].strip()
        heading = f"{heading} (%)" if heading in SHARES else heading
        return cls(match["own"].strip(), heading, Decimal(match["factor"] or 1))

    def cell(self, text: str) -> str:
        """A cell below it, in the unit of the heading here."""
        if self.factor == 1:
            return text
        try:
            product = (Decimal(text) * self.factor).normalize()  # 0.01 times 100 is 1, not 1.00
        except ArithmeticError:
            return text  # the column refuses it
        return f"{product:f}" if abs(product.adjusted()) < _MOST_DIGITS else str(product)


@dataclass(slots=True)
class Sheet:
    """The text of the file in cells, and what is wrong with it."""

    file: str
    head: tuple[str, ...]
    header: list[str]
    rows: list[tuple[int, list[str]]]
    """Each with its line, and as many cells as headings."""
    problems: list[Problem]

    @classmethod
    def read(cls, path: Path, renamed: Sequence[Renamed] = ()) -> Self:
        """Raises SpecError where it has no headings or no rows, or where nobody knows what its numbers are."""
        by_own = {each.own: each for each in renamed}
        text = text_of_points(path)
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        remarks = {number: line.lstrip(COMMENT).strip() for number, line in lines if line.startswith(COMMENT)}
        content = [each for each in lines if each[0] not in remarks]
        if len(content) < 2:  # noqa: PLR2004 (a header, and a row)
            raise refusal(str(path), "has no points", "a line of headings, and below it a line for each point")
        if len(content) > MOST_ROWS:
            raise refusal(str(path), f"has {counted(len(content) - 1, 'point')}", f"at most {MOST_ROWS:,}")
        place, separator = _headings(content, path.name, by_own)
        titles = {number: line.strip(f'{separator} "') for number, line in content[:place]}
        remarks |= {number: title for number, title in titles.items() if not title.startswith("sep=")}
        header = _without_last(_cells(content[place][1], separator))
        if len(header) > MOST_HEADINGS:
            raise refusal(str(path), f"has {len(header)} headings", f"at most {MOST_HEADINGS}")
        sheet = cls(path.name, (), header, [], [])
        remarks |= sheet._fill(content[place + 1 :], separator)
        sheet.head = tuple(remarks[number] for number in sorted(remarks))
        if separator == DECIMAL_COMMA_SEPARATOR:
            sheet._read_commas()
        if by_own:
            sheet._rename(by_own)
        return sheet

    def add(self, line: int, heading: str, message: str, hint: str = "") -> None:
        self.problems.append(Problem(", ".join(filter(None, (f"{self.file} line {line}", heading))), message, hint))

    def _fill(self, lines: Lines, separator: str) -> dict[int, str]:
        """Takes the rows; gives the remarks among them."""
        remarks, width = {}, len(self.header)
        for number, line in lines:
            try:
                cells = _cells(line, separator)
            except csv.Error as error:
                self.add(number, "", f"is no CSV: {error}", "close every quotation mark in its line")
                continue
            if cells[0].startswith(COMMENT):  # as a spreadsheet quotes a remark that has separators
                remarks[number] = " ".join(filter(None, cells)).lstrip(COMMENT).strip()
            elif len(cells) < width or any(cells[width:]):
                self.add(number, "", f"has {len(cells)} cells", f"as many as headings: {width}")
            elif any(cells):
                self.rows.append((number, cells[:width]))
        return remarks

    def _rename(self, renamed: Mapping[str, Renamed]) -> None:
        for own in renamed.keys() - set(self.header):
            self.problems.append(Problem("--heading", f"there is no {quoted(own)}", suggestion(own, self.header)))
        named = [renamed.get(heading, Renamed(heading, heading)) for heading in self.header]
        places = [place for place, each in enumerate(named) if each.own in renamed or is_ours(each.heading)]
        self.header = [named[place].heading for place in places]
        self.rows = [(line, [named[place].cell(cells[place]) for place in places]) for line, cells in self.rows]

    def _read_commas(self) -> None:
        """Writes points for decimal commas. Where there are points, too, nobody knows what a comma says."""
        comma = next((each for each in self._numbers() if _DECIMAL_COMMA.match(each[1][each[2]])), None)
        point = next((each for each in self._numbers() if _DECIMAL_POINT.match(each[1][each[2]])), None)
        if comma and point:
            (line, cells, place), (other, others, there) = comma, point
            message = f"{quoted(cells[place])} has a decimal comma, and {quoted(others[there])} in line {other} a point"
            where = f"{self.file} line {line}, {self.header[place]}"
            raise refusal(where, message, "write all numbers with a point, or all with a comma")
        for _, cells, place in self._numbers():
            cells[place] = _DECIMAL_COMMA.sub(r"\1.\2", cells[place], count=1)

    def _numbers(self) -> Iterator[tuple[int, list[str], int]]:
        """The cells that may be numbers: line, row and place."""
        places = [place for place, heading in enumerate(self.header) if not heading.startswith(NOTE)]
        return ((line, cells, place) for line, cells in self.rows for place in places)


def refusal(path: str, message: str, hint: str) -> SpecError:
    return SpecError([Problem(path, message, hint)])


def _headings(lines: Lines, file: str, renamed: Mapping[str, Renamed]) -> tuple[int, str]:
    """The place of the first line that names a field or a quantity, and the separator by which it names the most."""
    for place, (_, line) in enumerate(lines[: MOST_TITLE_LINES + 1]):
        named = dict.fromkeys(SEPARATORS, 0)
        for separator in SEPARATORS:
            with suppress(csv.Error):
                named[separator] = sum(is_named(each) or each in renamed for each in _cells(line, separator))
        separator = max(named, key=lambda each: named[each])
        if named[separator]:
            return place, separator
    number, line = lines[0]
    raise refusal(
        f"{file} line {number}", f"{quoted(line.strip())} has no heading, nor has a line below it",
        'write headings as "path.rate (Mbit/s)" and "goodput.bbr (Mbit/s)", or name them by'
        " --heading 'THEIRS=path.loss:x100'; lines of words begin with #",
    )  # fmt: skip


def _cells(line: str, separator: str) -> list[str]:
    (cells,) = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
    return [cell.strip() for cell in cells]


def _without_last(header: list[str]) -> list[str]:
    """Without the empty cells behind it: spreadsheets make all lines equally long."""
    return header[: max(place for place, heading in enumerate(header, start=1) if heading)]


def text_of_points(path: Path) -> str:
    """Raises SpecError where it is no text."""
    try:
        return text_of(path, "a CSV file")
    except Unreadable as error:
        raise refusal(str(path), error.message, error.hint) from None
