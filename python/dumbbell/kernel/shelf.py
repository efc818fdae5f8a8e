"""The kernels of this machine, in a folder of the user: what each was made of, and whether it is what was built."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dumbbell.errors import KernelError
from dumbbell.kernel.recipe import ordered, recipe
from dumbbell.user_folder import cache_folder, data_folder

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
    versions: Mapping[str, int] = field(default_factory=dict)
    """Version of the congestion controls of which there are several, by their names in it; 0: one that is not known."""
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

    @property
    def title(self) -> str:
        """For legends: "Linux 6.12, patched" where its source has what no Linux of that version has."""
        patched = ", patched" if set(self.versions.values()) - {1} else ""
        return f"Linux {'.'.join(map(str, ordered(self.release)[:2]))}{patched}"

    def has_qdisc(self, name: str) -> bool:
        """Whether it has a queue discipline of Linux."""
        return self.has_option(f"CONFIG_NET_SCH_{name.upper()}")

    def has_option(self, option: str) -> bool:
        """Whether it was built with it: a usable kernel has the options of this version's recipe."""
        package = recipe().sources.get(self.name)
        is_absent = option in self.left_out or (package is not None and option in package.absent)
        return recipe().options.get(option) == "y" and not is_absent

    def has_setting(self, name: str) -> bool:
        """Whether it has a setting of `/proc/sys`: its executable has the names of all."""
        return name.encode() + b"\0" in self.executable.read_bytes()


def write(kernel: Kernel) -> None:
    """Writes a kernel's description beside its executable."""
    description = {"schema": SCHEMA} | asdict(kernel)
    del description["executable"]
    text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
    kernel.executable.with_name(DESCRIPTION).write_text(text, encoding="utf-8")


def read(folder: Path) -> Kernel:
    """Reads the kernel of a folder.

    Raises `KernelError` when it is not what was built.
    """
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        if description.pop("schema") != SCHEMA:
            raise KernelError(f"{folder / DESCRIPTION} is of another version of dumbbell")
        kernel = Kernel(executable=folder / EXECUTABLE, **description)
        actual = digest(kernel.executable)
    except OSError as error:
        raise KernelError(f"{error.filename}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise KernelError(f"{folder / DESCRIPTION} cannot be read") from None
    if actual != kernel.sha256:
        raise KernelError(f"{kernel.executable} is not what was built: its hash differs")
    return kernel


def digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


DEFAULT = "6.1"
"""The kernel that is meant when none is named."""
UNFINISHED = ".building-"
_LOCK = ".lock"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}")
_RESERVED = {"all"}
_IDENTITY = 16
"""Digits of the identity in a folder's name."""


class _Busy(Exception):  # noqa: N818 (no error: somebody builds)
    """Another build is under way."""


def folder() -> Path:
    """Where the kernels are. It need not exist."""
    return data_folder("kernels")


def kernels() -> list[Kernel]:
    """All kernels that are there, newest first; damaged ones are left out."""
    return [each for _, each in _entries() if not isinstance(each, KernelError)]


def names() -> list[str]:
    """The names of all kernels that are there, also of damaged ones."""
    return sorted({_name(each) for each in _folders()})


def damaged() -> dict[str, str]:
    """The names of the kernels that are damaged, and what is wrong with them."""
    return {name: str(each) for name, each in _entries() if isinstance(each, KernelError)}


def find(name: str = DEFAULT) -> Kernel:
    """Finds a kernel by its name: the newest of that name that this version's recipe made.

    Raises `KernelError` where there is none, or only damaged ones and those of other recipes.
    """
    problem = ""
    for _, kernel in _entries(name):
        if isinstance(kernel, KernelError):
            problem = problem or f'the kernel "{name}" is damaged: {kernel}; {_advice(name)}'
        elif usable(kernel):
            return kernel
        else:
            other = f'the kernel "{name}" was built by another version of dumbbell, with another recipe'
            problem = problem or f"{other}; {_advice(name, kernel.source)}"
    if problem:
        raise KernelError(problem)
    has = f"; there is {', '.join(names())}" if names() else ""
    raise KernelError(f'no kernel "{name}" here: {_advice(name)}{has}')


def usable(kernel: Kernel) -> bool:
    """Whether this version's recipe made it: versions of dumbbell may share the folder."""
    return kernel.recipe == recipe().identity()


def remove(name: str) -> None:
    """Removes every kernel of a name, also damaged ones, and what killed builds left."""
    folders = [each for each in (*_folders(), *_earlier()) if _name(each) == name]
    if not folders:
        raise KernelError(f'no kernel "{name}" here')
    try:
        for each in folders:
            discard(each)
        log(name).unlink(missing_ok=True)
        with suppress(_Busy), locked(_refuse):
            pass
    except OSError as error:
        raise KernelError(f"{error.filename}: {error.strerror}") from None


