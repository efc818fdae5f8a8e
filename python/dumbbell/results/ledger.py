"""The ledger of a store: one SQLite file with a row a run, whose columns are those of the summary.

What is listed often is in narrow tables, so that a hundred thousand runs are listed without reading their specs.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections import Counter
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell.errors import StoreError
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary
from dumbbell.results.campaign import Campaign, labelled, same_but_for_seeds, seeds_of, with_seeds
from dumbbell.results.diagnosis import damaged, translating_errors
from dumbbell.results.request import request_from_texts
from dumbbell.results.series import SeriesFile
from dumbbell.results.tables import (
    ADD_REQUEST_COLUMNS,
    EARLIER_SCHEMAS,
    FILL_REQUESTS,
    LEDGER_SCHEMA,
    REQUESTS_VIEW,
    TABLES,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    import pandas as pd

    from dumbbell.results.request import Request
    from dumbbell.results.schema import FailedRun, Result

_CACHE_KIB = 16 * 1024
_BUSY_S = 10.0
_LARGEST_CHECKED_BYTES = 256 * 2**20
"""A ledger up to this size is read through before it is written: 0.3 s at most."""
_WRITER_PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
_PAGE = 5_000

_FLOW = tuple(each.name for each in fields(FlowSummary))
_GROUP = tuple(each.name for each in fields(GroupSummary))
_BOTTLENECK = tuple(each.name for each in fields(BottleneckSummary))
_RUN = (
    "run_id", "engine", "seed", "status", "error", "window_begin_s", "window_end_s", "jain", "wall_s", "warnings",
    "provenance", "finished", *_BOTTLENECK,
)  # fmt: skip
_KEPT = (*_RUN, "request_key", "request_groups")
_SERIES = tuple(each.name for each in fields(SeriesFile))

Row = tuple[Any, ...]


class StoredRuns(NamedTuple):
    """Some runs of a campaign in their order, as frames of the ledger's columns; what is not known is NaN."""

    runs: pd.DataFrame
    """A row a run: `run` (its number in the ledger), `warned`, `point` (JSON of each swept value as the spec writes
    it), `request_groups` (JSON, see `request.Request`), numbers of the bottleneck and others."""
    groups: pd.DataFrame
    """A row a group: `run`, `position`, `name` and its numbers."""
    flows: pd.DataFrame
    """A row a flow: `run`, `flow`, `name` and the columns wanted."""


@dataclass(frozen=True, slots=True)
class CampaignEntry:
    """The place of a run in a campaign."""

    campaign: int
    position: int
    """In the order of expansion, all seeds of the campaign counted."""
    point: Mapping[str, Any]
    """Each swept value, as the spec writes it."""


