"""The table of an experiment on a terminal: what all its points share, and as many columns as fit the width.

A line is a group of flows at a point, or in a run; what belongs to the path stands on the first of its lines only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from dumbbell.cli.terminal import bold, rule, wrapped
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.number import ABSENT, amount, counted, listed, numeric, trimmed
from dumbbell.results.listing import changes_text
from dumbbell.spec.point_text import swept_text

if TYPE_CHECKING:
    from dumbbell.findings.points import ExperimentRuns
    from dumbbell.findings.table import Row, Table

LONGEST_NAME: Final = 24
"""Of a group; longer ones are cut."""
MOST_OF_WIDTH: Final = 0.5
"""Names and swept values may take; if they need more, each point has a line of its own above its groups."""
NARROWEST: Final = 4
"""No column of numbers is narrower."""
MOST_GROUPS: Final = 8
"""Whose constants are told."""
GAP: Final = "  "
PLUS_MINUS: Final = " ± "
PERCENT: Final = 100.0
_GROUP: Final = re.compile(r"^flows\[(\d+)\]\.")


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and a cell a row."""

    name: str
    heading: Sequence[str]
    """Its lines."""
    cells: Sequence[str]
    to_the_right: bool
    width: int

    def padded(self, text: str) -> str:
        """A text as wide as the column."""
        return text.rjust(self.width) if self.to_the_right else text.ljust(self.width)


@dataclass(frozen=True, slots=True)
class Layout:
    """A table that fits a width."""

    keys: Sequence[Column]
    """What each line is."""
    titles: Sequence[str]
    """What stands above each row: its point, where that has a line of its own; mostly nothing."""
    blocks: Sequence[Sequence[Column]]
    """Columns that stand beside one another; one block is under the other."""
    left_out: Sequence[str]
    """Columns for which there is no room."""
    width: int

    def lines(self) -> Iterator[str]:
        """The lines, without those about all points."""
        indent = GAP if any(self.titles) else ""
        for nth, block in enumerate(self.blocks):
            if nth:
                yield ""
            yield from self._lines([*self.keys, *block], indent)

    def _lines(self, columns: Sequence[Column], indent: str) -> Iterator[str]:
        depth = max(len(column.heading) for column in columns)
        for line in range(depth):
            texts = (["", *column.heading][max(0, line - depth + len(column.heading) + 1)] for column in columns)
            yield bold(_joined(columns, texts, indent))
        if depth:
            yield from rule(len(indent) + _room(columns))
        for title, cells in zip(self.titles, zip(*(column.cells for column in columns), strict=True), strict=True):
            if title:
                yield wrapped(title, self.width, hanging=GAP * 2)
            yield _joined(columns, cells, indent)


def lay_out(table: Table, width: int, *, everything: bool = False) -> Layout:
    """The columns of a table that fit a width, the first ones first; with `everything` all, one block under another."""
    rows = table.rows
    new_point, new_run = _firsts(rows)
    keys, titles = _keys(table, new_point, new_run, width)
    room = width - _room(keys) - (len(GAP) if any(titles) else 0)
    blocks: list[list[Column]] = [[]]
    left_out: list[str] = []
    left = room
    for name in table.columns:
        if not everything and left < NARROWEST + len(GAP):
            left_out.append(name)
            continue
        column = _of(name, rows, new_run)
        needed = column.width + len(GAP)
        if everything and needed > left and blocks[-1]:
            blocks.append([])
            left = room
        if everything or needed <= left:
            blocks[-1].append(column)
            left -= needed
        else:
            left_out.append(name)
    return Layout(keys, titles, blocks, left_out, width)


def shown(layout: Layout) -> list[str]:
    """The columns that it shows beside its keys."""
    return [column.name for block in layout.blocks for column in block]


def lines_of(tables: Iterable[Table], width: int) -> Iterator[str]:
    """The lines of a table that comes in parts, all with the columns of the first.

    Columns may grow wider further down, and are never narrower. Each swept field has a column: nobody knows here which
    of them are alike to the end.
    """
    before: list[Column] = []
    for table in tables:
        axes, rows = table.runs.axes, table.rows
        new_point, new_run = _firsts(rows)
        columns = [_column(axis, axis, _where(new_point, (_text(row, axis) for row in rows))) for axis in axes]
        columns += [*_own(table, new_run, several=True), *(_of(name, rows, new_run) for name in table.columns)]
        if before:
            columns = [
                replace(column, heading=(), to_the_right=above.to_the_right, width=max(column.width, above.width))
                for column, above in zip(columns, before, strict=True)
            ]
        yield from Layout(columns, [""] * len(rows), [[]], [], width).lines()
        before = columns


