"""One run on an engine: what becomes of it, in this process or in one beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dumbbell.campaign.plan import Planned, RunKey, run_key
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.protocol import CapturingEngine, Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.engines.workers import WorkerLostError, Workers
from dumbbell.errors import EngineFailure
from dumbbell.metrics.summary import summarise
from dumbbell.results.disturbance import validity
from dumbbell.results.run_rows import RunRows
from dumbbell.results.schema import FailedRun, Outcome, Result
from dumbbell.results.series import SeriesFolder
from dumbbell.results.validity import warnings
from dumbbell.spec import Resolved, Run


def execute(planned: Planned, engine: Engine, identity: str) -> tuple[Outcome, Measurement | None]:
    """Measures one run and summarises it; gives what it was summarised from, too."""
    return _measure(planned.resolved, run_key(planned, engine, identity), engine.measure)


def measured(engine: Engine, resolved: Resolved, key: RunKey, store: Path) -> tuple[Outcome, RunRows]:
    """Measures one run: its outcome, and what a store has of it; captures are in the store's folder already."""
    if not (resolved.run.measure.is_captured and isinstance(engine, CapturingEngine)):
        outcome, measurement = _measure(resolved, key, engine.measure)
        return outcome, RunRows.of(outcome, resolved, measurement)
    series = SeriesFolder(store)
    with series.captures() as folder:
        outcome, measurement = _measure(resolved, key, lambda run: engine.capture(run, folder))
        rows = RunRows.of(outcome, resolved, measurement)
        return outcome, rows if measurement is None else rows.captured(series, sorted(folder.iterdir()))


def simulated(store: Path, *tasks: tuple[Resolved, RunKey]) -> list[tuple[Outcome, RunRows]]:
    """What a worker answers; the series are in the store's folder, and the runs are not in its ledger yet."""
    engine, folder = SimEngine(), SeriesFolder(store)
    every = (measured(engine, resolved, key, store) for resolved, key in tasks)
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


def _measure(
    resolved: Resolved, key: RunKey, measure: Callable[[Run], Measurement]
) -> tuple[Outcome, Measurement | None]:
    began = time.perf_counter()
    try:
        measurement = measure(resolved.run)
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
        validity=validity(key["engine"], warning_texts),
    )
    return result, measurement
