"""A guest: a kernel that runs as a process of this one, and sees one folder of this machine.

What is on its command line feeds the kernel's entropy, so all of it is the same for every run that is the same.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Condition
from typing import TYPE_CHECKING

from dumbbell.engines import cores, scratch
from dumbbell.engines.diagnosis import diagnosis
from dumbbell.errors import EngineFailure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIMIT = "DUMBBELL_RUN_LIMIT_S"
"""Variable of the environment: seconds of real time after which a guest is given up."""
LAST_LINES = 15
LONGEST_LINE = 300
_MB = 2**20
_CONNECTIONS = 1024
"""Buckets of the kernel's table of connections: each sample walks all of them, and left alone it takes many more."""
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 (where Linux keeps files that are memory)
_STOPPED_WITHIN_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a guest is started with."""

    kernel: Path
    agent: Path
    job: str
    """JSON, as `crates/agent/src/job.rs` has it."""
    seed: int
    memory_mb: int
    limit_s: float


class _Place:
    """A guest that is being prepared, runs, or is being cleared away."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.stopped = False


class Guests:
    """All guests of an engine."""

    def __init__(self) -> None:
        self._places: set[_Place] = set()
        self._changed = Condition()

    def outcome(self, order: Order) -> bytes:
        """Runs a guest to its end and gives what its agent wrote.

        Raises:
            EngineFailure: it came to no end, or to a bad one; with what helps, or with the last lines of its console.
            CancelledError: another thread stopped it.
        """
        with self._place() as place, cores.reserve_core() as core, scratch.folder() as folder:
            try:
                root = _furnished(folder, order)
                with (folder / "console.log").open("wb") as console:
                    self._start(place, order, root, console.fileno())
                _pin(place, core)
            except OSError as error:
                what = f"the kernel could not be started: {scratch.told(error)}"
                raise EngineFailure(diagnosis(what) or what) from None
            assert place.process is not None  # noqa: S101 (as started)
            try:
                in_time = _ended(place.process, order.limit_s)
            finally:
                status = _cleared(place.process)
            if place.stopped:
                raise CancelledError
            return _read(root / "outcome.json", folder / "console.log", status if in_time else None, order.limit_s)

    def stop(self) -> None:
        """Kills every guest, and waits until what they had made is gone."""
        with self._changed:
            for place in self._places:
                place.stopped = True
                if place.process is not None:
                    _kill(place.process)
            self._changed.wait_for(lambda: not self._places, timeout=_STOPPED_WITHIN_S)

    @contextmanager
    def _place(self) -> Iterator[_Place]:
        place = _Place()
        with self._changed:
            self._places.add(place)
        try:
            yield place
        finally:
            with self._changed:
                self._places.remove(place)
                self._changed.notify_all()

    def _start(self, place: _Place, order: Order, root: Path, console: int) -> None:
        with self._changed:  # whoever stops has it either not started or to be killed
            if place.stopped:
                raise CancelledError
            place.process = subprocess.Popen(  # noqa: S603 (a list of arguments, none of them from a spec)
                command(order, root),
                cwd=root,
                env=environment(order),
                process_group=0,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
            )


def _pin(place: _Place, core: int | None) -> None:
    """Keeps a guest on one core: the kernel and its user space take turns, and waking another core costs a third."""
    if core is not None and place.process is not None:
        with suppress(OSError):  # it has ended, or the core has been taken from us
            os.sched_setaffinity(place.process.pid, {core})


def command(order: Order, root: Path) -> list[str]:
    """The agent, which becomes the kernel, which starts the agent as its first process."""
    return [
        os.fspath(root / "init"),
        "boot",
        os.fspath(order.kernel),
        f"mem={order.memory_mb}M",
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/proc/self/cwd",
        "rw",
        "init=/init",
        "time-travel=inf-cpu",
        "time-travel-start=0",
        "con=null",
        "con0=fd:0,fd:1",
        "quiet",
        f"thash_entries={_CONNECTIONS}",
    ]


def environment(order: Order) -> dict[str, str]:
    """All that a guest's process knows of its surroundings: the kernel keeps its control files beside the root."""
    return {"HOME": "..", "TMPDIR": memory_folder(order.memory_mb), "UML_SEED": str(order.seed)}


def memory_folder(megabytes: int) -> str:
    """Where a guest's memory, a sparse file, has room: in memory if it can, beside the root otherwise."""
    if os.path.ismount(_SHARED_MEMORY) and os.access(_SHARED_MEMORY, os.W_OK):
        system = os.statvfs(_SHARED_MEMORY)
        if not system.f_flag & os.ST_NOEXEC and system.f_bavail * system.f_frsize >= megabytes * _MB:
            return _SHARED_MEMORY
    return ".."


def _furnished(folder: Path, order: Order) -> Path:
    root = folder / "root"
    for each in (root, *(root / name for name in ("proc", "sys", "dev", "tmp"))):
        each.mkdir()
    shutil.copyfile(order.agent, root / "init")
    (root / "init").chmod(0o755)
    (root / "job.json").write_text(order.job, encoding="utf-8")
    return root


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


def _read(outcome: Path, console: Path, status: int | None, limit_s: float) -> bytes:
    if status == 0:
        try:
            return outcome.read_bytes()
        except OSError as error:
            raise EngineFailure(_with_console(f"the agent left no outcome: {error.strerror}", console)) from None
    if status is None:
        what = f"not finished after {limit_s:.0f} s, and killed ({LIMIT} sets another limit)"
    elif status < 0:
        what = f"the kernel's process was ended by {signal.Signals(-status).name}"
    else:
        what = f"the kernel's process ended with status {status}"
    raise EngineFailure(_with_console(what, console))


def _with_console(what: str, console: Path) -> str:
    try:
        lines = console.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    known = diagnosis("\n".join([what, *lines]))
    if known:
        return known
    lines = [line.rstrip()[:LONGEST_LINE] for line in lines if line.strip()][-LAST_LINES:]
    return "\n".join([f"{what}; its console's last lines:", *lines] if lines else [f"{what}; its console is empty"])
