"""`dumbbell`: its commands, and its exit status.

0 ok, 1 failed, 2 bad input, 74 cannot print, 130 interrupted, 143 terminated.
"""

import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Final, TextIO

import typer

from dumbbell.cli import (
    advise,
    agree,
    cc,
    check,
    compare,
    completion,
    doctor,
    explore,
    init,
    kernel,
    report,
    results,
    run,
    streams,
    study,
    validation,
)
from dumbbell.cli.interruption import INTERRUPTED, end, heed_termination
from dumbbell.errors import DamageWarning, DumbbellError, Failure

FAILED, BAD_INPUT = 1, 2

NEW_OBJECTS: Final = 100_000
"""After so many Python looks for cycles: its own 700 cost a seventh of a report of 20,000 runs, and find none."""

app = typer.Typer(
    help="What does each TCP congestion control do on a path, to itself and to its neighbours?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run", epilog='Example: dumbbell run examples/two-flows.toml --set path.rtt="50 ms" --seeds 5')(run.run)
app.command("check", epilog="Example: dumbbell check examples/two-flows.toml")(check.check)
app.command("init", epilog="Example: dumbbell init mine.toml")(init.init)
app.command("explore", epilog=explore.EXAMPLE)(explore.explore)
app.command("doctor", epilog="Example: dumbbell doctor")(doctor.doctor)
app.add_typer(cc.app, name="cc")
app.add_typer(kernel.app, name="kernel")
app.add_typer(results.app, name="results")
study.app.command("validation", epilog=validation.EXAMPLE)(validation.validation)
app.add_typer(study.app, name="study")
app.command("report", epilog=report.EXAMPLE)(report.report)
app.command("agree", epilog=agree.EXAMPLE)(agree.agree)
app.command("compare", epilog=compare.EXAMPLE)(compare.compare)
app.command("advise", epilog=advise.EXAMPLE)(advise.advise)


def _version(wanted: bool) -> None:  # noqa: FBT001 (typer calls it so)
    if wanted:
        from dumbbell.version import __version__

        typer.echo(f"dumbbell {__version__}")
        raise typer.Exit


@app.callback(epilog="Example: dumbbell run examples/two-flows.toml")
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@contextmanager
def _telling_damage() -> Iterator[None]:
    """Says in a line of its own what a store leaves out."""
    others = warnings.showwarning

    def tell(  # noqa: PLR0913, PLR0917 (as Python calls it)
        message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None,
        line: str | None = None,
    ) -> None:  # fmt: skip
        if issubclass(category, DamageWarning):
            sys.stderr.write(f"note: {message}\n")
        else:
            others(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DamageWarning)
        warnings.showwarning = tell
        yield


@cache
def _commands() -> Callable[..., object]:
    """All commands, made once: a process of many, as tests are, would make every option of each anew each time."""
    return typer.main.get_command(app)


def main() -> None:
    """Runs the command line and ends the process."""
    gc.set_threshold(NEW_OBJECTS)
    heed_termination()
    with streams.opened():
        try:
            with completion.answering(), _telling_damage():
                _, *words = sys.argv
                _commands()([*words[1:], "--help"] if words[:1] == ["help"] else words, prog_name="dumbbell")
        except streams.PrintFailure as failure:
            sys.stderr.write(f"{failure}\n")
            sys.exit(streams.CANNOT_PRINT)
        except DumbbellError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(FAILED if isinstance(error, Failure) else BAD_INPUT)
        except KeyboardInterrupt:
            end()
        except SystemExit as exit_:
            if exit_.code == INTERRUPTED:
                end()
            raise
