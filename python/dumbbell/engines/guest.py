"""A guest: a kernel that runs as a process of this one, and sees one folder of this machine.

What is on its command line feeds the kernel's entropy, so all of it is the same for every run that is the same.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.engines import cores, scratch
from dumbbell.engines.diagnosis import diagnosis
from dumbbell.engines.process import Processes, Start
from dumbbell.errors import EngineFailure

if TYPE_CHECKING:
    from pathlib import Path

_MB = 2**20
_CONNECTIONS = 1024
"""Buckets of the kernel's table of connections: each sample walks all of them, and left alone it takes many more."""
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 (where Linux keeps files that are memory)


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


class Guests:
    """All guests of an engine."""

    def __init__(self) -> None:
        self._processes = Processes("the kernel's process", diagnosis)

    def outcome(self, order: Order) -> bytes:
        """Runs a guest to its end and gives what its agent wrote.

        Raises:
            EngineFailure: it came to no end, or to a bad one; with what helps, or with the last lines of its console.
            CancelledError: another thread stopped it.
        """
        with self._processes.process() as process, cores.reserve_core() as core, scratch.folder() as folder:
            console = folder / "console.log"
            try:
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
                what = f"the kernel could not be started: {scratch.told(error)}"
                raise EngineFailure(diagnosis(what) or what) from None
            try:
                return (root / "outcome.json").read_bytes()
            except OSError as error:
                raise process.failure(f"the agent left no outcome: {error.strerror}", console) from None

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
