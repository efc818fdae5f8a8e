"""One side of a comparison: the runs that a selection has, with every quantity of the catalogue, as pandas frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from dumbbell.comparison.selection import (
    CC,
    ENGINE,
    EXPERIMENT,
    IDENTITY,
    SELECTION_KEYS,
    Exchange,
    Selection,
    group_of,
    is_cc,
    unknown,
)
from dumbbell.errors import ComparisonError
from dumbbell.metrics.catalogue import HARMS, OF_RUN
from dumbbell.problem import suggestion
from dumbbell.results.campaign import Campaign, campaigns
from dumbbell.results.frames import stored_runs
from dumbbell.results.harm import harms_of
from dumbbell.results.ledger import Ledger
from dumbbell.results.store import Store

RUN_COLUMNS: Final = ("run_id", "engine", "seed", "point", "error", "warned", "key", "groups")


@dataclass(frozen=True, slots=True)
class Point:
    """A point of an experiment on an engine."""

    experiment: str
    engine: str
    swept: Mapping[str, Any]
    """Each swept value as the spec wrote it, but for algorithms that are exchanged."""


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of a selection."""

    selection: Selection
    points: list[Point]
    runs: pd.DataFrame
    """A row a run: `run_id`, `engine`, `seed`, `point` (its index), `error` (None: it was measured), `warned`, its
    request's `key` and `groups`, and the quantities of a whole run."""
    groups: pd.DataFrame
    """A row a group of a run that was measured: `run` (its row), `position`, `name`, and the quantities of a group."""
    facts: list[dict[str, Any]]
    """Where the runs come from, each origin once."""

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def engines(self) -> list[str]:
        """Those that measured the runs."""
        return list(dict.fromkeys(point.engine for point in self.points))

    def point_of(self, run: int) -> Point:
        """Where the run of a row belongs."""
        return self.points[int(self.of(run, "point"))]

    def of(self, run: int, column: str) -> Any:  # noqa: ANN401 (whatever the column has)
        """What the run of a row has in a column."""
        return self.runs[column].iloc[run]

    def origins(self, name: str) -> list[str]:
        """The different values that one fact has."""
        return list(dict.fromkeys(str(each[name]) for each in self.facts if each.get(name) is not None))


def read(selection: Selection, exchanged: Sequence[Exchange] = ()) -> Side:
    """The runs that a selection has. Points do not tell algorithms apart that are exchanged.

    Raises:
        ComparisonError: there is no such run.
        StoreError: it is no store, of another schema, or damaged.
    """
    with Store.open(selection.folder) as store:
        chosen = {each.id: each for each in _campaigns(store.ledger, selection)}
        runs, groups = stored_runs(store.ledger, list(chosen))
        harms = harms_of(store.ledger, chosen)
        facts: dict[int, str] = dict(map(tuple, store.ledger.rows("SELECT id, facts FROM provenance")))
    points: list[Point] = []
    numbers: dict[tuple[int, str], int] = {}
    every = []
    for id_, point, text in runs[["campaign", "point", "request_groups"]].drop_duplicates().itertuples(index=False):
        values, parts = json.loads(point), json.loads(text)
        every.append((parts, values))
        if (id_, point) in numbers or not all(_has(*each, parts, values) for each in selection.wanted.items()):
            continue
        numbers[id_, point] = len(points)
        hidden = {f"flows[{index}].cc" for index, _ in exchanged_groups(parts, exchanged)}
        swept = {path: value for path, value in values.items() if path not in hidden}
        points.append(Point(chosen[id_].label, chosen[id_].engine, swept))
    if not points:
        raise _nothing(selection, every)
    runs["point"] = [numbers.get(key) for key in zip(runs["campaign"], runs["point"], strict=True)]
    runs = runs[runs["point"].notna()].drop_duplicates("run").set_index("run").astype({"point": int})
    measured = runs.index[runs["error"].isna()]
    groups = groups[groups["run"].isin(measured)].drop_duplicates(["run", "position"]).reset_index(drop=True)
    rows = pd.Series(range(len(runs)), runs.index)
    named = list(zip(groups["run"].map(runs["run_id"]), groups["name"], strict=True)) if harms else []
    for name in HARMS:
        groups[name] = np.array([harms.get(each, {}).get(name) for each in named], dtype=float) if harms else np.nan
    return Side(
        selection,
        points,
        runs.assign(engine=[points[point].engine for point in runs["point"]])
        .rename(columns={"request_key": "key", "request_groups": "groups"})
        .reset_index(drop=True)[[*RUN_COLUMNS, *OF_RUN]],
        groups.assign(run=groups["run"].map(rows)),
        [json.loads(facts[int(each)]) for each in runs["provenance"].unique()],
    )


def _campaigns(ledger: Ledger, selection: Selection) -> list[Campaign]:
    """Those that the store shows; with an identity wanted, those of its builds, superseded or not."""
    wanted, stored = selection.wanted, campaigns(ledger)
    for key, names in (
        (EXPERIMENT, [name for each in stored for name in (each.experiment, each.label)]),
        (ENGINE, [each.engine for each in stored]),
    ):
        if key in wanted and wanted[key] not in names:
            what = f'has no run of {key} "{wanted[key]}"; {suggestion(wanted[key], list(dict.fromkeys(names)))}'
            raise ComparisonError(f"{selection.text}: {what}")
    matching = [
        each
        for each in stored
        if (EXPERIMENT not in wanted or each.called(wanted[EXPERIMENT]))
        and each.engine == wanted.get(ENGINE, each.engine)
        and each.identity.startswith(wanted.get(IDENTITY, ""))
    ]
    there = {each.id for each in matching}
    return [
        each
        for each in matching
        if not (each.hidden or each.replaced_by in there)
        and (each.alone_of is None or each.label == wanted.get(EXPERIMENT))
    ]


def _nothing(selection: Selection, points: Sequence[tuple[list[dict[str, Any]], dict[str, Any]]]) -> ComparisonError:
    """What is wrong with a selection of no run; `points` are the groups and swept values that it could have had."""
    swept = list(dict.fromkeys(path for _, values in points for path in values))
    for name, value in selection.wanted.items():
        if is_cc(name):
            known = list(dict.fromkeys(group["cc"] for groups, _ in points for group in groups))
        elif name not in (*SELECTION_KEYS, *swept):
            return unknown(selection, name, swept)
        else:
            known = list(dict.fromkeys(str(values[name]) for _, values in points if name in values))
        if known and value not in known:
            return ComparisonError(f"{selection.text}: no run has {name} = {value}; {suggestion(value, known)}")
    what = "no run is so" if selection.wanted else "there is no run in it yet"
    return ComparisonError(f"{selection.text}: {what}")


def exchanged_groups(groups: Sequence[Mapping[str, Any]], exchanges: Sequence[Exchange]) -> list[tuple[int, Exchange]]:
    """The groups whose algorithm is what is compared, by position, with the exchange that concerns each."""
    return [
        (index, exchange)
        for index, group in enumerate(groups)
        for exchange in [next((each for each in exchanges if each.concerns(index, group["cc"])), None)]
        if exchange is not None
    ]


def _has(key: str, value: str, groups: Sequence[Mapping[str, Any]], point: Mapping[str, Any]) -> bool:
    """Whether a point is as one condition of a selection says; those about its campaign are met."""
    if key in (ENGINE, EXPERIMENT, IDENTITY):
        return True
    if key == CC:
        return any(group["cc"] == value for group in groups)
    index = group_of(key)
    if index is not None:
        return index < len(groups) and bool(groups[index]["cc"] == value)
    return key in point and str(point[key]) == value
