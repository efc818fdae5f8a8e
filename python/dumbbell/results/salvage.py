"""From a damaged ledger to one that has what is whole of it: every row whose digest holds.

The damaged file stays beside the new one, as `ledger.damaged-1.sqlite`. Rows are looked up by their keys, so that a
page that cannot be read costs the rows on it only; where the pages that say which tables there are cannot be read, they
are taken from a new ledger, whose tables begin on the same pages.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from dumbbell.metrics.number import counted
from dumbbell.results import digest
from dumbbell.results.campaign import relate
from dumbbell.results.diagnosis import UNREADABLE, translating_errors
from dumbbell.results.ledger import make_tables
from dumbbell.results.tables import RUN_TABLES

SIDE_SUFFIXES: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file."""
MOST_SOUGHT: Final = 1_000_000
"""Numbers of runs between those that were found."""


class Salvage(NamedTuple):
    """What became of a damaged ledger."""

    saved: int
    """Runs that are whole."""
    known: int
    """Runs that the damaged one shows, whole or not."""
    aside: Path
    """The damaged file."""

    @property
    def summary(self) -> str:
        """What a user needs to know."""
        lost = self.known - self.saved
        text = f"{counted(self.saved, 'run')} of it {'is' if self.saved == 1 else 'are'} whole and kept"
        if lost > 0:
            text += f", {counted(lost, 'run')} {'is' if lost == 1 else 'are'} repeated when the experiment is run again"
        return f"ledger.sqlite was damaged: {text}; the damaged file is {self.aside.name}"


def salvage(folder: Path) -> Salvage | None:
    """Puts what is whole of a store's ledger into a new one, in its place; None, and nothing done: nothing is known.

    The caller has the store's lock. A process that is killed meanwhile leaves the damaged ledger or the new one.
    """
    ledger = folder / "ledger.sqlite"
    with translating_errors(folder, "salvage its ledger"), TemporaryDirectory(dir=folder, prefix="salvage-") as name:
        place = Path(name)
        target = place / "new.sqlite"
        with closing(_made(target)) as new:
            known = max((_copied(source, new) for source in _readable(ledger, place)), default=0)
            saved = new.execute("SELECT COUNT(*) FROM run").fetchone()[0]
            if not known:
                return None
            digest.vouch_schema(new)
            new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        aside = _aside(ledger)
        for end in SIDE_SUFFIXES:
            ledger.with_name(ledger.name + end).unlink(missing_ok=True)
        os.replace(target, ledger)  # noqa: PTH105 (over an existing file, everywhere)
    return Salvage(saved, max(saved, known), aside)


