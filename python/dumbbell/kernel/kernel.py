"""A kernel that was built, and what is written beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dumbbell.errors import KernelError

EXECUTABLE = "linux"
DESCRIPTION = "kernel.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """An executable that is Linux, and what it was made of."""

    name: str
    """What `--engine linux:NAME` means."""
    identity: str
    """Hash of all that decides it: source, configuration, substitutions, compiler."""
    executable: Path
    release: str
    """Linux's own word for it, as "6.1.192"."""
    controls: Mapping[str, str]
    """Name of every congestion control in it -> the name that it has in this kernel."""
    compiler: str
    recipe: str = ""
    """Hash of the recipe that made it; empty: that of an earlier version, which did not write it down."""
    sha256: str = ""
    """Of the executable."""
    source: str = ""
    """Path of the tree or tarball that it was built from."""
    built: str = ""
    """When, in UTC."""
    steps: int = 0
    """How many lines `make` printed."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What was left out of a tree that is not Debian's, and why."""


def write(kernel: Kernel) -> None:
    """Writes a kernel's description beside its executable."""
    words = {"schema": SCHEMA} | asdict(kernel)
    del words["executable"]
    text = json.dumps(words, indent=2, ensure_ascii=False) + "\n"
    kernel.executable.with_name(DESCRIPTION).write_text(text, encoding="utf-8")


def read(folder: Path) -> Kernel:
    """Reads the kernel of a folder.

    Raises `KernelError` when it is not what was built.
    """
    try:
        words = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        if words.pop("schema") != SCHEMA:
            raise KernelError(f"{folder / DESCRIPTION} is of another version of dumbbell")
        kernel = Kernel(executable=folder / EXECUTABLE, **words)
        actual = digest(kernel.executable)
    except OSError as error:
        raise KernelError(f"{error.filename}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise KernelError(f"{folder / DESCRIPTION} cannot be read") from None
    if actual != kernel.sha256:
        raise KernelError(f"{kernel.executable} is not what was built: its hash differs")
    return kernel


def digest(file: Path) -> str:
    """SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
