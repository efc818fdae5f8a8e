"""From a store to evidence: which runs a study needs on an engine, and which of them are there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.campaign.local import known, plan, refusals
from dumbbell.studies.evidence import Evidence, Observed, Trial
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment
    from dumbbell.studies.evidence import Source


def gather(name: str, experiments: Mapping[str, Experiment], axis: str, source: Source, engine: Engine) -> Evidence:
    """The runs of a study's experiments; `axis` is the path that tells the versions of the algorithm apart.

    Raises:
        StudyError: runs are not in the store.
    """
    identity = engine.identity()
    trials: dict[tuple[str, str], dict[int, list[Observed]]] = {}
    untestable: dict[str, str] = {}
    missing: dict[str, int] = {}
    for title, experiment in experiments.items():
        problems = refusals(experiment, engine)
        if problems:
            untestable[title] = f"engine {engine.name} cannot honour {'; '.join(map(str, problems))}"
            continue
        failed: list[str] = []
        for planned in plan(experiment):
            run_id = known(planned, engine, identity)["run_id"]
            outcome = source.get(run_id)
            if outcome is None:
                missing[title] = missing.get(title, 0) + 1
                continue
            if outcome.status == "failed":
                failed.append(outcome.error)
                continue
            observed = Observed(
                point={path: value for path, value in planned.point.items() if path != axis},
                result=outcome,
                flow_series=partial(source.flow_series, run_id),
                queue_series=partial(source.queue_series, run_id),
            )
            by_seed = trials.setdefault((title, str(planned.point[axis])), {})
            by_seed.setdefault(outcome.seed, []).append(observed)
        if failed:
            untestable[title] = f"{len(failed)} of its runs failed, the first with: {failed[0]}"
    if missing:
        counts = ", ".join(f"{count} of {title}" for title, count in missing.items())
        raise StudyError(
            f"{name}: runs on {engine.name} are not in the store ({counts}); `dumbbell study run {name}` makes them"
        )
    return Evidence(
        engine=engine.name,
        trials={key: tuple(Trial(seed, tuple(runs)) for seed, runs in by.items()) for key, by in trials.items()},
        untestable=untestable,
    )
