"""Quantities of the catalogue of many runs, point by point, as they were stored with each run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from dumbbell.metrics.catalogue import HARMS, OF_GROUP, OF_HOP, OF_RUN, QUANTITIES, Quantity, has_random_loss
from dumbbell.metrics.statistics import Estimate, estimate
from dumbbell.results.campaign import Places, places, strays
from dumbbell.results.harm import Harms, harms_of
from dumbbell.results.ledger import Ledger, listed
from dumbbell.spec.point_text import point_text

if TYPE_CHECKING:
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.schema import Outcome

MOST_MEMBERS: Final = 100_000
"""Of a campaign, of which few are read that have no trouble."""
PAGE: Final = 1000
"""Runs that are read together."""
STORED: Final = (*OF_RUN, *OF_GROUP, *HARMS)
"""The quantities that a store has."""
_RUN: Final = ("point", "run_id", "seed", "error", "warnings")
_Numbers: TypeAlias = dict[tuple[str, str], list[float]]
_GROUP: Final = ("nth", "name", "cc", "flows", "fair_share")


@dataclass(slots=True, kw_only=True)
class MeasuredPoint:
    """The runs of an experiment at one point."""

    swept: Mapping[str, Any]
    """Each swept value as the spec wrote it."""
    run_ids: dict[int, str] = field(default_factory=dict)
    """Of the runs that were measured, by seed."""
    errors: dict[int, str] = field(default_factory=dict)
    """Of those that failed, by seed."""
    warnings: dict[int, list[str]] = field(default_factory=dict)
    """Of those that have any, by seed."""
    ccs: Mapping[str, str] = field(default_factory=dict)
    """Each group's algorithm."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Each group's number of flows."""
    fair_shares: Mapping[str, float] = field(default_factory=dict)
    """What each group would have if all flows had the same; empty where nothing says what is fair."""
    numbers: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """One a run that was measured, in base units, by quantity and group, "" of what belongs to the path; NaN where a
    run has none, and no list where none has one."""
    hops: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """The same of each queue of a path with several, by the field of its summary (`OF_HOP`) and its name."""

    @property
    def text(self) -> str:
        return point_text(self.swept)

    def joined(self, other: MeasuredPoint) -> MeasuredPoint:
        """With the runs of another point, of seeds that this one has not; sorted by seed."""
        seeds = sorted([*self.run_ids, *other.run_ids])

        def merged(own: _Numbers, others: _Numbers) -> _Numbers:
            numbers = {}
            for key in dict.fromkeys([*own, *others]):
                by_seed: dict[int, float] = {}
                for point, each in ((self, own), (other, others)):
                    by_seed |= zip(point.run_ids, each.get(key) or [math.nan] * len(point.run_ids), strict=True)
                numbers[key] = [by_seed[seed] for seed in seeds]
            return numbers

        run_ids = self.run_ids | other.run_ids
        return replace(
            self, run_ids={seed: run_ids[seed] for seed in seeds}, errors=self.errors | other.errors,
            warnings=self.warnings | other.warnings, numbers=merged(self.numbers, other.numbers),
            hops=merged(self.hops, other.hops),
        )  # fmt: skip

    def values(self, quantity: Quantity, group: str = "") -> list[float]:
        """What `known` gives, in the quantity's unit."""
        return [quantity.factor * value for value in self.known(quantity.name, group)]

    def estimate(self, name: str, group: str = "") -> Estimate | None:
        """The mean over seeds of a quantity of the catalogue, in base units; None where no run has one.

        None also of a time that a run did not see the end of.
        """
        values = self.known(name, group)
        return estimate(values) if values else None

    def by_seed(self, name: str, group: str = "") -> dict[int, float]:
        """The value of each run that has one, in base units."""
        values = zip(self.run_ids, self.numbers.get((name, group), ()), strict=False)
        return {seed: value for seed, value in values if not math.isnan(value)}

    def known(self, name: str, group: str = "") -> list[float]:
        """A value a run that has one; of what belongs to the path the path's, without a group that of the only one."""
        quantity = QUANTITIES[name]
        values = self.numbers.get((name, "" if quantity.of == "run" else group), [])
        if not (group or values):
            values = next((self.numbers[name, own] for own in self.ccs if (name, own) in self.numbers), [])
        known = [value for value in values if not math.isnan(value)]
        return [] if quantity.needs_all and len(known) < len(values) else known


