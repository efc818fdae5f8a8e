"""A study's runs on an engine: which they are, what remains of them, and `studies.run`, which carries them out."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from dumbbell.campaign.execution import FailureWatch, run_campaign
from dumbbell.campaign.plan import plan, run_key
from dumbbell.engines.path_check import check_paths
from dumbbell.engines.registry import engine as engine_named
from dumbbell.errors import StudyError
from dumbbell.spec.quantity import BITS_PER_BYTE, NS_PER_S
from dumbbell.spec.run import TransferWorkload
from dumbbell.studies.gathering import honoured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.schema import FailedRun
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment
    from dumbbell.spec.run import Run
    from dumbbell.studies.study import Study


def distinct_runs(experiments: Iterable[Experiment], engine: Engine) -> Iterator[tuple[str, Run]]:
    """The id of each run and the run, in the order in which `run` carries them out; those that are shared, once."""
    identity = engine.identity()
    seen: set[str] = set()
    for experiment in experiments:
        for planned in plan(experiment):
            run_id = run_key(planned, engine, identity)["run_id"]
            if run_id not in seen:
                seen.add(run_id)
                yield run_id, planned.resolved.run


def count_runs(study: Study, engine: Engine) -> int:
    """How many runs a study has that an engine can honour."""
    return sum(1 for _ in distinct_runs(honoured(study, engine).values(), engine))


def packets(run: Run) -> float:
    """What the bottleneck can carry at its first rate, or less where no flow sends on after its transfer."""
    carried_bytes = run.path.rate_bps * run.duration_ns / NS_PER_S / BITS_PER_BYTE
    transfers = [flow.workload.transfer.bytes for flow in run.flows if isinstance(flow.workload, TransferWorkload)]
    asked_bytes = sum(transfers) if len(transfers) == len(run.flows) else carried_bytes
    return min(carried_bytes, asked_bytes) / run.path.frame_bytes


def run(  # noqa: PLR0913 (a study, where it is measured, and how)
    study: Study,
    store: Store,
    engine: Engine | str,
    jobs: int | None = None,
    progress: Callable[[], None] | None = None,
    *,
    fresh: bool = False,
) -> list[FailedRun]:
    """Carries out the runs that the store does not have, all of them if `fresh`, and returns those that failed.

    `progress` is called once for each run, those that the store has too. What the engine cannot honour, of an
    experiment with a version of the algorithm, is left out; the claims about it are then not testable. An engine
    that builds paths has them looked at first.

    Raises:
        UnknownEngine: there is no such engine in this version.
        StudyError: a path is not as asked.
        EngineFailure: a path cannot be looked at, or the first runs failed alike.
    """
    chosen = engine_named(engine) if isinstance(engine, str) else engine
    experiments = honoured(study, chosen)
    _check_paths(experiments.values(), store, chosen, fresh=fresh)
    failures: list[FailedRun] = []
    seen: set[str] = set()
    watch = FailureWatch()
    for experiment in experiments.values():
        outcomes = run_campaign(store, experiment, chosen, jobs=jobs, fresh=fresh, failures=watch)
        with closing(outcomes):
            for outcome in outcomes:
                if outcome.status == "failed":
                    failures.append(outcome)
                if progress and outcome.run_id not in seen:
                    progress()
                seen.add(outcome.run_id)
    return failures


def _check_paths(experiments: Iterable[Experiment], store: Store, engine: Engine, *, fresh: bool) -> None:
    """Has packet trains sent through each path on which runs are missing, by engines that build paths.

    Raises:
        StudyError: paths are not as asked; it says which, and in what.
        EngineFailure: a path could not be looked at.
    """
    missing = (each for run_id, each in distinct_runs(experiments, engine) if fresh or not store.finished(run_id))
    wrong = [
        f"{checked.asked}: {deviation}" for checked in check_paths(engine, missing) for deviation in checked.deviations
    ]
    if wrong:
        raise StudyError("nothing was measured, because paths are not as asked:\n" + "\n".join(wrong))
