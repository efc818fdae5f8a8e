"""Quantities of the catalogue of all runs of a campaign, point by point, as they were stored with each run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dumbbell.metrics.catalogue import OF_GROUP, OF_RUN, QUANTITIES, has_random_loss
from dumbbell.results.campaign import positions, seeds_in
from dumbbell.results.ledger import Ledger, listed

if TYPE_CHECKING:
    from dumbbell.results.campaign import Campaign

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

    `PAGE` runs are in memory at a time, or those of one point.
    """
    every = seeds_in(ledger, campaign.id)
    places = [place for place, seed in enumerate(every) if seeds is None or seed in seeds]
    members = (
        f"{_MEMBERS} AND member.position % {len(every)} IN ({listed(places)})" if len(places) < len(every) else _MEMBERS
    )
    of_runs = [name for name in names if name in OF_RUN and (name != "random_loss" or has_random_loss(campaign.spec))]
    of_groups = [name for name in names if name in OF_GROUP]
    run_columns = [*("point", "run_id", "seed", "error", "warnings"), *(f"run_value.{name}" for name in of_runs)]
    group_columns = ["member.position", "name", "cc", "flows", *(f"group_value.{name}" for name in of_groups)]
    run_query = (
        f"SELECT {listed(run_columns)} FROM member JOIN run ON run.id = member.run"  # noqa: S608 (our names)
        f" LEFT JOIN run_value ON run_value.run = member.run {members} ORDER BY member.position"
    )
    group_query = (
        f"SELECT {listed(group_columns)} FROM member JOIN group_value ON group_value.run = member.run"  # noqa: S608
        f" {members} ORDER BY member.position, group_value.position"
    )
    for part in positions(ledger, campaign.id, PAGE):
        *heads, errors, warnings, run_values = _columns(ledger.rows(run_query, *part), 5)
        owners, group_names, ccs, sizes, group_values = _columns(ledger.rows(group_query, *part), 4)
        is_measured = np.array([error is None for error in errors], bool)
        numbers = dict(zip(of_runs, (values[is_measured] for values in run_values), strict=False))
        numbers |= dict(zip(of_groups, group_values, strict=False))
        known = {name: values for name, values in numbers.items() if not np.isnan(values).all()}
        gaps = [name for name, values in known.items() if np.isnan(values).any()]
        groups = list(zip(group_names, ccs, sizes, strict=True))
        counts = [len(list(own)) for _, own in groupby(owners)]
        rows = list(zip(*heads, errors, warnings, strict=True))
        yield from _points(rows, groups, counts, {name: values.tolist() for name, values in known.items()}, gaps)


def _columns(rows: Sequence[Any], heads: int) -> tuple[Any, ...]:
    """The first columns of rows as they are, and a list of the others as arrays, where NaN is null."""
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * heads
    return (*columns[:heads], [np.array(values, float) for values in columns[heads:]])


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
