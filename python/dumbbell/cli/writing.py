"""What becomes of a page or a figure that cannot be written: a line, and the exit status 1."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = 1


@contextmanager
def writing() -> "Iterator[None]":
    """Around what writes for a reader; whoever has more to tell tells it before."""
    from dumbbell.report.failure import ReportError

    try:
        yield
    except ReportError as error:
        typer.echo(error, err=True)
        raise typer.Exit(FAILED) from None
