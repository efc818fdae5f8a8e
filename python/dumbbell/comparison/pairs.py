"""Which runs of both sides belong together, and why the others do not.

Two runs are a pair if they have one request key, one seed and the same algorithms: but for those that are exchanged,
and then flows may have other names, and start within another range of jitter. Where both sides name a swept field with
other values, they have all else of their experiment in common instead of the request key. The hosts' timing noise
(`path.jitter`) may differ, which the notices say; where a side has the same request with several, it counts. Runs of
one engine are paired with those of the same one, unless each side has one engine only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from dumbbell.comparison.selection import (
    Exchange,
    SelectedRuns,
    Selection,
    compared_fields,
    exchanged_groups,
    exchanges,
    read,
)
from dumbbell.engines.family import family
from dumbbell.errors import ComparisonError
from dumbbell.metrics.number import counted
from dumbbell.results.request import fields_of
from dumbbell.results.store import Store

A, B = "A", "B"
FAILED: Final = "failed"
PARTNER_FAILED: Final = "its partner failed"
OTHERWISE: Final = "asks for something else there"
GROUPED: Final = "its flows are grouped otherwise"
MOST_TRIED: Final = 100
"""Runs among which the nearest to one that has no partner is looked for."""
MOST_SHOWN: Final = 4
"""Fields of two runs that differ."""
_OTHER: Final = {A: B, B: A}


@dataclass(frozen=True, slots=True)
class Unpaired:
    side: str
    reason: str
    runs: int
    example: str
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Both sides, and the runs that are compared."""

    a: SelectedRuns
    b: SelectedRuns
    table: pd.DataFrame
    """A row a pair: the rows `run_a` and `run_b` of its runs, and the `point` of A's."""
    exchanged: Mapping[str, Sequence[int]]
    """Groups of a run of A whose algorithm is what is compared, by the groups of its request."""
    unpaired: tuple[Unpaired, ...]
    jitters: Mapping[tuple[int | None, int | None], int]
    """How many pairs have another timing noise in A than in B, by both: nanoseconds, None of a machine's own."""
    failed_in_b: int
    """Runs that A finished and B did not."""

    def __len__(self) -> int:
        return len(self.table)

    @property
    def apart_s(self) -> pd.Series[float]:
        """How long after one another the runs of each pair began that was measured in real time on both sides."""
        began = [
            side.runs["began_s"].to_numpy()[self.table[run]] for side, run in ((self.a, "run_a"), (self.b, "run_b"))
        ]
        return pd.Series(np.abs(began[0] - began[1])).dropna()

    @property
    def captured(self) -> list[str]:
        """The sides that are captures of real traffic: each of one run, whatever the seeds of its partners."""
        return [name for name, side in ((A, self.a), (B, self.b)) if {*map(family, side.engines)} == {"capture"}]


def pair(first: Selection, second: Selection) -> Pairs:
    """The pairs of two selections.

    Raises:
        ComparisonError: there is no pair.
        StoreError: a store cannot be read.
    """
    exchanges_a, exchanges_b = exchanges(first, second)
    sides, fields = (read(first, exchanges_a), read(second, exchanges_b)), compared_fields(first, second)
    return _Pairing(*sides, exchanges_a, exchanges_b, fields).pairs()


