"""The points of an experiment: what was measured at each, by quantity, group and seed, what failed, what is missing."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from dumbbell.campaign.plan import count
from dumbbell.engines.family import is_live
from dumbbell.metrics.catalogue import HARMS, OF_GROUP, OF_RUN, QUANTITIES, Quantity, Setup, group_values, run_values
from dumbbell.metrics.sharing import fair_shares
from dumbbell.metrics.statistics import Estimate, estimate
from dumbbell.results.campaign import Campaign
from dumbbell.results.disturbance import validity
from dumbbell.results.harm import AloneValues, alone_values, harms_of, point_key
from dumbbell.results.measured import PAGE, MeasuredPoint, measured
from dumbbell.results.outcomes import outcomes_of
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Point, Resolved, SpecError, expand, resolve
from dumbbell.spec.point_text import point_text
from dumbbell.spec.resolved import start_jitter_ns
from dumbbell.units import NS_PER_S

_SetupOfSeed: TypeAlias = Callable[[int], Setup]

MOST_READ_IN_FULL = 5_000
"""Runs of a campaign of which everything is read."""
MOST_LISTED = 10_000
"""Runs of an experiment of which the missing ones are still told by name."""
GROUP_COLUMNS = ("goodput", "share", "rtt")
"""What a page shows of each group of a point, and of its runs."""
BY_SIZES = ("goodput", "share")
"""What the sizes of transfers decide where a run lasts until they are done."""
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
    fair_shares: Mapping[str, float] = field(default_factory=dict)
    """What each group would have of the goodput if all flows had the same, see `fair_shares_of`; empty where nothing
    says what is fair."""
    run_ids: dict[int, str] = field(default_factory=dict)
    """Of the runs that were measured, by seed."""
    failed: list[int] = field(default_factory=list)
    """Seeds of those that were not."""
    suspect: list[int] = field(default_factory=list)
    """Seeds of those that were measured in real time, and disturbed."""
    measured: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """One value a run by quantity and group, in base units and in the order of `run_ids`: NaN where a run has none,
    and no list where none has one. All quantities of the catalogue; the group of what belongs to the path is empty."""

    @property
    def text(self) -> str:
        return point_text(self.swept)

    def values(self, quantity: Quantity, group: str = "") -> list[float]:
        """A value a seed in the quantity's unit; without a group the path's, or that of the only group."""
        return [quantity.factor * value for value in self._values(quantity.name, group)]

    def estimate(self, name: str, group: str = "") -> Estimate | None:
        """The mean over seeds of a quantity of the catalogue, in base units; None where no run has one.

        None also of a time that a run did not see the end of.

        Where a group is named and the quantity is the path's, it is the path's.
        """
        values = self.known(name, group)
        return estimate(values) if values else None

    def known(self, name: str, group: str = "") -> list[float]:
        """What `estimate` is made of: a value a run that has one."""
        return self._values(name, "" if QUANTITIES[name].of == "run" else group)

    def _values(self, name: str, group: str) -> list[float]:
        values = self.measured.get((name, group), [])
        if not (group or values):
            values = next((self.measured[name, own] for own in self.ccs if (name, own) in self.measured), [])
        known = [value for value in values if not math.isnan(value)]
        return [] if QUANTITIES[name].needs_all and len(known) < len(values) else known


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
    spec: Mapping[str, Any] = field(default_factory=dict)
    """The same as it was written, key by key."""

    @property
    def measured(self) -> int:
        return sum(len(point.run_ids) for point in self.points)

    @property
    def failed(self) -> int:
        return sum(len(point.failed) for point in self.points)

    @property
    def validity(self) -> str:
        """How many runs in real time were left alone; empty of runs in virtual time.

        >>> ExperimentRuns(name="two", engine="netns").validity
        '0 VALID, 0 SUSPECT'
        """
        suspect = sum(len(point.suspect) for point in self.points)
        return f"{self.measured - suspect} VALID, {suspect} SUSPECT" if is_live(self.engine) else ""

    @property
    def total(self) -> int:
        finished = self.measured + self.failed
        if self.experiment is None:
            return finished
        return max(finished, len(self.experiment) * len(self.experiment.seed_values))

    @property
    def groups(self) -> list[str]:
        """Names of the groups, in order."""
        return list(dict.fromkeys(group for point in self.points for group in point.ccs))

    @property
    def axes(self) -> list[str]:
        """The swept fields, in order."""
        return list(dict.fromkeys(path for point in self.points for path in point.swept))

    @property
    def decided(self) -> set[str]:
        """Quantities that say nothing of who is better, as the spec's sizes decide them.

        A share where any group has so much to send and the run lasts until it is done, a goodput where all have.
        """
        if self.experiment is None or "until done" not in _every(self.experiment.get("duration")):
            return set()
        finite = [
            any(not isinstance(each, str) and {"transfer", "arrivals"} & each.keys() for each in _every(workload))
            for workload in self.experiment.of_groups("workload")
        ]
        return set(BY_SIZES) if all(finite) else {"share"} if any(finite) else set()

    @property
    def columns(self) -> list[tuple[Quantity, str]]:
        """Each quantity that its table shows, with its group; senders one at a time share a column."""
        alone = all(len(point.ccs) <= 1 for point in self.points)
        groups = [""] if alone and len(self.groups) > 1 else self.groups
        of_groups = [name for name in GROUP_COLUMNS if name not in self.decided and not (alone and name == "share")]
        shown = [(QUANTITIES[name], group) for group in groups for name in of_groups]
        shown += [(QUANTITIES[name], "") for name in RUN_COLUMNS]
        return [key for key in shown if any(point.values(*key) for point in self.points)]

    @property
    def knows_harm(self) -> bool:
        """Whether groups were measured alone, too."""
        return any(name in HARMS for point in self.points for name, _ in point.measured)

    def missing(self) -> list[str]:
        """The runs that are not there yet, in words; empty also where there are too many runs to list."""
        if self.experiment is None or not 0 < self.total <= MOST_LISTED:
            return []
        there = {point_key(point.swept): {*point.run_ids, *point.failed} for point in self.points}
        return [
            point_text(point.values, seed)
            for point in expand(self.experiment)
            for seed in self.experiment.seed_values
            if seed not in there.get(point_key(point.values), ())
        ]


def _every(value: object) -> Sequence[Any]:
    """The values of a field that may be swept."""
    return value if isinstance(value, list) else [value]


def read(
    store: Store, experiment: str | None = None, progress: Callable[[int], None] = lambda _: None
) -> list[ExperimentRuns]:
    """The current campaigns of a store, or those of one experiment, by its name or label.

    `progress` is called with how many points were read.

    Raises:
        StoreError: there is no such experiment.
    """
    return [read_campaign(store, each, progress=progress) for each in store.campaigns(experiment=experiment)]


def read_campaign(
    store: Store, campaign: Campaign, experiment: Experiment | None = None, *, in_full: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> ExperimentRuns:  # fmt: skip
    """One campaign of a store; `experiment`: those of its runs that it asks for, which may have fewer seeds.

    Of one with more than `MOST_READ_IN_FULL` runs there is only what is in the ledger's columns: not what follows from
    resolved runs, as fair shares and the queueing delay do, and no harm; unless `in_full`. `progress` is called with
    how many points were read.
    """
    if is_large(store, campaign, experiment) and not in_full:
        pages = read_pages(store, campaign, experiment)
        runs = next(pages)
        progress(len(runs.points))
        for page in pages:
            runs.points += page.points
            runs.notices = page.notices
            progress(len(page.points))
        return runs
    runs = _of_campaign(campaign, experiment)
    seeds = None if experiment is None else experiment.seed_values
    _fill(runs, outcomes_of(store.ledger, campaign.id, seeds), alone_values(store.ledger, campaign.id))
    progress(len(runs.points))
    return runs


def is_large(store: Store, campaign: Campaign, experiment: Experiment | None = None) -> bool:
    """Whether there are so many runs that only the ledger's columns are read."""
    return (store.size(campaign) if experiment is None else count(experiment)) > MOST_READ_IN_FULL