def caption(table: Table, width: int, points: int, seeds: Sequence[int]) -> Iterator[str]:
    """What all rows share: name, engine, what a number is; then path, flows and window as the spec wrote them.

    `points` and `seeds` are those of the experiment, of which a table may be a part.
    """
    runs, rows = table.runs, table.rows
    parts = [counted(points, "point"), *([f"seed{'s' * (len(seeds) > 1)} {listed(seeds)}"] if seeds else [])]
    means = [row for row in rows if row.seed is None and len(row.point.run_ids) > 1]
    if any(row.n > 1 for row in means):
        parts.append("mean ± 95 %")
    if any(row.n == 1 for row in means):
        parts.append("n = 1: all seeds gave the same value")
    if runs.validity and len(runs.points) == points:
        parts.append(runs.validity)
    yield bold(wrapped(f"{runs.name} on {runs.engine}: {', '.join(parts)}", width))
    constants = "; ".join(filter(None, _constants(runs)))
    if constants:
        yield wrapped(constants, width)


def _constants(runs: ExperimentRuns) -> Iterator[str]:
    spec = runs.spec
    for section in ("path", "host"):
        yield ", ".join(_field_texts(spec.get(section, {}), section, runs.axes))
    own = ("duration", "time_limit", "start_jitter", "rtt_spread")
    yield ", ".join(_field_texts({key: spec[key] for key in own if key in spec}, "", runs.axes))
    window = spec.get("measure", {}).get("window")
    if window:
        yield f"window {window[0]} to {window[1]}"
    groups = list(runs.points[0].ccs.items()) if runs.points else []
    if len(groups) <= MOST_GROUPS:
        for index, (flows, (name, _)) in enumerate(zip(spec.get("flows", ()), groups, strict=False)):
            fixed_cc = {"cc": flows["cc"]} if flows["cc"] != name else {}
            others = {key: value for key, value in flows.items() if key not in {"name", "cc"}}
            constants = ", ".join(_field_texts(fixed_cc | others, f"flows[{index}]", runs.axes))
            yield f"{name}: {constants}" if constants else ""


def _field_texts(section: Mapping[str, Any], path: str, axes: Sequence[str]) -> Iterator[str]:
    """Key and value of what is not swept."""
    for key, value in section.items():
        if f"{path}.{key}".lstrip(".") in axes:
            continue
        if key == "change":
            yield from changes_text([(swept_text(each["rate"]), swept_text(each["at"])) for each in value])
        elif isinstance(value, dict):
            inner = " ".join(_field_texts(value, f"{path}.{key}", axes))
            yield inner if key == "workload" else f"{key} {inner}".strip()
        elif key == "cc":
            yield str(value)
        else:
            yield f"{key} {value}"


def _keys(
    table: Table, new_point: Sequence[bool], new_run: Sequence[bool], width: int
) -> tuple[list[Column], Sequence[str]]:
    """The columns that say what a row is; and what stands above each row."""
    runs, rows = table.runs, table.rows
    headings = _headings(runs)
    axes = list(headings)
    swept = [_column(axis, headings[axis], _where(new_point, (_text(row, axis) for row in rows))) for axis in axes]
    own = _own(table, new_run, several=len(runs.groups) > 1 or not swept)
    if _room([*swept, *own]) <= MOST_OF_WIDTH * width:
        return [*swept, *own], [""] * len(rows)
    titles = (", ".join(f"{headings[axis]} = {_text(row, axis)}" for axis in axes) for row in rows)
    return own, _where(new_point, titles)


def _own(table: Table, new_run: Sequence[bool], *, several: bool) -> list[Column]:
    """Which group, where there are several, and which seed or how many."""
    rows = table.rows
    own = [_column("group", "group", [_clipped(row.group or ABSENT) for row in rows])] if several else []
    if any(row.seed is not None for row in rows):
        own.insert(0, _column("seed", "seed", _where(new_run, (str(row.seed) for row in rows))))
    elif "n" not in table.columns:
        own.append(_column("n", "n", [str(row.n) for row in rows]))
    return own