class _Pairing:
    """Pairs while they are looked for."""

    def __init__(
        self, a: SelectedRuns, b: SelectedRuns, exchanges_a: Sequence[Exchange], exchanges_b: Sequence[Exchange],
        compared: Mapping[str, str] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.sides = {A: a, B: b}
        self.compared = compared
        self.exchanges_a = exchanges_a
        self.by_engine = max(len(a.engines), len(b.engines)) > 1
        self.controllers = dict(zip(exchanges_a, self._controllers(b, exchanges_b), strict=True))
        """B's algorithms, by what A has in their place."""
        self.keyed = {name: self._keyed(name) for name in (A, B)}
        for column in ("request", "experiment", "place", "moment"):  # numbers, which are compared faster than texts
            numbers, _ = pd.factorize(pd.concat([each[column] for each in self.keyed.values()]))
            self.keyed[A][column], self.keyed[B][column] = numbers[: len(a)], numbers[len(a) :]
        self._separate_jitters()
        self.reasons = {name: self._reasons(name) for name in (A, B)}
        """Why each run of a side has no partner; empty if it has one."""

    def pairs(self) -> Pairs:
        paired = [self.keyed[name][self.reasons[name] == ""] for name in (A, B)]
        both = paired[0].merge(paired[1], on="request", suffixes=("_a", "_b"))
        if both.empty:
            raise self._nothing()
        side = self.sides[A]
        points = [replace(each, swept={**each.swept, **self.compared}) for each in side.points]
        jitters = Counter(zip(both["jitter_a"], both["jitter_b"], strict=True))
        return Pairs(
            replace(side, points=points), self.sides[B],
            both[["run_a", "run_b"]].assign(point=side.runs["point"].to_numpy()[both["run_a"]]),
            {text: [index for index, _ in self._exchanged(text)] for text in side.runs["groups"].unique()},
            tuple(self._unpaired()),
            {(json.loads(one), json.loads(other)): count for (one, other), count in jitters.items() if one != other},
            int((self.reasons[A] == PARTNER_FAILED).sum()),
        )  # fmt: skip

    def _separate_jitters(self) -> None:
        """Where one side has a request with several jitters, each is a request of its own."""
        every = pd.concat(self.keyed, names=["side"])
        numbers, jitters = pd.factorize(every["jitter"])
        if len(jitters) == 1:
            return
        several = every.groupby(["side", "request"])["jitter"].nunique()
        torn = every["request"].isin(several.index.get_level_values("request")[several > 1])
        requests = every["request"] * len(jitters) + torn * numbers
        for name, own in self.keyed.items():
            own["request"] = requests[name]

    def _keyed(self, name: str) -> pd.DataFrame:
        """Of each run its row, the `request` that a partner must have too, and what partners are looked for by."""
        side = self.sides[name]
        runs = side.runs
        texts = {text: json.loads(text) for text in runs["groups"].unique()}
        points = pd.DataFrame({
            "engine": [point.engine if self.by_engine else "" for point in side.points],
            "experiment": [point.experiment for point in side.points],
            "swept": [
                json.dumps({path: value for path, value in point.swept.items() if path not in self.compared})
                for point in side.points
            ],
        }).iloc[runs["point"]].set_index(runs.index)  # fmt: skip
        seeds = runs["seed"].astype(str)
        experiment = points["engine"] + " " + points["experiment"]
        place = experiment + " " + points["swept"]
        requests = (place if self.compared else runs["key"]) + runs["groups"].map(
            {text: self._algorithms(name, text) for text in texts}
        )
        jitters = {text: next((each.get("jitter_ns", 0) for each in groups), 0) for text, groups in texts.items()}
        return pd.DataFrame({
            "run": range(len(runs)),
            "request": requests + points["engine"] + " " + seeds,
            "parts": runs["groups"].map({text: len(groups) for text, groups in texts.items()}),
            "experiment": experiment,
            "place": place,
            "moment": place + " " + seeds,
            "seed": seeds,
            "jitter": runs["groups"].map({text: json.dumps(jitter) for text, jitter in jitters.items()}),
            "error": runs["error"],
        })  # fmt: skip

    def _algorithms(self, name: str, text: str) -> str:
        """The algorithm of each flow, B's in the place of what is compared; and, where none is, how flows start."""
        groups = json.loads(text)
        put = dict(self._exchanged(text)) if name == A else {}
        algorithms = [
            self.controllers[put[index]] if index in put else group["controller"]
            for index, group in enumerate(groups)
            for _ in range(1 if self.compared else group["flows"])
        ]
        starts = [(each["name"], each["start_jitter_ns"], each.get("rtt_spread_ns", 0)) for each in groups]
        return json.dumps([algorithms, [] if self.controllers else starts], sort_keys=True)

    def _reasons(self, name: str) -> pd.Series[str]:
        own, other, there = self.keyed[name], self.keyed[_OTHER[name]], _OTHER[name]
        partners = other.drop_duplicates("request", keep="last").set_index("request")
        alone = ~own["request"].isin(partners.index)
        reasons = {
            f"{there} {OTHERWISE}": alone & own["moment"].isin(other["moment"]),
            f"{there} has not this seed": alone & own["place"].isin(other["place"]),
            f"{there} has no such point": alone & own["experiment"].isin(other["experiment"]),
            f"{there} has no experiment of this name{' on this engine' if self.by_engine else ''}": alone,
            "a later run of this side was asked the same": own["request"].duplicated(keep="last"),
            FAILED: own["error"].notna(),
            PARTNER_FAILED: own["request"].isin(partners.index[partners["error"].notna()]),
            GROUPED: own["parts"] != own["request"].map(partners["parts"]),
        }
        return pd.Series(np.select(list(reasons.values()), list(reasons), ""), own.index)

    def _exchanged(self, text: str) -> list[tuple[int, Exchange]]:
        return exchanged_groups(json.loads(text), self.exchanges_a)

    @staticmethod
    def _controllers(side: SelectedRuns, wanted: Sequence[Exchange]) -> Iterator[Mapping[str, Any]]:
        groups = [json.loads(text) for text in side.runs["groups"].unique()]
        for exchange in wanted:
            yield next(each[i]["controller"] for each in groups for i, _ in exchanged_groups(each, [exchange]))

    def _unpaired(self) -> Iterator[Unpaired]:
        for name, reasons in self.reasons.items():
            for reason, runs in reasons[reasons != ""].groupby(reasons, sort=False).groups.items():
                yield Unpaired(name, str(reason), len(runs), self._example(name, str(reason), int(runs[0])))

    def _example(self, name: str, reason: str, run: int) -> str:
        side = self.sides[name]
        described = describe_run(side, run)
        if reason == FAILED:
            return f"{described}: {side.of(run, 'error')}"
        if not reason.endswith(OTHERWISE):
            return described
        other = self.keyed[_OTHER[name]]
        partner = int(other["run"][other["moment"] == self.keyed[name]["moment"].iloc[run]].iloc[0])
        fields = self._different_fields(*((run, partner) if name == A else (partner, run)))
        own_first = {path: values if name == A else values[::-1] for path, values in fields.items()}
        return f"{described}: {_listed_fields(own_first)}"

    def _different_fields(self, run_a: int, run_b: int) -> dict[str, tuple[Any, Any]]:
        """Where two runs were asked for different things: both values by path; None where there is no such field."""
        first, second = (dict(_leaves(self._fields(*each))) for each in ((A, run_a), (B, run_b)))
        return {
            path: (first.get(path), second.get(path))
            for path in dict.fromkeys([*first, *second])
            if first.get(path) != second.get(path)
        }

    def _fields(self, name: str, run: int) -> dict[str, Any]:
        """What pairs a run, field by field."""
        side = self.sides[name]
        with Store.open(side.selection.folder) as store:
            ((resolved,),) = store.ledger.rows(
                "SELECT resolved FROM run JOIN request ON request.run = run.id WHERE run_id = ?", side.of(run, "run_id")
            )
        text = side.of(run, "groups")
        fields = fields_of(resolved, text)
        put = dict(self._exchanged(text)) if name == A else {}
        flow = 0
        for index, group in enumerate(json.loads(text)):
            for _ in range(group["flows"]):
                if index in put:
                    fields["flows"][flow]["cc"] = self.controllers[put[index]]
                if self.controllers:
                    for drawn in ("name", "start_jitter_ns", "rtt_spread_ns"):
                        del fields["flows"][flow][drawn]
                flow += 1
        return fields

    def _nothing(self) -> ComparisonError:
        a, b = self.sides[A], self.sides[B]
        failed = {name: int((reasons == FAILED).sum()) for name, reasons in self.reasons.items()}
        if any(failed.values()):
            lost = ", ".join(f"{counted(count, 'run')} of {name} failed" for name, count in failed.items() if count)
            return ComparisonError(f"there is no pair of runs that were both measured: {lost}")
        grouped = [reasons.index[reasons == GROUPED] for reasons in self.reasons.values()]
        if grouped[0].size:
            names = [
                " and ".join(group["name"] for group in json.loads(side.of(int(runs[0]), "groups")))
                for side, runs in zip((a, b), grouped, strict=True)
            ]
            return ComparisonError(
                f"{counted(len(a), 'run')} of A, {len(b)} of B, and matching runs group their flows differently;"
                f" {describe_run(a, int(grouped[0][0]))}: {names[0]} in A, {names[1]} in B"
            )
        first, others = self.keyed[A].iloc[0], self.keyed[B]
        columns = ["experiment", "place", "seed"]
        distances = pd.DataFrame({column: others[column] != first[column] for column in columns})
        nearest = distances.sort_values(columns, kind="stable").index[:MOST_TRIED]
        candidates = ((self._different_fields(0, int(run)), int(run)) for run in nearest)
        fields, run = min(candidates, key=lambda each: len(each[0]))
        counts = f"{counted(len(a), 'run')} of A, {len(b)} of B, and no run of A has a matching run in B"
        if not fields:
            engines = (" and ".join(side.engines) for side in (a, b))
            return ComparisonError("{}: A is on {}, B on {}".format(counts, *engines))
        only_cc = all(".cc." in path or path.endswith(".name") for path in fields)
        hint = "; to compare algorithms, say which: STORE@cc=bbr STORE@cc=cubic"
        return ComparisonError(
            f"{counts}; {describe_run(a, 0)} of A and {describe_run(b, run)} of B: {_listed_fields(fields)}"
            f"{hint if only_cc and not self.controllers else ''}"
        )


def describe_run(side: SelectedRuns, run: int) -> str:
    point = side.point_of(run)
    values = (f"{path} = {value}" for path, value in point.swept.items())
    return ", ".join([point.experiment, *values, f"seed {side.of(run, 'seed')}"])


def _listed_fields(fields: Mapping[str, tuple[Any, Any]]) -> str:
    parts = [f"{path} {json.dumps(one)} and {json.dumps(other)}" for path, (one, other) in fields.items()]
    more = [f"{len(parts) - MOST_SHOWN} more"] if len(parts) > MOST_SHOWN else []
    return ", ".join([*parts[:MOST_SHOWN], *more])


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 (whatever JSON has)
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, value