def read_pages(
    store: Store, campaign: Campaign, experiment: Experiment | None = None, names: Sequence[str] = (*OF_RUN, *OF_GROUP)
) -> Iterator[ExperimentRuns]:
    """The same by the ledger's columns, about `PAGE` runs at a time; one page at least. `names`: of the catalogue.

    Each page has all notices so far.
    """
    notices: dict[tuple[str, str], Notice] = {}
    page, runs = _of_campaign(campaign, experiment), 0
    seeds = None if experiment is None else experiment.seed_values
    for point in measured(store.ledger, campaign, names, seeds):
        if runs >= PAGE:
            yield replace(page, notices=_sorted(notices))
            page, runs = replace(page, points=[]), 0
        page.points.append(_point(point, notices, campaign.engine))
        runs += len(point.run_ids) + len(point.errors)
    yield replace(page, notices=_sorted(notices))


def _point(point: MeasuredPoint, notices: dict[tuple[str, str], Notice], engine: str) -> PointRuns:
    for seed, texts in point.warnings.items():
        _note(notices, "warning", texts, point_text(point.swept, seed))
    for seed, error in point.errors.items():
        _note(notices, "failure", [error], point_text(point.swept, seed))
    return PointRuns(
        swept=point.swept, ccs=point.ccs, sizes=point.sizes, run_ids=point.run_ids, failed=list(point.errors),
        measured=point.numbers,
        suspect=[seed for seed, texts in point.warnings.items() if validity(engine, texts) == "SUSPECT"],
    )  # fmt: skip


