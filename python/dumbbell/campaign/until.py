"""A campaign that runs more seeds where something is still open, until nothing is, or a budget is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

from dumbbell.campaign.execution import run_experiments
from dumbbell.campaign.size import packets
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
    progress: Callable[[], None] = lambda: None,
) -> Points:  # fmt: skip
    """Runs the first seeds of all points, then the next one of those that are still open; gives what came of all.

    The seeds of an experiment are those that a point has at most. `budget` is in packets, those of runs that the store
    has among them, so that what is run is the same on every machine, and the same again. `names` are the quantities of
    the catalogue that are read; `progress` is called for each run.

    Raises:
        EngineFailure: the first runs failed alike.
    """
    most = max(len(each.seed_values) for each in experiments)
    pending: Sequence[Collection[int]] = [range(len(each)) for each in experiments]
    used, before, seen = 0.0, 0, set[str]()
    for seeds in range(min(first, most), most + 1):
        seeded = [load(each, overrides={"seeds": list(each.seed_values[:seeds])}) for each in experiments]
        only = [{point * seeds + seed for point in own for seed in range(before, seeds)} for own in pending]
        with closing(run_experiments(store, seeded, engine, only=only, jobs=jobs)) as finished:
            for run_id, run, _ in finished:
                if run_id not in seen:  # as points of two experiments may come to the same
                    seen.add(run_id)
                    used += packets(run)
                    progress()
        points = [points_in(store, each, engine, names) for each in seeded]
        before, pending = seeds, still_open(points)
        if not any(pending) or used + used / len(seen) * sum(map(len, pending)) > budget:
            break
    return points


def points_in(
    store: Store, experiment: Experiment, engine: Engine, names: Sequence[str] = STORED
) -> list[MeasuredPoint]:
    """What the points of an experiment came to that a store has, in order."""
    number = campaign_of(store.ledger, experiment, engine.name, engine.identity())
    campaign = numbered(store.ledger, number)
    return list(chain.from_iterable(measured(store.ledger, campaign, names, experiment.seed_values)))
