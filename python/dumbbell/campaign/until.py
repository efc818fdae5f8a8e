"""A campaign that runs more seeds where something is still open, until nothing is, or a budget is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from dumbbell.campaign.execution import SIMULATED, run_experiments
from dumbbell.campaign.size import packets
from dumbbell.engines.workers import Workers, serve
from dumbbell.results.campaign import campaign_of, numbered
from dumbbell.results.measured import STORED, measured
from dumbbell.spec import load

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.measured import MeasuredPoint
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

    Points: TypeAlias = list[list[MeasuredPoint]]
    """Of each experiment, what its points came to so far, in order."""
    StillOpen: TypeAlias = Callable[[Points], Sequence[Collection[int]]]
    """Gives the numbers of each experiment's points that need another seed."""

FIRST: Final = 3
"""Seeds of every point: fewer have no interval worth the name."""


def run_until(  # noqa: PLR0913 (the options of a campaign)
    store: Store, experiments: Sequence[Experiment], engine: Engine, still_open: StillOpen, *, first: int = FIRST,
    budget: float = math.inf, names: Sequence[str] = STORED, jobs: int | None = None,
    progress: Callable[[], None] = lambda: None, so_far: Callable[[Points], None] | None = None, work: float = 1.0,
) -> Points:  # fmt: skip
    """Runs the first seeds of all points, then the next one of those that are still open; gives what came of all.

    The seeds of an experiment are those that a point has at most; where experiments have other seeds, the next one is
    that of all, and an experiment without it waits. `budget` is in packets, those of runs that the store has among
    them, so that what is run is the same on every machine, and the same again. `names` are the quantities of the
    catalogue that are read; `progress` is called for each run, `so_far` with what the very first seed came to. `work`
    is how many times as long as usual what comes of a run is made into numbers.

    Raises:
        EngineFailure: the first runs failed alike.
    """
    every = sorted({seed for each in experiments for seed in each.seed_values})
    pending: Sequence[Collection[int]] = [range(len(each)) for each in experiments]
    used, before, seen = 0.0, 0, set[str]()
    least = min(first, len(every))
    runs = round(work * sum(len(each) * min(first, len(each.seed_values)) for each in experiments))
    with _workers(engine, runs, jobs or engine.slots()) as workers:
        for upto in (*((1,) if so_far and least > 1 else ()), *range(least, len(every) + 1)):
            seeded = [_with_seeds(each, every[:upto]) for each in experiments]
            new = set(every[before:upto])
            started = [each for each in seeded if each]
            only = [_members(each, own, new) for each, own in zip(seeded, pending, strict=True) if each]
            with closing(run_experiments(store, started, engine, only=only, jobs=jobs, workers=workers)) as finished:
                for run_id, run, _ in finished:
                    if run_id not in seen:  # as points of two experiments may come to the same
                        seen.add(run_id)
                        used += packets(run)
                        progress()
            points = [points_in(store, each, engine, names) if each else [] for each in seeded]
            before = upto
            if so_far and upto < least:
                so_far(points)
                continue
            pending = still_open(points)
            following = every[upto : upto + 1]
            more = sum(len(_members(each, own, following)) for each, own in zip(experiments, pending, strict=True))
            if not any(pending) or used + used / len(seen) * more > budget:
                break
    return points


@contextmanager
def _workers(engine: Engine, runs: int, jobs: int) -> Iterator[Workers | None]:
    """Those that measure all seeds, where they are worth it: each takes a third of a second to begin."""
    workers = Workers(*SIMULATED) if serve(engine, runs, jobs) else None
    try:
        yield workers
    finally:
        if workers:
            workers.close()


def _with_seeds(experiment: Experiment, seeds: Collection[int]) -> Experiment | None:
    """None where it has none of them."""
    own = [seed for seed in experiment.seed_values if seed in seeds]
    return load(experiment, overrides={"seeds": own}) if own else None


def _members(experiment: Experiment, points: Collection[int], seeds: Collection[int]) -> set[int]:
    """The numbers of an experiment's runs of some points and seeds."""
    every = experiment.seed_values
    return {point * len(every) + nth for point in points for nth, seed in enumerate(every) if seed in seeds}


def points_in(
    store: Store, experiment: Experiment, engine: Engine, names: Sequence[str] = STORED
) -> list[MeasuredPoint]:
    """What the points of an experiment came to that a store has, in order."""
    number = campaign_of(store.ledger, experiment, engine.name, engine.identity())
    campaign = numbered(store.ledger, number)
    return list(chain.from_iterable(measured(store.ledger, campaign, names, experiment.seed_values)))
