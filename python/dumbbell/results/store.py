"""A store: a folder that keeps every run of every campaign, whatever happens to the process that writes it.

```text
results/
├── ledger.sqlite     a row a run: what was asked, how it ended, its summary, warnings, provenance
├── lock              held by the one campaign that writes
├── .gitignore        "*": a store is no source
└── series/           Parquet files by run id; `partial/` has those that are being written
```

An experiment is a spec with its name: another spec of the same name is another experiment, and a label tells them
apart. Runs of another build of an engine, which a later one was asked for again, are *superseded*: they stay, are found
by their ids, and are told with `include_superseded=True`, until `prune` removes them.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from dumbbell.errors import DamagedLedger, DamageWarning, DumbbellError, NoStoreError, StoreError, StoreFailure
from dumbbell.problem import quoted, suggestion
from dumbbell.results import frames, outcomes
from dumbbell.results.campaign import Campaign, CampaignEntry, campaigns, prune, relate, superseded_runs
from dumbbell.results.diagnosis import damaged, translating_errors
from dumbbell.results.ledger import Ledger, listed
from dumbbell.results.series import CAPTURES, SeriesFile, SeriesFolder

if TYPE_CHECKING:
    from types import TracebackType

    import pandas as pd
    from filelock import FileLock

    from dumbbell.results.outcomes import RunLine
    from dumbbell.results.run_rows import RunRows
    from dumbbell.results.schema import Outcome
    from dumbbell.spec import Run

LOCK = "lock"
"""Always there; the operating system knows who holds it."""
SOFT_LOCK = "held"
"""There while it is held, where the operating system has no locks."""
IGNORED = ".gitignore"
_UNFORESEEN = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError,
)  # fmt: skip
"""What code raises that meets a number or a text that no engine gives."""
_NO_SERIES = {
    "ss": "was not looked at by ss; see measure.ss of its spec",
    "hops": 'has no series of several queues: its path has one, or measure.record is "summary"',
    "transfers": "has no short transfers: no flow's workload has arrivals",
    "pages": "has no pages: no flow's workload has pages, or none began",
}
"""Why a run has no file of a kind."""


class Fault(NamedTuple):
    """Something in a store that is not what was written."""

    text: str
    place: Literal["ledger", "series", "stray"]
    """Rows of a run or a campaign; a file of a run; a file of none."""
    file: str = ""
    """Below the folder of series."""


class Store:
    """Every run of every campaign into one folder. Any thread may ask; one process at a time may write.

    >>> with Store.open("results") as store:  # doctest: +SKIP
    ...     store.runs()[["path.buffer", "seed", "bottleneck.loss_rate"]]
    """

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.folder = folder
        """The store's folder."""
        self.ledger = ledger
        """Its SQLite file."""
        self.damaged_series: set[str] = set()
        """Runs of which a series was to be read that is damaged."""
        self._series_files, self._closing, self._closed = SeriesFolder(folder), ExitStack(), False

    @classmethod
    def open(cls, folder: Path | str, *, write: bool = False) -> Self:
        """Opens a store; with `write` it is made if it is not there, and nobody else may write until it is closed.

        Raises:
            StoreError: there is no store, or one of another schema.
            StoreFailure: the folder cannot be written, its ledger is damaged, another campaign writes to it.
        """
        folder = Path(folder)
        _check(folder, write=write)
        with ExitStack() as closing:
            if write:
                with translating_errors(folder, "make a store there"):
                    _make(folder)
                closing.callback(_taken(folder).release)
            ledger = _intact_ledger(folder) if write else Ledger(folder, write=False)
            if ledger.damage:
                message = f"{folder}: {ledger.damage.summary} and left out; run the experiment again"
                warnings.warn(message, DamageWarning, stacklevel=2)
            closing.callback(ledger.close)
            store = cls(folder, ledger)
            if write:
                store._series_files.clear_partial()
                if ledger.mark_writer():
                    store._series_files.remove(store.orphans())
                    with ledger.transaction("relate its campaigns") as connection:
                        relate(connection)
                closing.callback(_finish, ledger)
            store._closing = closing.pop_all()
        return store

    def close(self) -> None:
        """Closes the ledger and lets go of the lock, if this store had it."""
        self._closed = True
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        """Closes the store. Where an error that nobody foresaw left it, it may be damage in what was read unchecked."""
        try:
            if isinstance(error, _UNFORESEEN) and not isinstance(error, DumbbellError) and self.ledger.damage is None:
                fault = next(self.ledger.find_damage().faults(), None)
                if fault:
                    raise damaged(self.folder, fault) from error
        finally:
            self.close()

    # -- what is there --------------------------------------------------------------------------------------------

    def experiments(self) -> list[str]:
        """Labels of the experiments, the one that was carried out last at the end."""
        return list(dict.fromkeys(reversed([each.label for each in reversed(self.campaigns())])))

    def campaigns(
        self, *, engine: str | None = None, experiment: str | None = None, include_superseded: bool = False
    ) -> list[Campaign]:
        """The campaigns of an experiment, by its name or label, on an engine; `include_superseded`: superseded too.

        Those of an experiment's groups by themselves (`run --harm`) are among them with `include_superseded`, and where
        they are named by their label.

        Raises:
            StoreError: there is no such experiment.
        """
        matches = campaigns(self.ledger)
        if experiment is not None:
            known = dict.fromkeys(name for each in matches for name in (each.experiment, each.label))
            matches = [each for each in matches if each.called(experiment)]
            if not matches:
                hint = suggestion(experiment, list(known))
                raise StoreError(f"has no experiment {quoted(experiment)}{f'; {hint}' if hint else ''}", self.folder)
        return [
            each
            for each in matches
            if (
                each.current
                or (not each.hidden and (include_superseded or (each.alone_of and each.label == experiment)))
            )
            and engine in (None, each.engine)
        ]

    def outcomes(
        self, *, engine: str | None = None, experiment: str | None = None, include_superseded: bool = False
    ) -> Iterator[Outcome]:
        """Every outcome, by experiment, in the order of its expansion. Few are in memory at a time."""
        for campaign in self.campaigns(engine=engine, experiment=experiment, include_superseded=include_superseded):
            yield from outcomes.outcomes_of(self.ledger, campaign.id)

    def get(self, run_id: str, point: Mapping[str, Any] | None = None) -> Outcome | None:
        """One outcome, whatever its campaign; `point` is how the spec at hand writes the swept values."""
        return outcomes.outcome_of(self.ledger, run_id, point)

    def find(self, beginning: str) -> str:
        """The one run id that begins so.

        Raises:
            StoreError: there is none, or more than one.
        """
        matches = self.ids(beginning, most=2)
        if len(matches) != 1:
            what = "more than one run id begins" if matches else "no run id begins"
            raise StoreError(f'{what} with "{beginning}"; `dumbbell results list` has them', self.folder)
        return matches[0]

    def ids(self, beginning: str, *, most: int) -> list[str]:
        """The run ids that begin so, and no more of them."""
        pattern = beginning.replace("*", "").replace("?", "").replace("[", "") + "*"
        return [
            run_id
            for (run_id,) in self.ledger.rows("SELECT run_id FROM run WHERE run_id GLOB ? LIMIT ?", pattern, most)
        ]

    def run(self, run_id: str) -> Run:
        """The resolved run behind an outcome: what the engine was asked."""
        from dumbbell.spec import Run  # noqa: PLC0415 (late: lists need none)

        (resolved,) = self._row("SELECT resolved FROM request JOIN run ON run.id = run WHERE run_id = ?", run_id)
        return Run.from_json(resolved)

    def provenance(self, run_id: str) -> dict[str, object]:
        """Where an outcome comes from: versions, commit, machine, engine and its identity, seed, when, and the spec.

        `spec` has the words of the experiment that it was last part of; `run` what they came to, in base units.
        """
        facts, finished, seed, resolved, key = self._row(
            "SELECT facts, finished, seed, resolved, run.id FROM run JOIN provenance ON provenance.id = provenance"
            " JOIN request ON request.run = run.id WHERE run_id = ?",
            run_id,
        )
        specs = self.ledger.rows(
            "SELECT experiment, spec FROM campaign JOIN member ON campaign = campaign.id WHERE run = ?"
            " ORDER BY turn DESC LIMIT 1",
            key,
        )
        record: dict[str, object] = json.loads(facts)
        record |= {"seed": seed, "finished": finished}
        for experiment, spec in specs:
            record |= {"experiment": experiment, "spec": json.loads(spec)}
        return record | {"run": json.loads(resolved)}

    def count(self) -> int:
        """How many runs there are, of whatever campaign."""
        return int(self.ledger.one("SELECT COUNT(*) FROM run"))

    def size(self, campaign: Campaign) -> int:
        """How many runs a campaign has."""
        return int(self.ledger.one("SELECT COUNT(*) FROM member WHERE campaign = ?", campaign.id))

    def run_listing(self, *, experiment: str | None = None, include_superseded: bool = False) -> Iterator[RunLine]:
        """Every run in short, in order."""
        for campaign in self.campaigns(experiment=experiment, include_superseded=include_superseded):
            yield from outcomes.lines_of(self.ledger, campaign)

    def files(self, run_id: str) -> list[Path]:
        """Paths of the run's Parquet files; empty where it kept no series."""
        return [self._series_files.path / series.file for series in outcomes.series_of(self.ledger, run_id)]

    # -- frames ---------------------------------------------------------------------------------------------------

    def runs(self, *, campaigns: Sequence[int] | None = None, include_superseded: bool = False) -> pd.DataFrame:
        """A row a run: run_id, experiment, engine, seed, status, the swept values, `bottleneck.*`, jain, the window.

        Times are in seconds, rates in bit/s, sizes in bytes, as the columns' names say. `warnings` and `error` are
        text, empty where there is nothing to tell. `campaigns` are numbers of campaigns; without them all that are
        shown.
        """
        return self._frame("runs", campaigns, include_superseded=include_superseded)

    def flows(self, *, campaigns: Sequence[int] | None = None, include_superseded: bool = False) -> pd.DataFrame:
        """A row a flow of a run that was measured: its run, the swept values, and every field of its summary."""
        return self._frame("flows", campaigns, include_superseded=include_superseded)

    def groups(self, *, campaigns: Sequence[int] | None = None, include_superseded: bool = False) -> pd.DataFrame:
        """A row a group of a run that was measured: its run, the swept values, goodput in bit/s, and share."""
        return self._frame("groups", campaigns, include_superseded=include_superseded)

    def hops(self, *, campaigns: Sequence[int] | None = None, include_superseded: bool = False) -> pd.DataFrame:
        """A row a queue of a run whose path has several: its run, the swept values, and every field of its summary."""
        return self._frame("hops", campaigns, include_superseded=include_superseded)

    def flow_series(self, run_id: str) -> pd.DataFrame:
        """The flows' gauges over time: seconds, bytes, bit/s; NaN where a gauge is not known.

        Raises:
            StoreError: the run kept none (`measure.record = "summary"`), or it failed, or is not there.
            StoreFailure: the file is damaged.
        """
        return self.series(run_id, "flows")

    def queue_series(self, run_id: str) -> pd.DataFrame:
        """The bottleneck's queue over time: backlog, and packets dropped and sent since the beginning."""
        return self.series(run_id, "queue")

    def hop_series(self, run_id: str) -> pd.DataFrame:
        """Every queue over time, where the path has several: as `queue_series`, each row with the hop's `name`."""
        return self.series(run_id, "hops")

    def ack_series(self, run_id: str) -> pd.DataFrame:
        """Single ACKs' round-trip times in seconds, where `measure.record = "acks"`."""
        return self.series(run_id, "acks")

    def ss_series(self, run_id: str) -> pd.DataFrame:
        """What `ss` said of the senders' connections, where `measure.ss` asks for it: a row a look and connection.

        Raises:
            StoreError: the run was not looked at by `ss`, or it failed, or is not there.
            StoreFailure: the file is damaged.
        """
        return self.series(run_id, "ss")

    def transfers(self, run_id: str) -> pd.DataFrame:
        """The short transfers of the run's sources: when each arrived, its bytes, its completion time and slowdown.

        Columns are `flow` and `name` of the source; `at_s`, when it was to connect, and `started_s`, when it did, since
        the run's beginning; `bytes`; `fct_s` and `slowdown`, NaN of one that was not complete by the source's end;
        `segments` sent, and of these `retransmitted`.

        Raises:
            StoreError: the run has no source of short transfers, or it failed, or is not there.
            StoreFailure: the file is damaged.
        """
        return self.series(run_id, "transfers")

    def pages(self, run_id: str) -> pd.DataFrame:
        """The pages of the run's clients: when each began, its load time and its bytes.

        Columns are `flow` and `name` of the client; `started_s`, when its first request was written, since the run's
        beginning; `load_s`, NaN of one that was not loaded by the client's end; `bytes` of its objects.

        Raises:
            StoreError: the run has no client, or it failed, or is not there.
            StoreFailure: the file is damaged.
        """
        return self.series(run_id, "pages")

    def kinds(self, run_id: str) -> set[str]:
        """Which files it has: `flows`, `queue`, `hops`, `acks`, `ss`, `transfers`, `pages`, or captures."""
        return {series.kind for series in outcomes.series_of(self.ledger, run_id)}

    def series(self, run_id: str, kind: str) -> pd.DataFrame:
        """A file of a run as a frame; `kind` is one of `kinds`."""
        from dumbbell.results import gauges  # noqa: PLC0415 (late: it takes long to load)

        run = self.run(run_id)
        return gauges.frame(kind, self._series_files.read(self._file(run_id, kind)), run.path.mss_bytes)

    def capture(self, run_id: str, place: str) -> Path:
        """The capture of a run at a place, which zstd compressed.

        It is the pcapng of `senders`, `bottleneck` or `receivers`, or one of the run's `kinds`, as `flow-0.qlog`.

        Raises:
            StoreError: the run was not captured, or it failed, or is not there.
            StoreFailure: the file is damaged.
        """
        kind = place if place.endswith(CAPTURES) else f"{place}.pcapng"
        return self._series_files.path / self._file(run_id, kind).file

    def _file(self, run_id: str, kind: str) -> SeriesFile:
        series_file = next((each for each in outcomes.series_of(self.ledger, run_id) if each.kind == kind), None)
        if series_file is None:
            reason = _NO_SERIES.get(kind, "kept no series of this kind; see measure.record of its spec")
            raise StoreError(f"run {run_id} {reason}", self.folder)
        fault = self._series_files.damage(series_file, thorough=True)
        if fault:
            self.damaged_series.add(run_id)
            with suppress(StoreFailure):  # what nobody can write nobody repeats
                self.mark([Fault(fault, "series", series_file.file)])
            raise StoreFailure(f"series {fault}; run its experiment again and it is repeated", self.folder)
        return series_file

    # -- writing it -------------------------------------------------------------------------------------------------

    def put(self, runs: Sequence[tuple[RunRows, CampaignEntry | None]], *, identity: str) -> None:
        """Stores runs that have ended, all or none: first their series, then their rows; what was there is replaced."""
        if self._closed:
            raise StoreFailure(f"was closed before run {runs[0][0].run_id} was finished", self.folder)
        written: list[tuple[RunRows, CampaignEntry | None]] = []
        try:
            for rows, entry in runs:
                written.append((rows.written(self._series_files), entry))
            former = outcomes.put(self.ledger, written, identity)
        except BaseException:
            with suppress(StoreError):  # then the next writer does it
                for rows, _ in written:
                    known = {each.file for each in outcomes.series_of(self.ledger, rows.run_id)}
                    self._series_files.remove([each.file for each in rows.files if each.file not in known])
            raise
        self._series_files.remove(former)

    def measured_ids(self) -> set[str]:
        """The ids of all runs that were measured."""
        return {run_id for (run_id,) in self.ledger.rows("SELECT run_id FROM run WHERE status = 'ok'")}

    def finished(self, run_id: str) -> bool:
        """Whether a run was measured and its series are whole: then it need not be run again."""
        rows = self.ledger.rows("SELECT status FROM run WHERE run_id = ?", run_id)
        return (
            [row["status"] for row in rows] == ["ok"]
            and self.ledger.is_intact(run_id)
            and not any(self._series_files.damage(series) for series in outcomes.series_of(self.ledger, run_id))
        )

    # -- keeping it in order --------------------------------------------------------------------------------------

    def faults(self, progress: Callable[[int], None] | None = None) -> Iterator[Fault]:
        """Everything that is wrong, after reading every byte; `progress` is called with how many runs were read."""
        damage = self.ledger.find_damage() if self.ledger.damage is None else self.ledger.damage
        yield from (Fault(text, "ledger") for text in damage.faults())
        for (run_id,) in [] if damage.file else self.ledger.rows("SELECT run_id FROM run ORDER BY id"):
            for series in outcomes.series_of(self.ledger, run_id):
                fault = self._series_files.damage(series, thorough=True)
                if fault:
                    yield Fault(f"run {run_id}: {fault}", "series", series.file)
            if progress:
                progress(1)
        if not damage:
            yield from (Fault(f"{file}: belongs to no run", "stray", file) for file in self.orphans())

    def mark(self, faults: Iterable[Fault]) -> None:
        """Has the next campaign that asks for what is damaged repeat it, whatever its time stamps say.

        Raises:
            StoreFailure: nothing can be written there.
        """
        every_fault = list(faults)
        self.ledger.mark(
            [each.text for each in every_fault if each.place == "ledger"],
            [each.file for each in every_fault if each.place == "series"],
        )

    def orphans(self) -> list[str]:
        """Files of series that no run refers to."""
        return self._series_files.orphans({file for (file,) in self.ledger.rows("SELECT file FROM series")})

    def superseded(self) -> dict[str, int]:
        """How many runs `prune` would remove, by experiment, engine and build."""
        return superseded_runs(self.ledger)

    def prune(self) -> int:
        """Removes superseded runs, and those of no experiment, with their files; gives how many there were."""
        removed, files = prune(self.ledger)
        self._series_files.remove(files)
        self._series_files.remove(self.orphans())
        return removed

    def summarised_otherwise(self, campaign: int, metrics: str) -> int:
        """How many runs of a campaign have a summary of other metrics than those with this identity."""
        places = self.ledger.rows("SELECT id, facts FROM provenance")
        others = listed(place for place, facts in places if json.loads(facts)["metrics"] != metrics)
        query = "SELECT COUNT(*) FROM member JOIN run ON run.id = run WHERE campaign = ? AND provenance IN"
        return int(self.ledger.one(f"{query} ({others})", campaign))

    # -- its own --------------------------------------------------------------------------------------------------

    def _frame(self, table: frames.Table, campaigns: Sequence[int] | None, *, include_superseded: bool) -> pd.DataFrame:
        if campaigns is None:
            campaigns = [each.id for each in self.campaigns(include_superseded=include_superseded)]
        return frames.frame(self.ledger, table, campaigns)

    def _row(self, query: str, run_id: str) -> sqlite3.Row:
        rows = self.ledger.rows(query, run_id)
        if not rows:
            raise StoreError(f"has no run {run_id}", self.folder)
        return rows[0]