def _of_campaign(campaign: Campaign, experiment: Experiment | None = None) -> ExperimentRuns:
    if experiment is not None:
        return ExperimentRuns(
            name=experiment.name, engine=campaign.engine, experiment=experiment, spec=experiment.fields()
        )
    runs = ExperimentRuns(name=campaign.label, engine=campaign.engine, spec=campaign.spec)
    with suppress(SpecError):  # as with traces, which need files
        runs.experiment = Experiment(**campaign.spec)
    return runs


def _note(notices: dict[tuple[str, str], Notice], kind: str, texts: Iterable[str], place: str) -> None:
    """Adds what a run says; what differs in a number only, as that of its flows, is one notice."""
    said: dict[tuple[str, str], str] = {}
    for text in texts:
        said.setdefault((kind, _NUMBER.sub("#", text)), text)
    for key, text in said.items():
        notices.setdefault(key, Notice(kind, text, place)).runs += 1


def _sorted(notices: Mapping[tuple[str, str], Notice]) -> list[Notice]:
    return sorted(notices.values(), key=lambda notice: notice.kind)


def campaign_runs(
    campaign: Campaign, outcomes: Iterable[Result | FailedRun], alone: AloneValues = MappingProxyType({})
) -> ExperimentRuns:
    """The runs of a campaign of a store; `alone`: what its groups have by themselves."""
    runs = _of_campaign(campaign)
    _fill(runs, outcomes, alone)
    return runs


def runs_of(
    experiment: Experiment,
    engine: str,
    outcomes: Iterable[Result | FailedRun],
    alone: AloneValues = MappingProxyType({}),
) -> ExperimentRuns:
    """The runs of an experiment on an engine, whatever their campaigns; `alone`: what its groups have by themselves."""
    runs = ExperimentRuns(name=experiment.name, engine=engine, experiment=experiment, spec=experiment.fields())
    _fill(runs, outcomes, alone)
    return runs


