"""What the runs of one experiment say, printed: the answer, the table, and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.findings.points import ExperimentRuns

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


def tell(runs: ExperimentRuns, choice: Choice) -> None:
    """Prints the answer of an experiment and its table; on standard error what has no room, and all warnings."""
    from dumbbell.cli import terminal
    from dumbbell.cli.layout import caption, lay_out
    from dumbbell.findings.answer import answer
    from dumbbell.findings.table import table

    width = terminal.columns()
    found = table(runs, choice.columns, choice.sort, each_seed=choice.each_seed, everything=choice.everything)
    layout = lay_out(found, width, everything=choice.everything)
    typer.echo(terminal.bold(terminal.wrapped(" ".join(answer(runs)), width, hanging="")) + "\n")
    for line in (*caption(found, width), "", *layout.lines()):
        typer.echo(line)
    if layout.left_out:
        names = ", ".join(layout.left_out)
        typer.echo(terminal.wrapped(f"no room at {width} columns: {names}; --columns all has them", width), err=True)
    for line in _notices(runs):
        typer.echo(line, err=True)


def _notices(runs: ExperimentRuns) -> Iterator[str]:
    """Failures and warnings, each once with the first run or point that has it."""
    from dumbbell.findings.caution import told
    from dumbbell.findings.warnings import warnings
    from dumbbell.metrics.number import counted

    lines = [f"warning: {each.text}" for each in told(warnings(runs))]
    for notice in runs.notices:
        kind = "failed" if notice.kind == "failure" else notice.kind
        more = f" (and {counted(notice.runs - 1, 'more run')})" if notice.runs > 1 else ""
        place = f"{notice.place}{more}: " if notice.place else ""
        lines.append(f"{kind}: {place}{notice.text}")
    yield from lines[:MOST_NOTICES]
    if len(lines) > MOST_NOTICES:
        yield f"and {len(lines) - MOST_NOTICES} more like these: `dumbbell results show STORE RUN` has those of a run"
