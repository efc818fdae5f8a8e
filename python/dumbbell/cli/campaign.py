"""What the runs of one experiment say, printed: the answer, the table, and what it leaves out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from dumbbell.problem import typed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.experiment.points import ExperimentRuns
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a table shows, as its options say."""

    columns: Sequence[str] | None
    """None: as many as fit."""
    everything: bool
    """All columns, whatever fits."""
    sort: str | None
    each_seed: bool
    by_hour: bool = False
    """The hour is one more swept field, the first."""

    @classmethod
    def of(
        cls, columns: str | None, sort: str | None, axes: Sequence[str], *, each_seed: bool, by_hour: bool = False
    ) -> Choice:
        """What options ask for, of an experiment with these swept fields.

        Raises:
            ColumnError: there is no such column.
        """
        from dumbbell.experiment.by_hour import HOUR
        from dumbbell.experiment.table import check

        names = None if columns in {None, ALL} else [name.strip() for name in (columns or "").split(",")]
        check(names, sort, [*axes, *([HOUR] if by_hour else [])])
        return cls(columns=names, everything=columns is not None, sort=sort, each_seed=each_seed, by_hour=by_hour)


def print_campaign(store: Store, campaign: Campaign, choice: Choice, experiment: Experiment | None = None) -> None:
    """Prints a campaign of a store, however many runs it has, or what an experiment has of it.

    Of many runs the first rows are read and printed. What needs all rows at once, an order, has them all in memory.
    """
    from dumbbell.campaign.plan import count
    from dumbbell.experiment.answer import answer
    from dumbbell.experiment.by_hour import by_hour
    from dumbbell.experiment.points import read_campaign, read_first
    from dumbbell.experiment.warning import summaries
    from dumbbell.experiment.warnings import warnings
    from dumbbell.metrics.number import counted
    from dumbbell.results.campaign import extent
    from dumbbell.tables.terminal import bold, columns, wrapped

    large = min(store.size(campaign), math.inf if experiment is None else count(experiment)) > MOST_SUMMED_UP
    if large and not (choice.sort or choice.by_hour):
        runs = read_first(store, campaign, experiment)
        points, seeds = extent(store.ledger, campaign.id, None if experiment is None else experiment.seed_values)
        _print_table(runs, choice, store, points, seeds)
        shown = f"the first {len(runs.points):,} of {counted(points, 'point')}"
        typer.echo(wrapped(f"{shown}; `dumbbell results export` and `query` have all", columns()), err=True)
    else:
        runs = read_campaign(store, campaign, experiment)
        if choice.by_hour:
            runs = by_hour(store, campaign, runs)
        if runs.measured <= MOST_SUMMED_UP:  # of more, sentences would take longer than they are worth
            typer.echo(bold(wrapped(" ".join(answer(runs)), columns(), hanging="")) + "\n")
        seeds = sorted({seed for point in runs.points for seed in (*point.run_ids, *point.errors)})
        rows = _print_table(runs, choice, store, len(runs.points), seeds)
        if rows > MOST_ROWS and runs.axes:
            _print_length_hint(rows, runs, store)
    if not large:
        for text in summaries(warnings(runs)).values():
            typer.echo(wrapped(f"warning: {text}", columns()), err=True)
    print_notices(runs, store.folder)


def _print_table(runs: ExperimentRuns, choice: Choice, store: Store, points: int, seeds: Sequence[int]) -> int:
    """Prints the table, and on standard error what it has no room for; gives how many rows it has."""
    from dumbbell.cli.caption import caption
    from dumbbell.experiment.results_table import of_hops, of_terminal
    from dumbbell.experiment.table import DESCENDING, table
    from dumbbell.experiment.time_below import measure_time_below
    from dumbbell.metrics.catalogue import HARMS
    from dumbbell.results.harm import ADDS_HARM
    from dumbbell.tables.plain_text import lay_out
    from dumbbell.tables.terminal import columns, wrapped

    measure_time_below(store, runs, {*(choice.columns or ()), (choice.sort or "").removeprefix(DESCENDING)})
    rows = table(runs, choice.columns, choice.sort, each_seed=choice.each_seed, everything=choice.everything)
    shown = lay_out(of_terminal(rows, everything=choice.everything), columns())
    for line in (*caption(rows, columns(), points, seeds), "", *shown.lines):
        typer.echo(line)
    hops = of_hops(runs, MOST_ROWS)
    for line in ("", *lay_out(hops, columns()).lines) if hops else ():
        typer.echo(line)
    if any(name in HARMS for name in choice.columns or ()) and not runs.knows_harm:
        typer.echo(wrapped(f"harm is not known: {ADDS_HARM}", columns()), err=True)
    if shown.left_out:
        typer.echo(wrapped(f"more columns: --columns all ({', '.join(shown.left_out)})", columns()), err=True)
    return len(rows.rows)


def _print_length_hint(rows: int, runs: ExperimentRuns, store: Store) -> None:
    """How to see less of a table that nobody reads to its end."""
    from dumbbell.spec.point_text import swept_text
    from dumbbell.tables import terminal

    path = runs.axes[0]
    value = next(point.swept[path] for point in reversed(runs.points) if path in point.swept)
    few = f"--set {typed(f'{path}={swept_text(value)}')} shows those of one value, --sort COLUMN orders them"
    every = f"`dumbbell results export {typed(store.folder)} FILE.csv --table groups` writes them"
    typer.echo(terminal.wrapped(f"{rows:,} rows: {few}; {every}", terminal.columns()), err=True)


def print_notices(runs: ExperimentRuns, store: Path, *, failures_only: bool = False) -> None:
    """Warnings and failures of single runs, each once; the place is where it was first."""
    from dumbbell.experiment.warnings import of_single_runs
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
