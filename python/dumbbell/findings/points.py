"""The points of an experiment: what was measured at each, by quantity, group and seed, what failed, what is missing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from dumbbell.metrics.catalogue import QUANTITIES, Quantity, Setup, group_values, run_values
from dumbbell.metrics.sharing import shares
from dumbbell.results.listing import point_text
from dumbbell.results.outcomes import outcomes_of
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError, expand
from dumbbell.spec.sweep import Grid

MOST_LISTED = 10_000
"""Runs of an experiment of which the missing ones are still told by name."""
GROUP_COLUMNS = ("goodput", "share", "rtt")
RUN_COLUMNS = ("loss", "random_loss", "queue", "utilization", "jain")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(slots=True, kw_only=True)
class PointRuns:
    """The runs at one point of a sweep."""

    swept: Mapping[str, Any]
    """Each swept value as the spec wrote it."""
    ccs: Mapping[str, str] = field(default_factory=dict)
    """Each group's algorithm."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Each group's number of flows."""
    run_ids: dict[int, str] = field(default_factory=dict)
    """Of the runs that were measured, by seed."""
    failed: list[int] = field(default_factory=list)
    """Seeds of those that were not."""
    measured: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """One value a seed by quantity and group; the group of what belongs to the path is empty."""

    @property
    def words(self) -> str:
        """Its swept values."""
        return point_text(self.swept)

    @property
    def fair_shares(self) -> dict[str, float | None]:
        """Each group's share of the goodput if all flows had the same: its share of the flows."""
        return shares(self.sizes)

    def values(self, quantity: Quantity, group: str = "") -> list[float]:
        """A value a seed in the quantity's unit; without a group the path's, or that of the only group."""
        groups = (group,) if group else ("", *self.ccs)
        found = next((self.measured[quantity.name, own] for own in groups if (quantity.name, own) in self.measured), [])
        return [quantity.factor * value for value in found]


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
class ExperimentRuns:
    """One experiment on one engine."""

    name: str
    engine: str
    points: list[PointRuns] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    experiment: Experiment | None = None
    """What was asked; None where the store does not tell."""

    @property
    def measured(self) -> int:
        """Runs that were measured."""
        return sum(len(point.run_ids) for point in self.points)

    @property
    def failed(self) -> int:
        """Runs that failed."""
        return sum(len(point.failed) for point in self.points)

    @property
    def total(self) -> int:
        """Runs that were asked for."""
        asked = self.measured + self.failed
        if self.experiment is None:
            return asked
        return max(asked, len(Grid.of(self.experiment)) * len(self.experiment.seed_values))

    @property
    def groups(self) -> list[str]:
        """Names of the groups, in order."""
        return list(dict.fromkeys(group for point in self.points for group in point.ccs))

    @property
    def axes(self) -> list[str]:
        """The swept fields, in order."""
        return list(dict.fromkeys(path for point in self.points for path in point.swept))

    @property
    def columns(self) -> list[tuple[Quantity, str]]:
        """Each quantity that its table shows, with its group; senders one at a time share a column."""
        alone = all(len(point.ccs) <= 1 for point in self.points)
        groups = [""] if alone and len(self.groups) > 1 else self.groups
        of_groups = [name for name in GROUP_COLUMNS if not (alone and name == "share")]
        shown = [(QUANTITIES[name], group) for group in groups for name in of_groups]
        shown += [(QUANTITIES[name], "") for name in RUN_COLUMNS]
        return [key for key in shown if any(point.values(*key) for point in self.points)]

    def missing(self) -> list[str]:
        """The runs that are not there yet, in words; empty also where there are too many runs to list."""
        if self.experiment is None or not 0 < self.total <= MOST_LISTED:
            return []
        there = {_key(point.swept): {*point.run_ids, *point.failed} for point in self.points}
        return [
            point_text(point.values, seed)
            for point in expand(self.experiment)
            for seed in self.experiment.seed_values
            if seed not in there.get(_key(point.values), ())
        ]


def read(store: Store) -> list[ExperimentRuns]:
    """The current campaigns of a store."""
    found = []
    for campaign in store.campaigns():
        runs = ExperimentRuns(name=campaign.label, engine=campaign.engine)
        _fill(runs, outcomes_of(store.ledger, campaign.id), campaign.spec)
        with suppress(SpecError):  # as with traces, which need files
            runs.experiment = Experiment(**campaign.spec)
        found.append(runs)
    return found


def runs_of(experiment: Experiment, engine: str, outcomes: Iterable[Result | FailedRun]) -> ExperimentRuns:
    """The runs of an experiment on an engine, whatever their campaigns."""
    runs = ExperimentRuns(name=experiment.name, engine=engine, experiment=experiment)
    _fill(runs, outcomes, experiment.words())
    return runs


def _fill(runs: ExperimentRuns, outcomes: Iterable[Result | FailedRun], spec: Mapping[str, Any]) -> None:
    points: dict[str, PointRuns] = {}
    notices: dict[tuple[str, str], Notice] = {}
    for outcome in outcomes:
        point = points.setdefault(_key(outcome.point), PointRuns(swept=outcome.point))
        if isinstance(outcome, Result):
            _add(point, outcome, spec)
        else:
            point.failed.append(outcome.seed)
        kind, texts = ("warning", outcome.warnings) if isinstance(outcome, Result) else ("failure", [outcome.error])
        for text in texts:  # those that differ in a number only are one notice
            notice = notices.setdefault(
                (kind, _NUMBER.sub("#", text)), Notice(kind, text, point_text(outcome.point, outcome.seed))
            )
            notice.runs += 1
    runs.points = list(points.values())
    runs.notices = sorted(notices.values(), key=lambda notice: notice.kind)


def _add(point: PointRuns, result: Result, spec: Mapping[str, Any]) -> None:
    """Adds the numbers of a run that a table shows; what does not exist is left out."""
    point.run_ids[result.seed] = result.run_id
    if not point.ccs:
        first = {flow.name: flow.cc for flow in reversed(result.flows)}
        point.ccs = dict(reversed(first.items()))
        point.sizes = Counter(flow.name for flow in result.flows)
    names = [name for name in RUN_COLUMNS if QUANTITIES[name].informative(result)]
    by_group = {
        "": run_values(result, Setup.of_words(spec, result.point), names),
        **group_values(result, GROUP_COLUMNS),
    }
    for group, values in by_group.items():
        for name, value in values.items():
            if value is not None:
                point.measured.setdefault((name, group), []).append(value)


def _key(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False)
