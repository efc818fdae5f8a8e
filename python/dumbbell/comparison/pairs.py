"""Which runs of both sides belong together, and why the others do not.

Two runs are a pair if they have one request key, one seed and the same algorithms: but for those that are exchanged,
and then flows may have other names, and start within another range of jitter. Runs of one engine are paired with those
of the same one, unless each side has one engine only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from dumbbell.comparison.runs import exchanged_groups, read
from dumbbell.comparison.selection import exchanges
from dumbbell.errors import ComparisonError
from dumbbell.metrics.number import counted
from dumbbell.results.request import fields_of
from dumbbell.results.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from dumbbell.comparison.runs import Side
    from dumbbell.comparison.selection import Exchange, Selection

A, B = "A", "B"
FAILED: Final = "failed"
OTHERWISE: Final = "asks for something else there"
GROUPED: Final = "its flows are grouped otherwise"
MOST_TRIED: Final = 100
"""Runs among which the nearest to one that has no partner is looked for."""
MOST_SHOWN: Final = 4
"""Fields of two runs that differ."""
_OTHER: Final = {A: B, B: A}


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Runs of one side without a partner, for one reason."""

    side: str
    reason: str
    runs: int
    example: str
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Both sides, and the runs that are compared."""

    a: Side
    b: Side
    table: pd.DataFrame
    """A row a pair: the rows `run_a` and `run_b` of its runs, and the `point` of A's."""
    exchanged: Mapping[str, Sequence[int]]
    """Groups of a run of A whose algorithm is what is compared, by the groups of its request."""
    unpaired: tuple[Unpaired, ...]
    failed_in_b: int
    """Runs that A finished and B did not."""

    def __len__(self) -> int:
        return len(self.table)


def pair(first: Selection, second: Selection) -> Pairs:
    """The pairs of two selections.

    Raises:
        ComparisonError: there is no pair.
        StoreError: a store cannot be read.
    """
    exchanges_a, exchanges_b = exchanges(first, second)
    return _Pairing(read(first, exchanges_a), read(second, exchanges_b), exchanges_a, exchanges_b).pairs()


