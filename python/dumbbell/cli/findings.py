"""What the runs of one experiment say, printed: the answer, the table, and what it leaves out."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.findings.points import ExperimentRuns
    from dumbbell.results.store import Store

ALL = "all"
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


def tell(runs: ExperimentRuns, choice: Choice, store: Store) -> None:
    """Prints the answer of an experiment in a store and its table; on standard error what that has no room for."""
    from dumbbell.cli import terminal
    from dumbbell.cli.layout import caption, lay_out
    from dumbbell.findings.answer import answer
    from dumbbell.findings.points import MOST_READ_WHOLE
    from dumbbell.findings.table import DESCENDING, table
    from dumbbell.findings.time_below import measure_time_below
    from dumbbell.metrics.catalogue import HARMS
    from dumbbell.results.harm import ADDS_HARM

    width = terminal.columns()
    measure_time_below(store, runs, {*(choice.columns or ()), (choice.sort or "").removeprefix(DESCENDING)})
    found = table(runs, choice.columns, choice.sort, each_seed=choice.each_seed, everything=choice.everything)
    layout = lay_out(found, width, everything=choice.everything)
    if runs.measured <= MOST_READ_WHOLE:  # of more, sentences would take longer than they are worth
        typer.echo(terminal.bold(terminal.wrapped(" ".join(answer(runs)), width, hanging="")) + "\n")
    for line in (*caption(found, width), "", *layout.lines()):
        typer.echo(line)
    if any(name in HARMS for name in choice.columns or ()) and not runs.knows_harm:
        typer.echo(terminal.wrapped(f"harm is not known: {ADDS_HARM}", width), err=True)
    if layout.left_out:
        names = ", ".join(layout.left_out)
        typer.echo(terminal.wrapped(f"no room at {width} columns: {names}; --columns all has them", width), err=True)


def tell_warnings(runs: ExperimentRuns) -> None:
    """What is wrong with the experiment as a whole, each kind once."""
    from dumbbell.cli import terminal
    from dumbbell.findings.caution import told
    from dumbbell.findings.warnings import warnings

    for each in told(warnings(runs)):
        typer.echo(terminal.wrapped(f"warning: {each.text}", terminal.columns()), err=True)


def tell_notices(runs: ExperimentRuns, store: Path, *, failures_only: bool = False) -> None:
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
        shown = f"`dumbbell results show {shlex.quote(str(store))} RUN` has those of a run"
        typer.echo(f"and {len(notices) - MOST_NOTICES} more like these: {shown}", err=True)
