"""The runs of a study on an engine: which they are, which of them are there, and `run`, which makes the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, count, takewhile
from typing import TypeAlias

from dumbbell.campaign.execution import run_experiments
from dumbbell.campaign.plan import Planned, agenda, refusals, run_key
from dumbbell.campaign.size import packets
from dumbbell.captures.series import capture_series
from dumbbell.cc import base_name
from dumbbell.engines.path_check import CarryingEngine, ProbingEngine, check_paths, path_of
from dumbbell.engines.protocol import Engine, KernelEngine
from dumbbell.engines.registry import engine as engine_named
from dumbbell.errors import StudyError
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, expand, resolve
from dumbbell.spec.run import Run
from dumbbell.studies.evidence import Coverage, Evidence, RunData, SeedSweep
from dumbbell.studies.short import with_programs
from dumbbell.studies.study import Study

_BBR = "bbr"


def engines_of(study: Study, store: Store) -> tuple[str, ...]:
    """The engines on which a store has runs of a study, in the order of their first."""
    names = {experiment.name for experiment in study.experiments.values()}
    return tuple(dict.fromkeys(each.engine for each in store.campaigns() if each.experiment in names))


def gather(study: Study, store: Store, engine: Engine) -> Evidence:
    """The runs of a study's experiments on an engine, as far as they are there.

    A trial is a seed whose runs are all there. Seeds that follow the study's own count too, unless the study was
    loaded with a number of seeds.
    """
    parts = study.parts()
    untestable = refused(parts, engine)
    trials: dict[tuple[str, str], tuple[SeedSweep, ...]] = {}
    coverage: dict[tuple[str, str], Coverage] = {}
    outcomes: dict[str, dict[str, Result | FailedRun]] = {title: {} for title in study.experiments}
    for (title, variant), part in parts.items():
        if (title, variant) in untestable:
            continue
        ids: list[str] = []
        missing: list[str] = []
        complete: list[SeedSweep] = []
        failures: list[str] = []
        for seed, runs in _by_seed(study, part, store, engine):
            absent = [run_id for run_id, _, outcome in runs if outcome is None]
            if seed in part.seed_values:
                ids += [run_id for run_id, *_ in runs]
                missing += absent
            outcomes[title] |= {run_id: outcome for run_id, _, outcome in runs if outcome is not None}
            if not absent:
                failures += [outcome.error for *_, outcome in runs if isinstance(outcome, FailedRun)]
                observed = (
                    _observed(planned, outcome, study, store)
                    for _, planned, outcome in runs
                    if isinstance(outcome, Result)
                )
                complete.append(SeedSweep(seed, tuple(observed)))
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
        outcomes={title: tuple(by_id.values()) for title, by_id in outcomes.items()},
    )


def refused(parts: Mapping[tuple[str, str], Experiment], engine: Engine) -> dict[tuple[str, str], str]:
    """What an engine cannot honour, by experiment and version, and why.

    Studies are about version 1 of BBR: where a kernel's `bbr` is another, its `bbr1` is not taken either. One that is
    about version 3 has version 1 only beside it, and takes that from there.
    """
    other, reasons = _other_version(engine), {}
    for key, part in parts.items():
        if other and not _is_version_3(key[1]) and _has_bbr(part):
            reasons[key] = other
        elif problems := refusals(part, engine):
            reasons[key] = f"engine {engine.name} cannot honour {'; '.join(map(str, problems))}"
    return reasons


def _other_version(engine: Engine) -> str:
    """What is said of an engine whose kernel has another version of BBR; empty: it is the first, or no kernel's."""
    number = engine.versions.get(_BBR, 1) if isinstance(engine, KernelEngine) else 1
    other = f"version {number}" if number else "a version that is not known"
    return "" if number == 1 else f"studies are about version 1 of bbr, and that of the engine {engine.name} is {other}"


def _is_version_3(variant: str) -> bool:
    return base_name(variant) == "bbr3"


def _has_bbr(experiment: Experiment) -> bool:
    runs = (resolve(point, experiment.seed_values[0]).run for point in expand(experiment))
    return any(flow.cc is not None and flow.cc.algorithm == _BBR for run in runs for flow in run.flows)


def honoured(study: Study, engine: Engine) -> dict[str, Experiment]:
    """The experiments, each with the versions that an engine can honour; without those that have none.

    Those of a short form have the document's tools as workloads, where the engine can run programs.
    """
    study = with_programs(study, engine)
    cannot = refused(study.parts(), engine)
    honoured_experiments = {}
    for title in study.experiments:
        variants = [variant for variant in study.variants if (title, variant) not in cannot]
        if variants:
            honoured_experiments[title] = study.part(title, variants)
    return honoured_experiments


_Looked: TypeAlias = tuple[str, Planned, Result | FailedRun | None]
"""A run's id, the run, and its outcome; None where it is not there."""


def _by_seed(study: Study, experiment: Experiment, store: Store, engine: Engine) -> Iterator[tuple[int, list[_Looked]]]:
    """The runs of a part of a study, of each seed that it asks for, and of whole seeds after these."""
    identity, points = engine.identity(), list(expand(experiment))

    def looked(seed: int) -> Iterator[_Looked]:
        for point in points:
            planned = Planned(point.values, resolve(point, seed, live=engine.live))
            run_id = run_key(planned, engine, identity)["run_id"]
            yield run_id, planned, store.get(run_id, planned.point)

    for seed in experiment.seed_values:
        yield seed, list(looked(seed))
    if study.seeds is None:
        for seed in count(max(experiment.seed_values) + 1):
            runs = list(takewhile(lambda run: run[-1] is not None, looked(seed)))
            if len(runs) < len(points):
                return
            yield seed, runs


