"""Quantities of the catalogue of all runs of a campaign, point by point: a hundred thousand runs in two seconds.

They are computed as arrays, and only the columns are read that the quantities asked for are made of.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from dumbbell.metrics.catalogue import BEFORE, QUANTITIES, Group, Setup, has_random_loss, loss_at
from dumbbell.results.campaign import positions, seeds_in
from dumbbell.results.ledger import Ledger, listed

if TYPE_CHECKING:
    from dumbbell.metrics.statistics import Floats
    from dumbbell.results.campaign import Campaign

TWO: Final = 2
PAGE: Final = 1000
"""Runs that are read together."""
_MEMBERS: Final = "WHERE campaign = ? AND member.position >= ? AND member.position < ?"


@dataclass(slots=True)
class MeasuredPoint:
    """The runs of a campaign at one point."""

    swept: dict[str, Any]
    """Each swept value as the spec wrote it."""
    run_ids: dict[int, str]
    """Of the runs that were measured, by seed."""
    errors: dict[int, str]
    """Of those that failed, by seed."""
    warnings: dict[int, list[str]]
    """Of those that have any, by seed."""
    ccs: dict[str, str]
    """Each group's algorithm."""
    sizes: dict[str, int]
    """Each group's number of flows."""
    numbers: dict[tuple[str, str], list[float]]
    """One a run that was measured, in base units, by quantity and group, "" of what belongs to the path; NaN where a
    run has none, and no list where none has one."""


def measured(
    ledger: Ledger, campaign: Campaign, names: Sequence[str], seeds: Collection[int] | None = None
) -> Iterator[MeasuredPoint]:
    """The points of a campaign in the order of expansion, with these quantities of the catalogue; `seeds`: of these.

    Those that follow from a resolved run, as the queueing delay does, are not among them. `PAGE` runs are in memory at
    a time, or those of one point.
    """
    every = seeds_in(ledger, campaign.id)
    places = [place for place, seed in enumerate(every) if seeds is None or seed in seeds]
    members = (
        f"{_MEMBERS} AND member.position % {len(every)} IN ({listed(places)})" if len(places) < len(every) else _MEMBERS
    )
    for part in positions(ledger, campaign.id, PAGE):
        page = _Page(ledger, part, _needed(tuple(names)), members)
        groups = list(zip(page.groups, page.ccs, page.sizes.tolist(), strict=True))
        every_number = (*page.of_runs(names, campaign), *page.of_groups(names))
        columns = {name: values for name, values in every_number if not np.isnan(values).all()}
        gaps = [name for name, values in columns.items() if np.isnan(values).any()]
        numbers = {name: values.tolist() for name, values in columns.items()}
        yield from _points(page.rows, groups, page.group_counts.tolist(), numbers, gaps)


class _Page:
    """The runs of a part of a campaign, and the columns of theirs that are needed."""

    def __init__(
        self, ledger: Ledger, part: tuple[int, int, int], needed: Mapping[str, Sequence[str]], members: str
    ) -> None:
        def read(heads: Sequence[str], table: str, join: str, order: str) -> tuple[list[Any], dict[str, Floats]]:
            """Some columns of a table as they are, and those that are needed as arrays."""
            columns = [*heads, *(f"{table}.{name}" for name in needed[table])]
            query = f"SELECT {listed(columns)} FROM member JOIN {join} {members} ORDER BY member.position{order}"  # noqa: S608 (our names)
            fetched: list[Any] = list(zip(*ledger.rows(query, *part), strict=True)) or [()] * len(columns)
            arrays = zip(needed[table], fetched[len(heads) :], strict=True)
            return fetched[: len(heads)], {name: np.array(values, float) for name, values in arrays}

        (points, run_ids, seeds, errors, warnings, places), self._runs = read(
            ("point", "run_id", "seed", "error", "warnings", "member.position"), "run", "run ON run.id = member.run", ""
        )
        self.rows = list(zip(points, run_ids, seeds, errors, warnings, strict=True))
        is_measured = np.array([error is None for error in errors], bool)
        self._points = [point for point, error in zip(points, errors, strict=True) if error is None]
        self._runs = {name: values[is_measured] for name, values in self._runs.items()}
        place = {position: at for at, position in enumerate(np.array(places, int)[is_measured].tolist())}
        (owners, self.groups), self._groups = read(
            ("member.position", "flow_group.name"), "flow_group", "flow_group ON flow_group.run = member.run",
            ", flow_group.position",
        )  # fmt: skip
        (flow_owners, names, ccs), self._flows = read(
            ("member.position", "flow.name", "cc"), "flow", "flow ON flow.run = member.run", ", flow.flow"
        )
        row_of = {key: row for row, key in enumerate(zip(owners, self.groups, strict=True))}
        group = np.array([row_of[key] for key in zip(flow_owners, names, strict=True)], int)
        self.sizes = np.bincount(group, minlength=len(owners))
        self._first_flow = np.concatenate([[0], np.cumsum(self.sizes)])[:-1]
        self.ccs = [ccs[first] if size else "" for first, size in zip(self._first_flow, self.sizes, strict=True)]
        self._run = np.array([place[owner] for owner in owners], int)
        self.group_counts = np.bincount(self._run, minlength=len(self._points))
        self._flow_counts = np.bincount(self._run, self.sizes, len(self._points))

    def of_runs(self, names: Iterable[str], campaign: Campaign) -> Iterator[tuple[str, Floats]]:
        """Each quantity of a whole run, a number a run that was measured."""
        total = len(self._points)
        nth = np.arange(len(self._run)) - np.concatenate([[0], np.cumsum(self.group_counts)])[self._run]
        by_group = []
        for place in range(max(self.group_counts, default=0)):
            own = {name: np.full(total, np.nan) for name in self._groups}
            for name, values in self._groups.items():
                own[name][self._run[nth == place]] = values[nth == place]
            by_group.append(own)
        at = np.array(_loss_at(self._points, campaign))
        for name in names:
            formula, column = QUANTITIES[name].of_run, np.full(total, np.nan)
            if formula is None:
                continue
            for where in np.unique(at):
                mask = at == where
                runs = SimpleNamespace(**{key: values[mask] for key, values in self._runs.items()})
                parts = {k: SimpleNamespace(**{n: v[mask] for n, v in own.items()}) for k, own in enumerate(by_group)}
                summary: Any = SimpleNamespace(bottleneck=runs, groups=parts, flows=(), **vars(runs))
                value = formula(summary, Setup(random_loss_at=str(where) or None))
                if value is not None:
                    column[mask] = value
            several = {"groups": self.group_counts, "flows": self._flow_counts, None: np.full(total, TWO)}
            column[several[QUANTITIES[name].needs_several] < TWO] = np.nan
            yield name, column

    def of_groups(self, names: Iterable[str]) -> Iterator[tuple[str, Floats]]:
        """Each quantity of a group, a number a group."""
        columns = {name: np.full(len(self.groups), np.nan) for name in names if QUANTITIES[name].of_group}
        for size in np.unique(self.sizes):
            mask = self.sizes == size
            flows: Any = [
                SimpleNamespace(**{n: v[self._first_flow[mask] + nth] for n, v in self._flows.items()})
                for nth in range(size)
            ]
            own: Any = SimpleNamespace(**{name: values[mask] for name, values in self._groups.items()})
            for name, values in columns.items():
                formula = QUANTITIES[name].of_group
                value = formula(Group(own, flows)) if formula else None
                if value is not None:
                    values[mask] = value
        several = {"groups": self.group_counts, "flows": self._flow_counts}
        for name, values in columns.items():
            needed = QUANTITIES[name].needs_several
            if needed:
                values[several[needed][self._run] < TWO] = np.nan
            yield name, values