class _Pairing:
    """Pairs while they are looked for."""

    def __init__(self, a: Side, b: Side, exchanges_a: Sequence[Exchange], exchanges_b: Sequence[Exchange]) -> None:
        self.sides = {A: a, B: b}
        self.exchanges_a = exchanges_a
        self.by_engine = max(len(a.engines), len(b.engines)) > 1
        self.controllers = dict(zip(exchanges_a, self._controllers(b, exchanges_b), strict=True))
        """B's algorithms, by what A has in their place."""
        self.reasons: dict[tuple[str, str], tuple[int, int]] = {}
        """How many runs, and the first of them, by side and reason."""

    def pairs(self) -> Pairs:
        a, b = (self._keyed(name) for name in (A, B))
        on = [name for name in a.columns if name not in {"run", "error", "parts"}]
        latest = {name: each.drop_duplicates(on, keep="last") for name, each in ((A, a), (B, b))}
        both = latest[A].merge(latest[B], on=on, suffixes=("_a", "_b"))
        failed = both["error_a"].notna(), both["error_b"].notna()
        for name, own, other in ((A, *failed), (B, *failed[::-1])):
            runs = both[f"run_{name.lower()}"]
            self._explain(name, FAILED, runs[own])
            self._explain(name, "its partner failed", runs[other & ~own])
        both = both[~failed[0] & ~failed[1]]
        alike = both["parts_a"] == both["parts_b"]
        for name in (A, B):
            self._explain(name, GROUPED, both.loc[~alike, f"run_{name.lower()}"])
        found = both.loc[alike, ["run_a", "run_b"]].reset_index(drop=True)
        for name, each in ((A, a), (B, b)):
            partners = latest[_OTHER[name]][on].drop_duplicates()
            there = each.merge(partners, on=on, how="left", indicator=True)["_merge"].to_numpy() == "both"
            earlier = ~each["run"].isin(latest[name]["run"])
            self._explain(name, "a later run of this side was asked the same", each.loc[there & earlier, "run"])
            self._explain_alone(name, each.loc[~there, "run"].tolist())
        if found.empty:
            raise self._nothing()
        side = self.sides[A]
        found["point"] = side.runs["point"].to_numpy()[found["run_a"]]
        return Pairs(
            side, self.sides[B], found,
            {text: [index for index, _ in self._exchanged(text)] for text in side.runs["groups"].unique()},
            tuple(self._unpaired()), int((failed[1] & ~failed[0]).sum()),
        )  # fmt: skip

    def _keyed(self, name: str) -> pd.DataFrame:
        """What must be the same on both sides, with each run's row, its error and its number of groups."""
        runs = self.sides[name].runs
        texts = {text: json.loads(text) for text in runs["groups"].unique()}
        keyed = runs[["key", "seed", "error"]].copy()
        keyed["run"] = range(len(runs))
        keyed["parts"] = runs["groups"].map({text: len(groups) for text, groups in texts.items()})
        put = {text: dict(self._exchanged(text)) if name == A else {} for text in texts}
        keyed["algorithms"] = runs["groups"].map({
            text: json.dumps([
                self.controllers[put[text][index]] if index in put[text] else group["controller"]
                for index, group in enumerate(groups) for _ in range(group["flows"])
            ], sort_keys=True)
            for text, groups in texts.items()
        })  # fmt: skip
        if not self.controllers:
            keyed["starts"] = runs["groups"].map({
                text: tuple((each["name"], each["start_jitter_ns"]) for each in groups)
                for text, groups in texts.items()
            })  # fmt: skip
        if self.by_engine:
            keyed["engine"] = runs["engine"]
        return keyed

    def _exchanged(self, text: str) -> list[tuple[int, Exchange]]:
        return exchanged_groups(json.loads(text), self.exchanges_a)

    @staticmethod
    def _controllers(side: Side, wanted: Sequence[Exchange]) -> Iterator[Mapping[str, Any]]:
        groups = [json.loads(text) for text in side.runs["groups"].unique()]
        for exchange in wanted:
            yield next(each[i]["controller"] for each in groups for i, _ in exchanged_groups(each, [exchange]))

    def _explain(self, side: str, reason: str, runs: Sequence[int] | pd.Series[int]) -> None:
        if len(runs):
            count, first = self.reasons.get((side, reason), (0, min(runs)))
            self.reasons[side, reason] = (count + len(runs), min(first, *runs))

    def _explain_alone(self, name: str, runs: Sequence[int]) -> None:
        """Reasons of those that have no partner: what the nearest run of the other side has in common with them."""
        own, other = self.sides[name], self.sides[_OTHER[name]]
        known = {each for run in range(len(other)) for each in self._alike(other, run)} if runs else set()
        found: dict[str, list[int]] = {}
        for run in runs:
            same, point, experiment = (each in known for each in self._alike(own, run))
            if same:
                reason = OTHERWISE
            elif point:
                reason = "has not this seed"
            elif experiment:
                reason = "has no such point"
            else:
                reason = "has no experiment of this name" + (" on this engine" if self.by_engine else "")
            found.setdefault(f"{_OTHER[name]} {reason}", []).append(run)
        for reason, members in found.items():
            self._explain(name, reason, members)

    def _alike(self, side: Side, run: int) -> Iterator[tuple[Any, ...]]:
        """What a run may have in common with another one, the most first."""
        point = side.point_of(run)
        experiment = (point.experiment, point.engine if self.by_engine else "")
        values = json.dumps(point.swept)
        yield (*experiment, values, side.of(run, "seed"))
        yield (*experiment, values)
        yield experiment

    def _unpaired(self) -> Iterator[Unpaired]:
        for (name, reason), (count, first) in self.reasons.items():
            side, other = self.sides[name], self.sides[_OTHER[name]]
            example = describe_run(side, first)
            if reason == FAILED:
                example += f": {side.of(first, 'error')}"
            elif reason.endswith(OTHERWISE):
                same = next(self._alike(side, first))
                partner = next(run for run in range(len(other)) if next(self._alike(other, run)) == same)
                own, others = (first, partner) if name == A else (partner, first)
                fields = self._different_fields(own, others)
                example += f": {_listed_fields(fields if name == A else {k: v[::-1] for k, v in fields.items()})}"
            yield Unpaired(name, reason, count, example)

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
            (texts,) = store.ledger.rows(
                "SELECT resolved, spec, point FROM run JOIN request ON request.run = run.id JOIN member"
                " ON member.run = run.id JOIN campaign ON campaign.id = campaign WHERE run_id = ? LIMIT 1",
                side.of(run, "run_id"),
            )
        fields = fields_of(*texts)
        text = side.of(run, "groups")
        put = dict(self._exchanged(text)) if name == A else {}
        flow = 0
        for index, group in enumerate(json.loads(text)):
            for _ in range(group["flows"]):
                if index in put:
                    fields["flows"][flow]["cc"] = self.controllers[put[index]]
                if self.controllers:
                    del fields["flows"][flow]["name"], fields["flows"][flow]["start_jitter_ns"]
                flow += 1
        return fields

    def _nothing(self) -> ComparisonError:
        a, b = self.sides[A], self.sides[B]
        if any(why == FAILED for _, why in self.reasons):
            lost = (
                f"{counted(count, 'run')} of {name} failed"
                for (name, why), (count, _) in self.reasons.items()
                if why == FAILED
            )
            return ComparisonError(f"there is no pair of runs that were both measured: {', '.join(lost)}")
        if (A, GROUPED) in self.reasons:
            of_a, of_b = (self.reasons[name, GROUPED][1] for name in (A, B))
            names = [
                " and ".join(group["name"] for group in json.loads(side.of(run, "groups")))
                for side, run in ((a, of_a), (b, of_b))
            ]
            return ComparisonError(
                f"{counted(len(a), 'run')} of A, {len(b)} of B, and those that were asked the same have their flows"
                f" grouped otherwise; {describe_run(a, of_a)}: {names[0]} in A, {names[1]} in B"
            )
        candidates = ((self._different_fields(0, run), run) for run in islice(self._nearest_first(), MOST_TRIED))
        fields, run = min(candidates, key=lambda each: len(each[0]))
        counts = f"{counted(len(a), 'run')} of A, {len(b)} of B, and no two of them were asked the same"
        if not fields:
            engines = (" and ".join(side.engines) for side in (a, b))
            return ComparisonError("{}: A is on {}, B on {}".format(counts, *engines))
        only_cc = all(".cc." in path or path.endswith(".name") for path in fields)
        hint = "; to compare algorithms, say which: STORE@cc=bbr STORE@cc=cubic"
        return ComparisonError(
            f"{counts}; {describe_run(a, 0)} of A and {describe_run(b, run)} of B: {_listed_fields(fields)}"
            f"{hint if only_cc and not self.controllers else ''}"
        )

    def _nearest_first(self) -> list[int]:
        """Runs of B, those of the experiment of A's first run first, with its seed first."""
        a, b = self.sides[A], self.sides[B]
        wanted, seed = a.point_of(0), a.of(0, "seed")

        def distance(run: int) -> tuple[bool, bool, bool]:
            point = b.point_of(run)
            return point.experiment != wanted.experiment, point.swept != wanted.swept, b.of(run, "seed") != seed

        return sorted(range(len(b)), key=distance)


def describe_run(side: Side, run: int) -> str:
    """Experiment, swept values and seed of a run."""
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
