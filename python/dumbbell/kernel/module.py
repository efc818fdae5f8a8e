"""A variant as a module for the kernel of a machine: its source, and what builds it; nothing is built or loaded."""

from __future__ import annotations

import platform
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dumbbell.cc import LINUX, Variant, variants
from dumbbell.errors import KernelError
from dumbbell.kernel.congestion import short_name, substitutions_of, variant_source
from dumbbell.kernel.recipe import Substitution, ordered, recipe
from dumbbell.kernel.shelf import DEFAULT
from dumbbell.kernel.source import Source, release_of, source_of
from dumbbell.kernel.toolchain import Progress
from dumbbell.problem import quoted, suggestion

_LOADED: Final = Path("/proc/modules")
"""A kernel without modules has no such file."""
_LOCKED: Final = Path("/proc/sys/kernel/modules_disabled")
_RELEASES: Final = Path("/lib/modules")
_TARBALL: Final = "/usr/src/linux-source-{}.tar.xz"
"""Debian's, of its package `linux-source-VERSION`."""
_VERSION: Final = Path("include/generated/uapi/linux/version.h")
_RELEASE: Final = Path("include/generated/utsrelease.h")
_UNMAKEABLE: Final = re.compile(r"[\s:#$%\\]")
"""Characters that no path may have in which `make` builds a module: spaces and colons, says Linux's own Makefile."""

_KBUILD: Final = "obj-m := {module}.o\n"
_MAKEFILE: Final = """# `make` builds {module}.ko for Linux {release}; `make KDIR=DIR` for the kernel of other headers.
KDIR ?= {headers}

modules clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $@

.PHONY: modules clean
"""
_README: Final = """# {module}

The congestion control `{name}` for Linux {release}: {about}.

dumbbell made `{module}.c` of `{file}` of {source} (Linux {version}).
It changed the name of the congestion control, and:

{changes}

Build it, load it as root, and see that the kernel has it:

    make
    insmod {module}.ko
    sysctl net.ipv4.tcp_available_congestion_control

`make` needs gcc and {headers}; on Debian `apt-get install make {package}` installs both.
From then on `dumbbell run SPEC --engine netns` takes `cc = "{variant}"`, until the machine is started again.
Where `net.ipv4.tcp_allowed_congestion_control` does not list it, only root can choose it; `netns` runs as root.

Unload it, as root, when no connection has it any more:

    rmmod {module}

A kernel under Secure Boot loads only modules that are signed with a key that the machine knows.
The license is that of Linux's file: `MODULE_LICENSE` in `{module}.c`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetKernel:
    """The kernel that a module is for."""

    release: str
    """What `uname -r` says of it, as "6.1.0-56-amd64"."""
    version: str
    """Linux's own, as "6.1.192"; without headers the release."""
    headers: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleSource:
    """A module's source that was written, and what it was made of and for."""

    name: str
    """As "tcp_bbr_shallow"."""
    folder: Path
    version: str
    """Of the source of Linux, as "6.1.192"."""
    target: TargetKernel | None
    """None: this machine's kernel loads no modules, and no headers of another were given."""


def write_module(
    name: str,
    *,
    source: Path | None = None,
    headers: Path | None = None,
    out: Path | None = None,
    progress: Progress | None = None,
) -> ModuleSource:
    """Writes the source of a variant's module, with a Makefile and a README, into a folder.

    It is for the kernel of the headers, else for the one that runs. Without a `source` it is made of Debian's of that
    version. Where the kernel that runs loads no modules, it is made for the source's own version.

    Raises `KernelError`: there is no such variant, source or headers, or one does not fit the other.
    """
    try:
        return _written(_variant(name), source, headers, out, progress)
    except OSError as error:
        raise KernelError(f"{error.filename}: {error.strerror}") from None


def _written(
    variant: Variant, source: Path | None, headers: Path | None, out: Path | None, progress: Progress | None
) -> ModuleSource:
    module = f"tcp_{short_name(variant.name)}"  # as the kernel calls for it, by `request_module("tcp_%s")`
    folder = out or Path(module)
    _check_folder(folder, module)
    target = _target(headers)
    chosen = _source(source, target)
    if progress is not None:
        progress(f"reading {chosen.path}", 0, 0)
    with tempfile.TemporaryDirectory() as scratch:
        files = {each["file"] for each in variant.linux}
        tree = chosen.excerpt(files, Path(scratch))
        version = release_of(tree)
        if target is not None and series(version) != series(target.version):
            raise KernelError(
                f"{chosen.path} is Linux {version}, but {target.release} is Linux {target.version}; "
                f"{_advice(series(target.version))}"
            )
        needed = [each for each in recipe().module if each.file in files and each.applies(version)]
        changes = [*substitutions_of(variant), *needed]
        text = variant_source(tree, variant, changes)
    written = ModuleSource(name=module, folder=folder, version=version, target=target)
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in {f"{module}.c": text, **_companions(written, variant, chosen, changes)}.items():
        (folder / file).write_text(content, encoding="utf-8")
    return written