def _points(
    rows: Sequence[tuple[Any, ...]],
    groups: Sequence[tuple[str, str, int]],
    counts: Sequence[int],
    numbers: Mapping[str, list[float]],
    gaps: Sequence[str],
) -> Iterator[MeasuredPoint]:
    """`gaps` are the quantities that some runs have not."""
    firsts = [0, *accumulate(counts)]
    of_runs = [(name, "") for name in numbers if QUANTITIES[name].of_run]
    of_groups = [name for name in numbers if not QUANTITIES[name].of_run]
    begin = 0
    for text, members in groupby(rows, itemgetter(0)):
        runs = list(members)
        run_ids = {seed: run_id for _, run_id, seed, error, _ in runs if error is None}
        end = begin + len(run_ids)
        first, last = firsts[begin], firsts[end]
        own = groups[first : firsts[begin + 1]] if run_ids else ()
        several = len(own)
        values = {key: numbers[key[0]][begin:end] for key in of_runs}
        for nth, (group, _, _) in enumerate(own):
            for name in of_groups:
                values[name, group] = numbers[name][first + nth : last : several]
        for name in gaps:
            for key in (name, ""), *((name, group) for group, _, _ in own):
                if key in values and _is_empty(values[key]):
                    del values[key]
        yield MeasuredPoint(
            json.loads(text),
            run_ids,
            {} if end - begin == len(runs) else {seed: error for _, _, seed, error, _ in runs if error is not None},
            {seed: json.loads(warned) for _, _, seed, _, warned in runs if warned},
            {name: cc for name, cc, _ in own},
            {name: size for name, _, size in own},
            values,
        )
        begin = end


def _is_empty(values: Sequence[float]) -> bool:
    return all(value != value for value in values)  # noqa: PLR0124 (NaN)


def _loss_at(points: Sequence[str], campaign: Campaign) -> list[str]:
    """Where each run loses packets at random, empty if nowhere."""
    if not has_random_loss(campaign.spec):
        return [""] * len(points)
    places = {text: loss_at(campaign.spec, json.loads(text)) for text in set(points)}
    return [places[text] for text in points]


class _Probe:
    """Numbers that note under which names they are asked for."""

    def __init__(self, **others: object) -> None:
        self.names: dict[str, None] = {}
        self.__dict__.update(others)

    def __getattr__(self, name: str) -> Floats:
        self.names[name] = None
        return np.array([np.nan])


@cache
def _needed(names: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each table that formulas ask for, found by trying them."""
    run, group, flow = _Probe(), _Probe(), _Probe()
    summary: Any = _Probe(bottleneck=run, groups={"": group}, flows=())
    part: Any = Group(cast("Any", group), cast("Any", [flow]))
    for quantity in (QUANTITIES[name] for name in names):
        if quantity.of_run:
            quantity.of_run(summary, Setup(random_loss_at=BEFORE))
        if quantity.of_group:
            quantity.of_group(part)
    return {"run": [*run.names, *summary.names], "flow_group": list(group.names), "flow": list(flow.names)}