def _check(folder: Path, *, write: bool) -> None:
    """Refuses what is no store before anything is touched."""
    with translating_errors(folder, "open it"):
        if folder.exists() and not folder.is_dir():
            raise StoreError("is a file, and a store is a folder", folder)
        if (folder / "ledger.sqlite").is_file():
            return
        if not write:
            what = "is no store: it has no ledger.sqlite" if folder.is_dir() else "no such store"
            raise NoStoreError(f"{what}; `dumbbell run SPEC --out {folder}` makes one", folder)
        if folder.is_dir() and set(folder.iterdir()) - {folder / name for name in ("series", LOCK, SOFT_LOCK, IGNORED)}:
            raise StoreError("is no store, and not empty; give an empty folder, or one that is not there yet", folder)


def _make(folder: Path) -> None:
    """Makes the folder of a store, if it is not there, with what keeps it out of a repository."""
    if folder.is_symlink() and not folder.exists():
        raise StoreError(f"is a symbolic link to {folder.readlink()}, which is not there", folder)
    is_new = not (folder / "ledger.sqlite").exists()
    (folder / "series").mkdir(parents=True, exist_ok=True)
    ignored = folder / IGNORED
    if is_new and not ignored.exists():
        ignored.write_text("*\n", encoding="utf-8")


