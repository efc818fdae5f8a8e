"""Tables from their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dumbbell.charts.table import Amount, Column, Entry, Table
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.displays import rows
from dumbbell.studies.displays.layers import runs_of
from dumbbell.studies.displays.scope import VERSION, Scope
from dumbbell.studies.evidence import SeedSweep, Trials


def draw_table(row: rows.TableRow, scope: Scope) -> Table:
    """A table of the runs that a scope has."""
    # Cases that a short form's runs do not tell apart are one line.
    own: dict[tuple[object, ...], Scope] = {}
    for number, line in enumerate(scope.narrowed(row).unique(row.rows)):
        own.setdefault(line.about if scope.study.short else (number,), line)
    lines = [list(_columns(row, line)) for line in own.values()]
    return Table(
        name=row.name,
        title=scope.text(row.title),
        caption=scope.text(row.caption),
        columns=tuple(Column(title=inner.text(column.title), unit=column.unit) for column, inner in lines[0]),
        rows=tuple(tuple(_entry(column, inner) for column, inner in line) for line in lines),
    )


def entry(trials: Sequence[SeedSweep] | Sequence[tuple[SeedSweep, ...]], row: rows.Column, scope: Scope) -> Amount:
    """The mean over seeds of a number of each seed's run, or of its whole sweep, with its interval.

    Of one number of all seeds together that number, with its spread.
    """
    if row.metric and scope.study.metrics.parse(scope.text(row.metric)).together:
        return _together(trials, row, scope)
    if row.sweep_metric:
        value = scope.metric(row.sweep_metric)
        numbers = [value(*((each,) if isinstance(each, SeedSweep) else each)) for each in trials]
    else:
        value = scope.metric(row.metric)
        numbers = [value(*runs) for runs in runs_of(trials)]
        if len(numbers) > len(trials):
            raise scope.error(f'{len(numbers)} runs for {len(trials)} seeds have "{row.metric}": name their point')
    factor = scope.factor(row.unit if row.factor is None else "", row.factor)
    values = [factor * each for each in numbers if each is not None]
    published = _published(row, scope)
    if not values:
        return Amount(None, None, published)
    mean = estimate(values)
    return Amount(mean.mean, mean.half_width, published, scope.limits(row.sweep_metric or row.metric, factor))


def _together(trials: Sequence[SeedSweep] | Sequence[tuple[SeedSweep, ...]], row: rows.Column, scope: Scope) -> Amount:
    pooled = Trials(tuple((each,) if isinstance(each, SeedSweep) else each for each in trials))
    factor = scope.factor(row.unit if row.factor is None else "", row.factor)

    def number(text: str) -> float | None:
        value = scope.study.metrics.parse(scope.text(text)).value_together(pooled) if pooled.sweeps and text else None
        return None if value is None else factor * value

    return Amount(number(row.metric), number(row.spread), _published(row, scope), scope.limits(row.metric, factor))


def _columns(row: rows.TableRow, scope: Scope) -> Iterator[tuple[rows.Column, Scope]]:
    """Each column with what it is of in one row of the table: first those of words, once."""
    heads = [column for column in row.columns if column.words]
    measured = [column for column in row.columns if not column.words]
    across = row.across if row.across is not None else () if scope.version else (VERSION,)
    yield from ((column, scope) for column in heads)
    for outer in scope.unique(across):
        for column in measured:
            yield from ((column, inner) for inner in outer.over(column))


def _entry(column: rows.Column, scope: Scope) -> Entry:
    if column.words:
        return scope.text(column.words)
    if column.given:
        return Amount(float(scope.published(column.given)))
    for name in scope.experiments:
        if trials := replace(scope, experiments=(name,)).trials(column.beside):
            return entry(trials, column, scope)
    return entry([], column, scope)


def _published(column: rows.Column, scope: Scope) -> float | str | None:
    """The document's number; None where a case has no word for it."""
    if not column.published or not scope.knows(column.published) or not scope.has(column.published_when):
        return None
    value: float | str = scope.published(column.published)
    return (
        value if column.published_digits is None or isinstance(value, str) else f"{value:.{column.published_digits}f}"
    )
