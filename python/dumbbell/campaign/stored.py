"""A campaign into a store: what is there is not run again, what is finished is kept at once."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.campaign.local import AHEAD, count, known, measured, plan
from dumbbell.results.ledger import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from dumbbell.campaign.local import Outcome, Planned
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A run whose turn has not come."""

    run_id: str
    place: Place
    future: Future[Outcome] | None
    """None when it is in the store."""


def carry_out_into(  # noqa: PLR0913 (the options of a campaign)
    store: Store,
    experiment: Experiment,
    engine: Engine,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[], None] | None = None,
) -> Iterator[Outcome]:
    """Yields the outcome of every run of an experiment, in the order of expansion, measuring those that are missing.

    A run is missing if it is not in the store, if it failed, if its series are damaged, or with `fresh`. It is kept
    the moment it is finished, whoever is still waiting for its turn; `progress` is called after each outcome. Whoever
    stops iterating stops the campaign: what has not begun never will; what has begun is kept if the store stays open.
    """
    jobs = jobs or engine.slots()
    identity = engine.identity()
    campaign = store.begin(experiment, engine.name, identity)
    store.cut(campaign, count(experiment))

    def carried_out(planned: Planned, place: Place) -> Outcome:
        outcome, measurement = measured(planned, engine, identity)
        store.put(outcome, planned.resolved, measurement, identity=identity, place=place)
        return outcome

    def arrived(each: _Awaited) -> Outcome:
        if each.future is None:
            outcome = store.get(each.run_id, each.place.point)
            assert outcome is not None, each.run_id  # noqa: S101 (it was there, and nobody else writes)
        else:
            outcome = each.future.result().model_copy(update={"point": dict(each.place.point)})
        store.enrol(each.place, each.run_id)
        if progress:
            progress()
        return outcome

    awaited: deque[_Awaited] = deque()
    under_way: dict[str, Future[Outcome]] = {}
    patient = True
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="run")
    try:
        for position, planned in enumerate(plan(experiment)):
            run_id, place = known(planned, engine, identity)["run_id"], Place(campaign, position, planned.point)
            future = under_way.get(run_id)
            if future is None and (fresh or not store.finished(run_id)):
                future = under_way[run_id] = pool.submit(carried_out, planned, place)
            awaited.append(_Awaited(run_id, place, future))
            while awaited and (_is_there(awaited[0]) or len(awaited) > AHEAD * jobs):
                yield arrived(awaited.popleft())
            if len(under_way) > 2 * AHEAD * jobs:
                under_way = {each.run_id: each.future for each in awaited if each.future is not None}
        while awaited:
            yield arrived(awaited.popleft())
    except (KeyboardInterrupt, GeneratorExit):
        patient = False
        raise
    finally:  # after a failure what is under way is finished and kept
        pool.shutdown(wait=patient, cancel_futures=True)


def _is_there(each: _Awaited) -> bool:
    return each.future is None or each.future.done()
