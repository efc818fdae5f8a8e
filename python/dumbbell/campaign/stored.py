"""A campaign into a store: what is there is not run again, what is finished is kept at once."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.campaign.local import AHEAD, Beginning, count, known, measured, plan
from dumbbell.results.ledger import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Future

    from dumbbell.campaign.local import Outcome, Planned
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment


def carry_out_into(  # noqa: PLR0913 (the options of a campaign)
    store: Store,
    experiment: Experiment,
    engine: Engine,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[], None] | None = None,
    beginning: Beginning | None = None,
) -> Generator[Outcome]:
    """Yields the outcome of every run of an experiment, in the order of expansion, measuring those that are missing.

    A run is missing if it is not in the store, if it failed, if its series are damaged, or with `fresh`. It is kept
    the moment it is finished, whoever is still waiting for its turn; `progress` is called after each outcome. Whoever
    stops iterating stops the campaign: what has not begun never will; what has begun is kept if the engine cannot stop
    it, and the store stays open.

    Raises:
        EngineFailure: the first runs failed alike, see `Beginning`; campaigns on one engine may share theirs. Those
            that were tried are kept as failed, which the next campaign tries again; the others are not in the store.
    """
    jobs = jobs or engine.slots()
    campaign = _Campaign(store, experiment, engine, beginning or Beginning(), fresh=fresh)
    awaited: deque[_Awaited] = deque()
    patient = True
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="run")
    try:
        for position, planned in enumerate(plan(experiment)):
            awaited.append(campaign.begun(position, planned, pool))
            while awaited and (awaited[0].is_there() or len(awaited) > AHEAD * jobs):
                yield campaign.arrived(awaited.popleft(), progress)
        while awaited:
            yield campaign.arrived(awaited.popleft(), progress)
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
    place: Place
    future: Future[Outcome] | None
    """None when it was in the store."""

    def is_there(self) -> bool:
        return self.future is None or self.future.done()


class _Campaign:
    """The runs of an experiment, on their way into a store."""

    def __init__(
        self, store: Store, experiment: Experiment, engine: Engine, beginning: Beginning, *, fresh: bool
    ) -> None:
        self._store, self._engine, self._beginning, self._fresh = store, engine, beginning, fresh
        self._identity = engine.identity()
        self._id, seeds = store.begin(experiment, engine.name, self._identity)
        self._own, self._seeds = len(experiment.seed_values), {seed: index for index, seed in enumerate(seeds)}
        store.cut(self._id, count(experiment) // self._own * len(seeds))
        self._under_way: dict[str, Future[Outcome]] = {}

    def begun(self, position: int, planned: Planned, pool: ThreadPoolExecutor) -> _Awaited:
        """Has a run measured, unless it is in the store, or a point that comes to the same run is under way."""
        run_id = known(planned, self._engine, self._identity)["run_id"]
        position = position // self._own * len(self._seeds) + self._seeds[planned.resolved.run.seed]
        place = Place(self._id, position, planned.point)
        future = self._under_way.get(run_id)
        if future is None and (self._fresh or not self._store.finished(run_id)):
            future = self._under_way[run_id] = pool.submit(self._carried_out, planned, place)
        return _Awaited(run_id, place, future)

    def arrived(self, each: _Awaited, progress: Callable[[], None] | None) -> Outcome:
        """Waits for a run, and gives it its place."""
        if each.future is None:
            outcome = self._store.get(each.run_id, each.place.point)
            assert outcome is not None, each.run_id  # noqa: S101 (it was there, and nobody else writes)
        else:
            outcome = each.future.result().model_copy(update={"point": dict(each.place.point)})
            self._under_way.pop(each.run_id, None)  # whoever comes to it from now on finds it in the store
        self._store.enrol(each.place, each.run_id)
        if progress:
            progress()
        return outcome

    def _carried_out(self, planned: Planned, place: Place) -> Outcome:
        self._beginning.go_on()
        outcome, measurement = measured(planned, self._engine, self._identity)
        self._store.put(outcome, planned.resolved, measurement, identity=self._identity, place=place)
        return self._beginning.saw(outcome)
