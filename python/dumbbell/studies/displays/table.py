"""Tables from their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dumbbell.charts.style import PUBLISHED
from dumbbell.errors import StudyError
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.displays import rows
from dumbbell.studies.displays.scope import VERSION, Scope
from dumbbell.studies.evidence import SeedSweep, Trials
from dumbbell.tables.table import Amount, Cell, Column, Table


def draw_table(row: rows.TableRow, scope: Scope) -> Table:
    """A table of the runs that a scope has."""
    # Cases that a short form's runs do not tell apart are one line.
    own: dict[tuple[object, ...], Scope] = {}
    for number, of_line in enumerate(scope.narrowed(row).unique(row.rows)):
        own.setdefault(of_line.about if scope.study.short else (number,), of_line)
    lines = [list(_columns(row, each)) for each in own.values()]
    published = [[_published(column, inner) for column, inner in line] for line in lines]
    has_published = [any(each is not None for each in column) for column in zip(*published, strict=True)]
    columns, rows = list[Column](), [list[Cell]() for _ in lines]
    for nth, (column, inner) in enumerate(lines[0]):
        columns.append(Column(inner.text(column.title), column.unit, key=not nth))
        for cells, line in zip(rows, lines, strict=True):
            cells.append(_cell(*line[nth]))
        if has_published[nth]:
            columns.append(Column(PUBLISHED))
            for cells, texts in zip(rows, published, strict=True):
                cells.append(texts[nth] or "")
    return Table(columns, rows, scope.text(row.title), row.name, scope.text(row.caption))


def mean_over_seeds(trials: Sequence[tuple[SeedSweep, ...]], row: rows.Column, scope: Scope) -> Amount:
    """Of a number of each seed's run, or of its sweep, with its interval, in the column's unit.

    Of one number of all seeds together that number, with its spread.
    """
    formula, factor, limits = scope.formula(row.metric), scope.factor(row), scope.limits(row)
    if formula.together:
        pooled = Trials(tuple(trials))
        known = [
            scope.formula(text).value_together(pooled) if text and trials else None for text in (row.metric, row.spread)
        ]
        value, spread = (None if each is None else factor * each for each in known)
        return Amount(value, spread, limits=limits)
    try:
        numbers = [formula.value(*each) for each in trials]
    except StudyError as error:
        runs = sum(len(own.runs) for own, *_ in trials)
        if runs == len(trials):
            raise
        message = f'{runs} runs for {len(trials)} seeds have "{row.metric}": name their point; {error}'
        raise scope.error(message) from None
    values = [factor * each for each in numbers if each is not None]
    if not values:
        return Amount(None)
    mean = estimate(values)
    return Amount(mean.mean, mean.half_width, limits=limits)


def _columns(row: rows.TableRow, scope: Scope) -> Iterator[tuple[rows.Column, Scope]]:
    """Each column with what it is of in one row of the table: first those of words, once."""
    heads = [column for column in row.columns if column.words]
    measured = [column for column in row.columns if not column.words]
    across = row.across if row.across is not None else () if scope.version else (VERSION,)
    yield from ((column, scope) for column in heads)
    for outer in scope.unique(across):
        for column in measured:
            yield from ((column, inner) for inner in outer.over(column))


def _cell(column: rows.Column, scope: Scope) -> Cell:
    if column.words:
        return scope.text(column.words)
    if not column.metric:
        return Amount(float(scope.published(column.published)))
    for name in scope.experiments:
        if trials := replace(scope, experiments=(name,)).trials_with(column.beside):
            return mean_over_seeds(trials, column, scope)
    return mean_over_seeds([], column, scope)


def _published(column: rows.Column, scope: Scope) -> str | None:
    """The document's number as it is written; None where a case has none."""
    if (
        not (column.metric or column.words)
        or not column.published
        or not scope.knows(column.published)
        or not scope.has(column.published_when)
    ):
        return None
    value: float | str = scope.published(column.published)
    if isinstance(value, str):
        return value
    return f"{value:g}" if column.published_digits is None else f"{value:.{column.published_digits}f}"