def no_modules() -> str | None:
    """Why the kernel that this machine runs cannot load a module; None: it can, as far as one can see."""
    if sys.platform != "linux":
        return f"this machine runs {platform.system()}, not Linux"
    kernel = f"the kernel of this machine ({platform.release()})"
    if not _LOADED.exists():
        return f"{kernel} was built without modules (CONFIG_MODULES)"
    if _LOCKED.is_file() and _LOCKED.read_text(encoding="utf-8").strip() == "1":
        return f"{kernel} loads no module until it is started again (kernel.modules_disabled)"
    return None


def _variant(name: str) -> Variant:
    possible = [each.name for each in variants().values() if each.linux]
    if name in possible:
        return variants()[name]
    if name in variants():
        raise KernelError(
            f"{name} cannot be a module: only the simulator has it; variants of Linux: {', '.join(possible)}"
        )
    if name in LINUX:
        raise KernelError(f"{name} is Linux's own, and no variant of it: `modprobe tcp_{name}` loads it")
    raise KernelError(f"there is no variant {quoted(name)}; {suggestion(name, possible)}")


def _target(headers: Path | None) -> TargetKernel | None:
    if headers is not None:
        return _of_headers(headers.expanduser().absolute())
    if no_modules() is not None:
        return None
    release = platform.release()
    installed = _RELEASES / release / "build"
    if installed.exists():
        return _of_headers(installed)
    return TargetKernel(release=release, version=release, headers=installed)


def _of_headers(headers: Path) -> TargetKernel:
    try:
        code = re.search(r"LINUX_VERSION_CODE (\d{1,7})\b", (headers / _VERSION).read_text(encoding="utf-8"))
        release = re.search(r'UTS_RELEASE "([^"]+)"', (headers / _RELEASE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        code = release = None
    if code is None or release is None:
        raise KernelError(
            f"{headers} has no headers to build a module with: no {_VERSION} and {_RELEASE} that name a version; "
            "Debian's are in /usr/src/linux-headers-RELEASE, of the package linux-headers-RELEASE"
        )
    version = ".".join(map(str, int(code[1]).to_bytes(3, "big")))  # a byte each, as <linux/version.h> has it
    return TargetKernel(release=release[1], version=version, headers=_makeable(headers))


def _source(source: Path | None, target: TargetKernel | None) -> Source:
    if source is not None:
        return source_of(source)
    wanted = DEFAULT if target is None else series(target.version)
    tarball = Path(_TARBALL.format(wanted))
    if not tarball.is_file():
        raise KernelError(f"{tarball} is not there; {_advice(wanted)}")
    return source_of(tarball)


def _advice(version: str) -> str:
    """How a source of Linux of that version can be had."""
    return f"`apt-get install linux-source-{version}` installs Debian's, and --source names another"


def series(version: str) -> str:
    """The version without the number of its bug fixes, which leave a congestion control's interface as it is."""
    return ".".join(map(str, ordered(version)[:2]))


def _makeable(path: Path) -> Path:
    if _UNMAKEABLE.search(str(path)):
        raise KernelError(f'"{path}": make builds no module where a path has spaces, or one of :#$%\\; give another')
    return path


def _check_folder(folder: Path, module: str) -> None:
    """Raises `KernelError` where a folder has files of somebody else."""
    _makeable(folder.absolute())
    if folder.exists() and not folder.is_dir():
        raise KernelError(f"{folder} is a file; --out names a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / f"{module}.c").is_file():
        raise KernelError(f"{folder} is not empty, and has no {module}.c; --out names another folder")


def _companions(
    written: ModuleSource, variant: Variant, source: Source, changes: Iterable[Substitution]
) -> dict[str, str]:
    """The files that stand next to the module's source."""
    target = written.target
    release = "$(uname -r)" if target is None else target.release
    headers = str(_RELEASES / release / "build" if target is None else target.headers)
    values = {
        "module": written.name, "name": short_name(variant.name), "variant": variant.name, "about": variant.about,
        "file": variant.linux[0]["file"], "source": source.path, "version": written.version,
        "release": series(written.version) if target is None else release,
        "changes": "\n".join(f"- `{each.match}` became `{each.replace}`: {each.why}" for each in changes),
    }  # fmt: skip
    return {
        "Kbuild": _KBUILD.format(**values),
        "Makefile": _MAKEFILE.format(headers=headers.replace("$(", "$(shell "), **values),
        "README.md": _README.format(headers=headers, package=f"linux-headers-{release}", **values),
    }
