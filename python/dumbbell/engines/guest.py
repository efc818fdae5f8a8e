"""A guest: a kernel that runs as a process of this one, and sees one folder of this machine.

What is on its command line and in its environment feeds the kernel's entropy, so all of it is the same for every run
that is the same.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from dumbbell.engines import capture_files, cores, scratch
from dumbbell.engines.diagnosis import diagnosis
from dumbbell.engines.process import Processes, Start
from dumbbell.errors import EngineFailure

_MB = 2**20
_CONNECTIONS = 1024
"""Buckets of the kernel's table of connections: each sample walks all of them, and left alone it takes many more."""
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (where Linux keeps files that are memory)
_MEMORY = "memory"
"""Beside the root, what leads to the folder of the guest's memory."""
_CONFINEMENT = "confinement"
"""Beside the root, the agent's note (`crates/agent/src/boot.rs`)."""
CAPTURES = "captures"
"""In the root, the folder of the captures."""
NOT_CONFINED = "not confined"
"""What stands there where this machine's kernel cannot confine a guest."""


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
    captures: Path | None = None
    """The folder for what the agent captures, if it is to."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a guest left."""

    answer: bytes
    """What its agent wrote."""
    confinement: str
    """Whether it could write elsewhere: `NOT_CONFINED`, or `confined` and by what."""


class Guests:
    """All guests of an engine."""

    def __init__(self) -> None:
        self._processes = Processes("the kernel's process", diagnosis)

    def outcome(self, order: Order) -> Left:
        """Runs a guest to its end and gives what it left.

        Raises:
            EngineFailure: it came to no end, or to a bad one; with what helps, or with the last lines of its console.
            CancelledError: another thread stopped it.
        """
        with self._processes.process() as process, cores.reserve_core() as core, scratch.folder() as folder:
            console = folder / "console.log"
            try:
                with _memory(folder, order.memory_mb):
                    root = _furnished(folder, order)
                    start = Start(
                        command=command(order, root),
                        folder=root,
                        environment=environment(order),
                        console=console,
                        limit_s=order.limit_s,
                    )
                    process.run(start, lambda guest: _pin(guest, core))
            except OSError as error:
                what = f"the kernel could not be started: {scratch.describe_error(error)}"
                raise EngineFailure(diagnosis(what) or what) from None
            try:
                left = Left((root / "outcome.json").read_bytes(), _confinement(folder))
            except OSError as error:
                raise process.failure(f"the agent left no outcome: {error.strerror}", console) from None
            if order.captures:
                _move_captures(root / CAPTURES, order.captures)
            return left

    def stop(self) -> None:
        """Kills every guest, and waits until what they had made is gone."""
        self._processes.stop()


def _pin(guest: int, core: int | None) -> None:
    """Keeps a guest on one core: the kernel and its user space take turns, and waking another core costs a third."""
    if core is not None:
        with suppress(OSError):  # it has ended, or the core has been taken from us
            os.sched_setaffinity(guest, {core})


def command(order: Order, root: Path) -> list[str]:
    """The agent, which becomes the kernel, which starts the agent as its first process."""
    return [
        os.fspath(root / "init"),
        "boot",
        str(os.getpid()),
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
    return {"HOME": "..", "TMPDIR": f"../{_MEMORY}", "UML_SEED": str(order.seed)}


def memory_room(megabytes: int) -> Path | None:
    """Where a guest's memory, a sparse file, has room in memory; None: nowhere."""
    if _SHARED_MEMORY.is_mount() and os.access(_SHARED_MEMORY, os.W_OK):
        system = os.statvfs(_SHARED_MEMORY)
        if not system.f_flag & os.ST_NOEXEC and system.f_bavail * system.f_frsize >= megabytes * _MB:
            return _SHARED_MEMORY
    return None


@contextmanager
def _memory(folder: Path, megabytes: int) -> Iterator[None]:
    """Gives a guest's memory a folder of its own, which is all that it may write to; in memory if that has room."""
    room = memory_room(megabytes)
    if room is None:
        (folder / _MEMORY).mkdir()
        yield
    else:
        with scratch.folder(room) as memory_folder:
            (folder / _MEMORY).symlink_to(memory_folder)
            yield


def _confinement(folder: Path) -> str:
    try:
        return (folder / _CONFINEMENT).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return NOT_CONFINED


def _move_captures(source: Path, target: Path) -> None:
    try:
        for capture in source.glob(capture_files.PATTERN):
            shutil.move(capture, target / capture.name)
    except OSError as error:
        raise EngineFailure(f"keep a capture: {scratch.describe_error(error)}") from None


def _furnished(folder: Path, order: Order) -> Path:
    root = folder / "root"
    own = (CAPTURES,) if order.captures else ()
    for each in (root, *(root / name for name in ("proc", "sys", "dev", "tmp", *own))):
        each.mkdir()
    shutil.copyfile(order.agent, root / "init")
    (root / "init").chmod(0o755)
    (root / "job.json").write_text(order.job, encoding="utf-8")
    return root
