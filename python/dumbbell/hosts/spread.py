"""How far engines are from what was measured on real hosts: runs them at its points, and takes differences together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, Final

from dumbbell.campaign.execution import run_campaign
from dumbbell.comparison.agreement import versions
from dumbbell.comparison.record import Group, Side
from dumbbell.engines.protocol import Engine
from dumbbell.findings.points import ExperimentRuns, PointRuns, runs_of
from dumbbell.hosts.columns import Measurand
from dumbbell.hosts.points import HostMeasurements
from dumbbell.hosts.record import HostPoint, HostRecord
from dumbbell.metrics.distribution import median_interval, quantile
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Point, load, resolve
from dumbbell.units import NS_PER_S

STARVED: Final = 0.1
"""A group starves with less than so much of what it would have if all flows had the same."""
TAIL: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
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


def hold(
    measurements: HostMeasurements, store: Store, engines: Sequence[tuple[Engine, int | None]], *,
    jobs: int | None = None, progress: Callable[[], None] | None = None,
) -> HostRecord:  # fmt: skip
    """Runs what is missing on each engine, with so many seeds or the spec's own, and sets it beside what was measured.

    Raises:
        EngineFailure: the first runs on an engine failed alike.
    """
    found: dict[str, ExperimentRuns] = {}
    sides, failures = [], []
    for engine, seeds in engines:
        asked = seeded(measurements.experiment, seeds)
        with closing(run_campaign(store, asked, engine, jobs=jobs, progress=progress)) as outcomes:
            runs = found[engine.name] = runs_of(asked, engine.name, outcomes)
        failures += [f"{engine.name}: {each.text} ({each.place})" for each in runs.notices if each.kind == "failure"]
        sides.append(_side(store, engine, asked, runs))
    points = tuple(_host_points(measurements, found))
    settings = {path: tuple(dict.fromkeys(each.setting[path] for each in points)) for path in measurements.settings}
    return HostRecord(
        versions=versions(), title=measurements.experiment.name, file=measurements.file, head=measurements.head,
        sides=tuple(sides), settings=settings, points=points, failures=tuple(failures),
    )  # fmt: skip


def seeded(experiment: Experiment, seeds: int | None) -> Experiment:
    """With the seeds 1 to `seeds`, or its own."""
    return experiment if seeds is None else load(experiment, overrides={"seeds": seeds})


def spread(points: Sequence[HostPoint], engine: str) -> Spread | None:
    """The differences of an engine at these points; None without any."""
    differences = [each for point in points if (each := point.difference(engine)) is not None]
    if not differences:
        return None
    sizes = list(map(abs, differences))
    return Spread(
        n=len(sizes), bias=median(differences), interval=median_interval(differences), median=median(sizes),
        p90=quantile(sizes, TAIL), most=max(sizes),
    )  # fmt: skip


def _host_points(measurements: HostMeasurements, runs: dict[str, ExperimentRuns]) -> Iterator[HostPoint]:
    for index, (point, rows) in enumerate(measurements.points()):
        own = {engine: each.points[index] for engine, each in runs.items()}
        first = next(iter(own.values()))
        facts = _facts(measurements, point, first)
        for row in rows:
            for measurand, told in row.measured.items():
                yield HostPoint(
                    **facts, line=row.line, at=dict(row.at), notes=dict(row.notes), quantity=measurand.quantity,
                    group=measurand.group, of_rate=measurand.of_rate, measured=told.value, sd=told.sd,
                    starves_below=_starves_below(measurand, facts["rate_bps"], first),
                    values={engine: tuple(_values(each, measurand, facts["rate_bps"])) for engine, each in own.items()},
                )  # fmt: skip


def _facts(measurements: HostMeasurements, point: Point, runs: PointRuns) -> dict[str, Any]:
    resolved = resolve(point, measurements.experiment.seed_values[0])
    path = resolved.run.path
    return {
        "setting": {path: point.values[path] for path in measurements.settings},
        "rate_bps": path.rate_bps,
        "rtt_s": fmean(resolved.base_rtts_ns()) / NS_PER_S,
        "buffer_bdp": path.buffer_bytes / resolved.bdp_bytes,
        "groups": tuple(Group(name=name, cc=cc, flows=runs.sizes[name]) for name, cc in runs.ccs.items()),
    }


def _values(runs: PointRuns, measurand: Measurand, rate_bps: int) -> list[float]:
    known = runs.known(measurand.quantity, measurand.group)
    return [value / rate_bps for value in known] if measurand.of_rate else known


def _starves_below(measurand: Measurand, rate_bps: int, runs: PointRuns) -> float | None:
    fair = runs.fair_shares.get(measurand.group)
    if fair is None or measurand.quantity not in ("goodput", "share"):
        return None
    return STARVED * fair * (1 if measurand.of_rate or measurand.quantity == "share" else rate_bps)


def _side(store: Store, engine: Engine, asked: Experiment, runs: ExperimentRuns) -> Side:
    facts = [store.provenance(run_id) for point in runs.points for run_id in point.run_ids.values()]
    known = [each if isinstance(each := fact.get("measured_on"), dict) else {} for fact in facts]
    alike = {
        key: value
        for key, value in (known[0] if known else {}).items()
        if all(each.get(key) == value for each in known)
    }
    return Side(engine=engine.name, identity=engine.identity(), seeds=tuple(asked.seed_values), measured_on=alike)
