"""A campaign: measures the runs of an experiment into a store. What is there is not run again.

Runs are threads of one process, because an engine frees the interpreter while it works.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Lock
from typing import Final

from dumbbell.campaign.plan import Planned, RunKey, plan, run_key
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure
from dumbbell.metrics.summary import summarise
from dumbbell.results.campaign import CampaignEntry, add_member, begin
from dumbbell.results.schema import FailedRun, Outcome, Result
from dumbbell.results.store import Store
from dumbbell.results.validity import warnings
from dumbbell.spec import Experiment, Resolved
from dumbbell.spec.sweep import Grid

AHEAD: Final = 64
"""Runs that are given to a thread's queue before the oldest of them is awaited: bounds what a long sweep holds."""
_WAKE_S: Final = 0.5
"""An interruption that another thread took is noticed when this one next wakes."""
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


def execute(planned: Planned, engine: Engine, identity: str) -> tuple[Outcome, Measurement | None]:
    """Measures one run and summarises it; gives what it was summarised from, too."""
    return _measure(planned.resolved, engine, run_key(planned, engine, identity))


def _measure(resolved: Resolved, engine: Engine, key: RunKey) -> tuple[Outcome, Measurement | None]:
    began = time.perf_counter()
    try:
        measurement = engine.measure(resolved.run)
    except EngineFailure as failure:
        return FailedRun(**key, error=str(failure), wall_s=time.perf_counter() - began), None
    wall_s = time.perf_counter() - began
    summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
    result = Result(
        **key,
        window_s=summary.window_s,
        flows=summary.flows,
        bottleneck=summary.bottleneck,
        groups=summary.groups,
        jain=summary.jain,
        wall_s=wall_s,
        warnings=tuple(warnings(resolved.run, measurement, resolved.groups)),
    )
    return result, measurement


def run_campaign(  # noqa: PLR0913 (the options of a campaign)
    store: Store,
    experiment: Experiment,
    engine: Engine,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[], None] | None = None,
    failures: FailureWatch | None = None,
) -> Generator[Outcome]:
    """Yields the outcome of every run of an experiment, in the order of expansion, measuring those that are missing.

    A run is missing if it is not in the store, if it failed, if its series are damaged, or with `fresh`. It is kept
    the moment it is finished, whoever is still waiting for its turn; `progress` is called after each outcome. Whoever
    stops iterating stops the campaign: what has not begun never will; what has begun is kept if the engine cannot stop
    it, and the store stays open.

    Raises:
        EngineFailure: the first runs failed alike, see `FailureWatch`; campaigns on one engine may share theirs. Those
            that were tried are kept as failed, which the next campaign tries again; the others are not in the store.
    """
    jobs = jobs or engine.slots()
    campaign = _Campaign(store, experiment, engine, failures or FailureWatch(), fresh=fresh)
    awaited: deque[_Awaited] = deque()
    patient = True
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="run")
    try:
        for position, planned in enumerate(plan(experiment)):
            awaited.append(campaign.submit(position, planned, pool))
            while awaited and (awaited[0].done() or len(awaited) > AHEAD * jobs):
                yield campaign.finish(awaited.popleft(), progress)
        while awaited:
            yield campaign.finish(awaited.popleft(), progress)
    except (KeyboardInterrupt, GeneratorExit):
        patient = False
        raise
    finally:  # after a failure what is under way is finished and kept
        pool.shutdown(wait=patient, cancel_futures=True)
        if not patient:
            engine.stop()


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A run whose turn has not come."""

    run_id: str
    entry: CampaignEntry
    future: Future[Outcome] | None
    """None when it was in the store."""

    def done(self) -> bool:
        return self.future is None or self.future.done()


class _Campaign:
    """The runs of an experiment, on their way into a store."""

    def __init__(
        self, store: Store, experiment: Experiment, engine: Engine, failures: FailureWatch, *, fresh: bool
    ) -> None:
        self._store, self._engine, self._failures, self._fresh = store, engine, failures, fresh
        self._identity = engine.identity()
        self._id, seeds = begin(store.ledger, experiment, engine.name, self._identity, len(Grid.of(experiment)))
        self._own, self._seeds = len(experiment.seed_values), {seed: index for index, seed in enumerate(seeds)}
        self._under_way: dict[str, Future[Outcome]] = {}
        self._begun: set[str] = set()

    def submit(self, position: int, planned: Planned, pool: ThreadPoolExecutor) -> _Awaited:
        """Has a run measured, unless it is in the store, or a point that comes to the same run is under way."""
        key = run_key(planned, self._engine, self._identity)
        run_id = key["run_id"]
        position = position // self._own * len(self._seeds) + self._seeds[planned.resolved.run.seed]
        entry = CampaignEntry(self._id, position, planned.point)
        future = self._under_way.get(run_id)
        repeated = self._fresh and run_id not in self._begun
        if future is None and (repeated or not self._store.finished(run_id)):
            self._begun.add(run_id)
            future = self._under_way[run_id] = pool.submit(self._execute, planned.resolved, key, entry)
        return _Awaited(run_id, entry, future)

    def finish(self, each: _Awaited, progress: Callable[[], None] | None) -> Outcome:
        """Waits for a run, and gives it its place."""
        if each.future is None:
            outcome = self._store.get(each.run_id, each.entry.point)
            assert outcome is not None, each.run_id  # noqa: S101 (it was there, and nobody else writes)
        else:
            while not wait([each.future], timeout=_WAKE_S).done:
                pass
            outcome = each.future.result().model_copy(update={"point": dict(each.entry.point)})
            self._under_way.pop(each.run_id, None)  # whoever comes to it from now on finds it in the store
        add_member(self._store.ledger, each.entry, each.run_id)
        if progress:
            progress()
        return outcome

    def _execute(self, resolved: Resolved, key: RunKey, entry: CampaignEntry) -> Outcome:
        self._failures.check()
        outcome, measurement = _measure(resolved, self._engine, key)
        self._store.put(outcome, resolved, measurement, identity=self._identity, entry=entry)
        self._failures.record(outcome)
        return outcome
