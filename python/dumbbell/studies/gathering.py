"""From a store to evidence: which runs a study needs on an engine, and which of them are there."""

from __future__ import annotations

from functools import partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, NamedTuple

from dumbbell.campaign.plan import Planned, refusals, run_key
from dumbbell.results.schema import FailedRun
from dumbbell.spec import expand, resolve
from dumbbell.studies.evidence import Coverage, Evidence, RunData, SeedSweep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.schema import Result
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment
    from dumbbell.studies.evidence import Source
    from dumbbell.studies.study import Study


def engines_of(study: Study, store: Store) -> tuple[str, ...]:
    """The engines on which a store has runs of a study, in the order of their first."""
    asked = {experiment.name for experiment in study.experiments.values()}
    return tuple(dict.fromkeys(each.engine for each in store.campaigns() if each.experiment in asked))


def gather(study: Study, source: Source, engine: Engine) -> Evidence:
    """The runs of a study's experiments on an engine, as far as they are there.

    A trial is a seed whose runs are all there. Seeds that follow the study's own count too, unless the study was
    loaded with a number of seeds.
    """
    untestable = refused(study, engine)
    trials: dict[tuple[str, str], tuple[SeedSweep, ...]] = {}
    coverage: dict[tuple[str, str], Coverage] = {}
    outcomes: dict[str, dict[str, Result | FailedRun]] = {title: {} for title in study.experiments}
    for title, variant in study.parts():
        if (title, variant) in untestable:
            continue
        ids: list[str] = []
        missing: list[str] = []
        complete: list[SeedSweep] = []
        failures: list[str] = []
        for seed, runs in _by_seed(study, title, variant, source, engine):
            absent = [run.id for run in runs if run.outcome is None]
            if seed in study.experiments[title].seed_values:
                ids += [run.id for run in runs]
                missing += absent
            outcomes[title] |= {run.id: run.outcome for run in runs if run.outcome is not None}
            if not absent:
                failures += [run.outcome.error for run in runs if isinstance(run.outcome, FailedRun)]
                complete.append(SeedSweep(seed, tuple(run.observed for run in runs if run.observed is not None)))
        coverage[title, variant] = Coverage(ids=frozenset(ids), missing=frozenset(missing))
        if failures:
            untestable[title, variant] = f"{len(failures)} of its runs failed, the first with: {failures[0]}"
        if complete:
            trials[title, variant] = tuple(complete)
    return Evidence(
        engine=engine.name,
        trials=trials,
        untestable=untestable,
        coverage=coverage,
        outcomes={title: tuple(found.values()) for title, found in outcomes.items()},
    )


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


class _Looked(NamedTuple):
    """A run that a study asks for."""

    id: str
    outcome: Result | FailedRun | None
    """None where it is not there."""
    observed: RunData | None
    """None where it was not measured."""


def _by_seed(
    study: Study, title: str, variant: str, source: Source, engine: Engine
) -> Iterator[tuple[int, list[_Looked]]]:
    """The runs of an experiment with a version, of each seed that it asks for, and of whole seeds after these."""
    identity = engine.identity()
    points = list(expand(study.part(title, [variant])))
    own = study.experiments[title].seed_values

    def looked(seed: int) -> Iterator[_Looked]:
        for point in points:
            yield _looked(Planned(point.values, resolve(point, seed)), study.axis, source, engine, identity)

    for seed in own:
        yield seed, list(looked(seed))
    if study.seeds is None:
        for seed in count(max(own) + 1):
            runs = list(takewhile(lambda run: run.outcome is not None, looked(seed)))
            if len(runs) < len(points):
                return
            yield seed, runs


def _looked(planned: Planned, axis: str, source: Source, engine: Engine, identity: str) -> _Looked:
    run_id = run_key(planned, engine, identity)["run_id"]
    outcome = source.get(run_id, planned.point)
    if outcome is None or outcome.status == "failed":
        return _Looked(run_id, outcome, None)
    observed = RunData(
        point={path: value for path, value in planned.point.items() if path != axis},
        result=outcome,
        flow_series=partial(source.flow_series, run_id),
        queue_series=partial(source.queue_series, run_id),
        ack_series=partial(source.ack_series, run_id),
        bdp_bytes=planned.resolved.bdp_bytes,
    )
    return _Looked(run_id, outcome, observed)
