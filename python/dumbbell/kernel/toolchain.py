"""The tools of a build: what of them this machine lacks, and their processes, logged, which end with their starter."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from dumbbell.errors import BuildFailure
from dumbbell.kernel.recipe import Package, recipe


def require(package: Package | None) -> None:
    """Raises `BuildFailure` with everything that a build needs and this machine lacks."""
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "AMD64"}:
        raise BuildFailure(
            f"a kernel for virtual time needs Linux on x86-64; this is {sys.platform} on {platform.machine()}"
        )
    lacking = missing(package)
    if lacking:
        names = ", ".join(what for what, _ in lacking)
        raise BuildFailure(
            f"to build a kernel this machine lacks {names}; on Debian or Ubuntu this installs it:\n"
            f"    apt-get install {' '.join(packages(package))}"
        )


def packages(package: Package | None) -> list[str]:
    """The Debian packages that have what is missing."""
    return sorted({name for _, name in missing(package)})


def missing(package: Package | None) -> list[tuple[str, str]]:
    """What is not there, and the Debian package that has it."""
    lacking = [(tool, name) for tool, name in recipe().tools.items() if shutil.which(tool) is None]
    if shutil.which("gcc") is not None:
        lacking += [(header, name) for header, name in recipe().headers.items() if not _compiles(header)]
    if package is not None and not package.tarball.is_file():
        lacking += _missing_source(package)
    return lacking


def _missing_source(package: Package) -> list[tuple[str, str]]:
    """The tarball, or of what downloads it what is not there."""
    if package.archive is None:
        return [(str(package.tarball), package.package)]
    lacking = [(tool, name) for tool, name in recipe().archive_tools.items() if shutil.which(tool) is None]
    keyring = recipe().keyring
    return lacking if keyring.is_file() else [*lacking, (str(keyring), "debian-archive-keyring")]


def compiler() -> str:
    """The compiler and the linker, with their versions."""
    return ", ".join(_first_line(tool, "--version") for tool in ("gcc", "ld"))


def _compiles(header: str) -> bool:
    done = subprocess.run(  # noqa: S603 (a compiler, from an argument list)
        ["gcc", "-fsyntax-only", "-x", "c", "-include", header, "/dev/null"],  # noqa: S607 (the one in PATH is meant)
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def _first_line(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")  # noqa: S603 (as above)
    if done.returncode != 0 or not done.stdout:
        raise BuildFailure(f"`{' '.join(command)}` fails: {done.stderr.strip()}")
    return done.stdout.splitlines()[0].strip()


Progress: TypeAlias = "Callable[[str, int, int], None]"
"""Called with what is being done, how many steps of it are done, and of how many; 0 of 0 where nobody knows."""
_STEP = re.compile(r"  [A-Z]")
"""How a line begins that tells of a file which `make` made."""
_SHOWN_LINES = 25
"""Lines of the log in a message."""
_INHERITED = ("PATH", "HOME", "TMPDIR")
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

    def make(self, tree: Path, *arguments: str) -> None:
        """Runs `make` for a kernel that is a process."""
        self.work(["make", "ARCH=um", *arguments], tree)

    def work(self, command: Sequence[str], folder: Path | None = None) -> None:
        """Runs a command to its end.

        Raises `BuildFailure` with the end of the log when it fails.
        """
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | _CONSTANT
        last: deque[str] = deque(maxlen=_SHOWN_LINES)
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
            log_end = "".join(f"    {line.rstrip()}\n" for line in last)
            raise BuildFailure(f"`{command[0]}` failed with status {status} while {self._what}:\n{log_end}")
