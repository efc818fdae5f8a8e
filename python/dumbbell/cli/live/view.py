"""What `run --live` shows: the flows of the run that is being measured, below the bar and on a page."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import typer

from dumbbell.cli.live.history import History
from dumbbell.cli.progress import is_watched
from dumbbell.engines.family import LIVE
from dumbbell.engines.live import LiveEngine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from dumbbell.campaign.plan import Planned
    from dumbbell.engines.protocol import Engine
    from dumbbell.spec.run import Run

_BAR_LINES: Final = 2
"""The bar's own, and the one that the cursor is on."""


def live_engine(engine: Engine) -> LiveEngine:
    """An engine whose runs can be watched.

    Raises:
        BadParameter: they cannot.
    """
    if not isinstance(engine, LiveEngine):
        known = " or ".join(LIVE)
        what = f"runs of {engine.name} are not in real time, so nobody can watch them; --engine {known} has such runs"
        raise typer.BadParameter(what, param_hint="--live")
    return engine


class LiveView:
    """The flows as lines below a bar, as many as the terminal has room for."""

    def __init__(self, history: History) -> None:
        self.history = history

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        from dumbbell.cli.live.lines import lines

        for line in lines(self.history.situation(), console.width, console.height - _BAR_LINES):
            yield Text(line, no_wrap=True, overflow="crop")


@contextmanager
def watching(engine: LiveEngine, name: str, planned: Iterable[Planned], runs: int) -> Iterator[LiveView]:
    """Watches the runs of an experiment meanwhile, and serves their page."""
    from dumbbell.cli.live.server import served
    from dumbbell.spec.point_text import point_text

    labels = {_key(each.resolved.run): point_text(each.point, each.resolved.run.seed) for each in planned}
    history = History(lambda run: f"{name}: {labels.get(_key(run), '')}", runs)
    with served(history) as address:
        typer.echo(f"live page, for this machine only: {address}", err=True)
        if not is_watched():
            typer.echo("note: standard error is no terminal, so the flows are on that page only", err=True)
        engine.watcher = history
        try:
            yield LiveView(history)
        finally:
            engine.watcher = None


def _key(run: Run) -> bytes:
    return hashlib.sha256(run.canonical()).digest()
