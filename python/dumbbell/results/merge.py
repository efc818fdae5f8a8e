"""The campaigns of several stores in one: each run with its rows, its files and its places, a page of runs at a time.

A page is one transaction, and its files are there before its rows: a merge that is killed leaves an intact store, and
the same command goes on. The stores that it is made of are only read.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from dumbbell.errors import DamageWarning, StoreError, StoreFailure
from dumbbell.results.campaign import (
    BUILD_DIGITS,
    Campaign,
    begin_spec,
    campaigns,
    covers,
    question,
    seeds_in,
    seeds_of,
)
from dumbbell.results.diagnosis import damaged_source
from dumbbell.results.digest import columns, vouch, vouch_runs, vouched
from dumbbell.results.ledger import Ledger, listed
from dumbbell.results.outcomes import SERIES
from dumbbell.results.series import SeriesFile, SeriesFolder
from dumbbell.results.store import Store
from dumbbell.results.tables import RUN_TABLES

PAGE: Final = 1_000
"""Runs of a transaction."""
_OF_ITS_TIME: Final = frozenset({"id", "digest", "provenance", "wall_s", "finished"})
"""Columns in which two measurements of one run may differ."""
_SEAT: Final = """
CREATE TEMP TABLE IF NOT EXISTS seat (
    theirs INTEGER, nth INTEGER, own INTEGER, ours INTEGER, place INTEGER, every INTEGER, PRIMARY KEY (theirs, nth)
)
"""
"""Of a campaign of a source, the place of its nth seed of `own` among `every` one of ours."""
_PAGE: Final = """
CREATE TEMP TABLE IF NOT EXISTS page (
    theirs INTEGER PRIMARY KEY, run_id TEXT, ours INTEGER, taken INTEGER, measured_twice INTEGER
)
"""
"""Some runs of a source: whether each is entered, and whether it has to be what is there."""
_NEXT_PAGE: Final = """
INSERT INTO page
SELECT theirs.id, theirs.run_id, ours.id, ours.id IS NULL OR (ours.status <> 'ok' AND theirs.status = 'ok'),
    ours.status IS 'ok' AND theirs.status = 'ok'
