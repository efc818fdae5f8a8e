"""One side of a comparison: `STORE`, or `STORE@what=value,what=value`, and its runs as pandas frames."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from dumbbell.errors import ComparisonError
from dumbbell.metrics.catalogue import HARMS, OF_RUN, QUANTITIES, Quantity
from dumbbell.problem import quoted, suggestion
from dumbbell.results.campaign import Campaign, campaigns
from dumbbell.results.frames import stored_runs
from dumbbell.results.harm import harms_of
from dumbbell.results.ledger import Ledger
from dumbbell.results.store import Store

ENGINE, EXPERIMENT, IDENTITY, CC = "engine", "experiment", "identity", "cc"
SELECTION_KEYS: Final = (ENGINE, EXPERIMENT, IDENTITY, CC)
"""What selects among any runs; besides, whatever their experiment sweeps, by its path."""
BY_NAME_ONLY: Final = {
    "rtt_p50", "queueing_delay", "power", "converged", "convergence", "starved", "starved_longest", "late_p95",
    "late_max", "stalled", "drops", "random_drops", "loss_events", "first_half", "second_half", "trend", *HARMS,
}  # fmt: skip
"""Quantities that are compared where they are named: others say the same, or there are too many to ask all of them."""
RUN_COLUMNS: Final = ("run_id", "engine", "seed", "point", "error", "warned", "began_s", "key", "groups")
_COMMA = re.compile(r",(?![^\[\]]*\])")
"""One that is not among the parameters of an algorithm."""
_GROUPS_CC = re.compile(r"flows\[([0-9]+)\]\.cc")


@dataclass(frozen=True, slots=True)
class Selection:
    """The current runs of a store for which all of this is so."""

    text: str
    """As it was written."""
    folder: Path
    wanted: Mapping[str, str]
    """Values by one of `SELECTION_KEYS`, or by the path of a swept field."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A congestion control that one side has where the other has another one: this is what is compared."""

    cc: str
    """As the spec has it."""
    group: int | None
    """The only group whose algorithm it is; None: whichever has it."""

    def concerns(self, group: int, cc: str) -> bool:
        return self.cc == cc and self.group in (None, group)


@dataclass(frozen=True, slots=True)
class SelectedPoint:
    """A point of an experiment on an engine."""

    experiment: str
    engine: str
    swept: Mapping[str, Any]
    """Each swept value as the spec wrote it, but for algorithms that are exchanged."""


@dataclass(frozen=True, slots=True)
class SelectedRuns:
    selection: Selection
    points: list[SelectedPoint]
    runs: pd.DataFrame
    """A row a run: `run_id`, `engine`, `seed`, `point` (its index), `error` (None: it was measured), `warned`,
    `began_s` (of the epoch; NaN in virtual time), its request's `key` and `groups`, and the quantities of a run."""
    groups: pd.DataFrame
    """A row a group of a run that was measured: `run` (its row), `position`, `name`, and the quantities of a group."""
    facts: list[dict[str, Any]]
    """Where the runs come from, each origin once."""

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def engines(self) -> list[str]:
        return list(dict.fromkeys(point.engine for point in self.points))

    def point_of(self, run: int) -> SelectedPoint:
        return self.points[int(self.of(run, "point"))]

    def of(self, run: int, column: str) -> Any:  # noqa: ANN401 (whatever the column has)
        return self.runs[column].iloc[run]

    def origins(self, name: str) -> list[str]:
        """The different values that one fact has."""
        return list(dict.fromkeys(str(each[name]) for each in self.facts if each.get(name) is not None))


def selections(a: str, b: str) -> tuple[Selection, Selection]:
    """Both sides as they were written; `@…` alone is of the other side's store.

    >>> [dict(side.wanted) for side in selections("results@cc=bbr[cwnd_gain=1.5, probe_gain=1.1]", "@cc=cubic")]
    [{'cc': 'bbr[cwnd_gain=1.5, probe_gain=1.1]'}, {'cc': 'cubic'}]

    Raises:
        ComparisonError: one cannot be read.
    """
    if a.startswith("@") and b.startswith("@"):
        raise ComparisonError(f'{a}: names no store; write "STORE{a}"')
    first = _parsed(a, _parsed(b, None).folder if a.startswith("@") else None)
    return first, _parsed(b, first.folder)