def place(name: str, identity: str) -> Path:
    """The folder of the kernel with this name and identity; it need not exist."""
    return folder() / f"{name}@{identity[:_IDENTITY]}"


def log(name: str) -> Path:
    """Where the log of a failed build stays."""
    return folder() / f"{name}.failed.log"


def of_identity(name: str | None, identity: str) -> Kernel | None:
    """The kernel of this identity, and of this name if one is given."""
    return next((each for each in kernels() if each.identity == identity and name in {None, each.name}), None)


def check_name(name: str) -> None:
    """Raises `KernelError` for a name that no kernel can have."""
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise KernelError(f'"{name}" is no name for a kernel: letters, digits and ._+- make one, and "all" is taken')


@contextmanager
def locked(waiting: Callable[[], None]) -> Iterator[Path]:
    """Gives an empty folder to build in while no other build runs; `waiting` is called when one does.

    What it has in the end, and what killed builds left, is removed.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 (late: readers need none)

    home = folder()
    home.mkdir(parents=True, exist_ok=True)
    lock = FileLock(home / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        waiting()
        lock.acquire()
    try:
        clean()
        unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=home))
        try:
            yield unfinished
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    finally:
        lock.release()


def enter(built: Path, target: Path) -> None:
    """Makes a finished folder a kernel, in place of the one that is there."""
    if target.exists():
        discard(target)
    built.rename(target)


def freshen(kernel: Kernel) -> None:
    """Makes a kernel the newest of its name, where the folder can be written."""
    with suppress(OSError):
        os.utime(kernel.executable.with_name(DESCRIPTION))


def discard(kernel: Path) -> None:
    """Removes a kernel's folder; at no moment is there a part of it under its name."""
    removed = kernel.rename(kernel.with_name(f"{UNFINISHED}{secrets.token_hex(8)}"))
    shutil.rmtree(removed, ignore_errors=True)


def clean() -> None:
    """Removes what killed builds left. Only for the one who has the lock."""
    for each in folder().glob(f"{UNFINISHED}*"):
        shutil.rmtree(each, ignore_errors=True)


def _refuse() -> None:
    raise _Busy


def _earlier() -> list[Path]:
    """The folders of kernels in the cache, where earlier versions built them; what may not be read is none."""
    try:
        return _kernels_in(cache_folder("kernels"))
    except OSError:
        return []


def _adopt() -> None:
    """Copies what an earlier version built and is not here, and says so.

    The original stays: a campaign of that version may be running on it. While somebody builds, this waits for the next
    time.

    Raises:
        KernelError: it cannot be copied.
    """
    try:
        if all((folder() / each.name).exists() for each in _earlier()):
            return
        with suppress(_Busy), locked(_refuse) as unfinished:
            for each in _earlier():
                with suppress(KernelError):
                    _copy(read(each), unfinished / each.name)
    except OSError as error:
        raise KernelError(
            f"{error.filename}: {error.strerror}; kernels are in {folder()} now, and DUMBBELL_DATA names another"
        ) from None


def _copy(kernel: Kernel, copy: Path) -> None:
    original, target = kernel.executable.parent, folder() / copy.name
    if not target.exists():
        copy.mkdir()
        for file in (EXECUTABLE, DESCRIPTION):
            shutil.copy2(original / file, copy / file)
        enter(copy, target)
        import logging  # noqa: PLC0415 (late: seldom needed)

        message = "copied the kernel %s from %s to %s, where kernels are now"
        logging.getLogger("dumbbell").warning(message, kernel.name, original, folder())


def _entries(name: str | None = None) -> Iterator[tuple[str, Kernel | KernelError]]:
    """The kernels, of a name if one is given, newest first, by their names; of a damaged one what is wrong with it."""
    for each in _folders():
        if name in {None, _name(each)}:
            try:
                yield _name(each), read(each)
            except KernelError as error:
                yield _name(each), error


def _folders() -> list[Path]:
    """The folders that are kernels, newest first."""
    _adopt()
    return sorted(_kernels_in(folder()), key=_order)


def _kernels_in(home: Path) -> list[Path]:
    return [each for each in home.glob("*@*") if each.is_dir() and not each.name.startswith(".")]


def _order(kernel: Path) -> tuple[int, str]:
    try:
        return -(kernel / DESCRIPTION).stat().st_mtime_ns, kernel.name
    except OSError:
        return 0, kernel.name


def _name(kernel: Path) -> str:
    return kernel.name.rpartition("@")[0]


def _advice(name: str, source: str = "DIR") -> str:
    """How a kernel of this name is made; `source`: where that of an earlier one came from."""
    package = recipe().sources.get(name)
    if package is None or not (source == "DIR" or package.has(source)):
        arguments = f" --source {shlex.quote(source)} --name {name}"
    else:
        arguments = "" if name == DEFAULT else f" {name}"
    return f"`dumbbell kernel build{arguments}` makes it (about 3 minutes)"
