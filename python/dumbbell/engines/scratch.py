"""Folders for what lives as long as a run. What a killed process left behind, the next one takes away."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from dumbbell.errors import EngineFailure

PREFIX = "dumbbell-run-"
LOCK_FILE = "held"
"""Locked for as long as the folder's process lives."""
_YOUNG_S = 60
"""A folder without its lock may be one that is just being made."""
_swept: set[tuple[int, Path]] = set()
_sweeping = Lock()


@contextmanager
def folder(home: Path | None = None) -> Iterator[Path]:
    """Gives an empty folder of its own, where temporary files are or in `home`, and removes it with all that is in it.

    Raises:
        EngineFailure: there is nowhere to make one.
    """
    try:
        home = home or Path(tempfile.gettempdir())
        _sweep_once(home)
        made, lock = _made(home)
    except OSError as error:
        raise EngineFailure(f"no temporary folder: {describe_error(error)}") from None
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def is_one(path: Path) -> bool:
    """Whether a folder is there that was made by `folder`."""
    return path.name.startswith(PREFIX) and path.is_dir() and not path.is_symlink()


def describe_error(error: OSError) -> str:
    """What the system said, and of which file."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def sweep(home: Path) -> None:
    """Removes the folders of processes that are no more."""
    for each in home.glob(f"{PREFIX}*"):
        try:
            if each.is_symlink() or each.stat().st_uid != os.geteuid():
                continue
            lock = os.open(each / LOCK_FILE, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            if _age_s(each) > _YOUNG_S:
                shutil.rmtree(each, ignore_errors=True)
            continue
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(each, ignore_errors=True)
        except OSError:  # its process is alive
            continue
        finally:
            os.close(lock)


def _made(home: Path) -> tuple[Path, int]:
    while True:
        made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        try:
            lock = os.open(made / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(lock).st_nlink:
                return made, lock
        except OSError:  # somebody who sweeps was faster, and has it
            pass
        os.close(lock)


def _sweep_once(home: Path) -> None:
    with _sweeping:
        if (os.getpid(), home) not in _swept:
            _swept.add((os.getpid(), home))
            sweep(home)


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0
