"""Sources of Linux from Debian's archive, by an apt with a folder of its own; nothing is installed, nobody is root."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dumbbell.errors import BuildFailure
from dumbbell.kernel.recipe import Archive, Package, recipe
from dumbbell.kernel.shelf import digest
from dumbbell.kernel.toolchain import Progress

_LIST: Final = "deb [arch=amd64 signed-by={keyring}] {url} {suite} main\n"
_SETTINGS: Final = """
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State::status "/dev/null";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""
"""On top of the machine's settings, which may name a proxy; its hooks are for its own lists."""
_PACKAGES: Final = "linux-source-"


def fetch(package: Package, progress: Progress) -> None:
    """Downloads the source that an archive has into the cache, unless it is there; others are installed.

    Raises `BuildFailure`: the archive has another version or another file now, or cannot be read.
    """
    archive = package.archive
    if archive is None or package.tarball.is_file():
        return
    progress(f"downloading {package.package} from Debian", 0, 0)
    package.tarball.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=package.tarball.parent, ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        settings = _settings(folder, archive)
        _run(package, folder, "apt-get", settings, "update")
        _check_version(package, archive, _run(package, folder, "apt-cache", settings, "dumpavail"))
        _run(package, folder, "apt-get", settings, "download", f"{package.package}={archive.version}")
        for file in folder.glob("*.deb"):
            if digest(file) != archive.sha256:
                raise BuildFailure(
                    f"{package.package} {archive.version} of Debian is not the file that the recipe names: its SHA-256 "
                    f"is {digest(file)}, not {archive.sha256}"
                )
            _run(package, folder, "dpkg-deb", "-x", str(file), str(folder / "content"))
        unpacked = folder / "content" / package.file.relative_to("/")
        if not unpacked.is_file():
            raise BuildFailure(f"{package.package} {archive.version} of Debian has no {package.file}")
        unpacked.replace(package.tarball)


def _settings(folder: Path, archive: Archive) -> str:
    """Writes what makes apt that of a folder; gives the option that names it."""
    for each in ("lists/partial", "cache/archives/partial"):
        (folder / each).mkdir(parents=True)
    line = _LIST.format(keyring=recipe().keyring, url=recipe().archive_url, suite=archive.suite)
    (folder / "sources.list").write_text(line, encoding="utf-8")
    settings = folder / "apt.conf"
    settings.write_text(_SETTINGS.format(folder=folder), encoding="utf-8")
    return f"--config-file={settings}"


def _check_version(package: Package, archive: Archive, index: str) -> None:
    """Raises `BuildFailure` where an index no longer has the version of the recipe, with those that it has."""
    available = list(_versions(index))
    if (package.package, archive.version) in available:
        return
    newer = ", ".join(f"{name} {version}" for name, version in sorted(available)) or f"no {_PACKAGES}VERSION"
    raise BuildFailure(
        f"Debian's {archive.suite} no longer has {package.package} {archive.version}; it has {newer} now; "
        f"{_other(package)}"
    )


def _versions(index: str) -> Iterator[tuple[str, str]]:
    """The sources of Linux in an index of packages, with their versions."""
    for stanza in index.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and not line.startswith(" "))
        if fields.get("Package", "").startswith(_PACKAGES):
            yield fields["Package"], fields["Version"]


def _run(package: Package, folder: Path, *command: str) -> str:
    done = subprocess.run(  # noqa: S603 (a list of arguments)
        command,
        capture_output=True,
        check=False,
        cwd=folder,
        encoding="utf-8",
        env=os.environ | {"LC_ALL": "C"},
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith(("E:", "dpkg"))]
        reason = (errors or done.stderr.splitlines() or [f"status {done.returncode}"])[0]
        raise BuildFailure(f"{package.package} cannot be had from Debian: {command[0]}: {reason}; {_other(package)}")
    return done.stdout


def _other(package: Package) -> str:
    return f"`dumbbell kernel build --source TREE --name {shlex.quote(package.name)}` builds a tree that you have"
