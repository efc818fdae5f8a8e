"""What a store has, read once for a report: by experiment and point, what was measured, failed, is missing."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.loss import has_random_loss, loss_at, random_loss
from dumbbell.results.schema import Result
from dumbbell.spec import Experiment, SpecError, expand
from dumbbell.spec.sweep import Grid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dumbbell.results.schema import FailedRun
    from dumbbell.results.store import Store

MOST_LISTED = 10_000
"""Runs of an experiment of which the missing ones are still told by name."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(slots=True, kw_only=True)
class PointRuns:
    """The runs at one point of a sweep."""

    swept: Mapping[str, Any]
    """Each swept value as the spec wrote it."""
    ccs: Mapping[str, str] = field(default_factory=dict)
    """Each group's algorithm."""
    run_ids: dict[int, str] = field(default_factory=dict)
    """Of the runs that were measured, by seed."""
    failed: list[int] = field(default_factory=list)
    """Seeds of those that were not."""
    measured: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """One value a seed by quantity and group; the group of what belongs to the path is empty."""

    @property
    def words(self) -> str:
        """Where it is."""
        return place(self.swept)


@dataclass(slots=True)
class Notice:
    """A warning or a failure, and in how many runs it was."""

    kind: str
    text: str
    """As the first run had it."""
    place: str
    """The first run."""
    runs: int = 0


@dataclass(slots=True, kw_only=True)
class Contents:
    """One experiment on one engine."""

    name: str
    engine: str
    points: list[PointRuns] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    experiment: Experiment | None = None
    """What was asked; None where the store does not tell."""

    @property
    def there(self) -> int:
        """Runs that were measured."""
        return sum(len(point.run_ids) for point in self.points)

    @property
    def failed(self) -> int:
        """Runs that failed."""
        return sum(len(point.failed) for point in self.points)

    @property
    def total(self) -> int:
        """Runs that were asked for."""
        asked = self.there + self.failed
        return asked if self.experiment is None else max(asked, runs_of(self.experiment))

    @property
    def groups(self) -> list[str]:
        """Names of the groups, in order."""
        return list(dict.fromkeys(group for point in self.points for group in point.ccs))

    @property
    def axes(self) -> list[str]:
        """The swept fields, in order."""
        return list(dict.fromkeys(path for point in self.points for path in point.swept))

    @property
    def seeds(self) -> list[int]:
        """Every seed of a run that is there, in order."""
        return sorted({seed for point in self.points for seed in (*point.run_ids, *point.failed)})

    def missing(self) -> list[str]:
        """The runs that are not there yet, in words; empty also where there are too many runs to tell."""
        if self.experiment is None or not 0 < self.total <= MOST_LISTED:
            return []
        there = {_key(point.swept): {*point.run_ids, *point.failed} for point in self.points}
        return [
            place(point.values, seed)
            for point in expand(self.experiment)
            for seed in self.experiment.seed_values
            if seed not in there.get(_key(point.values), ())
        ]


def read(store: Store) -> list[Contents]:
    """The current campaigns of a store."""
    found = []
    for campaign in store.campaigns():
        contents = Contents(name=campaign.label, engine=campaign.engine)
        _fill(contents, store.outcomes_of(campaign.id), campaign.spec)
        with suppress(SpecError):  # as with traces, which need files
            contents.experiment = Experiment(**campaign.spec)
        found.append(contents)
    return found


def contents_of(experiment: Experiment, engine: str, outcomes: Iterable[Result | FailedRun]) -> Contents:
    """The runs of an experiment on an engine, whatever their campaigns."""
    contents = Contents(name=experiment.name, engine=engine, experiment=experiment)
    _fill(contents, outcomes, experiment.words())
    return contents


def runs_of(experiment: Experiment) -> int:
    """How many runs an experiment has."""
    return len(Grid.of(experiment)) * len(experiment.seed_values)


def place(values: Mapping[str, Any], seed: int | None = None) -> str:
    """A point, or a run of it, in words."""
    parts = [f"{path} = {value if isinstance(value, str) else json.dumps(value)}" for path, value in values.items()]
    return ", ".join([*parts, *([] if seed is None else [f"seed {seed}"])])


def _fill(contents: Contents, outcomes: Iterable[Result | FailedRun], spec: Mapping[str, Any]) -> None:
    points: dict[str, PointRuns] = {}
    notices: dict[tuple[str, str], Notice] = {}
    for outcome in outcomes:
        point = points.setdefault(_key(outcome.point), PointRuns(swept=outcome.point))
        if isinstance(outcome, Result):
            point.run_ids[outcome.seed] = outcome.run_id
            point.ccs = point.ccs or {flow.name: flow.cc for flow in reversed(outcome.flows)}
            for key, value in _values(outcome, spec):
                point.measured.setdefault(key, []).append(value)
            told: Sequence[tuple[str, str]] = [("warning", text) for text in outcome.warnings]
        else:
            point.failed.append(outcome.seed)
            told = [("failure", outcome.error)]
        for kind, text in told:  # those that differ in a number only are told once
            notice = notices.setdefault(
                (kind, _DIGITS.sub("#", text)), Notice(kind, text, place(outcome.point, outcome.seed))
            )
            notice.runs += 1
    contents.points = list(points.values())
    contents.notices = sorted(notices.values(), key=lambda notice: notice.kind)
    for point in contents.points:
        point.ccs = dict(reversed(list(point.ccs.items())))


def _values(result: Result, spec: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], float]]:
    """The numbers of a run that a table shows; what does not exist is left out."""
    bottleneck = result.bottleneck
    counts = (bottleneck.random_lost_packets, bottleneck.offered_packets, bottleneck.sent_packets)
    path = {
        "loss": bottleneck.loss_rate,
        "random": random_loss(*counts, loss_at(spec, result.point)) if has_random_loss(spec) else None,
        "queue": bottleneck.queue_mean_bdp,
        "utilization": bottleneck.utilization,
        "jain": result.jain if len(result.flows) > 1 else None,
    }
    yield from (((quantity, ""), value) for quantity, value in path.items() if value is not None)
    for name, group in result.groups.items():
        rtts_s = [flow.rtt_mean_s for flow in result.flows if flow.name == name and flow.rtt_mean_s is not None]
        own = {"goodput": group.goodput_bps, "share": group.share, "rtt": fmean(rtts_s) if rtts_s else None}
        yield from (((quantity, name), value) for quantity, value in own.items() if value is not None)


def _key(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False)
