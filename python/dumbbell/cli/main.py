"""`dumbbell`: its commands, and what each way of ending is to the shell: 0 ok, 1 failed, 2 bad input, 130 interrupted."""

import os
import sys
from typing import Annotated

import typer

from dumbbell.cli import cc, check, run
from dumbbell.errors import DumbbellError, EngineFailure

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    help="What does each TCP congestion control do on a path, to itself and to its neighbours?",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(run.run)
app.command("check")(check.check)
app.add_typer(cc.app, name="cc")


def _version(wanted: bool) -> None:  # noqa: FBT001 (typer calls it so)
    if wanted:
        from dumbbell import __version__  # noqa: PLC0415 (loads the simulator)

        typer.echo(f"dumbbell {__version__}")
        raise typer.Exit


@app.callback(epilog="Example: dumbbell run examples/two-flows.toml")
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command line and ends the process."""
    try:
        app(prog_name="dumbbell")
    except EngineFailure as failure:
        _leave(FAILED, failure)
    except DumbbellError as error:
        _leave(BAD_INPUT, error)
    except KeyboardInterrupt:
        _leave(INTERRUPTED)
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        _leave(INTERRUPTED)


def _leave(code: int, error: Exception | None = None) -> None:
    """Ends the process now: a run that is still being simulated by a thread is not waited for."""
    sys.stdout.flush()
    sys.stderr.write("interrupted\n" if error is None else f"{error}\n")
    sys.stderr.flush()
    os._exit(code)