def exchanges(a: Selection, b: Selection) -> tuple[list[Exchange], list[Exchange]]:
    """What each side has in the other's place: the algorithms that both name, where they differ.

    Raises:
        ComparisonError: each names one in another way, and which takes the place of which is not said.
    """
    alone = [
        [f"{key}={value}" for key, value in side.wanted.items() if is_cc(key) and key not in other.wanted]
        for side, other in ((a, b), (b, a))
    ]
    if all(alone):
        raise ComparisonError(
            f"{a.text} and {b.text}: {alone[0][0]} is not in the place of {alone[1][0]};"
            " name what is compared in the same way on both sides, as flows[0].cc=bbr and flows[0].cc=cubic"
        )
    named = [key for key in a.wanted if key in b.wanted and a.wanted[key] != b.wanted[key]]
    groups = {key: group_of(key) for key in named if is_cc(key)}
    of_a, of_b = ([Exchange(side.wanted[key], group) for key, group in groups.items()] for side in (a, b))
    return of_a, of_b


def compared_fields(a: Selection, b: Selection) -> dict[str, str]:
    """The swept fields that both sides name with other values, each with both: these are what is compared.

    >>> compared_fields(*selections("results@path.buffer=1 bdp,engine=sim", "@path.buffer=2 bdp,engine=linux"))
    {'path.buffer': '1 bdp, 2 bdp'}
    """
    named = (key for key in a.wanted if key in b.wanted and a.wanted[key] != b.wanted[key])
    return {key: f"{a.wanted[key]}, {b.wanted[key]}" for key in named if key not in SELECTION_KEYS and not is_cc(key)}


def quantities(names: str | None) -> Sequence[Quantity]:
    """The quantities of these names, in the order of the catalogue; without names all that are usual.

    Raises:
        ComparisonError: one does not exist.
    """
    if names is None:
        return [each for name, each in QUANTITIES.items() if name not in BY_NAME_ONLY]
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in list(QUANTITIES):  # not of any rate: that needs series
            raise ComparisonError(f"--metrics: unknown {quoted(name)}; {suggestion(name, list(QUANTITIES))}")
    return [each for name, each in QUANTITIES.items() if name in wanted]


def group_of(path: str) -> int | None:
    """The group whose algorithm a path names.

    >>> group_of("flows[1].cc"), group_of("path.rate")
    (1, None)
    """
    match = _GROUPS_CC.fullmatch(path)
    return int(match[1]) if match else None


def is_cc(key: str) -> bool:
    return key == CC or group_of(key) is not None


def _parsed(text: str, other: Path | None) -> Selection:
    folder, at, conditions = text.rpartition("@")
    if not at or Path(text).exists():
        return Selection(text, Path(text), {})
    wanted: dict[str, str] = {}
    for condition in _COMMA.split(conditions):
        key, equals, value = (part.strip() for part in condition.partition("="))
        if not (key and equals and value):
            raise ComparisonError(
                f'{text}: {quoted(condition)} selects nothing; write it as "{folder or "STORE"}@engine=linux:6.12"'
            )
        if key in wanted:
            raise ComparisonError(f"{text}: {quoted(key)} is there twice")
        wanted[key] = value
    home = Path(folder) if folder or other is None else other
    return Selection(f"{home}@{conditions}", home, wanted)


def read(selection: Selection, exchanged: Sequence[Exchange] = ()) -> SelectedRuns:
    """The runs that a selection has. Points do not tell algorithms apart that are exchanged.

    Raises:
        ComparisonError: there is no such run.
        StoreError: it is no store, of another schema, or damaged.
    """
    with Store.open(selection.folder) as store:
        chosen = {each.id: each for each in campaigns_of(store.ledger, selection)}
        runs, groups = stored_runs(store.ledger, list(chosen))
        harms = harms_of(store.ledger, chosen)
        facts: dict[int, str] = dict(map(tuple, store.ledger.rows("SELECT id, facts FROM provenance")))
    points: list[SelectedPoint] = []
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
        points.append(SelectedPoint(chosen[id_].label, chosen[id_].engine, swept))
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
    return SelectedRuns(
        selection,
        points,
        runs.assign(engine=[points[point].engine for point in runs["point"]])
        .rename(columns={"request_key": "key", "request_groups": "groups"})
        .reset_index(drop=True)[[*RUN_COLUMNS, *OF_RUN]],
        groups.assign(run=groups["run"].map(rows)),
        [json.loads(facts[int(each)]) for each in runs["provenance"].unique()],
    )


def campaigns_of(ledger: Ledger, selection: Selection) -> list[Campaign]:
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
            hint = suggestion(name, [*SELECTION_KEYS, *swept])
            return ComparisonError(f"{selection.text}: unknown {quoted(name)}; {hint}")
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
