"""A campaign: measures the runs of an experiment into a store. What is there is not run again.

Each run has a thread, which waits for the engine; what Python makes of many runs of the simulator is made in processes
beside this one, and this one stores it.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from dumbbell.campaign.plan import EVERY, Planned, RunKey, agenda, places, run_key
from dumbbell.engines.protocol import Engine
from dumbbell.engines.workers import Workers, serve
from dumbbell.errors import EngineFailure
from dumbbell.results.campaign import CampaignEntry, add_member, begin, campaign_of
from dumbbell.results.outcomes import outcomes_of
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Resolved, Run

if TYPE_CHECKING:
    from dumbbell.results.schema import Outcome

SIMULATED: Final = ("dumbbell.campaign.measuring", "simulated")
"""The function by which workers answer."""
AHEAD: Final = 64
"""Runs for each thread that are drawn up before one of them is awaited: bounds what a long sweep holds."""
_WAKE_S: Final = 0.5
"""An interruption that another thread took is noticed when this one next wakes."""
SOON_S: Final = 0.1
MOST_TOGETHER: Final = 16
"""Short runs that a worker measures, and the store enters, at once: so many as take `SOON_S`, and no more."""
ALIKE: Final = 3
"""Failures that are the engine's, if nothing has succeeded before."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b|(?<=pid\b)\W+[0-9]+", re.IGNORECASE)
"""What differs between two failures that are the same: addresses, and numbers of processes."""


class FailureWatch:
    """Tells an engine that cannot work on this machine, whose first runs fail alike, from runs that fail."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._succeeded = False
        self._failed: defaultdict[str, set[str]] = defaultdict(set)
        """Ids of runs, by the error without its addresses."""
        self._hopeless = ""

    def check(self) -> None:
        """Returns while there is hope.

        Raises:
            EngineFailure: three runs failed alike, whatever addresses they name, and none had succeeded.
        """
        if self._hopeless:
            raise EngineFailure(self._hopeless)

    def record(self, outcome: Outcome) -> None:
        """Takes note of a run that was measured; raises as `check` does."""
        with self._lock:
            if outcome.status == "ok":
                self._succeeded = True
            elif not self._succeeded:
                alike = self._failed[_ADDRESS.sub("", outcome.error)]
                alike.add(outcome.run_id)
                if len(alike) == ALIKE:
                    said = f"{ALIKE} runs failed alike and none succeeded, so no other was tried"
                    self._hopeless = f"{said}: {outcome.error}"
        self.check()


class Finished(NamedTuple):
    """A run that is in the store now."""

    run_id: str
    run: Run
    outcome: Outcome | None
    """None when it was there before, or another point had come to the same run."""


def run_campaign(  # noqa: PLR0913 (the options of a campaign)
    store: Store,
    experiment: Experiment,
    engine: Engine,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[], None] | None = None,
) -> Generator[Outcome]:
    """Measures the runs of an experiment that are missing, then yields the outcome of every run, as `plan` has them.

    See `run_experiments`, of which this is the whole.

    Raises:
        EngineFailure: the first runs failed alike.
    """
    with closing(run_experiments(store, [experiment], engine, jobs=jobs, fresh=fresh)) as finished:
        for _ in finished:
            if progress:
                progress()
    yield from stored_outcomes(store, experiment, engine)


def stored_outcomes(
    store: Store, experiment: Experiment, engine: Engine, places: Container[int] | None = None
) -> Iterator[Outcome]:
    """The outcomes of an experiment's runs that a store has, as `plan` has them. Few are in memory at a time.

    `places`: of the runs at these places of the plan.
    """
    campaign = campaign_of(store.ledger, experiment, engine.name, engine.identity())
    if campaign is not None:
        yield from outcomes_of(store.ledger, campaign, experiment.seed_values, places)


def run_experiments(  # noqa: PLR0913 (the options of a campaign)
    store: Store,
    experiments: Sequence[Experiment],
    engine: Engine,
    *,
    part: slice = EVERY,
    only: Sequence[Collection[int]] | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    workers: Workers | None = None,
) -> Generator[Finished]:
    """Measures the runs of experiments that are missing, begun in the order of `agenda`; yields each as it is there.

    `part`: those that a part of the agenda has; `only`: those at these places of each experiment's `plan`. A run is
    missing if it is not in the store, if it failed, if its series are damaged, or with `fresh`. It is kept the moment
    it is finished. A caller that stops iterating stops the campaign: what has not begun never will; what has begun is
    kept if the engine cannot stop it, and the store stays open. What is held does not grow with the number of runs, but
    for four bytes a point, and an id of each run that failed or, with `fresh`, was repeated. `workers` measure the runs
    if they are given, and stay.

    Raises:
        EngineFailure: the first runs failed alike, see `FailureWatch`. Those that were tried are kept as failed,
            which the next campaign tries again; the others are not in the store.
    """
    jobs = jobs or engine.slots()
    runs = sum(map(len, places(experiments, part, live=engine.live) if only is None else only))
    own = Workers(*SIMULATED) if workers is None and serve(engine, runs, jobs) else None
    work = _Work(store, engine, workers or own, fresh=fresh)
    campaigns: list[BegunCampaign] = []
    """Begun in order, each with its first run: what is not reached stays as an earlier build has it."""
    patient = True
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="run")
    try:
        for which, place, planned in agenda(experiments, part, only, live=engine.live):
            campaigns += [BegunCampaign.begun(store, each, engine) for each in experiments[len(campaigns) : which + 1]]
            yield from work.submit(planned, campaigns[which].entry(place, planned), pool)
            while work.under_way and (ended := work.ended(awaited=work.under_way > AHEAD * jobs)):
                yield from ended
        work.flush(pool)
        while work.under_way:
            yield from work.ended(awaited=True)
        for each in experiments[len(campaigns) :]:  # of which a part may have no run
            BegunCampaign.begun(store, each, engine)
    except (KeyboardInterrupt, GeneratorExit):
        patient = False
        raise
    finally:  # after a failure what is under way is finished and kept
        pool.shutdown(wait=patient, cancel_futures=True)
        if own:
            own.close()
        if not patient:
            engine.stop()


@dataclass(frozen=True, slots=True)
class BegunCampaign:
    """An experiment in a store, which may have other seeds besides."""

    id: int
    own_seeds: int
    """How many the experiment has."""
    seeds: Mapping[int, int]
    """The place of each seed among all of the campaign's."""

    @classmethod
    def begun(cls, store: Store, experiment: Experiment, engine: Engine) -> Self:
        """Begins an experiment, or goes on with it."""
        points = len(experiment)
        id_, seeds = begin(store.ledger, experiment, engine.name, engine.identity(), points)
        return cls(id_, len(experiment.seed_values), {seed: place for place, seed in enumerate(seeds)})

    def entry(self, place: int, planned: Planned) -> CampaignEntry:
        """The place of a run, by that in the experiment's plan."""
        position = place // self.own_seeds * len(self.seeds) + self.seeds[planned.resolved.run.seed]
        return CampaignEntry(self.id, position, planned.point)


