"""One run on an engine: what becomes of it, in this process or in one beside it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from dumbbell.campaign.plan import Planned, RunKey, run_key
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.engines.workers import WorkerLostError, Workers
from dumbbell.errors import EngineFailure
from dumbbell.metrics.summary import summarise
from dumbbell.results.disturbance import validity
from dumbbell.results.run_rows import RunRows
from dumbbell.results.schema import FailedRun, Outcome, Result
from dumbbell.results.series import SeriesFolder
from dumbbell.results.validity import warnings
from dumbbell.spec import Resolved


def execute(planned: Planned, engine: Engine, identity: str) -> tuple[Outcome, Measurement | None]:
    """Measures one run and summarises it; gives what it was summarised from, too."""
    return _measure(planned.resolved, engine, run_key(planned, engine, identity))


def measured(engine: Engine, resolved: Resolved, key: RunKey) -> tuple[Outcome, RunRows]:
    """Measures one run: its outcome, and what a store has of it."""
    outcome, measurement = _measure(resolved, engine, key)
    return outcome, RunRows.of(outcome, resolved, measurement)


def simulated(store: Path, *tasks: tuple[Resolved, RunKey]) -> list[tuple[Outcome, RunRows]]:
    """What a worker answers; the series are in the store's folder, and the runs are not in its ledger yet."""
    engine, folder = SimEngine(), SeriesFolder(store)
    every = (measured(engine, resolved, key) for resolved, key in tasks)
    return [(outcome, rows.written(folder)) for outcome, rows in every]


def measured_by_worker(
    workers: Workers, store: Path, tasks: Sequence[tuple[Resolved, RunKey]]
) -> list[tuple[Outcome, RunRows]]:
    """Has a worker measure some runs. One in which it ends leaves a run that failed."""
    began = time.perf_counter()
    try:
        answers: list[tuple[Outcome, RunRows]] = workers.ask(store, *tasks)
    except WorkerLostError as lost:
        if len(tasks) > 1:
            return [answer for task in tasks for answer in measured_by_worker(workers, store, [task])]
        ((resolved, key),) = tasks
        outcome = FailedRun(**key, error=f"its process {lost}", wall_s=time.perf_counter() - began)
        return [(outcome, RunRows.of(outcome, resolved, None))]
    return answers


def _measure(resolved: Resolved, engine: Engine, key: RunKey) -> tuple[Outcome, Measurement | None]:
    began = time.perf_counter()
    try:
        measurement = engine.measure(resolved.run)
    except EngineFailure as failure:
        return FailedRun(**key, error=str(failure), wall_s=time.perf_counter() - began), None
    wall_s = time.perf_counter() - began
    warning_texts = tuple(warnings(resolved.run, measurement, resolved.groups))
    summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
    result = Result(
        **key,
        window_s=summary.window_s,
        flows=summary.flows,
        bottleneck=summary.bottleneck,
        hops=summary.hops,
        groups=summary.groups,
        jain=summary.jain,
        wall_s=wall_s,
        warnings=warning_texts,
        validity=validity(engine.name, warning_texts),
    )
    return result, measurement