def measured(
    ledger: Ledger, campaign: Campaign, names: Sequence[str] = STORED, seeds: Sequence[int] | None = None,
    page: int | None = None,
) -> Iterator[list[MeasuredPoint]]:  # fmt: skip
    """The points of a campaign in the order of expansion, those of `page` runs at a time (None: `PAGE`), or one.

    `names` are quantities of the catalogue; where harm is among them, that of all runs is in memory. `seeds`: of these
    only, in this order.
    """
    harms = harms_of(ledger, [campaign.id]) if HARMS.keys() & set(names) else {}
    for part in places(ledger, campaign.id, seeds, page or PAGE):
        yield list(_points(ledger, part, campaign.spec, names, harms))


class Trouble(NamedTuple):
    """What runs say of themselves in the same words."""

    swept: Mapping[str, Any]
    """Where one of them is."""
    seed: int
    error: str | None
    """Of runs that failed."""
    warnings: list[str]
    runs: int


def troubles(ledger: Ledger, campaign: Campaign, seeds: Sequence[int] | None = None) -> Iterator[Trouble]:
    """The warnings and failures of a campaign, those that are alike as one, the most frequent first.

    Where a ledger has no other runs they come from an index, without a look at the runs.
    """
    alone = seeds is None and ledger.one("SELECT COUNT(*) = 1 FROM campaign") and not strays(ledger)
    parts = [Places("SELECT NULL", ())] if alone else places(ledger, campaign.id, seeds, MOST_MEMBERS)
    for part in parts:
        own = "" if alone else "JOIN place ON place.run = run.id"
        query = (
            f"WITH place AS ({part.query}), alike AS (SELECT error, warnings, COUNT(*) AS runs, MIN(run_id) AS one"  # noqa: S608 (our names)
            f" FROM run {own} WHERE warnings IS NOT NULL OR error IS NOT NULL GROUP BY warnings, error)"
            " SELECT point, seed, alike.error, alike.warnings, runs FROM alike JOIN run ON run_id = one"
            " JOIN member ON member.run = run.id AND campaign = ? GROUP BY one ORDER BY runs DESC, one"
        )
        for point, seed, error, warnings, runs in ledger.rows(query, *part.values, campaign.id):
            yield Trouble(json.loads(point), seed, error, json.loads(warnings or "[]"), runs)


def measured_runs(
    ledger: Ledger, outcomes: Iterable[Outcome], spec: Mapping[str, Any], harms: Harms
) -> list[MeasuredPoint]:
    """The points of runs, whatever their campaigns, in the order of the first of each, with the harm that is known."""
    by_point: dict[str, list[str]] = {}
    for each in outcomes:
        by_point.setdefault(json.dumps(each.point, ensure_ascii=False), []).append(each.run_id)
    rows = [(run_id, point) for point, run_ids in by_point.items() for run_id in run_ids]
    query = (
        "SELECT key AS nth, run.id AS run, json_extract(value, '$[1]') AS point"
        " FROM json_each(?) JOIN run ON run_id = json_extract(value, '$[0]')"
    )
    return list(_points(ledger, Places(query, [json.dumps(rows)]), spec, STORED, harms))


