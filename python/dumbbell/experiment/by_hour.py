"""An experiment by the hour of the day in which its runs began: the hour is one more swept field."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from dumbbell.engines.family import is_live
from dumbbell.experiment.points import ExperimentRuns, point_key
from dumbbell.results.campaign import Campaign
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.moments import began, hour
from dumbbell.results.store import Store

HOUR: Final = "hour"


def by_hour(store: Store, campaign: Campaign, runs: ExperimentRuns) -> ExperimentRuns:
    """The same runs of a campaign, each point once for each hour in which runs of it began, the hours in order.

    Those in virtual time, which has no hours, stay as they are.
    """
    if not is_live(runs.engine):
        return runs
    rows = store.ledger.rows(
        "SELECT point, seed, finished, wall_s FROM member JOIN run ON run.id = member.run WHERE campaign = ?",
        campaign.id,
    )
    seeds: dict[str, dict[str, set[int]]] = {}
    for point, seed, finished, wall_s in rows:
        of_hour = seeds.setdefault(hour(began(finished, wall_s)), {})
        of_hour.setdefault(point_key(json.loads(point)), set()).add(seed)
    points = [
        replace(_of_seeds(point, own), swept={HOUR: at, **point.swept})
        for at in sorted(seeds)
        for point in runs.points
        if (own := seeds[at].get(point_key(point.swept)))
    ]
    return replace(runs, points=points, experiment=None)


def _of_seeds(point: MeasuredPoint, seeds: Collection[int]) -> MeasuredPoint:
    """Those of a point's runs that have one of these seeds."""
    places = [nth for nth, seed in enumerate(point.run_ids) if seed in seeds]

    def own(numbers: dict[tuple[str, str], list[float]]) -> dict[tuple[str, str], list[float]]:
        chosen = {key: [values[place] for place in places] for key, values in numbers.items()}
        return {key: values for key, values in chosen.items() if not all(map(math.isnan, values))}

    return replace(
        point,
        run_ids={seed: run_id for seed, run_id in point.run_ids.items() if seed in seeds},
        errors={seed: error for seed, error in point.errors.items() if seed in seeds},
        warnings={seed: texts for seed, texts in point.warnings.items() if seed in seeds},
        numbers=own(point.numbers),
        hops=own(point.hops),
    )
