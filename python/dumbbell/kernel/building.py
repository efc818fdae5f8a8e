"""How a kernel is built: a copy of a tree, substitutions, a configuration, `make`, and a place on the shelf."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import dumbbell.kernel.congestion as congestion
import dumbbell.kernel.shelf as shelf
from dumbbell.cc import variants
from dumbbell.errors import BuildFailure, KernelError
from dumbbell.kernel.debian import fetch
from dumbbell.kernel.recipe import Package, Recipe, options, recipe, substitute
from dumbbell.kernel.shelf import EXECUTABLE, Kernel, digest, write
from dumbbell.kernel.source import Source, release_of, source_of
from dumbbell.kernel.toolchain import Progress, Workshop, compiler, require
from dumbbell.spec.quantity import Bytes

_ROOM = Bytes("2.5 GB")
"""What a build needs for a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """A kernel that is to be built: source, name, identity and compiler."""

    source: Source
    name: str | None
    identity: str
    compiler: str


def build(
    source: str | Path = shelf.DEFAULT,
    *,
    name: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Kernel:
    """Builds a kernel, or finds it on the shelf.

    `source` is one of Debian's ("6.1", "6.12", or "7.3", a download), a folder or a tarball. Without a name a kernel
    is called like Debian's source, or else by its release. `fresh` builds it also when it is there. A call that is
    interrupted, however that happens, leaves no kernel.

    Raises `KernelError`, with the end of the log where `make` fails.
    """
    chosen = source_of(source)
    if name is None and chosen.package is not None:
        name = chosen.package.name
    if name is not None:
        shelf.check_name(name)
    require(chosen.package)
    report_progress = progress or (lambda _what, _done, _total: None)
    try:
        if chosen.package is not None:
            fetch(chosen.package, report_progress)
        report_progress("reading the source", 0, 0)
        made_by = compiler()
        order = _Order(source=chosen, name=name, identity=identity_of(chosen.identity(), made_by), compiler=made_by)
        kernel = None if fresh else shelf.of_identity(name, order.identity)
        if kernel is None:
            with shelf.locked(lambda: report_progress("waiting for another build", 0, 0)) as folder:
                kernel = None if fresh else shelf.of_identity(name, order.identity) or _renamed(order, folder)
                kernel = kernel or _built(order, folder, report_progress)
    except OSError as error:
        raise BuildFailure(f"{error.filename or shelf.folder()}: {error.strerror or error}") from error
    shelf.freshen(kernel)
    return kernel


def identity_of(source: str, made_by: str, of: Recipe | None = None) -> str:
    """Hash of everything that decides a kernel: its source's hash, the recipe with the variants, and the compiler."""
    return hashlib.sha256("\0".join((source, made_by, (of or recipe()).identity())).encode()).hexdigest()


def _renamed(order: _Order, folder: Path) -> Kernel | None:
    """A copy of a kernel that is there under another name."""
    kernel = shelf.of_identity(None, order.identity)
    return _entered(replace(kernel, name=str(order.name)), kernel.executable, folder) if kernel else None


def _built(order: _Order, folder: Path, progress: Progress) -> Kernel:
    if shutil.disk_usage(folder).free < _ROOM.bytes:
        raise BuildFailure(f"a build needs {_ROOM} for a while, and {folder.parent} has less")
    workshop = Workshop(folder / "build.log", progress)
    source, name = order.source, order.name
    try:
        tree = folder / "tree"
        workshop.begin("copying the source")
        source.copy(tree, workshop)
        release = release_of(tree)
        name = name or release
        shelf.check_name(name)
        left_out = _prepare(tree, release, strict=source.package is not None)
        workshop.begin("configuring")
        left_out |= _configure(tree, workshop, source.package)
        workshop.begin("compiling", _expected(name, source))
        workshop.make(tree, f"-j{len(os.sched_getaffinity(0))}", EXECUTABLE)
        sources = congestion.compiled(tree)
        numbers = congestion.versions(sources)
        kernel = Kernel(
            name=name,
            identity=order.identity,
            recipe=recipe().identity(),
            executable=tree / EXECUTABLE,
            release=(tree / "include/config/kernel.release").read_text(encoding="utf-8").strip(),
            controls=congestion.controls(congestion.registered(sources), variants(), numbers),
            versions=numbers,
            compiler=order.compiler,
            source=str(source.path),
            built=datetime.now(UTC).isoformat(timespec="seconds"),
            steps=workshop.steps,
            left_out=left_out,
        )
        workshop.begin("finishing")
        workshop.work(["strip", "-g", str(kernel.executable)])
        workshop.work([str(kernel.executable), "--version"])
        return _entered(kernel, kernel.executable, folder)
    except BuildFailure as failure:
        if workshop.log.is_file():
            saved_log = workshop.log.replace(shelf.log(name or source.path.name))
            raise BuildFailure(f"{failure}the log is {saved_log}") from None
        raise


def _prepare(tree: Path, release: str, *, strict: bool) -> dict[str, str]:
    """Changes a copy of a tree; gives what is left out of it."""
    substitute(tree, recipe().substitutions, release)
    left_out = congestion.add_variants(tree, variants().values(), strict=strict)
    return left_out | congestion.add_earlier(tree, release)


def _configure(tree: Path, workshop: Workshop, package: Package | None) -> dict[str, str]:
    """Configures a tree; gives the options that it does not take, of Debian's those of which that is not known."""
    kconfig = (tree / congestion.FOLDER / "Kconfig").read_text(encoding="utf-8")
    wanted = {**recipe().options, **dict.fromkeys(congestion.options(kconfig), "y")}
    fragment = tree.with_name("wanted.config")
    fragment.write_text("".join(f"{name}={value}\n" for name, value in wanted.items()), encoding="utf-8")
    workshop.make(tree, f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig")
    lacking = refused(recipe().options, options((tree / ".config").read_text(encoding="utf-8")))
    useless = any(names <= set(lacking) for names in recipe().indispensable)
    lacking = [name for name in lacking if package is None or name not in package.absent]
    if useless or (package is not None and lacking):
        raise KernelError(f"this source does not take the configuration: {', '.join(lacking)}")
    return dict.fromkeys(lacking, "this source has no such option, or not with the others")


def refused(wanted: Mapping[str, str], got: Mapping[str, str]) -> list[str]:
    """The options that a configuration does not have as they were wanted."""
    return [name for name, value in wanted.items() if got.get(name, "n") != value]


def _expected(name: str, source: Source) -> int:
    built = shelf.kernels()
    like_it = [each for each in built if each.name == name] or built
    if like_it and like_it[0].steps:
        return like_it[0].steps
    packages = recipe().sources
    return (source.package or packages[shelf.DEFAULT]).steps


def _entered(kernel: Kernel, executable: Path, folder: Path) -> Kernel:
    done = folder / "done"
    done.mkdir()
    shutil.copy2(executable, done / EXECUTABLE)
    kernel = replace(kernel, executable=done / EXECUTABLE, sha256=digest(done / EXECUTABLE))
    write(kernel)
    target = shelf.place(kernel.name, kernel.identity)
    shelf.enter(done, target)
    return replace(kernel, executable=target / EXECUTABLE)