def fair_shares_of(resolved: Resolved) -> dict[str, float]:
    """What each group of a run would have of the goodput if at any time all flows that are there had the same.

    Empty of a run with one group, and of one where a flow does not always take what it gets: a workload that ends or
    pauses, or a line of its own that is slower than an equal part of the path.
    """
    run, jitter_ns = resolved.run, resolved.start_jitter_ns
    equal_bps = min([run.path.rate_bps, *(change.rate_bps for change in run.path.changes)]) / len(run.flows)
    greedy = all(
        flow.workload == "bulk" and (not flow.access or flow.access.rate_bps >= equal_bps) for flow in run.flows
    )
    if not greedy or len(set(resolved.groups)) == 1:
        return {}
    begin_ns, end_ns = run.measure.window_begin_ns, run.measure.window_end_ns
    times: dict[str, list[tuple[float, float]]] = {group: [] for group in resolved.groups}
    for group, flow in zip(resolved.groups, run.flows, strict=True):
        start_ns = flow.start_ns - start_jitter_ns(run.seed, flow.name, jitter_ns)  # every seed has the same
        stop_ns = end_ns if flow.stop_ns is None else flow.stop_ns
        times[group].append((max(start_ns, begin_ns), min(stop_ns, end_ns)))
    return {group: share for group, share in fair_shares(times).items() if share is not None}


def _fill(runs: ExperimentRuns, outcomes: Iterable[Result | FailedRun], alone: AloneValues) -> None:
    points: dict[str, PointRuns] = {}
    setups: dict[str, _SetupOfSeed] = {}
    numbers = defaultdict[str, list[dict[tuple[str, str], float]]](list)
    notices: dict[tuple[str, str], Notice] = {}
    planned = {} if runs.experiment is None else {point_key(point.values): point for point in expand(runs.experiment)}
    for outcome in outcomes:
        key = point_key(outcome.point)
        point = points.setdefault(key, PointRuns(swept=outcome.point))
        if isinstance(outcome, Result):
            point.suspect += [outcome.seed] if outcome.validity == "SUSPECT" else []
            if not point.run_ids:
                setups[key] = _describe(point, outcome, runs.spec, planned.get(key))
            point.run_ids[outcome.seed] = outcome.run_id
            numbers[key].append(_numbers(outcome, setups[key](outcome.seed), alone))
        else:
            point.failed.append(outcome.seed)
        kind, texts = ("warning", outcome.warnings) if isinstance(outcome, Result) else ("failure", (outcome.error,))
        if texts:
            _note(notices, kind, texts, point_text(outcome.point, outcome.seed))
    for key, of_runs in numbers.items():
        there = dict.fromkeys(name for each in of_runs for name in each)
        points[key].measured = {name: [each.get(name, math.nan) for each in of_runs] for name in there}
    runs.points = list(points.values())
    runs.notices = _sorted(notices)


def _describe(point: PointRuns, first: Result, spec: Mapping[str, Any], planned: Point | None) -> _SetupOfSeed:
    """Enters what all runs of a point have in common, which the first tells; gives what their quantities need."""
    point.sizes = Counter(flow.name for flow in first.flows)
    point.ccs = {flow.name: flow.cc for flow in first.flows}
    setup = Setup.of_spec(spec, first.point)
    if planned is None:
        return lambda _: setup
    resolved = resolve(planned, first.seed)
    point.fair_shares = fair_shares_of(resolved)
    of_first = replace(Setup.of(resolved.run), random_loss_at=setup.random_loss_at)
    if not resolved.rtt_spread_ns:
        return lambda _: of_first
    return lambda seed: replace(of_first, base_rtts_s=[ns / NS_PER_S for ns in resolved.base_rtts_ns(seed)])


def _numbers(result: Result, setup: Setup, alone: AloneValues) -> dict[tuple[str, str], float]:
    """What a run has, by quantity and group."""
    by_group = {"": run_values(result, setup, OF_RUN), **group_values(result, OF_GROUP)}
    for group, harms in harms_of(result, alone).items():
        by_group[group] |= harms
    return {
        (name, group): value
        for group, values in by_group.items()
        for name, value in values.items()
        if value is not None and QUANTITIES[name].informative(result)
    }
