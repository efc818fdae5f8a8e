"""How far a campaign is, for whoever watches it on a terminal."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from threading import Timer
from typing import TYPE_CHECKING

from dumbbell.cli.streams import of_bars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import RenderableType

PATIENCE_S = 2.0
"""Nobody wonders about anything shorter."""
BELOW_PER_S = 4
"""How often what is below a bar is drawn: who measures on this machine has something else to do."""
REMEMBERED_S = 600.0
"""The time left is told by the speed of these last seconds: one run may take a minute."""


def is_watched() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr.isatty()


class Countdown:
    """The time that is left, as text that is new whenever it is asked for, where all runs take equally long."""

    def __init__(self, runs: int, run_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._runs, self._run_s, self._clock = runs, run_s, clock
        self._since = clock()

    def advance(self, runs: int = 1) -> None:
        self._runs -= runs
        self._since = self._clock()

    def __str__(self) -> str:
        rest_s = max(0.0, (self._runs - 1) * self._run_s)
        left_s = rest_s + max(0.0, self._run_s - (self._clock() - self._since)) if self._runs else 0.0
        return str(timedelta(seconds=round(left_s)))


class Watch:
    """What is called while a campaign runs; for whom nobody watches it does nothing."""

    def __call__(self, done: float = 1.0, ended: int = 1) -> None:
        """So much of the work is done, and so many runs have ended."""

    def say(self, text: str) -> None:
        """Shows a sentence above the bar, at once."""


class _Bar(Watch):
    """A bar on a terminal, with the time left."""

    def __init__(
        self, total: int, work: float | None, run_s: float | None, what: str, below: RenderableType | None
    ) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[finished]}/{task.fields[runs]}"),
            TimeRemainingColumn() if run_s is None else TextColumn("{task.fields[left]}"),
        )
        self._left = Countdown(total, run_s or 0.0)
        self._finished, self._runs = 0, total

        class WithRows(Progress):
            def get_renderables(self) -> Iterable[RenderableType]:
                yield from super().get_renderables()
                if below is not None:
                    yield below

        self.bar = WithRows(
            *columns, console=Console(file=of_bars()), transient=True, speed_estimate_period=REMEMBERED_S,
            refresh_per_second=10 if below is None else BELOW_PER_S,
        )  # fmt: skip
        amount = total if work is None else work
        self._task = self.bar.add_task(what, total=amount, finished=0, runs=total, left=self._left)

    def __call__(self, done: float = 1.0, ended: int = 1) -> None:
        self._finished += ended
        self._runs = max(self._runs, self._finished)  # where what came of the first ones asks for more
        self._left.advance(ended)
        self.bar.update(self._task, advance=done, finished=self._finished, runs=self._runs)

    def say(self, text: str) -> None:
        self.bar.start()
        self.bar.console.print(text, markup=False, highlight=False)


@contextmanager
def progress(  # noqa: PLR0913 (all that a bar may differ by)
    total: int, *, wanted: bool = True, work: float | None = None, run_s: float | None = None, what: str = "runs",
    patience_s: float | None = None, below: RenderableType | None = None,
) -> Iterator[Watch]:  # fmt: skip
    """Gives a function to call after each run; shows a bar with the time left when standard error is a terminal.

    `work`: how much there is to do in all runs, in any unit; the function is then called with what was done of it, and
    with how many runs that ended, if that is not one. Without it runs are alike. `run_s`: how long one takes, where
    that is known before any is over. `what`: the runs' name, or that of what is counted instead. `patience_s`: how long
    nothing is shown; None: `PATIENCE_S`. `below`: what is shown below the bar, too, at once and anew each time.
    """
    if not (wanted and is_watched()):
        yield Watch()
        return
    own = _Bar(total, work, run_s, what, below)
    usual_s = PATIENCE_S if below is None else 0.0
    timer = Timer(usual_s if patience_s is None else patience_s, own.bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield own
    finally:
        timer.cancel()
        timer.join()
        own.bar.stop()