def _firsts(rows: Sequence[Row]) -> tuple[list[bool], list[bool]]:
    """Whether each row is the first of its point, and of its run."""
    first = [True] * bool(rows)
    new_point = first + [after.point is not before.point for before, after in pairwise(rows)]
    new_seed = first + [after.seed != before.seed for before, after in pairwise(rows)]
    return new_point, [point or seed for point, seed in zip(new_point, new_seed, strict=True)]


def _headings(runs: ExperimentRuns) -> dict[str, str]:
    """The swept fields that are shown, with what stands above each; a field that groups sweep alike is there once."""
    headings: dict[str, str] = {}
    alike: dict[tuple[str, ...], list[str]] = {}
    for axis in runs.axes:
        if not _is_name_of_group(axis, runs):
            field = _GROUP.sub("", axis)
            own = [str(point.swept.get(axis)) for point in runs.points]
            alike.setdefault((field, *own) if field != axis else (axis,), []).append(axis)
    for axes in alike.values():
        indices = ",".join(_GROUP.findall(axis)[0] for axis in axes if _GROUP.match(axis))
        headings[axes[0]] = _GROUP.sub(f"flows[{indices}].", axes[0])
    return headings


def _is_name_of_group(axis: str, runs: ExperimentRuns) -> bool:
    """Whether it is the algorithm of a group that has its name from it at each point."""
    groups = [list(point.ccs) for point in runs.points if point.ccs]
    places = {f"flows[{index}].cc": index for names in groups for index in range(len(names))}
    return axis in places and all(
        point.swept.get(axis) == list(point.ccs)[places[axis]] for point in runs.points if point.ccs
    )


def _of(name: str, rows: Sequence[Row], new_run: Sequence[bool]) -> Column:
    """A column of what was measured, or of a fact."""
    if name == "fair_share":
        fair = (None if row.fair_share is None else PERCENT * row.fair_share for row in rows)
        return _column(name, "fair %", [trimmed(share) for share in fair])
    if name not in QUANTITIES:
        return _column(name, name, [_text(row, name) for row in rows])
    quantity = QUANTITIES[name]
    estimates = (row.estimates.get(name) for row in rows)
    # A terminal has no room for both ends of an interval that leaves the quantity's limits: pages have them.
    texts = [amount(each.mean, each.half_width, quantity.factor) if each else ABSENT for each in estimates]
    heading = f"{quantity.short or quantity.label} {quantity.unit}".strip()
    return _column(name, heading, _where(new_run, texts) if quantity.of == "run" else texts)


def _column(name: str, heading: str, cells: Sequence[str]) -> Column:
    """The heading gets as many lines as it needs to be no wider than its cells, and ± stands under ±."""
    parts = [cell.partition(PLUS_MINUS) for cell in cells]
    right = max((len(half) for *_, half in parts), default=0)
    is_number = numeric(cells)
    if right and is_number:
        left = max(len(mean) for mean, *_ in parts)
        cells = [f"{mean:>{left}}{sign or ' ' * len(PLUS_MINUS)}{half:<{right}}" for mean, sign, half in parts]
    widest = max((len(cell) for cell in cells), default=0)
    lines = _folded(heading, widest)
    return Column(name, lines, cells, is_number, max(widest, *map(len, lines)))


def _folded(heading: str, width: int) -> list[str]:
    """As many lines as it needs to be no wider: it breaks between words, and within them behind a point."""
    lines = wrap(heading, max(width, *map(len, heading.split())), break_on_hyphens=False)
    return [part for line in lines for part in ([line] if len(line) <= width else re.findall(r"[^.]+\.?", line))]


def _where(first: Sequence[bool], texts: Iterable[str]) -> list[str]:
    """A text in the first row of several that share it."""
    return [text if new else "" for new, text in zip(first, texts, strict=True)]


def _text(row: Row, column: str) -> str:
    value = row.value(column)
    return ABSENT if value is None or value == "" else str(value)


def _clipped(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _room(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def _joined(columns: Sequence[Column], texts: Iterable[str], indent: str) -> str:
    return indent + GAP.join(column.padded(text) for column, text in zip(columns, texts, strict=True)).rstrip()
