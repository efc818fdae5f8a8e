"""From a store to evidence: which runs a study needs on an engine, and which of them are there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.campaign.local import known, plan, refusals
from dumbbell.studies.evidence import Evidence, Observed, Trial
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.schema import FailedRun, Result
    from dumbbell.spec import Experiment
    from dumbbell.studies.evidence import Source
    from dumbbell.studies.study import Study


def gather(study: Study, source: Source, engine: Engine) -> Evidence:
    """The runs of a study's experiments on an engine.

    Raises:
        StudyError: runs are not in the store.
    """
    untestable = refused(study, engine)
    trials: dict[tuple[str, str], tuple[Trial, ...]] = {}
    missing: dict[str, set[str]] = {}
    identity = engine.identity()
    for title, variant in study.parts():
        if (title, variant) in untestable:
            continue
        failed: list[str] = []
        by_seed: dict[int, list[Observed]] = {}
        for run_id, outcome, observed in _runs(study, title, variant, source, engine, identity):
            if outcome is None:
                missing.setdefault(title, set()).add(run_id)
            elif outcome.status == "failed":
                failed.append(outcome.error)
            elif observed is not None:
                by_seed.setdefault(outcome.seed, []).append(observed)
        if failed:
            untestable[title, variant] = f"{len(failed)} of its runs failed, the first with: {failed[0]}"
        trials[title, variant] = tuple(Trial(seed, tuple(runs)) for seed, runs in by_seed.items())
    if missing:
        counts = ", ".join(f"{len(ids)} of {title}" for title, ids in missing.items())
        on = "" if engine.name == "sim" else f" --engine {engine.name}"
        raise StudyError(
            f"{study.name}: runs on {engine.name} are not in the store ({counts});"
            f" `dumbbell study run {study.name}{on}` makes them"
        )
    return Evidence(engine=engine.name, trials=trials, untestable=untestable)


def refused(study: Study, engine: Engine) -> dict[tuple[str, str], str]:
    """What an engine cannot honour, by experiment and version, and why."""
    found = {}
    for title, variant in study.parts():
        problems = refusals(study.part(title, [variant]), engine)
        if problems:
            found[title, variant] = f"engine {engine.name} cannot honour {'; '.join(map(str, problems))}"
    return found


def honoured(study: Study, engine: Engine) -> dict[str, Experiment]:
    """The experiments, each with the versions that an engine can honour; without those that have none."""
    cannot = refused(study, engine)
    found = {}
    for title in study.experiments:
        variants = [variant for variant in study.variants if (title, variant) not in cannot]
        if variants:
            found[title] = study.part(title, variants)
    return found


def _runs(  # noqa: PLR0913, PLR0917 (one run is all of this)
    study: Study, title: str, variant: str, source: Source, engine: Engine, identity: str
) -> Iterator[tuple[str, Result | FailedRun | None, Observed | None]]:
    for planned in plan(study.part(title, [variant])):
        run_id = known(planned, engine, identity)["run_id"]
        outcome = source.get(run_id)
        observed = None
        if outcome is not None and outcome.status != "failed":
            observed = Observed(
                point={path: value for path, value in planned.point.items() if path != study.axis},
                result=outcome,
                flow_series=partial(source.flow_series, run_id),
                queue_series=partial(source.queue_series, run_id),
            )
        yield run_id, outcome, observed
