"""What the runs of one experiment say, printed: the answer, the table, and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from dumbbell.problem import typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dumbbell.findings.points import ExperimentRuns
    from dumbbell.findings.table import Table
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

ALL = "all"
MOST_ROWS = 100
"""Beyond these, `run` says how to see fewer."""
MOST_SUMMED_UP = 5_000
"""Runs of which sentences and warnings are printed; of more the rows only, as they are read."""
MOST_NOTICES = 20
"""Warnings and failures that are told; the store has all of them."""
RESTS_ON = "goodput"
"""What every measured run has: a row's n is known by it, whatever columns are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a table shows, as its options say."""

    columns: Sequence[str] | None
    """None: as many as fit."""
    everything: bool
    """All columns, whatever fits."""
    sort: str | None
    each_seed: bool

    @property
    def all_columns(self) -> bool:
        """Whether every column is asked for."""
        return self.everything and self.columns is None

    @classmethod
    def of(cls, columns: str | None, sort: str | None, axes: Sequence[str], *, each_seed: bool) -> Choice:
        """What options ask for, of an experiment with these swept fields.

        Raises:
            ColumnError: there is no such column.
        """
        from dumbbell.findings.table import check

        names = None if columns in {None, ALL} else [name.strip() for name in (columns or "").split(",")]
        check(names, sort, axes)
        return cls(columns=names, everything=columns is not None, sort=sort, each_seed=each_seed)


def print_answer(runs: ExperimentRuns, choice: Choice, store: Store) -> None:
    """Prints the answer of an experiment in a store and its table; on standard error what that has no room for."""
    from dumbbell.cli import terminal
    from dumbbell.cli.layout import caption, lay_out
    from dumbbell.findings.answer import answer

    width = terminal.columns()
    table = _table(runs, choice, store)
    layout = lay_out(table, width, everything=choice.everything)
    if runs.measured <= MOST_SUMMED_UP:  # of more, sentences would take longer than they are worth
        typer.echo(terminal.bold(terminal.wrapped(" ".join(answer(runs)), width, hanging="")) + "\n")
    seeds = sorted({seed for point in runs.points for seed in (*point.run_ids, *point.failed)})
    for line in (*caption(table, width, len(runs.points), seeds), "", *layout.lines()):
        typer.echo(line)
    _print_left_out(runs, choice, layout.left_out)
    _print_length_hint(len(table.rows), runs, store)


def print_campaign(store: Store, campaign: Campaign, choice: Choice, experiment: Experiment | None = None) -> bool:
    """Prints a campaign of a store, however many runs it has, or what an experiment asks of it; whether any run failed.

    Of many runs the rows are printed as they are read, in the columns that fit the first of them. What needs all rows
    at once, an order or all columns, has them all in memory.
    """
    from dumbbell.campaign.plan import count
    from dumbbell.findings.points import read_campaign

    large = (store.size(campaign) if experiment is None else count(experiment)) > MOST_SUMMED_UP
    if large and not (choice.sort or choice.all_columns):
        runs = _print_pages(store, campaign, choice, experiment)
    else:
        runs = read_campaign(store, campaign, experiment)
        print_answer(runs, choice, store)
    if not large:
        print_warnings(runs)
    print_notices(runs, store.folder)
    return any(notice.kind == "failure" for notice in runs.notices)


