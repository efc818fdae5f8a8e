"""The simulator with a deliberate error: built from a copy of its sources in which one thing was changed.

It is there to try whether a comparison would notice. It needs the sources and cargo, as a checkout has them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import structs
from typing_extensions import override

from dev.table import TomlTable
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.replacement import replacing

if TYPE_CHECKING:
    from types import ModuleType

    from dumbbell.engines.protocol import Engine
    from dumbbell.spec.run import Run

SOURCES: Final = Path(__file__).resolve().parents[1]
"""The checkout that this is a part of."""
PARTS: Final = ("Cargo.toml", "Cargo.lock", "crates")
LIBRARY: Final = "lib_core.so"
QUICKLY: Final = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "8",
    "CARGO_PROFILE_RELEASE_DEBUG": "0",
}
"""A mutant is built more often than it is run."""


class Change(TomlTable):
    """What is wrong with a mutant: one piece of text that stands for another."""

    name: str
    file: str
    """From the root of the sources."""
    find: str
    """It is there once."""
    replace: str

    def applied(self, text: str) -> str:
        """The file with the error.

        Raises:
            EngineFailure: what is to be changed is not there, or more than once.
        """
        if (times := text.count(self.find)) != 1:
            raise EngineFailure(f"mutant {self.name}: {self.file} has {self.find!r} {times} times; it must be once")
        return text.replace(self.find, self.replace)


class MutantEngine(SimEngine):
    """The simulator with one change; with none it is what the sources make."""

    def __init__(self, change: Change | None, folder: Path) -> None:
        self.name = f"mutant-{_name(change)}"
        self._core = extension(build(change, folder))

    @override
    def identity(self) -> str:
        """That of the changed sources."""
        return str(self._core.identity())

    @override
    def measure(self, run: Run) -> Measurement:
        """Simulates the run, wrongly."""
        return Measurement.from_core(self._core.measure(run.to_json()))


class ControlEngine(SimEngine):
    """An engine without an error whose random streams are others: flows start when they did, all else is drawn anew.

    What a mutant's change does beside its error is that: from the first packet that it touches all draws fall
    otherwise.
    """

    name = "control"

    def __init__(self, engine: Engine, shift: int) -> None:
        self._engine, self._shift = engine, shift

    @override
    def identity(self) -> str:
        """That of the engine, and of the streams."""
        return f"{self._engine.identity()} {self._shift}"

    @override
    def measure(self, run: Run) -> Measurement:
        """Measures the run with the streams of another seed."""
        return self._engine.measure(structs.replace(run, seed=run.seed + self._shift))


def build(change: Change | None, folder: Path) -> Path:
    """The extension module with the change in `folder`; it is built unless it is there already.

    Raises:
        EngineFailure: the change does not apply, or what it makes does not compile.
    """
    changed = {change.file: change.applied((SOURCES / change.file).read_text(encoding="utf-8"))} if change else {}
    built = folder / f"{_name(change)}-{_digest(changed)}.so"
    if built.exists():
        return built
    copy = folder / "sources"
    _copy(copy, changed)
    environment = os.environ | QUICKLY | {"PYO3_PYTHON": sys.executable}
    command = ["cargo", "build", "--release", "--quiet", "--package", "py", "--target-dir", str(folder / "target")]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 (cargo)
    except OSError as error:
        raise EngineFailure(f"mutant {_name(change)}: cannot run cargo: {error}") from error
    if done.returncode:
        raise EngineFailure(f"mutant {_name(change)} does not compile: {done.stderr.strip()[-2000:]}")
    with replacing(built) as partial:
        shutil.copyfile(folder / "target" / "release" / LIBRARY, partial)
    return built


def _name(change: Change | None) -> str:
    return change.name if change else "none"


def _digest(changed: dict[str, str]) -> str:
    digest = hashlib.sha256(repr(changed).encode())
    for path in _files(SOURCES):
        digest.update(path.as_posix().encode())
        digest.update((SOURCES / path).read_bytes())
    return digest.hexdigest()[:16]


def _files(home: Path) -> Iterator[Path]:
    """What cargo builds from, relative to the root, in order."""
    for part in PARTS:
        root = home / part
        yield from (
            path.relative_to(home) for path in ([root] if root.is_file() else sorted(root.rglob("*"))) if path.is_file()
        )


def _copy(copy: Path, changed: dict[str, str]) -> None:
    """Writes only what differs, so that cargo builds no more than that again."""
    wanted = {path: (SOURCES / path).read_bytes() for path in _files(SOURCES)}
    wanted |= {Path(path): text.encode() for path, text in changed.items()}
    if copy.exists():
        for path in _files(copy):
            if path not in wanted:
                (copy / path).unlink()
    for path, content in wanted.items():
        target = copy / path
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def extension(path: Path) -> ModuleType:
    """The module beside the one that is loaded already: each file has its own."""
    loader = ExtensionFileLoader("dumbbell._core", str(path))
    spec = spec_from_loader("dumbbell._core", loader)
    assert spec is not None  # noqa: S101 (it has a loader)
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
