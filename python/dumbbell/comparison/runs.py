"""One side of a comparison: the runs that a selection has, with every quantity of the catalogue, as pandas frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from dumbbell.comparison.failure import ComparisonError
from dumbbell.comparison.selection import CC, ENGINE, EXPERIMENT, IDENTITY, WORDS, group_of, unknown
from dumbbell.metrics.catalogue import QUANTITIES, Setup, groups
from dumbbell.metrics.loss import has_random_loss
from dumbbell.results.campaign import not_superseded
from dumbbell.results.ledger import Ledger
from dumbbell.results.store import Store
from dumbbell.spec.problem import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.comparison.selection import Exchange, Selection
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.ledger import StoredRun


OF_RUN: Final = {name: each.of_run for name, each in QUANTITIES.items() if each.of_run}
OF_GROUP: Final = {name: each.of_group for name, each in QUANTITIES.items() if each.of_group}
RUN_COLUMNS: Final = (
    "run_id", "engine", "seed", "point", "error", "warned", "key", "groups", "groups_count", "flows_count",
)  # fmt: skip
GROUP_COLUMNS: Final = ("run", "groups_count", "flows_count", "position", "name")
TWO: Final = 2
_PAGE: Final = 5_000


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
        self.count = 0
        self.runs: list[tuple[Any, ...]] = []
        self.groups: list[tuple[Any, ...]] = []
        self.run_frames: list[pd.DataFrame] = []
        self.group_frames: list[pd.DataFrame] = []

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
        if not self.count:
            raise self._nothing()
        self._flush()
        runs, groups_ = (pd.concat(each, ignore_index=True) for each in (self.run_frames, self.group_frames))
        facts: dict[int, str] = dict(self.ledger.rows("SELECT id, facts FROM provenance"))
        return Side(self.selection, self.points, runs, groups_, [json.loads(facts[each]) for each in provenance])

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
        self.setups.append(_setup(campaign.spec, values))
        return len(self.points) - 1

    def _groups_of(self, text: str) -> list[dict[str, Any]]:
        if text not in self.parsed:
            self.parsed[text] = json.loads(text)
        return self.parsed[text]

    def _add(self, stored: StoredRun, point: int, engine: str) -> None:
        summary, setup = stored.summary, self.setups[point]
        head = (stored.run_id, engine, stored.seed, point, stored.error, stored.warned, stored.request_key,
                stored.request_groups)  # fmt: skip
        if summary is None:
            self.runs.append((*head, 0, 0, *(None for _ in OF_RUN)))
        else:
            counts = len(summary.groups), len(summary.flows)
            self.runs.append((*head, *counts, *[formula(summary, setup) for formula in OF_RUN.values()]))
            for position, (name, group) in enumerate(groups(summary).items()):
                values = [formula(group) for formula in OF_GROUP.values()]
                self.groups.append((self.count, *counts, position, name, *values))
        self.count += 1
        if self.count % _PAGE == 0:
            self._flush()

    def _flush(self) -> None:
        """Turns rows into frames, piece by piece: many small objects are slow to keep."""
        for rows, frames, columns in (
            (self.runs, self.run_frames, (*RUN_COLUMNS, *OF_RUN)),
            (self.groups, self.group_frames, (*GROUP_COLUMNS, *OF_GROUP)),
        ):
            frame = pd.DataFrame(rows, columns=columns)
            for name in QUANTITIES.keys() & frame.columns:
                several = QUANTITIES[name].needs_several
                frame[name] = frame[name].astype(float)
                if several:
                    frame.loc[frame[f"{several}_count"] < TWO, name] = float("nan")
            frames.append(frame)
            rows.clear()

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


def _setup(spec: Mapping[str, Any], point: Mapping[str, Any]) -> Setup:
    """What the quantities need to know of a point."""
    if not has_random_loss(spec):
        return Setup()
    path = spec["path"]
    return Setup.of_words({"path": path | {"loss": point.get("path.loss", path.get("loss"))}}, point)


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
