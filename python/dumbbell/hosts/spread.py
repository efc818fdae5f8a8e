"""How far engines are from what was measured on real hosts: runs them at its points, and takes differences together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any, Final

from dumbbell.campaign.execution import run_campaign
from dumbbell.comparison.agreement import groups_of, versions
from dumbbell.comparison.campaigns import side_of
from dumbbell.comparison.record import Side
from dumbbell.engines.protocol import Engine
from dumbbell.experiment.points import ExperimentRuns, point_key, runs_of
from dumbbell.hosts.columns import Measurand
from dumbbell.hosts.points import HostMeasurements
from dumbbell.hosts.record import HostPoint, HostRecord
from dumbbell.metrics.distribution import median_interval, quantile
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from dumbbell.results.values import fair_shares_of
from dumbbell.spec import Experiment, load, resolve
from dumbbell.units import NS_PER_S

STARVED: Final = 0.1
"""A group starves with less than so much of what it would have if all flows had the same."""
TAIL: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSpread:
    """Differences over points: shares, or points / 100."""

    n: int
    bias: float
    """Their median, with its sign."""
    interval: tuple[float, float]
    """Of the bias, 95 % (order statistics)."""
    median: float
    """Of their sizes."""
    p90: float
    most: float


@dataclass(frozen=True, slots=True)
class ComparedEngine:
    """An engine that is compared with measured points."""

    engine: Engine
    seeds: int | None = None
    """Seeds 1 to this many; None: the spec's own."""
    instead: Mapping[str, Any] = field(default_factory=dict)
    """What it has in the place of fields of the spec that it cannot honour, by path."""

    def experiment_of(self, measurements: HostMeasurements) -> Experiment:
        overrides = dict(self.instead) | ({} if self.seeds is None else {"seeds": self.seeds})
        return load(measurements.experiment, overrides=overrides) if overrides else measurements.experiment


def hold(
    measurements: HostMeasurements, store: Store, engines: Sequence[ComparedEngine], *, jobs: int | None = None,
    progress: Callable[[], None] | None = None,
) -> HostRecord:  # fmt: skip
    """Runs what is missing on each engine, and sets it beside what was measured.

    Raises:
        EngineFailure: the first runs on an engine failed alike.
    """
    engine_runs: list[tuple[Engine, ExperimentRuns]] = []
    for each in engines:
        experiment = each.experiment_of(measurements)
        with closing(run_campaign(store, experiment, each.engine, jobs=jobs, progress=progress)) as outcomes:
            engine_runs.append((each.engine, runs_of(store, experiment, each.engine.name, outcomes)))
    return host_record(measurements, store, engine_runs)


def host_record(
    measurements: HostMeasurements, store: Store, engine_runs: Sequence[tuple[Engine, ExperimentRuns]]
) -> HostRecord:  # fmt: skip
    """Sets each engine's runs, which are in the store, beside what was measured; points without runs have no values."""
    failures = [
        f"{engine.name}: {each.text} ({each.place})"
        for engine, runs in engine_runs
        for each in runs.notices
        if each.kind == "failure"
    ]
    points = tuple(host_points(measurements, {engine.name: runs for engine, runs in engine_runs}))
    settings = {path: tuple(dict.fromkeys(each.setting[path] for each in points)) for path in measurements.settings}
    return HostRecord(
        versions=versions(), title=measurements.experiment.name, file=measurements.file, head=measurements.head,
        sides=tuple(_side(store, engine, runs) for engine, runs in engine_runs), settings=settings, points=points,
        failures=tuple(failures),
    )  # fmt: skip


def spread(points: Sequence[HostPoint], engine: str) -> HostSpread | None:
    """The differences of an engine at these points; None without any."""
    differences = [each for point in points if (each := point.difference(engine)) is not None]
    if not differences:
        return None
    sizes = list(map(abs, differences))
    return HostSpread(
        n=len(sizes), bias=median(differences), interval=median_interval(differences), median=median(sizes),
        p90=quantile(sizes, TAIL), most=max(sizes),
    )  # fmt: skip


def host_points(measurements: HostMeasurements, runs: Mapping[str, ExperimentRuns]) -> Iterator[HostPoint]:
    """Each number that was measured, with what engines, by name, have there."""
    by_point = {engine: {point_key(each.swept): each for each in own.points} for engine, own in runs.items()}
    for point, rows in measurements.points():
        there = {engine: own.get(point_key(point.values)) for engine, own in by_point.items()}
        resolved = resolve(point, measurements.experiment.seed_values[0])
        path, fair = resolved.run.path, fair_shares_of(resolved)
        place: dict[str, Any] = {
            "setting": {field: point.values[field] for field in measurements.settings},
            "rate_bps": path.rate_bps,
            "rtt_s": fmean(resolved.base_rtts_ns()) / NS_PER_S,
            "buffer_bdp": path.buffer_bytes / resolved.bdp_bytes,
            "groups": groups_of(resolved),
        }
        for row in rows:
            for measurand, number in row.measured.items():
                yield HostPoint(
                    **place, line=row.line, at=dict(row.at), notes=dict(row.notes), trials=row.trials,
                    quantity=measurand.quantity, group=measurand.group, of_rate=measurand.of_rate,
                    measured=number.value, sd=number.sd,
                    starves_below=_starves_below(measurand, path.rate_bps, fair),
                    values={
                        engine: tuple(_values(each, measurand, path.rate_bps)) if each else ()
                        for engine, each in there.items()
                    },
                )  # fmt: skip


def _values(runs: MeasuredPoint, measurand: Measurand, rate_bps: int) -> list[float]:
    known = runs.known(measurand.quantity, measurand.group)
    return [value / rate_bps for value in known] if measurand.of_rate else known


def _starves_below(measurand: Measurand, rate_bps: int, fair_shares: Mapping[str, float]) -> float | None:
    fair = fair_shares.get(measurand.group)
    if fair is None or measurand.quantity not in ("goodput", "share"):
        return None
    return STARVED * fair * (1 if measurand.of_rate or measurand.quantity == "share" else rate_bps)


def _side(store: Store, engine: Engine, runs: ExperimentRuns) -> Side:
    ids = [run_id for point in runs.points for run_id in point.run_ids.values()]
    seeds = sorted({seed for point in runs.points for seed in (*point.run_ids, *point.errors)})
    return side_of(store, engine, seeds, ids).model_copy(update={"figures": None})  # no figures of runs are recorded