def _points(
    ledger: Ledger, part: Places, spec: Mapping[str, Any], names: Sequence[str], harms: Harms
) -> Iterator[MeasuredPoint]:
    of_runs = {name: f"run_value.{name}" for name in names if name in OF_RUN}
    if "random_loss" in of_runs and has_random_loss(spec):  # a point without any has 0 in a sweep with some
        of_runs["random_loss"] = "COALESCE(random_loss, 0 * loss)"
    of_groups = {name: f"group_value.{name}" for name in names if name in OF_GROUP}
    joined = "JOIN run ON run.id = place.run LEFT JOIN run_value ON run_value.run = run.id ORDER BY nth"
    runs, run_values = _columns(ledger, part, _RUN, of_runs, joined)
    joined = "JOIN group_value ON group_value.run = place.run ORDER BY nth, group_value.position"
    (owners, *heads), group_values = _columns(ledger, part, _GROUP, of_groups, joined)
    is_measured = np.array([error is None for error in runs[3]], bool)
    of_path, of_group = _known({name: values[is_measured] for name, values in run_values.items()}), _known(group_values)
    gaps = {name for name, values in (of_path | of_group).items() if any(map(math.isnan, values))} | HARMS.keys()
    groups, hops = list(zip(*heads, strict=True)), _hops(ledger, part)
    firsts = [0, *accumulate(len(list(own)) for _, own in groupby(owners))]
    end = 0
    for text, members in groupby(zip(*runs, strict=True), itemgetter(0)):
        own_runs = list(members)
        run_ids = {seed: run_id for _, run_id, seed, error, _ in own_runs if error is None}
        begin, end = end, end + len(run_ids)
        own = groups[firsts[begin] : firsts[begin + 1]] if run_ids else []
        numbers = {(name, ""): values[begin:end] for name, values in of_path.items()}
        for nth, (group, *_) in enumerate(own):
            flows = slice(firsts[begin] + nth, firsts[end], len(own))
            numbers |= {(name, group): values[flows] for name, values in of_group.items()}
            if harms and len(own) > 1:
                known = [harms.get((run_id, group), {}) for run_id in run_ids.values()]
                numbers |= {
                    (name, group): np.array([each.get(name) for each in known], float).tolist() for name in HARMS
                }
        for key in [key for key in numbers if key[0] in gaps or not run_ids]:
            if all(map(math.isnan, numbers[key])):
                del numbers[key]
        yield MeasuredPoint(
            swept=json.loads(text),
            run_ids=run_ids,
            errors={seed: error for _, _, seed, error, _ in own_runs if error is not None},
            warnings={seed: json.loads(warned) for _, _, seed, _, warned in own_runs if warned},
            ccs={name: cc for name, cc, *_ in own},
            sizes={name: flows for name, _, flows, _ in own},
            fair_shares={name: share for name, *_, share in own if share is not None},
            numbers=numbers,
            hops=_of_hops([hops.get(run_id, {}) for run_id in run_ids.values()]),
        )


def _hops(ledger: Ledger, part: Places) -> dict[str, dict[tuple[str, str], float]]:
    """What is known of the queues of each run whose path has several."""
    own: dict[str, dict[tuple[str, str], float]] = {}
    joined = "JOIN run ON run.id = place.run JOIN hop ON hop.run = place.run ORDER BY nth, position"
    for run_id, name, *values in part.rows(ledger, f"run_id, {listed(['name', *OF_HOP], 'hop')}", joined):
        known = {(each, name): value for each, value in zip(OF_HOP, values, strict=True) if value is not None}
        own.setdefault(run_id, {}).update(known)
    return own


def _of_hops(runs: Sequence[Mapping[tuple[str, str], float]]) -> _Numbers:
    keys = dict.fromkeys(key for own in runs for key in own)
    return {key: [own.get(key, math.nan) for own in runs] for key in keys}


def _known(columns: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, list[float]]:
    """Those in which any is known."""
    return {name: values.tolist() for name, values in columns.items() if not np.isnan(values).all()}


def _columns(
    ledger: Ledger, part: Places, heads: Sequence[str], numbers: Mapping[str, str], joined: str
) -> tuple[list[Sequence[Any]], dict[str, np.ndarray[Any, Any]]]:
    """Columns as they are, and arrays of those that are numbers, by their names, where NaN is null."""
    selected = [*heads, *numbers.values()]
    rows = part.rows(ledger, listed(selected), joined)
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(selected)
    arrays = (np.array(values, float) for values in columns[len(heads) :])
    return columns[: len(heads)], dict(zip(numbers, arrays, strict=True))
