"""One side of a comparison: the runs that a selection has, with every quantity of the catalogue, as pandas frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from dumbbell.comparison.failure import ComparisonError
from dumbbell.comparison.selection import CC, ENGINE, EXPERIMENT, IDENTITY, WORDS, group_of, unknown
from dumbbell.metrics.catalogue import QUANTITIES, Setup, group_values, run_values
from dumbbell.results.campaign import not_superseded
from dumbbell.results.ledger import Ledger
from dumbbell.results.store import Store
from dumbbell.spec import Run
from dumbbell.spec.problem import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.comparison.selection import Exchange, Selection
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.ledger import StoredRun


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
    with Store.open(selection.folder):  # which says what is no store, and whether it is undamaged
        pass
    with Ledger(selection.folder, write=False) as ledger:
        return _Reading(ledger, selection, exchanged).side()


class _Reading:
    """A side while it is read."""

    def __init__(self, ledger: Ledger, selection: Selection, exchanged: Sequence[Exchange]) -> None:
        self.ledger, self.selection, self.exchanged = ledger, selection, exchanged
        self.points: list[Point] = []
        self.setups: list[Setup] = []
        self.met: list[tuple[list[dict[str, Any]], dict[str, Any]]] = []
        """Groups and swept values of every point, chosen or not."""
        self.parsed: dict[str, list[dict[str, Any]]] = {}
        self.runs: list[dict[str, Any]] = []
        self.groups: list[dict[str, Any]] = []

    def side(self) -> Side:
        provenance: dict[int, None] = {}
        seen: set[int] = set()  # two experiments may have a run in common
        for campaign in self._campaigns():
            numbers: dict[str, int | None] = {}
            for stored in self.ledger.stored_runs(campaign.id):
                if stored.point not in numbers:
                    numbers[stored.point] = self._point(campaign, stored)
                number = numbers[stored.point]
                if number is not None and stored.run not in seen:
                    seen.add(stored.run)
                    provenance[stored.provenance] = None
                    self._add(stored, number, campaign.engine)
        if not self.runs:
            raise self._nothing()
        facts: dict[int, str] = dict(self.ledger.rows("SELECT id, facts FROM provenance"))
        return Side(
            self.selection, self.points, pd.DataFrame(self.runs), pd.DataFrame(self.groups),
            [json.loads(facts[each]) for each in provenance],
        )  # fmt: skip

    def _campaigns(self) -> list[Campaign]:
        """Those that the store shows; with an identity wanted, those of its builds, superseded or not."""
        wanted, stored = self.selection.wanted, self.ledger.campaigns()
        for key, names in (
            (EXPERIMENT, [name for each in stored for name in (each.experiment, each.label)]),
            (ENGINE, [each.engine for each in stored]),
        ):
            if key in wanted and wanted[key] not in names:
                what = f'has no run of {key} "{wanted[key]}"; {suggestion(wanted[key], list(dict.fromkeys(names)))}'
                raise ComparisonError(f"{self.selection.text}: {what}")
        return not_superseded(
            each
            for each in stored
            if not each.hidden
            and (EXPERIMENT not in wanted or each.called(wanted[EXPERIMENT]))
            and each.engine == wanted.get(ENGINE, each.engine)
            and each.identity.startswith(wanted.get(IDENTITY, ""))
        )

    def _point(self, campaign: Campaign, stored: StoredRun) -> int | None:
        """The number of the point of a run; None where it is not selected."""
        values, groups = json.loads(stored.point), self._groups_of(stored.request_groups)
        self.met.append((groups, values))
        if not all(_has(key, value, groups, values) for key, value in self.selection.wanted.items()):
            return None
        hidden = {f"flows[{index}].cc" for index, _ in exchanged_groups(groups, self.exchanged)}
        own = {path: value for path, value in values.items() if path not in hidden}
        self.points.append(Point(campaign.label, campaign.engine, own))
        ((run,),) = self.ledger.rows("SELECT resolved FROM request WHERE run = ?", stored.run)
        self.setups.append(Setup.of(Run.from_json(run)))
        return len(self.points) - 1

    def _groups_of(self, text: str) -> list[dict[str, Any]]:
        if text not in self.parsed:
            self.parsed[text] = json.loads(text)
        return self.parsed[text]

    def _add(self, stored: StoredRun, point: int, engine: str) -> None:
        head = {
            "run_id": stored.run_id, "engine": engine, "seed": stored.seed, "point": point, "error": stored.error,
            "warned": stored.warned, "key": stored.request_key, "groups": stored.request_groups,
        }  # fmt: skip
        run, summary = len(self.runs), stored.summary
        self.runs.append(head)
        if summary is None:
            return
        says_nothing: dict[str, float | None] = {
            name: None for name, each in QUANTITIES.items() if not each.informative(summary)
        }
        head |= run_values(summary, self.setups[point]) | says_nothing
        for position, (name, values) in enumerate(group_values(summary).items()):
            self.groups.append({"run": run, "position": position, "name": name} | values | says_nothing)

    def _nothing(self) -> ComparisonError:
        selection = self.selection
        swept = list(dict.fromkeys(path for _, point in self.met for path in point))
        for name, value in selection.wanted.items():
            is_cc = name == CC or group_of(name) is not None
            if not is_cc and name not in (*WORDS, *swept):
                return unknown(selection, name, swept)
            if is_cc:
                known = list(dict.fromkeys(group["cc"] for groups, _ in self.met for group in groups))
            else:
                known = list(dict.fromkeys(str(point[name]) for _, point in self.met if name in point))
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