def _intact_ledger(folder: Path) -> Ledger:
    """The ledger, to be written; of a damaged one what is whole, with the damaged file beside it."""
    try:
        return Ledger(folder, write=True)
    except DamagedLedger as failure:
        from dumbbell.results.salvage import salvage  # noqa: PLC0415 (late: it is rarely needed)

        salvaged = salvage(folder)
        if salvaged is None:
            raise damaged(folder, "no run in it can be read", hopeless=True) from failure
        warnings.warn(f"{folder}: {salvaged.summary}", DamageWarning, stacklevel=3)
        return Ledger(folder, write=True)


def _finish(ledger: Ledger) -> None:
    """Ends writing. Where that fails, the next writer tidies up."""
    with suppress(StoreFailure), ledger.transaction("close it") as connection:
        relate(connection)
        ledger.clear_writer()


def _taken(folder: Path) -> FileLock:
    with warnings.catch_warnings(action="ignore"):  # that the system has no locks is no news to whoever uses it
        from filelock import FileLock, SoftFileLock, Timeout  # noqa: PLC0415 (late: readers need none)

    lock = FileLock(folder / (SOFT_LOCK if issubclass(FileLock, SoftFileLock) else LOCK), thread_local=False)
    with translating_errors(folder, "lock it"):
        try:
            lock.acquire(timeout=0)
        except Timeout:
            pid = _holder(folder / LOCK)
            who = "another dumbbell command" + (f" (pid {pid})" if pid else "")
            raise StoreFailure(f"{who} is writing to it; wait for it, or give another folder", folder) from None
    return lock


def _holder(lock: Path) -> str:
    """The process that holds a lock, as Linux tells; empty where nobody tells."""
    try:
        inode = f":{lock.stat().st_ino}"
        locks = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
    except OSError:
        return ""
    return next((fields[4] for fields in locks if fields[5].endswith(inode)), "")  # proc_locks(5)