class _Task(NamedTuple):
    resolved: Resolved
    key: RunKey
    entry: CampaignEntry


class _Work:
    """Runs on their way into a store: each alone, or some short ones together where workers measure them."""

    def __init__(self, store: Store, engine: Engine, workers: Workers | None, *, fresh: bool) -> None:
        self._store, self._engine, self._failures, self._fresh = store, engine, FailureWatch(), fresh
        self._workers = workers
        self._identity = engine.identity()
        self._entries: dict[str, list[CampaignEntry]] = {}
        """Of each run that is under way: its place, and those of other points that come to the same run."""
        self._batch: list[_Task] = []
        self._size = 1
        """Of a batch, as long as runs are so short that one is stored soon."""
        self._ended: SimpleQueue[tuple[list[_Task], Future[list[Outcome]]]] = SimpleQueue()
        self._tried: set[str] = set()
        """Runs that the store would have tried again, by a later point that comes to the same."""

    @property
    def under_way(self) -> int:
        """How many runs wait for a thread, or for being told."""
        return len(self._entries)

    def submit(self, planned: Planned, entry: CampaignEntry, pool: ThreadPoolExecutor) -> Iterator[Finished]:
        """Has a run measured, unless it is there, or a point that comes to the same run is under way."""
        key, run = run_key(planned, self._engine, self._identity), planned.resolved.run
        run_id = key["run_id"]
        if run_id in self._entries:
            self._entries[run_id].append(entry)
        elif run_id in self._tried or (not self._fresh and self._store.finished(run_id)):
            add_member(self._store.ledger, entry, run_id)
            yield Finished(run_id, run, None)
        else:
            self._entries[run_id] = [entry]
            self._batch.append(_Task(planned.resolved, key, entry))
            if len(self._batch) >= self._size:
                self.flush(pool)

    def flush(self, pool: ThreadPoolExecutor) -> None:
        """Has runs measured that wait for others of their batch."""
        tasks, self._batch = self._batch, []
        if tasks:
            future = pool.submit(self._execute, tasks)
            future.add_done_callback(lambda future: self._ended.put((tasks, future)))

    def ended(self, *, awaited: bool) -> list[Finished]:
        """Runs that have ended, each once for each of its points; none where none has, unless one is awaited."""
        while True:
            try:
                tasks, future = self._ended.get(block=awaited, timeout=_WAKE_S)
            except Empty:
                if awaited:
                    continue
                return []
            break
        return [
            each for task, outcome in zip(tasks, future.result(), strict=True) for each in self._entered(task, outcome)
        ]

    def _entered(self, task: _Task, outcome: Outcome) -> list[Finished]:
        run_id, run = task.key["run_id"], task.resolved.run
        if self._fresh or outcome.status == "failed":
            self._tried.add(run_id)
        _, *others = self._entries.pop(run_id)  # whoever comes to it from now on finds it in the store
        for entry in others:
            add_member(self._store.ledger, entry, run_id)
        return [Finished(run_id, run, outcome), *(Finished(run_id, run, None) for _ in others)]

    def _execute(self, tasks: Sequence[_Task]) -> list[Outcome]:
        self._failures.check()
        from dumbbell.campaign import measuring  # noqa: PLC0415 (late: a campaign that is all there needs none)

        began = time.perf_counter()
        if self._workers:
            own = [(task.resolved, task.key) for task in tasks]
            answers = measuring.measured_by_worker(self._workers, self._store.folder.absolute(), own)
            self._size = max(1, min(MOST_TOGETHER, round(len(tasks) * SOON_S / (time.perf_counter() - began))))
        else:
            folder = self._store.folder.absolute()
            answers = [measuring.measured(self._engine, task.resolved, task.key, folder) for task in tasks]
        entered = [(rows, task.entry) for (_, rows), task in zip(answers, tasks, strict=True)]
        self._store.put(entered, identity=self._identity)
        outcomes = [outcome for outcome, _ in answers]
        for outcome in outcomes:
            self._failures.record(outcome)
        return outcomes
