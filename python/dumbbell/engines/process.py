"""A process that an engine starts: in a group of its own, waited for, stopped from another thread, cleared away."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition

from dumbbell.errors import EngineFailure
from dumbbell.spec.quantity import Time
from dumbbell.units import NS_PER_S

LIMIT = "DUMBBELL_RUN_LIMIT_S"
"""Variable of the environment: seconds of real time after which a run is given up."""
LAST_LINES = 15
LONGEST_LINE = 300
_STOPPED_WITHIN_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How a process is started, and for how long it may run."""

    command: Sequence[str]
    folder: Path
    """Where it runs."""
    environment: Mapping[str, str]
    console: Path
    """The file that gets all that it says."""
    limit_s: float


class Process:
    """One that is being prepared, runs, or is being cleared away."""

    def __init__(self, what: str, known: Callable[[str], str | None], changed: Condition) -> None:
        self._what, self._known, self._changed = what, known, changed
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def run(self, start: Start, begun: Callable[[int], None] = lambda _: None) -> None:
        """Runs it to its end; `begun` is called with its number as soon as it has one.

        Raises:
            OSError: it could not be started.
            EngineFailure: it came to no end, or to a bad one; with what helps, or with the last lines of its console.
            CancelledError: another thread stopped it.
        """
        in_time = False
        process = self._started(start)
        try:
            begun(process.pid)
            in_time = _ended(process, start.limit_s)
        finally:
            status = _cleared(process)
        if self._stopped:
            raise CancelledError
        if not in_time:
            limit = Time.show(round(start.limit_s) * NS_PER_S)
            message = f"not finished after {limit}, and killed ({LIMIT} sets another limit)"
            raise self.failure(message, start.console)
        if status < 0:
            raise self.failure(f"{self._what} was ended by {signal.Signals(-status).name}", start.console)
        if status:
            raise self.failure(f"{self._what} ended with status {status}", start.console)

    def failure(self, what: str, console: Path) -> EngineFailure:
        """What went wrong, and what helps or else the last lines of a console."""
        try:
            lines = console.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        if helps := self._known("\n".join([what, *lines])):
            return EngineFailure(helps)
        lines = [line.rstrip()[:LONGEST_LINE] for line in lines if line.strip()][-LAST_LINES:]
        head = f"{what}; its console's last lines:" if lines else f"{what}; its console is empty"
        return EngineFailure("\n".join([head, *lines]))

    def stop(self) -> None:
        """Kills it, or keeps it from being started; only for who holds what was given as `changed`."""
        self._stopped = True
        if self._process is not None:
            _kill(self._process)

    def _started(self, start: Start) -> subprocess.Popen[bytes]:
        with start.console.open("wb") as console, self._changed:  # whoever stops it has it either not started or here
            if self._stopped:
                raise CancelledError
            self._process = subprocess.Popen(  # noqa: S603 (a list of arguments, none of them from a spec)
                start.command,
                cwd=start.folder,
                env=start.environment,
                process_group=0,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
            return self._process


class Processes:
    """All processes of an engine; `what` is the name of one, `known` tells what helps by what its console has."""

    def __init__(self, what: str, known: Callable[[str], str | None] = lambda _: None) -> None:
        self._what, self._known = what, known
        self._present: set[Process] = set()
        self._changed = Condition()

    @contextmanager
    def process(self) -> Iterator[Process]:
        """One that `stop` waits for until what is within is left."""
        process = Process(self._what, self._known, self._changed)
        with self._changed:
            self._present.add(process)
        try:
            yield process
        finally:
            with self._changed:
                self._present.remove(process)
                self._changed.notify_all()

    def stop(self) -> None:
        """Kills every process, and waits until what they had made is gone."""
        with self._changed:
            for process in self._present:
                process.stop()
            self._changed.wait_for(lambda: not self._present, timeout=_STOPPED_WITHIN_S)


def _ended(process: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Waits for a process without taking its status, which keeps its group's number in use; False: it took too long."""
    handle = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return bool(poll.poll(min(limit_s * 1000, 2**31 - 1)))
    finally:
        os.close(handle)


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def _cleared(process: subprocess.Popen[bytes]) -> int:
    """Kills what is left of a process and of its group, and gives its exit status."""
    if process.returncode is None:
        _kill(process)
    return process.wait()
