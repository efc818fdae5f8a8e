"""The folder of a store that has the series and captures of its runs: Parquet, pcapng and qlog, whole or not there.

A file is written under another name and renamed when it is whole; its name has a part of its hash.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from dumbbell.problem import quoted
from dumbbell.results.diagnosis import damaged_source, translating_errors

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

_MAGIC = b"PAR1"
_FOOTER_BYTES = 8
CAPTURES = (".pcapng", ".qlog")
"""The ends of captures' kinds."""
_COMPRESSED = ".zst"
_CAPTURE_MAGIC = bytes.fromhex("28b52ffd")
_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFile:
    """One Parquet file, or capture, behind a run, and how to see that it is whole."""

    kind: str
    """`flows`, `queue`, `hops`, `acks`, `ss`, `transfers` or `pages`; of captures `senders.pcapng`, `flow-0.qlog`, …"""
    file: str
    """Its path below the store's folder of series."""
    size_bytes: int
    sha256: str
    modified_ns: int
    """When it was written: as long as this and the size are the same, its bytes need not be read again."""


class SeriesFolder:
    """The series of a store."""

    def __init__(self, store: Path) -> None:
        self.path = store / "series"
        """The folder itself; `partial` in it has the files that are being written."""
        self._store, self._numbers = store, itertools.count()

    def write(self, run_id: str, files: Mapping[str, bytes]) -> Iterator[SeriesFile]:
        """Writes the Parquet files of a run, by kind, and gives what to remember of each."""
        for kind, content in files.items():
            partial = self.path / "partial" / f"{run_id}-{next(self._numbers)}"
            digest = hashlib.sha256(content).hexdigest()
            with translating_errors(self._store, "write a series"):
                try:
                    partial.write_bytes(content)
                    yield self._taken_over(partial, kind, f"{run_id[:2]}/{run_id}-{digest[:12]}.{kind}.parquet", digest)
                except BaseException:
                    partial.unlink(missing_ok=True)
                    raise

    @contextmanager
    def captures(self) -> Iterator[Path]:
        """A folder of the store for the captures of a run that is measured, until they are taken over."""
        folder = self.path / "partial" / f"captures-{uuid4().hex}"
        with translating_errors(self._store, "make room for captures"):
            folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def take_over(self, run_id: str, captures: Iterable[Path]) -> Iterator[SeriesFile]:
        """Takes the captures of a run over, which are in this store, and gives what to remember of each."""
        for capture in captures:
            with translating_errors(self._store, "keep a capture"):
                with capture.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                name = f"{run_id[:2]}/{run_id}-{digest[:12]}.{capture.name}"
                yield self._taken_over(capture, capture.name.removesuffix(_COMPRESSED), name, digest)

    def read(self, series: SeriesFile) -> pa.Table:
        """The table of a file that is whole."""
        import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415 (late: it takes long to load)

        with (self.path / series.file).open("rb") as file:
            return pq.read_table(file)

    def copy(self, series: SeriesFile, source: SeriesFolder) -> SeriesFile:
        """Copies a file of another store, and gives what to remember of the copy.

        Raises:
            StoreFailure: the file is not what was written, or none of that store's.
        """
        file, partial = source.path / series.file, self.path / "partial" / f"copy-{next(self._numbers)}"
        try:
            with translating_errors(self._store, "copy a series"):
                if not (_NAME.fullmatch(series.file) and file.is_file()):  # a ledger may name any file
                    raise damaged_source(source._store, f"series {quoted(series.file)} is not there")
                shutil.copyfile(file, partial)
                if fault := _fault(partial, series, thorough=True):
                    raise damaged_source(source._store, f"series {fault}")
                return self._taken_over(partial, series.kind, series.file, series.sha256)
        finally:
            partial.unlink(missing_ok=True)

    def damage(self, series: SeriesFile, *, thorough: bool = False) -> str | None:
        """What is wrong with a file; None when it is whole. Its bytes are read if it was touched, or on demand."""
        return _fault(self.path / series.file, series, thorough=thorough)

    def orphans(self, known: set[str]) -> list[str]:
        """Files other than the known ones, to which therefore no run refers."""
        paths = (path for end in (".parquet", _COMPRESSED) for path in self.path.glob(f"??/*{end}"))
        stored = (path.relative_to(self.path).as_posix() for path in paths)
        return [file for file in stored if file not in known]

    def remove(self, files: Iterable[str]) -> None:
        """Removes files; those that are not there are none."""
        with translating_errors(self._store, "remove a series"):
            for file in files:
                _clear(self.path / file)
                (self.path / file).unlink(missing_ok=True)

    def clear_partial(self) -> None:
        """Removes what was being written when a campaign was killed."""
        with translating_errors(self._store, "tidy up"):
            shutil.rmtree(self.path / "partial", ignore_errors=True)
            (self.path / "partial").mkdir(exist_ok=True)

    def _taken_over(self, partial: Path, kind: str, file: str, digest: str) -> SeriesFile:
        target = self.path / file
        try:
            os.replace(partial, target)  # noqa: PTH105 (over an existing file too, everywhere)
        except OSError:  # its folder is not there yet, or a folder has its name
            target.parent.mkdir(exist_ok=True)
            _clear(target)
            os.replace(partial, target)  # noqa: PTH105
        stat = target.stat()
        return SeriesFile(kind=kind, file=file, size_bytes=stat.st_size, sha256=digest, modified_ns=stat.st_mtime_ns)


def _fault(path: Path, series: SeriesFile, *, thorough: bool) -> str | None:
    """What of a path is not as the file of a series was written."""
    try:
        stat = path.stat()
        if stat.st_size != series.size_bytes:
            return f"{series.file}: has {stat.st_size} of {series.size_bytes} bytes"
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
            if series.file.endswith(_COMPRESSED):
                if head != _CAPTURE_MAGIC:
                    return f"{series.file}: is no capture that zstd compressed"
            else:
                file.seek(-_FOOTER_BYTES, os.SEEK_END)
                if not head == file.read()[-len(_MAGIC) :] == _MAGIC:
                    return f"{series.file}: is no Parquet file"
            if thorough or stat.st_mtime_ns != series.modified_ns:
                file.seek(0)
                if hashlib.file_digest(file, "sha256").hexdigest() != series.sha256:
                    return f"{series.file}: has other bytes than were written"
    except OSError as error:
        return f"{series.file}: {error.strerror or error}"
    return None


def _clear(path: Path) -> None:
    """Moves a folder out of the way that lies where a file belongs: what is in it is not ours to remove."""
    if path.is_dir() and not path.is_symlink():
        number = 1
        while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
            number += 1
        path.rename(aside)
