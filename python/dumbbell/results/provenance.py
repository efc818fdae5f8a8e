"""Where a result comes from: what one needs to know to get it again, or to see why one does not."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from functools import cache
from pathlib import Path

_PACKAGES = ("dumbbell", "numpy", "pandas", "pyarrow")
_JUDGES = (
    "metrics/completion.py",
    "metrics/contention.py",
    "metrics/counter.py",
    "metrics/dynamics.py",
    "metrics/pages.py",
    "metrics/playback.py",
    "metrics/programs/ffmpeg.py",
    "metrics/programs/iperf3.py",
    "metrics/programs/netcat.py",
    "metrics/programs/reader.py",
    "metrics/programs/report.py",
    "metrics/samples.py",
    "metrics/sharing.py",
    "metrics/starvation.py",
    "metrics/stationarity.py",
    "metrics/summary.py",
    "metrics/window.py",
    "results/disturbance.py",
    "results/validity.py",
)
"""What makes a summary of a measurement, in this package."""
_VALUES = (*_JUDGES, "metrics/catalogue.py", "results/values.py")
"""What makes the values of a run that a store has."""
_FIGURES = (*_JUDGES, "metrics/catalogue.py", "metrics/number.py", "comparison/figures.py")
"""What makes the figures of a run that comparisons record."""
OWN_NOISE = "the machine's own: the spec has no path.jitter"
"""What is said of a run on a live engine whose timing noise nobody made."""
_OBJECT = re.compile(r"[0-9a-f]{40,64}")
_PACKAGE = Path(__file__).parents[1]


@cache
def facts() -> dict[str, object]:
    """What is the same for every run of this process."""
    return {
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES},
        "commit": commit(_PACKAGE),
        "metrics": metrics_identity(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


@cache
def metrics_identity(package: Path = _PACKAGE) -> str:
    """Hash of the sources that make a summary of a measurement, and its values; `package`: dumbbell's own folder."""
    return _hash(package, _VALUES)


@cache
def figures_identity(package: Path = _PACKAGE) -> str:
    """Hash of the sources that make the figures of a run that comparisons record, its summary's among them."""
    return _hash(package, _FIGURES)


def _hash(package: Path, names: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode() + b"\0" + (package / name).read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]


def commit(folder: Path) -> str | None:
    """The git commit that a folder's checkout is at; None where it is in none."""
    for home in (folder, *folder.parents):
        git = home / ".git"
        if git.exists():
            try:
                return _head(git)
            except (OSError, UnicodeDecodeError):
                return None
    return None


def _head(git: Path) -> str | None:
    if git.is_file():  # a worktree: the file names its folder
        git = git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    shared = git / "commondir"
    homes = [git, git / shared.read_text(encoding="utf-8").strip()] if shared.is_file() else [git]
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return head if _OBJECT.fullmatch(head) else None
    name = head.removeprefix("ref:").strip()
    for home in homes:
        if (home / name).is_file():
            return (home / name).read_text(encoding="utf-8").strip()
    for home in homes:
        packed = home / "packed-refs"
        if packed.is_file():
            for line in packed.read_text(encoding="utf-8").splitlines():
                object_id, _, ref = line.partition(" ")
                if ref == name:
                    return object_id
    return None


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 (late: readers need none)

    try:
        return version(package)
    except PackageNotFoundError:
        return None
