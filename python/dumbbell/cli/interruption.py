"""Ctrl-C, and the SIGTERM of a scheduler: the process ends at once, and says what is kept."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NoReturn

from dumbbell.cli.streams import PrintFailure
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

INTERRUPTED: Final = 128 + signal.SIGINT
"""What the command line's library makes of an interruption."""
_received = signal.SIGINT
"""The signal that ends the process."""


def heed_termination() -> None:
    """Lets SIGTERM interrupt as Ctrl-C does, unless whoever started the process had it ignore that."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(*_: object) -> NoReturn:
    global _received  # noqa: PLW0603 (a process ends once)
    _received = signal.SIGTERM
    raise KeyboardInterrupt


@contextmanager
def telling(message: Callable[[], str]) -> Iterator[None]:
    """Ends the process when it is interrupted within, with what `message` says: called after what was open is closed.

    Says the same where what came out cannot be printed.
    """
    try:
        yield
    except (KeyboardInterrupt, PrintFailure) as stopped:
        said = ""
        with suppress(DumbbellError):  # there may be no store yet
            said = message()
        if isinstance(stopped, PrintFailure):
            raise PrintFailure("; ".join(filter(None, (str(stopped), said)))) from None
        end(said)


@contextmanager
def store_of(
    folder: Path, campaigns: Sequence[tuple[Engine, Experiment]], places: Sequence[Collection[int]] | None = None
) -> Iterator[Store]:
    """Opens a store for campaigns; says how many of their runs it has when it is interrupted within.

    `places`: of each campaign those that are wanted.
    """
    from dumbbell.campaign.plan import count
    from dumbbell.results.store import Store

    wanted = [range(count(each)) for _, each in campaigns] if places is None else places

    def message() -> str:
        with Store.open(folder) as store:
            there = measured_runs(store, campaigns, wanted)
        return stored_runs_text(there, sum(map(len, wanted)), folder)

    with telling(message), Store.open(folder, write=True) as store:
        yield store


def measured_runs(
    store: Store, campaigns: Sequence[tuple[Engine, Experiment]], places: Sequence[Collection[int]]
) -> int:
    """How many runs of campaigns at these places of their plans a store has."""
    from dumbbell.results.campaign import measured_of

    return sum(
        measured_of(store.ledger, experiment, engine.name, engine.identity(), wanted)
        for (engine, experiment), wanted in zip(campaigns, places, strict=True)
    )


def stored_runs_text(there: int, total: int, place: Path) -> str:
    """How much of what was asked for is in a store."""
    from dumbbell.metrics.number import counted

    return f"{there:,} of {counted(total, 'run')} are in {place}; the same command goes on"


def end(message: str = "") -> NoReturn:
    """Ends the process: the runs that threads are still simulating are not waited for."""
    with suppress(PrintFailure, OSError):
        sys.stdout.flush()
    sys.stderr.write(f"interrupted: {message}\n" if message else "interrupted\n")
    sys.stderr.flush()
    os._exit(128 + _received)