FROM source.run AS theirs LEFT JOIN main.run AS ours ON ours.run_id = theirs.run_id
WHERE theirs.id > ? AND EXISTS (
    SELECT 1 FROM source.member WHERE run = theirs.id AND campaign IN (SELECT theirs FROM seat)
) ORDER BY theirs.id LIMIT ?
"""
_MEMBERS: Final = """
SELECT seat.ours AS campaign, theirs.position / own * every + place AS position, page.ours AS run, point
FROM page JOIN source.member AS theirs ON theirs.run = page.theirs
JOIN seat ON seat.theirs = theirs.campaign AND nth = theirs.position % own
"""
_CAMPAIGNS: Final = "SELECT id, experiment, engine, identity, spec FROM source.campaign"


@dataclass(frozen=True, slots=True)
class MergeSource:
    """An intact store that is to be merged."""

    folder: Path
    runs: int
    """Of its campaigns."""
    campaigns: Sequence[Campaign]
    """But for those that a later build superseded."""


class Merged(NamedTuple):
    """What came of a merge."""

    entered: int
    """Runs."""
    there: int
    """Runs that were there before, or came from an earlier source."""


def sources(folders: Iterable[Path], out: Path) -> Iterator[MergeSource]:
    """Reads each store in full before any of it is merged into `out`.

    Raises:
        StoreError: one is `out`, or is no store.
        StoreFailure: one is damaged.
    """
    for folder in folders:
        if folder.resolve() == out.resolve():
            raise StoreError("is to be merged into itself; give another folder with --out", folder)
        with warnings.catch_warnings(action="ignore", category=DamageWarning), Store.open(folder) as store:
            ledger = store.ledger
            damage = ledger.find_damage() if ledger.damage is None else ledger.damage
            if damage:
                raise damaged_source(folder, next(damage.faults()))
            latest = _latest(ledger)
            runs = "SELECT COUNT(DISTINCT run) FROM member WHERE campaign IN (SELECT value FROM json_each(?))"
            yield MergeSource(folder, ledger.one(runs, json.dumps([each.id for each in latest])), latest)


def merge(parts: Sequence[MergeSource], out: Path, progress: Callable[[int], None] = lambda _: None) -> Merged:
    """Enters the campaigns of stores into `out`, which is made if it is not there; `progress`: after so many more runs.

    A run that is there stays, unless it failed and was measured elsewhere. Seeds of a campaign unite.

    Raises:
        StoreError: stores have a campaign by two builds of its engine; nothing was written.
        StoreFailure: two stores have different numbers under one run's id, or a file of a source is damaged.
    """
    _refuse_other_builds(parts)
    with Store.open(out, write=True) as store:
        _refuse_other_builds([MergeSource(out, 0, _latest(store.ledger)), *parts])
        pages = [page for part in parts for page in _merged_pages(store, part, progress)]
    return Merged(sum(page.entered for page in pages), sum(page.there for page in pages))


def _latest(ledger: Ledger) -> list[Campaign]:
    return [each for each in campaigns(ledger) if each.replaced_by is None]


def _refuse_other_builds(parts: Sequence[MergeSource]) -> None:
    for nth, part in enumerate(parts):
        for each, source in product(part.campaigns, parts[:nth]):
            for other in source.campaigns:
                if _are_rivals(each, other) and not (_has(part, other) or _has(source, each)):
                    build, others = (campaign.identity[:BUILD_DIGITS] for campaign in (each, other))
                    builds = f"build {build}, and in {source.folder} of build {others}"
                    what = f"{each.label} on {each.engine} is of {builds}"
                    raise StoreError(
                        f"{what}; fill one of them anew, so that one build measures all of it", part.folder
                    )


def _are_rivals(one: Campaign, other: Campaign) -> bool:
    """Whether the later of two campaigns would supersede the earlier, whichever that is."""
    if (one.experiment, one.engine) != (other.experiment, other.engine):
        return False
    return one.identity != other.identity and (covers(one.spec, other.spec) or covers(other.spec, one.spec))


def _has(source: MergeSource, campaign: Campaign) -> bool:
    """Whether a store has a campaign, too: then it has those of both builds, and which is later."""
    return any((each.identity, question(each)) == (campaign.identity, question(campaign)) for each in source.campaigns)


def _merged_pages(store: Store, part: MergeSource, progress: Callable[[int], None]) -> Iterator[Merged]:
    last = -(2**63)
    with store.ledger.attached(part.folder):
        specs = store.ledger.rows(_CAMPAIGNS)
        _begin(store.ledger, part, {id_: tuple(rest) for id_, *rest in specs})
        while True:
            try:
                last, runs, entered = _merge_page(store, part.folder, specs, last)
            except BaseException:
                with suppress(StoreError):  # then the next writer does it
                    SeriesFolder(store.folder).remove(store.orphans())
                raise
            if not runs:
                return
            progress(runs)
            yield Merged(entered, runs - entered)


def _begin(ledger: Ledger, part: MergeSource, specs: Mapping[int, tuple[str, ...]]) -> None:
    """Begins the campaigns of a store, and notes which place each of their seeds has."""
    with ledger.transaction(f"merge {part.folder}") as connection:
        for statement in (_SEAT, _PAGE, "DELETE FROM seat"):
            connection.execute(statement)
        begun = {each.id: begin_spec(ledger, *specs[each.id])[0] for each in part.campaigns}
        for theirs, ours in begun.items():
            own, every = seeds_of(specs[theirs][-1]), seeds_in(ledger, ours)
            places = {seed: place for place, seed in enumerate(every)}
            connection.executemany(
                "INSERT INTO seat VALUES (?, ?, ?, ?, ?, ?)",
                [(theirs, nth, len(own), ours, places[seed], len(every)) for nth, seed in enumerate(own)],
            )


def _merge_page(store: Store, source: Path, specs: Sequence[sqlite3.Row], last: int) -> tuple[int, int, int]:
    """Merges the runs behind the `last` one; gives the new last one, how many runs those are, and how many entered."""
    with store.ledger.transaction(f"merge {source}") as connection:
        if store.ledger.rows(_CAMPAIGNS) != specs:
            raise StoreFailure("another command writes to it; merge it when that has ended", source)
        connection.execute("DELETE FROM page")
        connection.execute(_NEXT_PAGE, (last, PAGE))
        ((last, runs, entered),) = store.ledger.rows("SELECT MAX(theirs), COUNT(*), SUM(taken) FROM page")
        if runs:
            _refuse_other_numbers(store.ledger, source)
            _enter_runs(connection, SeriesFolder(store.folder), SeriesFolder(source))
            _enter_members(connection, source)
    return last, runs, entered


def _refuse_other_numbers(ledger: Ledger, source: Path) -> None:
    """Raises `StoreFailure` where a run of a page that is there was measured otherwise."""
    if not ledger.one("SELECT SUM(measured_twice) FROM page"):
        return
    for table, key in ({"run": "id"} | dict.fromkeys(RUN_TABLES.keys() - {"series"}, "run")).items():
        names = listed((name for name in columns(table) if name not in _OF_ITS_TIME | {key}), "own")
        theirs, ours = (
            f"SELECT page.run_id, {names} FROM page JOIN {schema}.{table} AS own ON own.{key} = page.{side}"  # noqa: S608 (ours)
            " WHERE measured_twice"
            for schema, side in (("source", "theirs"), ("main", "ours"))
        )
        one_way, other_way = f"SELECT * FROM ({theirs} EXCEPT {ours})", f"SELECT * FROM ({ours} EXCEPT {theirs})"  # noqa: S608 (likewise)
        for run_id, *_ in ledger.rows(f"{one_way} UNION ALL {other_way} LIMIT 1"):
            what = f"run {run_id} was measured there, too, and has other numbers (table {table})"
            raise StoreFailure(
                f"{what}; an engine in real time never measures a run twice alike: leave one out", source
            )


def _enter_runs(connection: sqlite3.Connection, files: SeriesFolder, theirs: SeriesFolder) -> None:
    """Enters the runs of a page that are taken, with their rows and files."""
    connection.execute(
        "INSERT OR IGNORE INTO provenance (facts) SELECT facts FROM source.provenance WHERE id IN"
        " (SELECT provenance FROM page JOIN source.run ON id = theirs WHERE taken)"
    )
    vouch(connection, "provenance", "digest = ''")
    names = [name for name in columns("run") if name not in {"id", "digest", "provenance"}]
    connection.execute(
        f"INSERT INTO run ({listed(names)}, provenance) SELECT {listed(names, 'own')}, ("  # noqa: S608 (our names)
        " SELECT ours.id FROM source.provenance AS place JOIN main.provenance AS ours USING (facts)"
        " WHERE place.id = own.provenance"
        ") FROM page JOIN source.run AS own ON own.id = theirs WHERE taken ORDER BY theirs"
        f" ON CONFLICT (run_id) DO UPDATE SET {listed(f'{name} = excluded.{name}' for name in [*names, 'provenance'])}"
    )
    connection.execute("UPDATE page SET ours = (SELECT id FROM main.run WHERE run.run_id = page.run_id) WHERE taken")
    for table in RUN_TABLES:
        own = [name for name in columns(table) if name != "run"]
        connection.execute(f"DELETE FROM {table} WHERE run IN (SELECT ours FROM page WHERE taken)")  # noqa: S608 (ours)
        connection.execute(
            f"INSERT INTO {table} (run, {listed(own)}) SELECT page.ours, {listed(own, 'own')}"  # noqa: S608 (likewise)
            f" FROM page JOIN source.{table} AS own ON own.run = theirs WHERE taken"
        )
    taken = f"SELECT {listed(SERIES)} FROM page JOIN source.series ON run = theirs WHERE taken"  # noqa: S608 (likewise)
    for row in connection.execute(taken).fetchall():
        copy = files.copy(SeriesFile(**dict(row)), theirs)
        connection.execute("UPDATE series SET modified_ns = ? WHERE file = ?", (copy.modified_ns, copy.file))
    entered = connection.execute("SELECT ours FROM page WHERE taken ORDER BY ours").fetchall()
    vouch_runs(connection, (run for (run,) in entered))


def _enter_members(connection: sqlite3.Connection, source: Path) -> None:
    """Gives the runs of a page their places in campaigns."""
    occupied = (
        "SELECT experiment, own.point, their_run.run_id, our_run.run_id"  # noqa: S608 (ours)
        f" FROM ({_MEMBERS}) AS own JOIN main.member AS there USING (campaign, position)"
        " JOIN main.campaign ON campaign.id = campaign JOIN main.run AS their_run ON their_run.id = own.run"
        " JOIN main.run AS our_run ON our_run.id = there.run WHERE own.run <> there.run LIMIT 1"
    )
    for name, point, theirs, ours in connection.execute(occupied).fetchall():
        what = f"{name} has run {theirs} at {point}, where run {ours} is: its files or defaults are others"
        raise StoreFailure(f"{what}; fill it anew as the other one", source)
    names = "campaign, position, run, point"
    connection.execute(
        f"INSERT OR IGNORE INTO member ({names}, digest)"  # noqa: S608 (likewise)
        f" SELECT {names}, digest({vouched('member')}) FROM ({_MEMBERS})"
    )
