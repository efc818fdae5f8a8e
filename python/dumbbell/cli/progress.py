"""How far a campaign is, for whoever watches it on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE_S = 2.0
"""Nobody wonders about anything shorter."""
REMEMBERED_S = 600.0
"""The time left is told by the speed of these last seconds: one run may take a minute."""


def is_watched() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr.isatty()


@contextmanager
def progress(total: int, *, wanted: bool = True, work: float | None = None) -> Iterator[Callable[..., None]]:
    """Gives a function to call after each run; shows a bar with the time left when standard error is a terminal.

    `work`: how much there is to do in all runs, in any unit; the function is then called with what a run had of it.
    Without it runs are alike.
    """
    if not (wanted and is_watched()):
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[finished]}/{task.fields[runs]}"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=REMEMBERED_S)
    task = bar.add_task("runs", total=total if work is None else work, finished=0, runs=total)
    timer = Timer(PATIENCE_S, bar.start)
    timer.daemon = True
    timer.start()
    finished = 0

    def advance(done: float = 1.0) -> None:
        nonlocal finished
        finished += 1
        bar.update(task, advance=done, finished=finished)

    try:
        yield advance
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
