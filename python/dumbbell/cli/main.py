"""`dumbbell`: its commands, and its exit status.

0 ok, 1 failed, 2 bad input, 74 cannot print, 130 interrupted, 143 terminated.
"""

import atexit
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Annotated, Final, TextIO

import typer

from dumbbell.cli import completion, streams
from dumbbell.cli.interruption import INTERRUPTED, end, heed_termination
from dumbbell.errors import DamageWarning, DumbbellError, Failure

FAILED, BAD_INPUT = 1, 2
COMPLETION: Final = "_DUMBBELL_COMPLETE"
"""Set where a shell asks what could come next."""

NEW_OBJECTS: Final = 100_000
"""After so many Python looks for cycles: its own 700 cost a seventh of a report of 20,000 runs, and find none."""

COMMANDS: Final = {
    "run": "Run an experiment and print its results.",
    "check": "Check a spec: its points, its cost, its engines.",
    "init": "Write a commented spec to start from.",
    "explore": "Open the simulator as a page of the browser.",
    "doctor": "Check what this machine can run.",
    "results": "List, show, export, import, verify, prune runs.",
    "report": "Write the report of a store as one HTML file.",
    "compare": "Compare two sets of stored runs, pair by pair.",
    "agree": "Compare two engines on one experiment.",
    "advise": "Advise which congestion control to use on a path.",
    "study": "Run published studies and judge their claims.",
    "suite": "Judge an algorithm by scenarios of RFCs.",
    "pcap": "Show what a capture says of its TCP flows.",
    "trace": "Write a line that changes in time, by a process.",
    "measure-path": "Measure the path between two hosts behind SSH.",
    "query": "Print the rows of one SELECT over a store.",
    "merge": "Join stores into one.",
    "cc": "List and show congestion controls.",
    "kernel": "Build, list and remove kernels of engine linux.",
}
"""Each is a module of this package: a group of commands, its `app`; or one, with its `EXAMPLE`. The list of commands
has these sentences, which fit its lines; none of the modules is loaded for it."""


def _version(wanted: bool) -> None:  # noqa: FBT001 (typer calls it so)
    if wanted:
        from dumbbell.version import __version__

        typer.echo(f"dumbbell {__version__}")
        raise typer.Exit


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

    def print_warning(  # noqa: PLR0913, PLR0917 (as Python calls it)
        message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None,
        line: str | None = None,
    ) -> None:  # fmt: skip
        if issubclass(category, DamageWarning):
            sys.stderr.write(f"note: {message}\n")
        else:
            others(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DamageWarning)
        warnings.showwarning = print_warning
        yield


def _bare() -> typer.Typer:
    """The command line without a command."""
    made = typer.Typer(
        help="What does each TCP congestion control do on a path, to itself and to its neighbours?",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.callback(epilog="Example: dumbbell run examples/two-flows.toml")(_options)
    return made


@cache
def app(*names: str) -> typer.Typer:
    """The command line, made once, with the commands of these names; without names with all, which take longer."""
    made = _bare()
    for name in names or COMMANDS:
        noun = name.replace("-", "_")
        module = import_module(f"dumbbell.cli.{noun}")
        if hasattr(module, "app"):
            made.add_typer(module.app, name=name, short_help=COMMANDS[name])
        else:
            made.command(name, epilog=module.EXAMPLE, short_help=COMMANDS[name])(getattr(module, noun))
    return made


@cache
def _listing() -> Callable[..., object]:
    """The command line as far as its own help needs it: the names of its commands, and what each does."""
    made = _bare()
    for name, text in COMMANDS.items():
        made.command(name, help=text)(lambda: None)
    return typer.main.get_command(made)


@cache
def _commands(*names: str) -> Callable[..., object]:
    """The same as it is called, made once: a process of many would make every option of each anew each time."""
    return typer.main.get_command(app(*names))


def main() -> None:
    """Runs the command line and ends the process."""
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)  # Python would look for cycles once more, and free what ends anyway
    _, *arguments = sys.argv
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    asks_for_list = not set(arguments) - {"-h", "--help"} and COMPLETION not in os.environ
    names = [name for name in arguments[:1] if name in COMMANDS]
    ended(lambda: (_listing() if asks_for_list else _commands(*names))(arguments, prog_name="dumbbell"))


def ended(command: Callable[[], object]) -> None:
    """Runs a command line, prints an error as its message, and ends the process with its status."""
    heed_termination()
    with streams.opened():
        try:
            with completion.answering(), _telling_damage():
                command()
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
