"""The processes of a build: started one after the other, logged, and ended with whoever started them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from dumbbell.errors import BuildFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Progress: TypeAlias = "Callable[[str, int, int], None]"
"""Called with what is being done, how many steps of it are done, and of how many; 0 of 0 where nobody knows."""

_STEP = re.compile(r"  [A-Z]")
"""How a line begins that tells of a file which `make` made."""
_TOLD = 25
"""Lines of the log in a message."""
_KEPT = ("PATH", "HOME", "TMPDIR")
_CONSTANT = {
    "LC_ALL": "C",
    "TZ": "UTC",
    # These are in the kernel's version, and that is in its entropy: two builds of one identity are the same.
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "KBUILD_BUILD_VERSION": "1",
    "KBUILD_BUILD_USER": "dumbbell",
    "KBUILD_BUILD_HOST": "dumbbell",
    "LOCALVERSION": "",
}


class Workshop:
    """Starts processes for a build and writes what they say into a log."""

    def __init__(self, log: Path, progress: Progress | None = None) -> None:
        self.log = log
        self.steps = 0
        """How many lines told of a file that was made."""
        self._progress = progress or (lambda _what, _done, _total: None)
        self._what = ""
        self._total = 0

    def begin(self, what: str, total: int = 0) -> None:
        """Tells what is done next, and of how many steps it consists."""
        self._what, self._total, self.steps = what, total, 0
        self._progress(what, 0, total)

    def make(self, tree: Path, *words: str) -> None:
        """Runs `make` for a kernel that is a process."""
        self.work(["make", "ARCH=um", *words], tree)

    def work(self, command: Sequence[str], folder: Path | None = None) -> None:
        """Runs a command to its end.

        Raises `BuildFailure` with the end of the log when it fails.
        """
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | _CONSTANT
        last: deque[str] = deque(maxlen=_TOLD)
        with (
            self.log.open("a", encoding="utf-8") as log,
            subprocess.Popen(  # noqa: S603 (a list of arguments)
                command,
                cwd=folder,
                encoding="utf-8",
                env=environment,
                errors="replace",
                start_new_session=True,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            ) as process,
        ):
            try:
                assert process.stdout is not None  # noqa: S101 (it was asked for)
                log.write(f"$ {' '.join(command)}\n")
                for line in process.stdout:
                    log.write(line)
                    last.append(line)
                    if _STEP.match(line):
                        self.steps += 1
                        self._progress(self._what, self.steps, max(self._total, self.steps) if self._total else 0)
                status = process.wait()
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
        if status != 0:
            told = "".join(f"    {line.rstrip()}\n" for line in last)
            raise BuildFailure(f"`{command[0]}` failed with status {status} while {self._what}:\n{told}")


def processors() -> int:
    """How many processes of a build run at once."""
    return len(os.sched_getaffinity(0))
