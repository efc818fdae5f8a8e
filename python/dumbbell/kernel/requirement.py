"""What a build needs of this machine, and what of it is missing."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from dumbbell.errors import BuildFailure
from dumbbell.kernel.recipe import recipe

if TYPE_CHECKING:
    from dumbbell.kernel.recipe import Package


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
    found = [(tool, name) for tool, name in recipe().tools.items() if shutil.which(tool) is None]
    if shutil.which("gcc") is not None:
        found += [(header, name) for header, name in recipe().headers.items() if not _compiles(header)]
    if package is not None and not package.tarball.is_file():
        found.append((str(package.tarball), package.package))
    return found


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
