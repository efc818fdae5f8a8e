"""From a store to evidence: which runs a study needs on an engine, and which of them are there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.campaign.local import known, plan, refusals
from dumbbell.studies.command import run_command
from dumbbell.studies.evidence import Coverage, Evidence, Observed, Trial
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.schema import FailedRun, Result
    from dumbbell.spec import Experiment
    from dumbbell.studies.evidence import Source
    from dumbbell.studies.study import Study


def gather(study: Study, source: Source, engine: Engine) -> Evidence:
    """The runs of a study's experiments on an engine, as far as they are there."""
    untestable = refused(study, engine)
    trials: dict[tuple[str, str], tuple[Trial, ...]] = {}
    coverage: dict[tuple[str, str], Coverage] = {}
    outcomes: dict[str, dict[str, Result | FailedRun]] = {title: {} for title in study.experiments}
    identity = engine.identity()
    for title, variant in study.parts():
        if (title, variant) in untestable:
            continue
        failed: list[str] = []
        ids: list[str] = []
        missing: list[str] = []
        by_seed: dict[int, list[Observed]] = {}
        for run_id, outcome, observed in _runs(study, title, variant, source, engine, identity):
            ids.append(run_id)
            if outcome is None:
                missing.append(run_id)
                continue
            outcomes[title][run_id] = outcome
            if outcome.status == "failed":
                failed.append(outcome.error)
            elif observed is not None:
                by_seed.setdefault(outcome.seed, []).append(observed)
        coverage[title, variant] = Coverage(ids=frozenset(ids), missing=frozenset(missing))
        if missing:
            continue
        if failed:
            untestable[title, variant] = f"{len(failed)} of its runs failed, the first with: {failed[0]}"
        trials[title, variant] = tuple(Trial(seed, tuple(runs)) for seed, runs in by_seed.items())
    return Evidence(
        engine=engine.name,
        trials=trials,
        untestable=untestable,
        coverage=coverage,
        outcomes={title: tuple(found.values()) for title, found in outcomes.items()},
    )


def complete(study: Study, evidence: Evidence) -> Evidence:
    """The evidence, if no run of the study is missing in it.

    Raises:
        StudyError: runs are not in the store.
    """
    missing: dict[str, frozenset[str]] = {}
    for (title, _), coverage in evidence.missing.items():
        missing[title] = missing.get(title, frozenset()) | coverage.missing
    if missing:
        counts = ", ".join(f"{len(ids)} of {title}" for title, ids in missing.items())
        raise StudyError(
            f"{study.name}: runs on {evidence.engine} are not in the store ({counts});"
            f" `{run_command(study, evidence.engine)}` makes them"
        )
    return evidence


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
        outcome = source.get(run_id, planned.point)
        observed = None
        if outcome is not None and outcome.status != "failed":
            observed = Observed(
                point={path: value for path, value in planned.point.items() if path != study.axis},
                result=outcome,
                flow_series=partial(source.flow_series, run_id),
                queue_series=partial(source.queue_series, run_id),
                ack_series=partial(source.ack_series, run_id),
                bdp_bytes=planned.resolved.bdp_bytes,
            )
        yield run_id, outcome, observed
