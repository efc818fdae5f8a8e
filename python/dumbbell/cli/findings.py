"""What the runs of one experiment say, printed: the answer, the table, and what it leaves out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.findings.points import ExperimentRuns

ALL = "all"
_AFTER_NUMBER: Final = re.compile(r"(?<=\d) |(?<=[±<]) ")
_GLUE: Final = "\0"
"""Stands for a space at which no line may end: that between a number and its unit."""
ADDS_HARM = "it needs runs of each group alone, which `dumbbell run SPEC --harm` adds"


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
    """Prints the answer of an experiment and its table, and on standard error what that has no room for."""
    from dumbbell.cli import terminal
    from dumbbell.cli.layout import caption, lay_out
    from dumbbell.findings.answer import answer
    from dumbbell.findings.table import table
    from dumbbell.metrics.catalogue import HARMS

    width = terminal.columns()
    found = table(runs, choice.columns, choice.sort, each_seed=choice.each_seed)
    layout = lay_out(found, width, everything=choice.everything)
    said = _AFTER_NUMBER.sub(_GLUE, " ".join(answer(runs)))
    typer.echo(terminal.bold(terminal.wrapped(said, width, hanging="").replace(_GLUE, " ")) + "\n")
    for line in (*caption(found, width), "", *layout.lines()):
        typer.echo(line)
    known = {name for point in runs.points for name, _ in point.measured}
    if any(name in HARMS for name in choice.columns or ()) and not known & HARMS.keys():
        typer.echo(terminal.wrapped(f"harm is not known: {ADDS_HARM}", width), err=True)
    if layout.left_out:
        names = ", ".join(layout.left_out)
        typer.echo(terminal.wrapped(f"no room at {width} columns: {names}; --columns all has them", width), err=True)