def _observed(planned: Planned, result: Result, study: Study, store: Store) -> RunData:
    return RunData(
        point={
            study.places.get(path, path): value for path, value in planned.point.items() if path != study.manifest.axis
        },
        result=result,
        flow_series=partial(store.flow_series, result.run_id),
        queue_series=partial(store.queue_series, result.run_id),
        ack_series=partial(store.ack_series, result.run_id),
        ss_series=partial(store.ss_series, result.run_id) if planned.resolved.run.measure.ss_ns else None,
        capture_series=None
        if planned.resolved.run.measure.snap_bytes is None
        else partial(capture_series, store, result.run_id),
        bdp_bytes=planned.resolved.bdp_bytes,
    )


def distinct_runs(experiments: Iterable[Experiment], engine: Engine) -> Iterator[tuple[str, Run]]:
    """The id of each run and the run, in the order in which `run` begins them; those that are shared, once."""
    identity = engine.identity()
    seen: set[str] = set()
    for *_, planned in agenda(list(experiments), live=engine.live):
        run_id = run_key(planned, engine, identity)["run_id"]
        if run_id not in seen:
            seen.add(run_id)
            yield run_id, planned.resolved.run


def count_runs(study: Study, engine: Engine) -> int:
    """How many runs a study has that an engine can honour."""
    return sum(1 for _ in distinct_runs(honoured(study, engine).values(), engine))


def remaining_packets(study: Study, store: Store | None, engine: Engine, *, fresh: bool = False) -> Iterator[float]:
    """The work that remains in each run that an engine can honour, in the order in which `run` begins them.

    In packets, to which the time of a run is nearly proportional on every engine that has a virtual clock; 0 for a run
    that the store has, unless `fresh`. Without a store all of it remains.
    """
    for run_id, each in distinct_runs(honoured(study, engine).values(), engine):
        yield 0.0 if store is not None and not fresh and store.finished(run_id) else packets(each)


def run(  # noqa: PLR0913 (a study, where it is measured, and how)
    study: Study,
    store: Store,
    engine: Engine | str,
    jobs: int | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    fresh: bool = False,
    measured: Callable[[Result], None] = lambda _: None,
    left_out: Callable[[str, Sequence[str]], None] | None = None,
) -> list[FailedRun]:
    """Carries out the runs that the store does not have, all of them if `fresh`, and returns those that failed.

    `progress` is called once for each run, those that the store has too, with the work that it was, in packets;
    `measured` with each result that is new. What the engine cannot honour, of an experiment with a version of the
    algorithm, is left out; the claims about it are then not testable. An engine that builds paths has them looked at
    first: `left_out` is called with each experiment of which a path is not as asked, and with what is wrong.

    Raises:
        UnknownEngine: there is no such engine in this version.
        StudyError: paths are not as asked, of all experiments, or of one where there is no `left_out`; or the study is
            about another version of BBR than the engine has.
        EngineFailure: a path cannot be looked at, or the first runs failed alike.
    """
    chosen = engine_named(engine) if isinstance(engine, str) else engine
    chosen.allows_programs = True  # those of the package's own files
    other = _other_version(chosen)
    about_1 = not all(map(_is_version_3, study.variants))
    if other and about_1 and any(map(_has_bbr, study.experiments.values())):
        raise StudyError(f"{study.name}: {other}")
    experiments = honoured(study, chosen)
    crooked = _crooked(experiments, store, chosen, fresh=fresh)
    if crooked and (left_out is None or crooked.keys() == experiments.keys()):
        deviations = dict.fromkeys(each for own in crooked.values() for each in own)
        raise StudyError("nothing was measured, because paths are not as asked:\n" + "\n".join(deviations))
    if left_out is not None:
        for title, why in crooked.items():
            left_out(title, why)
    experiments = {title: each for title, each in experiments.items() if title not in crooked}
    failures: list[FailedRun] = []
    seen: set[str] = set()
    with closing(run_experiments(store, list(experiments.values()), chosen, jobs=jobs, fresh=fresh)) as finished:
        for run_id, each, outcome in finished:
            if outcome is not None and outcome.status == "failed":
                failures.append(outcome)
            elif outcome is not None:
                measured(outcome)
            if progress and run_id not in seen:
                progress(0.0 if outcome is None else packets(each))
            seen.add(run_id)
    return failures


def _crooked(
    experiments: Mapping[str, Experiment], store: Store, engine: Engine, *, fresh: bool
) -> dict[str, list[str]]:
    """The experiments with a path that is not as asked, and in what.

    Packet trains tell it, on engines that build paths, of each path on which runs are missing; on hosts a flow at each
    rate does.

    Raises:
        EngineFailure: a path could not be looked at.
    """
    if not isinstance(engine, ProbingEngine | CarryingEngine):
        return {}
    missing = {
        title: [run for run_id, run in distinct_runs([each], engine) if fresh or not store.finished(run_id)]
        for title, each in experiments.items()
    }
    wrong = {
        checked.run.canonical(): [f"{checked.requested}: {deviation}" for deviation in checked.deviations]
        for checked in check_paths(engine, chain.from_iterable(missing.values()))
        if checked.deviations
    }
    paths = {title: dict.fromkeys(path_of(run).canonical() for run in runs) for title, runs in missing.items()}
    deviations = {title: [each for path in own for each in wrong.get(path, ())] for title, own in paths.items()}
    return {title: each for title, each in deviations.items() if each}
