"""The points of an experiment: what was measured at each, by quantity, group and seed, what failed, what is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from dumbbell.engines.family import is_live
from dumbbell.metrics.catalogue import HARMS
from dumbbell.results.campaign import Campaign
from dumbbell.results.disturbance import validity
from dumbbell.results.harm import harms_of
from dumbbell.results.measured import STORED, MeasuredPoint, Trouble, measured, measured_runs, troubles
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError, expand
from dumbbell.spec.point_text import point_text

if TYPE_CHECKING:
    from dumbbell.results.schema import Outcome

MOST_LISTED = 10_000
"""Runs of an experiment of which the missing ones are still told by name."""
BY_SIZES = ("goodput", "share")
"""What the sizes of transfers decide where a run lasts until they are done."""
FIRST = 200
"""Runs of the first rows of a large experiment, of which nobody reads more in a terminal."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


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
    points: list[MeasuredPoint] = field(default_factory=list)
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
        return sum(len(point.errors) for point in self.points)

    @property
    def validity(self) -> str:
        """How many runs in real time were left alone; empty of runs in virtual time.

        >>> ExperimentRuns(name="two", engine="netns").validity
        '0 VALID, 0 SUSPECT'
        """
        verdicts = [validity(self.engine, texts) for point in self.points for texts in point.warnings.values()]
        suspect = verdicts.count("SUSPECT")
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
        return list(dict.fromkeys(chain.from_iterable(map(attrgetter("ccs"), self.points))))

    @property
    def axes(self) -> list[str]:
        """The swept fields, in order."""
        return list(dict.fromkeys(chain.from_iterable(map(attrgetter("swept"), self.points))))

    @property
    def decided(self) -> set[str]:
        """Quantities that say nothing of who is better, as the spec's sizes decide them.

        A share where any group has so much to send and the run lasts until it is done, a goodput where all have.
        """
        if "until done" not in _every(self.spec.get("duration")):
            return set()
        finite = [
            any(not isinstance(each, str) and {"transfer", "arrivals"} & each.keys() for each in _every(workload))
            for workload in (group.get("workload", "bulk") for group in self.spec["flows"])
        ]
        return set(BY_SIZES) if all(finite) else {"share"} if any(finite) else set()

    @property
    def knows_harm(self) -> bool:
        """Whether groups were measured alone, too."""
        return any(name in HARMS for point in self.points for name, _ in point.numbers)

    def missing(self) -> list[str]:
        """The runs that are not there yet, in words; empty also where there are too many runs to list."""
        if self.experiment is None or not 0 < self.total <= MOST_LISTED:
            return []
        there = {point_key(point.swept): {*point.run_ids, *point.errors} for point in self.points}
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
    store: Store, campaign: Campaign, experiment: Experiment | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> ExperimentRuns:  # fmt: skip
    """One campaign of a store; `experiment`: those of its runs that it has too, which may be of fewer seeds.

    `progress` is called with how many points were read.
    """
    seeds = None if experiment is None else experiment.seed_values
    runs = _of_campaign(campaign) if experiment is None else _of_experiment(experiment, campaign.engine)
    points: list[MeasuredPoint] = []
    for page in measured(store.ledger, campaign, STORED, seeds):
        points += page
        progress(len(page))
    return _filled(runs, points)


def read_first(store: Store, campaign: Campaign, experiment: Experiment | None = None) -> ExperimentRuns:
    """The first points, with the notices of all runs; the spec of a large campaign, which takes long, is not read."""
    seeds = None if experiment is None else experiment.seed_values
    spec = campaign.spec if experiment is None else experiment.fields()
    runs = ExperimentRuns(name=campaign.label, engine=campaign.engine, experiment=experiment, spec=spec)
    points = next(measured(store.ledger, campaign, STORED, seeds, FIRST), [])
    return replace(_filled(runs, points), notices=_notices(troubles(store.ledger, campaign, seeds)))


def campaign_runs(store: Store, campaign: Campaign, outcomes: Iterable[Outcome]) -> ExperimentRuns:
    """Some runs of a campaign of a store."""
    harms = harms_of(store.ledger, [campaign.id])
    return _filled(_of_campaign(campaign), measured_runs(store.ledger, outcomes, campaign.spec, harms))


def runs_of(store: Store, experiment: Experiment, engine: str, outcomes: Iterable[Outcome]) -> ExperimentRuns:
    """The runs of an experiment on an engine, whatever their campaigns in a store; without harm."""
    runs = _of_experiment(experiment, engine)
    return _filled(runs, measured_runs(store.ledger, outcomes, runs.spec, {}))


def point_key(values: Mapping[str, Any]) -> str:
    """The swept values of a point, as one text."""
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def _of_experiment(experiment: Experiment, engine: str) -> ExperimentRuns:
    return ExperimentRuns(name=experiment.name, engine=engine, experiment=experiment, spec=experiment.fields())


def _of_campaign(campaign: Campaign) -> ExperimentRuns:
    runs = ExperimentRuns(name=campaign.label, engine=campaign.engine, spec=campaign.spec)
    with suppress(SpecError):  # as with traces, which need files
        runs.experiment = Experiment(**campaign.spec)
    return runs


def _filled(runs: ExperimentRuns, points: list[MeasuredPoint]) -> ExperimentRuns:
    return replace(runs, points=points, notices=_notices(chain.from_iterable(map(_troubles, points))))


def _troubles(point: MeasuredPoint) -> Iterator[Trouble]:
    yield from (Trouble(point.swept, seed, None, texts, 1) for seed, texts in point.warnings.items())
    yield from (Trouble(point.swept, seed, error, [], 1) for seed, error in point.errors.items())


def _notices(troubles: Iterable[Trouble]) -> list[Notice]:
    """What runs say, each once; what differs in a number only, as that of its flows, is one notice."""
    notices: dict[tuple[str, str], Notice] = {}
    for each in troubles:
        kind, texts = ("warning", each.warnings) if each.error is None else ("failure", [each.error])
        firsts: dict[str, str] = {}
        for text in texts:
            firsts.setdefault(_NUMBER.sub("#", text), text)
        for key, text in firsts.items():
            notice = notices.setdefault((kind, key), Notice(kind, text, point_text(each.swept, each.seed)))
            notice.runs += each.runs
    return sorted(notices.values(), key=attrgetter("kind"))