def _made(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    make_tables(connection)
    return connection


def _aside(ledger: Path) -> Path:
    """Keeps a ledger under another name, with what SQLite has beside it."""
    number = 1
    while (aside := ledger.with_name(f"ledger.damaged-{number}.sqlite")).exists():
        number += 1
    for end in ("", *SIDE_SUFFIXES):
        own = ledger.with_name(ledger.name + end)
        if own.exists():
            shutil.copy2(own, aside.with_name(aside.name + end))
    return aside


# -- reading ----------------------------------------------------------------------------------------------------------


def _readable(ledger: Path, place: Path) -> Iterator[sqlite3.Connection]:
    """Copies of a damaged ledger, until one has been read: as it is, and with the pages that name its tables mended."""
    for nth, mended in enumerate((None, "", "VACUUM")):
        copy = place / f"damaged-{nth}.sqlite"
        for end in ("", "-wal"):
            if (own := ledger.with_name(ledger.name + end)).exists():
                shutil.copyfile(own, copy.with_name(copy.name + end))
        if mended is not None:
            _mend(copy, place / f"layout-{nth}.sqlite", mended)
        connection = sqlite3.connect(copy, isolation_level=None)
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        digest.enable(connection)
        with closing(connection):
            try:
                is_intact = connection.execute("SELECT digest FROM schema").fetchone()[0] == digest.schema_digest(
                    connection
                )
            except (*UNREADABLE, TypeError):
                is_intact = False
            if is_intact:
                yield connection
                return
            if mended is not None:  # its version may be what is damaged
                yield connection


def _mend(copy: Path, layout: Path, statement: str) -> None:
    """Takes the pages that name the tables from a new ledger, or one after a statement."""
    with closing(_made(layout)) as new:
        new.execute(statement)
        new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,), (count,) = (new.execute(f"PRAGMA {each}").fetchone() for each in ("page_size", "page_count"))
        roots = {page for (page,) in new.execute("SELECT rootpage FROM sqlite_master")}
    content, fresh = bytearray(copy.read_bytes()), layout.read_bytes()
    for page in set(range(1, count + 1)) - roots:
        content[(page - 1) * size : page * size] = fresh[(page - 1) * size : page * size]
    content[28:32] = (len(content) // size).to_bytes(4, "big")
    content[32:40] = bytes(8)  # pages that are free: none is known
    copy.write_bytes(content)


def _copied(old: sqlite3.Connection, new: sqlite3.Connection) -> int:
    """Copies what is whole; gives how many runs are known of."""
    with new:
        new.execute("BEGIN")
        for table in ("campaign", "provenance"):
            for row in _rows(old, table):
                _enter(new, table, row)
        places = {place for (place,) in new.execute("SELECT id FROM provenance")}
        numbers = _numbers(old)
        known = sum(_copied_run(old, new, run, places) for run in numbers)
        campaigns = {campaign for (campaign,) in new.execute("SELECT id FROM campaign")}
        runs = {run for (run,) in new.execute("SELECT id FROM run")}
        for row in _rows(old, "member"):
            own = dict(zip(digest.columns("member"), row, strict=True))
            if own["campaign"] in campaigns and own["run"] in runs:
                _enter(new, "member", row)
        relate(new)
    return known


def _copied_run(old: sqlite3.Connection, new: sqlite3.Connection, run: int, places: set[int]) -> bool:
    """Copies a run if all of it is whole; whether there is anything of it."""
    try:
        stored = digest.run_rows(old, "run", "digest, provenance", run, run)
        if not stored:
            return False
        (_, own, place), right = stored[0], digest.run_digests(old, run, run)
        if place in places and right.get(run) == own:
            for table in ("run", *RUN_TABLES):
                for _, *row in digest.run_rows(old, table, ", ".join(digest.columns(table)), run, run):
                    _enter(new, table, row)
    except UNREADABLE:
        pass
    return True


def _numbers(old: sqlite3.Connection) -> list[int]:
    """Numbers of runs: those that are found from either end, and all between, which a page may hide."""
    queries = ("SELECT id FROM run ORDER BY id", "SELECT id FROM run ORDER BY id DESC")
    scans = [[number for (number,) in _scanned(old, query)] for query in queries]
    numbers = {number for way in scans for number in way}
    if scans[0] and scans[1] and 0 < scans[1][-1] - scans[0][-1] <= MOST_SOUGHT:
        numbers.update(range(scans[0][-1], scans[1][-1]))
    with suppress(*UNREADABLE):
        numbers.update(run for (run,) in _scanned(old, "SELECT run FROM member") if isinstance(run, int))
    return sorted(numbers)


def _rows(old: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, from either end, whose own digest holds."""
    names = ", ".join(digest.columns(table))
    seen: set[tuple[Any, ...]] = set()
    key = "campaign {0}, position {0}" if table == "member" else "id {0}"
    for way in ("", "DESC"):
        query = f"SELECT digest, digest({digest.vouched(table)}), {names} FROM {table} ORDER BY {key.format(way)}"  # noqa: S608 (ours)
        for own, right, *row in _scanned(old, query):
            if own == right and tuple(row) not in seen:
                seen.add(tuple(row))
                yield tuple(row)


def _scanned(old: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    """What a query gives until it meets damage."""
    with suppress(*UNREADABLE):
        yield from old.execute(query)


def _enter(new: sqlite3.Connection, table: str, row: Sequence[Any]) -> None:
    names = digest.columns(table)
    query = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608 (ours)
    new.execute(query, tuple(row))
