"""Leases: which process made what on this machine for a live run, so that it can be taken away after a crash.

A lease is a file that is there before anything else is and gone when all else is. Its name has the run's id and the
controlling process, so that one that a full disk cut short still tells whose it is. A process is known by its number
and the time of its start: a number alone may be another process's by now.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final, Self

from dumbbell.engines import scratch
from dumbbell.engines.machine import BOOT_ID
from dumbbell.errors import EngineFailure
from dumbbell.user_folder import cache_folder

_NAME: Final = re.compile(r"([0-9a-f]+)-([0-9]+)-([0-9]+)-[0-9]+\.json")
_STATE, _STARTED = 3, 22
"""Fields of /proc/PID/stat, numbered from 1."""
_ENDED_WITHIN_MS: Final = 10_000
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Incarnation:
    """A process that has, or had, a number."""

    pid: int
    started: int
    """When, in clock ticks since the machine was."""

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """The process that has this number now; None: there is none, or only its status is left."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        state, started = fields[_STATE - 3], fields[_STARTED - 3]
        return None if state in {"Z", "X"} else cls(pid, int(started))

    def end(self) -> bool:
        """Kills it and waits for its end; False: it was gone.

        Raises:
            OSError: it cannot be killed, or does not end.
        """
        try:
            handle = os.pidfd_open(self.pid)  # from here on the number is nobody else's
        except ProcessLookupError:
            return False
        try:
            if type(self).of(self.pid) != self:
                return False
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            if not poll.poll(_ENDED_WITHIN_MS):
                raise TimeoutError(f"process {self.pid} was killed, and does not end")
            return True
        finally:
            os.close(handle)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What is there for a run, and who made it."""

    run: str
    """The run's id on this machine: hash of what was asked, its seed included."""
    controller: Incarnation
    agent: Incarnation | None
    """None where it had not been started, or where the lease does not tell."""
    folder: Path | None
    boot: str
    """Since which start of the machine."""
    file: Path

    @property
    def is_left(self) -> bool:
        """Whether its controller is gone."""
        return not self._of_this_boot or Incarnation.of(self.controller.pid) != self.controller

    @property
    def _of_this_boot(self) -> bool:
        return self.boot in {"", _boot()}

    def clean(self) -> tuple[str, ...]:
        """Takes away what is left of the run, the lease last; gives what that was, in words.

        Raises:
            EngineFailure: something of it cannot be taken away; the lease stays.
        """
        removed = []
        try:
            if self.agent is not None and self._of_this_boot and self.agent.end():
                removed.append(f"process {self.agent.pid} killed")
            if self.folder is not None and scratch.is_one(self.folder):
                shutil.rmtree(self.folder)
                removed.append(f"{self.folder} removed")
            self.file.unlink(missing_ok=True)
        except OSError as error:
            raise EngineFailure(f"not taken away: {scratch.describe_error(error)}") from None
        return (*removed, "lease removed")


class ActiveLease:
    """The lease of a run that this process has."""

    def __init__(self, file: Path, handle: int, fields: dict[str, Any]) -> None:
        self._file, self._handle, self._fields = file, handle, fields

    def begun(self, agent: int) -> None:
        """Notes the agent's process.

        Raises:
            OSError: it cannot be written.
        """
        incarnation = Incarnation.of(agent)
        if incarnation is not None:  # else it has ended already
            self.write(agent=asdict(incarnation))

    def write(self, **more: Any) -> None:  # noqa: ANN401 (JSON)
        """Writes it with more than before, in one piece, over what is there."""
        self._fields |= more
        text = json.dumps(self._fields).encode()
        if os.pwrite(self._handle, text, 0) != len(text):
            raise OSError(None, "cut short", os.fspath(self._file))


@contextmanager
def hold(run: str, scratch_folder: Path) -> Iterator[ActiveLease]:
    """Has a lease for a run that uses a folder; it is gone in the end.

    Raises:
        EngineFailure: it cannot be written.
    """
    own = Incarnation.of(os.getpid())
    assert own is not None  # noqa: S101 (this process lives)
    file = folder() / f"{run}-{own.pid}-{own.started}-{next(_numbers)}.json"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise EngineFailure(f"write a lease: {scratch.describe_error(error)}") from None
    try:
        lease = ActiveLease(file, handle, {"run": run, "boot": _boot(), "controller": asdict(own)})
        try:
            lease.write(folder=os.fspath(scratch_folder))
        except OSError as error:
            raise EngineFailure(f"write a lease: {file}: {error.strerror}") from None
        yield lease
    finally:
        os.close(handle)
        with suppress(OSError):
            file.unlink()


def folder() -> Path:
    """Where the leases of this user are. It need not exist."""
    return cache_folder("leases")


def left() -> list[Lease]:
    """The leases whose controllers are gone, in the order of their names."""
    return [each for each in _leases() if each.is_left]


def _leases() -> Iterator[Lease]:
    for file in sorted(folder().glob("*.json")):
        if match := _NAME.fullmatch(file.name):
            fields = _fields_of(file)
            agent, made_in = fields.get("agent"), fields.get("folder")
            yield Lease(
                run=match[1],
                controller=Incarnation(int(match[2]), int(match[3])),
                agent=Incarnation(**agent) if agent else None,
                folder=Path(made_in) if made_in else None,
                boot=fields.get("boot", ""),
                file=file,
            )


def _fields_of(file: Path) -> dict[str, Any]:
    """What a lease says; nothing where it is cut short."""
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _boot() -> str:
    return BOOT_ID.read_text(encoding="utf-8").strip()
