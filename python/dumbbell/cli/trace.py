"""`dumbbell trace`: a line as it changes in time, as a file that `path.trace` takes."""

from pathlib import Path
from typing import Annotated, Final

import typer

from dumbbell.cli import completion

app = typer.Typer(rich_markup_mode=None)


EXAMPLE: Final = 'Example: dumbbell trace make lte --seed 1 --for "60 s" --out lte.csv'


@app.callback(epilog=EXAMPLE)
def trace() -> None:
    """Write a line as it changes in time, made by a documented process."""


@app.command(epilog=EXAMPLE)
def make(
    process: Annotated[
        str,
        typer.Argument(metavar="PROCESS", autocompletion=completion.processes, help="lte, wifi or starlink."),
    ],
    *,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Another one is another line.")] = 1,
    duration: Annotated[str, typer.Option("--for", metavar="TIME", help="How long.")] = "60 s",
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The CSV file that is written.", show_default=False)
    ],
) -> None:
    """Write a table of time, rate, delay and loss, which a spec names as path.trace.

    The file begins with the command that makes it again and with what the process is, with its sources: the rate of a
    phone (lte), of a Wi-Fi station that walks about (wifi), of a Starlink dish (starlink). The same seed is the same
    file. It has a row where something changes.
    """
    from dumbbell.errors import DumbbellError
    from dumbbell.problem import Problem, SpecError, quoted, suggestion
    from dumbbell.spec.quantity import QuantityError, Time
    from dumbbell.traces.process import PROCESSES, table

    problems = []
    if process not in PROCESSES:
        problems.append(Problem("PROCESS", f"unknown {quoted(process)}", suggestion(process, tuple(PROCESSES))))
    try:
        length = Time(duration)
    except QuantityError as error:
        problems.append(Problem("--for", error.message, error.hint))
    if problems:
        raise SpecError(problems)
    try:
        out.write_text(table(process, seed, length), encoding="utf-8", newline="\n")
    except OSError as error:
        raise DumbbellError(f"{out}: cannot be written: {error.strerror}") from None
    typer.echo(out, err=True)
