"""Ctrl-C: the process ends at once, and says what is kept."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INTERRUPTED: Final = 130


@contextmanager
def telling(kept: Callable[[], str]) -> Iterator[None]:
    """Ends the process when it is interrupted within, with what `kept` says: called after what was open is closed."""
    try:
        yield
    except KeyboardInterrupt:
        end(kept())


def end(kept: str = "") -> NoReturn:
    """Ends the process: the runs that threads are still simulating are not waited for."""
    sys.stdout.flush()
    sys.stderr.write(f"interrupted: {kept}\n" if kept else "interrupted\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)