def _print_pages(store: Store, campaign: Campaign, choice: Choice, experiment: Experiment | None) -> ExperimentRuns:
    """Prints a table page by page; gives the last one, which has all notices."""
    from dumbbell.cli import terminal
    from dumbbell.cli.layout import caption, lay_out, lines_of, shown
    from dumbbell.findings.points import read_pages
    from dumbbell.findings.table import USUAL
    from dumbbell.results.campaign import extent
    from dumbbell.results.measured import STORED

    known = [name for name in STORED if name in {RESTS_ON, *(choice.columns or USUAL)}]
    for page in read_pages(store, campaign, experiment, known):
        if any(each.run_ids for each in page.points):
            break
    width, first = terminal.columns(), _table(page, choice, store)
    layout = lay_out(first, width, everything=choice.everything)
    there = extent(store.ledger, campaign.id, None if experiment is None else experiment.seed_values)
    for line in (*caption(first, width, *there), ""):
        typer.echo(line)
    chosen = replace(choice, columns=shown(layout))
    needed = [name for name in STORED if name in {RESTS_ON, *shown(layout)}]
    rows = 0

    def tables() -> Iterator[Table]:
        nonlocal page, rows
        for page in read_pages(store, campaign, experiment, needed):
            table = _table(page, chosen, store)
            rows += len(table.rows)
            yield table

    for line in lines_of(tables(), width):
        typer.echo(line)
    _print_left_out(page, choice, layout.left_out)
    _print_length_hint(rows, page, store)
    return page


def _table(runs: ExperimentRuns, choice: Choice, store: Store) -> Table:
    from dumbbell.findings.table import DESCENDING, table
    from dumbbell.findings.time_below import measure_time_below

    measure_time_below(store, runs, {*(choice.columns or ()), (choice.sort or "").removeprefix(DESCENDING)})
    return table(runs, choice.columns, choice.sort, each_seed=choice.each_seed, everything=choice.everything)


def _print_left_out(runs: ExperimentRuns, choice: Choice, left_out: Sequence[str]) -> None:
    """What a table does not show that was asked for."""
    from dumbbell.cli import terminal
    from dumbbell.metrics.catalogue import HARMS
    from dumbbell.results.harm import ADDS_HARM

    width = terminal.columns()
    if any(name in HARMS for name in choice.columns or ()) and not runs.knows_harm:
        typer.echo(terminal.wrapped(f"harm is not known: {ADDS_HARM}", width), err=True)
    if left_out:
        names = ", ".join(left_out)
        typer.echo(terminal.wrapped(f"more columns: --columns all ({names})", width), err=True)


def _print_length_hint(rows: int, runs: ExperimentRuns, store: Store) -> None:
    """How to see less of a table that nobody reads to its end."""
    from dumbbell.cli import terminal
    from dumbbell.spec.point_text import swept_text

    swept = {path: value for point in runs.points for path, value in point.swept.items()}
    if rows > MOST_ROWS and swept:
        path, value = next(iter(swept.items()))
        few = f"--set {typed(f'{path}={swept_text(value)}')} shows those of one value, --sort COLUMN orders them"
        every = f"`dumbbell results export {typed(store.folder)} FILE.csv --table groups` writes them"
        typer.echo(terminal.wrapped(f"{rows:,} rows: {few}; {every}", terminal.columns()), err=True)


def print_warnings(runs: ExperimentRuns) -> None:
    """What is wrong with the experiment as a whole, each kind once."""
    from dumbbell.cli import terminal
    from dumbbell.findings.caution import caution_summaries
    from dumbbell.findings.warnings import warnings

    for each in caution_summaries(warnings(runs)):
        typer.echo(terminal.wrapped(f"warning: {each.text}", terminal.columns()), err=True)


def print_notices(runs: ExperimentRuns, store: Path, *, failures_only: bool = False) -> None:
    """Warnings and failures of single runs, each once; the place is where it was first."""
    from dumbbell.findings.warnings import of_single_runs
    from dumbbell.metrics.number import counted

    notices = [notice for notice in of_single_runs(runs) if notice.kind == "failure" or not failures_only]
    for notice in notices[:MOST_NOTICES]:
        kind = "failed" if notice.kind == "failure" else notice.kind
        more = f" (and {counted(notice.runs - 1, 'more run')})" if notice.runs > 1 else ""
        place = f"{notice.place}{more}: " if notice.place else ""
        typer.echo(f"{kind}: {place}{notice.text}", err=True)
    if len(notices) > MOST_NOTICES:
        shown = f"`dumbbell results show {typed(store)} RUN` has those of a run"
        typer.echo(f"and {len(notices) - MOST_NOTICES} more like these: {shown}", err=True)
