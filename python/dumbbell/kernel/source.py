"""A tree of Linux: where it is, what is in it, and how a copy of it is made. The original is only read."""

from __future__ import annotations

import hashlib
import re
import shutil
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from dumbbell.errors import KernelError
from dumbbell.kernel.recipe import Package, recipe
from dumbbell.kernel.shelf import digest
from dumbbell.kernel.toolchain import Workshop

_SIGNS = ("Makefile", "arch/um/Kconfig", "net/ipv4/Kconfig")
"""Files that a tree of Linux has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A tree of Linux, or a tarball of one."""

    path: Path
    package: Package | None
    """Debian's, if it is that."""

    def identity(self) -> str:
        """Hash of all of it that a build can read."""
        return _tree_digest(self.path) if self.path.is_dir() else digest(self.path)

    def copy(self, tree: Path, workshop: Workshop) -> None:
        """Copies the tree, or unpacks the tarball, to `tree`."""
        if self.path.is_dir():
            _copy_tree(self.path, tree)
        else:
            tree.mkdir()
            top = _top(self.path)
            unread = [f"--exclude={top}/{pattern}" for pattern in recipe().unread]
            command = ["tar", "--extract", "--file", str(self.path), "--directory", str(tree)]
            workshop.work([*command, "--strip-components=1", "--no-same-owner", "--anchored", *unread])
        _check(self.path, tree)

    def excerpt(self, files: Iterable[str], folder: Path) -> Path:
        """A tree with these files, where the source has them: itself, or a part of the tarball, in `folder`."""
        if self.path.is_dir():
            return self.path
        left = {*files, *_SIGNS}
        try:
            with tarfile.open(self.path, "r|*") as opened:
                for member in opened:
                    name = member.name.removeprefix("./").partition("/")[2]
                    if name in left and (content := opened.extractfile(member)) is not None:
                        (folder / name).parent.mkdir(parents=True, exist_ok=True)
                        (folder / name).write_bytes(content.read())
                        left.discard(name)
                    if not left:
                        break
        except (tarfile.TarError, OSError, EOFError) as error:
            raise KernelError(f"{self.path} is no tarball that can be read: {error}") from None
        _check(self.path, folder)
        return folder


def source_of(source: str | Path) -> Source:
    """Finds what somebody means: one of Debian's sources, a folder or a tarball."""
    known = recipe().sources
    if isinstance(source, str) and source in known:
        return Source(path=known[source].tarball, package=known[source])
    path = Path(source).expanduser().absolute()
    if path.is_dir():
        _check(path, path)
    elif not path.is_file():
        raise KernelError(
            f'"{source}" is no source of Linux: neither one of {", ".join(known)}, nor a folder, nor a tarball'
        )
    return Source(path=path, package=None)


def release_of(tree: Path) -> str:
    """The version of a tree, as its Makefile has it: "6.1.192"."""
    head = (tree / "Makefile").read_text(encoding="utf-8", errors="replace")[:2000]
    parts = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)\s*=[ \t]*(\S*)$", head, re.MULTILINE))
    try:
        return f"{parts['VERSION']}.{parts['PATCHLEVEL']}.{parts['SUBLEVEL'] or 0}{parts.get('EXTRAVERSION', '')}"
    except KeyError:
        raise KernelError(f"{tree / 'Makefile'} names no version of Linux") from None


def _check(said: Path, tree: Path) -> None:
    lacking = [name for name in _SIGNS if not (tree / name).is_file()]
    if lacking:
        raise KernelError(f"{said} is no source of Linux: it has no {', '.join(lacking)}")


def _top(tarball: Path) -> str:
    """The folder in a tarball that has everything."""
    try:
        with tarfile.open(tarball) as opened:
            first = opened.next()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise KernelError(f"{tarball} is no tarball that can be read: {error}") from None
    if first is None:
        raise KernelError(f"{tarball} is empty")
    return first.name.removeprefix("./").split("/")[0]


def _files(tree: Path) -> Iterator[tuple[str, Path]]:
    """The files of a tree that a build can read, by their names below its top, in order."""
    patterns = (*recipe().unread, *recipe().built)
    left_out = re.compile("|".join(map(translate, patterns))).match
    folders = [""]
    while folders:
        folder = folders.pop()
        inner = []
        for path in sorted((tree / folder).iterdir()):
            name = f"{folder}{path.name}"
            if left_out(name):
                continue
            if path.is_dir() and not path.is_symlink():
                inner.append(f"{name}/")
            elif path.is_symlink() or path.is_file():
                yield name, path
        folders.extend(reversed(inner))


def _tree_digest(tree: Path) -> str:
    tree_hash = hashlib.sha256()
    for name, path in _files(tree):
        content = f"-> {path.readlink()}" if path.is_symlink() else digest(path)
        tree_hash.update(f"{name}\0{content}\n".encode())
    return tree_hash.hexdigest()


def _copy_tree(tree: Path, copy: Path) -> None:
    for name, path in _files(tree):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)
        if not path.is_symlink():
            target.chmod(target.stat().st_mode | 0o200)