class Ledger:
    """Reads and writes the file. Any thread may call it; one at a time is served."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        self._folder, self._path, self._lock = folder, folder / "ledger.sqlite", threading.RLock()
        self._request = "run"  # the table that has what runs were asked for
        with self._errors("open it"):
            self._connection = self._connect(write=write)
            try:
                self._prepare(write=write)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Closes the file; a writer leaves nothing beside it."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- writing --------------------------------------------------------------------------------------------------

    def begin(self, experiment: str, engine: str, identity: str, spec: str, points: int) -> tuple[int, list[int]]:
        """The campaign of a spec on an engine, new or resumed, and its seeds: those asked for now, and before.

        Entries beyond its `points` are forgotten, which a trace that became shorter leaves behind.
        """
        with self._transaction("begin a campaign"):
            (turn,) = self._one("SELECT COALESCE(MAX(turn), 0) + 1 FROM campaign")
            same = self._same(experiment, engine, identity, spec)
            seeds, asked = seeds_of(spec), {seed for _, before in same for seed in seeds_of(before)}
            if not asked <= set(seeds):
                seeds = sorted(asked | set(seeds))
            if not same:
                self._connection.execute(
                    "INSERT INTO campaign (experiment, engine, identity, spec, turn) VALUES (?, ?, ?, ?, ?)",
                    (experiment, engine, identity, spec, turn),
                )
                (campaign,) = self._one("SELECT id FROM campaign WHERE turn = ?", turn)
                return int(campaign), seeds
            campaign = same[-1][0]
            if any(seeds_of(before) != seeds for _, before in same):
                self._merge([each for each, _ in same], [seeds_of(before) for _, before in same], seeds)
            self._connection.execute(
                "UPDATE campaign SET spec = ?, turn = ? WHERE id = ?", (with_seeds(spec, seeds), turn, campaign)
            )
            self._connection.execute(
                "DELETE FROM member WHERE campaign = ? AND position >= ?", (campaign, points * len(seeds))
            )
            return int(campaign), seeds

    def put(  # noqa: PLR0913 (what a row has)
        self,
        outcome: Result | FailedRun,
        *,
        resolved: str,
        request: Request,
        series: Sequence[SeriesFile],
        facts: str,
        finished: str,
        entry: CampaignEntry | None,
    ) -> list[str]:
        """Enters a run, in place of what was there under its id; gives the files that nothing refers to any more."""
        with self._transaction("enter a run"):
            former = self._all("SELECT file FROM series JOIN run ON run.id = run WHERE run_id = ?", outcome.run_id)
            self._connection.execute("INSERT OR IGNORE INTO provenance (facts) VALUES (?)", (facts,))
            (provenance,) = self._one("SELECT id FROM provenance WHERE facts = ?", facts)
            self._connection.execute(
                f"INSERT INTO run ({', '.join(_KEPT)}) VALUES ({', '.join('?' * len(_KEPT))})"  # noqa: S608 (our names)
                f" ON CONFLICT (run_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _KEPT)}",
                (*_run_row(outcome, provenance, finished), *request),
            )
            (run,) = self._one("SELECT id FROM run WHERE run_id = ?", outcome.run_id)
            for table in ("flow", "flow_group", "request", "series"):
                self._connection.execute(f"DELETE FROM {table} WHERE run = ?", (run,))  # noqa: S608 (likewise)
            self._connection.execute("INSERT INTO request VALUES (?, ?)", (run, resolved))
            if outcome.status == "ok":
                self._insert("flow", ((run, *(getattr(each, name) for name in _FLOW)) for each in outcome.flows))
                groups = enumerate(outcome.groups.items())
                self._insert("flow_group", (
                    (run, index, name, *(getattr(each, field) for field in _GROUP)) for index, (name, each) in groups
                ))  # fmt: skip
            self._insert("series", ((run, *(getattr(each, name) for name in _SERIES)) for each in series))
            if entry:
                self._upsert_member(entry, outcome.run_id)
        return [file for (file,) in former if file not in {each.file for each in series}]

    def add_member(self, entry: CampaignEntry, run_id: str) -> None:
        """Gives a run that is there its place in a campaign."""
        with self._transaction("enter a run"):
            self._upsert_member(entry, run_id)

    def prune(self) -> tuple[int, list[str]]:
        """Removes superseded campaigns, and runs that are in none; gives how many runs, and their files."""
        gone = [campaign.id for campaign in self.campaigns() if campaign.superseded]
        with self._transaction("prune it"):
            for campaign in gone:
                self._forget(campaign)
            files = self._all("SELECT file FROM series WHERE run NOT IN (SELECT run FROM member)")
            removed = self._connection.execute("DELETE FROM run WHERE id NOT IN (SELECT run FROM member)").rowcount
            self._connection.execute("DELETE FROM provenance WHERE id NOT IN (SELECT provenance FROM run)")
        with self._lock, self._errors("prune it"):
            self._connection.execute("VACUUM")
        return removed, [file for (file,) in files]

    def mark_writer(self) -> bool:
        """Notes that this process writes, and returns whether the last writer was killed: its note is still there."""
        with self._transaction("open it"):
            unclean = self._connection.execute("DELETE FROM writer").rowcount > 0
            self._connection.execute("INSERT INTO writer VALUES (?)", (os.getpid(),))
        return unclean

    def clear_writer(self) -> None:
        """Removes the note: the writer ended as it should."""
        with self._transaction("close it"):
            self._connection.execute("DELETE FROM writer")

    # -- reading --------------------------------------------------------------------------------------------------

    def campaigns(self) -> list[Campaign]:
        """All campaigns, the one that was begun or resumed last at the end."""
        rows = self.rows("SELECT id, experiment, engine, identity, spec FROM campaign ORDER BY turn")
        found = [Campaign(id_, name, on, build, json.loads(spec)) for id_, name, on, build, spec in rows]
        builds = Counter((each.experiment, each.engine, each.identity) for each in found)
        several = [each for each in found if builds[each.experiment, each.engine, each.identity] > 1]
        return labelled(found, self._contained(several))

    def campaign_of(self, experiment: str, engine: str, identity: str, spec: str) -> int | None:
        """The campaign that has the runs of a spec."""
        with self._lock, self._errors("read it"):
            same = self._same(experiment, engine, identity, spec)
        return int(same[-1][0]) if same else None

    def pruned(self) -> dict[int | None, int]:
        """How many runs `prune` would remove, by superseded campaign; None: those that are in no campaign."""
        gone = _listed(campaign.id for campaign in self.campaigns() if campaign.superseded)
        ((strays,),) = self.rows("SELECT COUNT(*) FROM run WHERE id NOT IN (SELECT run FROM member)")
        rows = self.rows(
            "SELECT campaign, COUNT(*) FROM (SELECT MIN(campaign) AS campaign FROM member"  # noqa: S608 (our numbers)
            f" WHERE campaign IN ({gone}) AND run NOT IN (SELECT run FROM member WHERE campaign NOT IN ({gone}))"
            " GROUP BY run) GROUP BY campaign"
        )
        return dict(rows) | ({None: strays} if strays else {})

    def rows(self, query: str, *values: object) -> list[Row]:
        """All rows that a query gives."""
        with self._lock, self._errors("read it"):
            return self._all(query, *values)

    def named(self, run_id: str) -> list[str]:
        """The ids of the runs that begin with this text."""
        pattern = run_id.replace("*", "").replace("?", "").replace("[", "") + "*"
        return [name for (name,) in self.rows("SELECT run_id FROM run WHERE run_id GLOB ? LIMIT 2", pattern)]

    def status(self, run_id: str) -> str | None:
        """Whether a run is there with all that the ledger keeps of it, and how it ended."""
        rows = self.rows("SELECT status FROM run WHERE run_id = ? AND request_key <> ''", run_id)
        return str(rows[0][0]) if rows else None

    def series(self, run_id: str) -> list[SeriesFile]:
        """The run's files of series; empty where it kept none."""
        rows = self.rows(
            f"SELECT {', '.join(_SERIES)} FROM series JOIN run ON run.id = series.run WHERE run_id = ?",  # noqa: S608
            run_id,
        )
        return [SeriesFile(**dict(zip(_SERIES, row, strict=True))) for row in rows]

    def outcome(self, run_id: str, point: Mapping[str, Any] | None = None) -> Result | FailedRun | None:
        """A run as it was printed; its point is that of the latest campaign it is in, unless one is given."""
        with self._lock, self._errors("read it"):
            rows = self._all(f"SELECT id, {', '.join(_RUN)} FROM run WHERE run_id = ?", run_id)  # noqa: S608
            if not rows:
                return None
            if point is None:
                found = self._all(
                    "SELECT point FROM member JOIN campaign ON campaign.id = campaign WHERE run = ?"
                    " ORDER BY turn DESC, position LIMIT 1",
                    rows[0][0],
                )
                point = json.loads(found[0][0]) if found else {}
            return self._outcome(rows[0], point)

    def members(self, campaign: int, after: int, count: int) -> list[tuple[int, Result | FailedRun]]:
        """Some of a campaign's outcomes with their positions, in order, those after a position."""
        with self._lock, self._errors("read it"):
            names = ", ".join(f"run.{name}" for name in ("id", *_RUN))
            rows = self._all(
                f"SELECT position, point, {names} FROM member JOIN run ON run.id = member.run"  # noqa: S608
                " WHERE campaign = ? AND position > ? ORDER BY position LIMIT ?",
                campaign, after, count,
            )  # fmt: skip
            return [(position, self._outcome(row, json.loads(point))) for position, point, *row in rows]

    def stored_runs(self, campaign: int, flow_columns: Sequence[str]) -> Iterator[StoredRuns]:
        """The runs of a campaign, some thousand at a time."""
        import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

        runs = ("run_id", "seed", "error", "provenance", "jain", *_BOTTLENECK)
        asked = "" if self._request == "run" else " JOIN asked USING (campaign, position)"
        request = _of(self._request, ("request_key", "request_groups"))
        run = f"run.id AS run, {_of('run', runs)}, warnings IS NOT NULL AS warned, member.point, {request}"
        group, flow = (
            _of("g", ("run", "position", "name", *_GROUP)),
            _of("flow", ("run", "flow", "name", *flow_columns)),
        )
        tables = (
            (run, f"run ON run.id = member.run{asked}", "member.position"),
            (group, "flow_group g ON g.run = member.run", "g.position"),
            (flow, "flow ON flow.run = member.run", "flow.flow"),
        )
        ((last,),) = self.rows("SELECT COALESCE(MAX(position), -1) FROM member WHERE campaign = ?", campaign)
        for first in range(0, last + 1, _PAGE):
            frames = []
            for columns, joined, order in tables:
                query = (
                    f"SELECT {columns} FROM member JOIN {joined} WHERE member.campaign = ?"  # noqa: S608 (our own names)
                    f" AND member.position >= ? AND member.position < ? ORDER BY member.position, {order}"
                )
                with self._lock, self._errors("read it"):
                    cursor = self._connection.execute(query, (campaign, first, first + _PAGE))
                    names = [name for name, *_ in cursor.description]
                    frames.append(pd.DataFrame(cursor.fetchall(), columns=names))
            yield StoredRuns(*frames)

    def faults(self) -> list[str]:
        """What SQLite finds wrong with the file when it reads all of it."""
        found = self.rows("PRAGMA integrity_check(20)")
        strangers = self.rows("PRAGMA foreign_key_check")
        return [text for (text,) in found if text != "ok"] + [f"{row[0]}: a row of no run" for row in strangers]

    # -- its own --------------------------------------------------------------------------------------------------

    def _connect(self, *, write: bool) -> sqlite3.Connection:
        if write:
            how = "mode=rwc"
        elif os.access(self._folder, os.W_OK):
            how = "mode=rw"  # so that the last to leave clears up; see query_only below
        elif self._path.with_name("ledger.sqlite-wal").exists():
            how = "mode=ro"
        else:  # what nobody can write needs no lock, and a lock would need a file
            how = "immutable=1"
        return sqlite3.connect(
            f"{self._path.absolute().as_uri()}?{how}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=_BUSY_S,
        )

    def _prepare(self, *, write: bool) -> None:
        connection = self._connection
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        found = {name for (name,) in self._all("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not found and any(self._folder.glob("series/??/*.parquet")):
            raise damaged(self._folder, "it is empty, and there are series")
        if write and not found:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN;{TABLES}INSERT INTO schema VALUES ({LEDGER_SCHEMA});COMMIT;")  # noqa: S608
        elif not found:
            raise StoreError(f"{self._folder}: is an empty store: it has no run")
        elif not {"schema", "run"} <= found:
            raise StoreError(f"{self._folder}: is no store of dumbbell: its ledger.sqlite is something else's")
        version = self._version()
        if write and self._path.stat().st_size <= _LARGEST_CHECKED_BYTES:
            (verdict,) = self._one("PRAGMA quick_check(1)")
            if verdict != "ok":
                raise damaged(self._folder, verdict)
        if write:
            connection.executescript(_WRITER_PRAGMAS)
        if version in EARLIER_SCHEMAS:
            self._add_requests(version, write=write)
        if not write:
            connection.execute("PRAGMA query_only = ON")

    def _version(self) -> int:
        """The schema of the tables.

        Raises:
            StoreError: this version of dumbbell does not know it.
        """
        (version,) = self._one("SELECT MAX(version) FROM schema")
        if version not in {LEDGER_SCHEMA, *EARLIER_SCHEMAS}:
            raise StoreError(
                f"{self._folder}: is a store of schema {version}, and this dumbbell knows schema {LEDGER_SCHEMA};"
                " give another folder, or use the dumbbell that made it"
            )
        return int(version)

    def _add_requests(self, version: int, *, write: bool) -> None:
        """Migrates the tables of an earlier schema, or computes what they lack whenever it is read."""
        connection = self._connection
        connection.create_function("request_key", 3, lambda *texts: request_from_texts(*texts).key)
        connection.create_function("request_groups", 3, lambda *texts: request_from_texts(*texts).groups)
        if write:
            columns = ADD_REQUEST_COLUMNS if version == 1 else ""
            connection.executescript(f"BEGIN IMMEDIATE;{columns}{FILL_REQUESTS}COMMIT;")
        else:
            connection.execute(REQUESTS_VIEW)
            self._request = "asked"

    @contextmanager
    def _transaction(self, doing: str) -> Iterator[None]:
        with self._lock, self._errors(doing):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _errors(self, doing: str) -> AbstractContextManager[None]:
        return translating_errors(self._folder, doing)

    def _all(self, query: str, *values: object) -> list[Row]:
        return self._connection.execute(query, values).fetchall()

    def _one(self, query: str, *values: object) -> Row:
        (row,) = self._all(query, *values)
        return row

    def _upsert_member(self, entry: CampaignEntry, run_id: str) -> None:
        self._connection.execute(
            "INSERT INTO member SELECT ?, ?, id, ? FROM run WHERE run_id = ?"
            " ON CONFLICT DO UPDATE SET run = excluded.run, point = excluded.point"
            " WHERE run <> excluded.run OR point <> excluded.point",
            (entry.campaign, entry.position, json.dumps(entry.point, ensure_ascii=False), run_id),
        )

    def _same(self, experiment: str, engine: str, identity: str, spec: str) -> list[tuple[int, str]]:
        """The campaigns of a spec, whatever its seeds; only stores of earlier versions have several."""
        rows = self._all(
            "SELECT id, spec FROM campaign WHERE experiment = ? AND engine = ? AND identity = ? ORDER BY turn",
            experiment, engine, identity,
        )  # fmt: skip
        return [(campaign, before) for campaign, before in rows if same_but_for_seeds(before, spec)]

    def _merge(self, campaigns: Sequence[int], before: Sequence[Sequence[int]], seeds: Sequence[int]) -> None:
        """Puts the runs of campaigns, which differ in their seeds, into the last of them, which gets all seeds."""
        members = []
        for campaign, own in zip(campaigns, before, strict=True):
            for position, run, point in self._all(
                "SELECT position, run, point FROM member WHERE campaign = ?", campaign
            ):
                index, nth = divmod(position, len(own))
                members.append((campaigns[-1], index * len(seeds) + seeds.index(own[nth]), run, point))
            self._connection.execute("DELETE FROM member WHERE campaign = ?", (campaign,))
        for campaign in campaigns[:-1]:
            self._forget(campaign)
        self._connection.executemany("INSERT OR REPLACE INTO member VALUES (?, ?, ?, ?)", members)

    def _forget(self, campaign: int) -> None:
        self._connection.execute("DELETE FROM member WHERE campaign = ?", (campaign,))
        self._connection.execute("DELETE FROM campaign WHERE id = ?", (campaign,))

    def _contained(self, campaigns: Sequence[Campaign]) -> set[int]:
        """Those of which another one of the same experiment has all runs; of two with the same runs, the earlier."""
        if not campaigns:
            return set()
        ids = _listed(each.id for each in campaigns)
        query = f"SELECT campaign, COUNT(*) FROM member WHERE campaign IN ({ids}) GROUP BY campaign"  # noqa: S608 (ours)
        sizes: dict[int, int] = dict(self.rows(query))
        shared = self.rows(
            "SELECT part.campaign, whole.campaign, COUNT(DISTINCT part.position) FROM member part JOIN member whole"  # noqa: S608
            f" ON whole.run = part.run AND whole.campaign <> part.campaign WHERE part.campaign IN ({ids})"
            f" AND whole.campaign IN ({ids}) GROUP BY part.campaign, whole.campaign"
        )
        found = {(part, whole) for part, whole, count in shared if count == sizes[part]}
        experiments = {each.id: each.experiment for each in campaigns}
        turns = {each.id: turn for turn, each in enumerate(campaigns)}
        return {
            part
            for part, whole in found
            if experiments[part] == experiments[whole] and ((whole, part) not in found or turns[part] < turns[whole])
        }

    def _insert(self, table: str, rows: Iterable[Row]) -> None:
        for row in rows:
            self._connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

    def _outcome(self, row: Sequence[Any], point: Mapping[str, Any]) -> Result | FailedRun:
        from dumbbell.results.schema import FailedRun, Result  # noqa: PLC0415 (late: tables of many runs need no pydantic)

        key, values = row[0], dict(zip(_RUN, row[1:], strict=True))
        head = {name: values[name] for name in ("run_id", "engine", "seed", "wall_s")} | {"point": point}
        if values["status"] != "ok":
            return FailedRun(**head, error=values["error"])
        flows = self._all(f"SELECT {', '.join(_FLOW)} FROM flow WHERE run = ? ORDER BY flow", key)  # noqa: S608
        groups = self._all(
            f"SELECT name, {', '.join(_GROUP)} FROM flow_group WHERE run = ? ORDER BY position",  # noqa: S608
            key,
        )
        return Result(
            **head,
            window_s=(values["window_begin_s"], values["window_end_s"]),
            flows=tuple(FlowSummary(**dict(zip(_FLOW, flow, strict=True))) for flow in flows),
            bottleneck=BottleneckSummary(**{name: values[name] for name in _BOTTLENECK}),
            groups={name: GroupSummary(**dict(zip(_GROUP, group, strict=True))) for name, *group in groups},
            jain=values["jain"],
            warnings=tuple(json.loads(values["warnings"])) if values["warnings"] else (),
        )


def _of(table: str, columns: Iterable[str]) -> str:
    return ", ".join(f"{table}.{name}" for name in columns)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _run_row(outcome: Result | FailedRun, provenance: int, finished: str) -> Row:
    own: Row
    if outcome.status == "ok":
        own = (None, *outcome.window_s, outcome.jain, outcome.wall_s)
        warnings = json.dumps(outcome.warnings, ensure_ascii=False) if outcome.warnings else None
        bottleneck = tuple(asdict(outcome.bottleneck)[name] for name in _BOTTLENECK)
    else:
        own = (outcome.error, None, None, None, outcome.wall_s)
        warnings, bottleneck = None, (None,) * len(_BOTTLENECK)
    return (
        outcome.run_id, outcome.engine, outcome.seed, outcome.status, *own, warnings, provenance, finished, *bottleneck,
    )  # fmt: skip
