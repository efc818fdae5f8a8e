"""One side of a comparison, read from its store in columns: a hundred thousand runs are there in seconds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dumbbell.comparison.failure import ComparisonError
from dumbbell.comparison.quantity import QUANTITIES
from dumbbell.comparison.request import Words, asked, asked_with, controllers, key, key_with
from dumbbell.comparison.selection import CC, ENGINE, EXPERIMENT, IDENTITY, WORDS, group_of, unknown
from dumbbell.results.campaign import not_superseded
from dumbbell.results.ledger import Ledger
from dumbbell.results.store import Store
from dumbbell.spec.problem import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from dumbbell.comparison.selection import Exchange, Selection
    from dumbbell.metrics.statistics import Floats, Integers
    from dumbbell.results.campaign import Campaign

    Controllers: TypeAlias = Mapping[Exchange, Mapping[str, Any]]

OF_RUN: Final = [each for each in QUANTITIES if each.of == "run"]
OF_GROUP: Final = [each for each in QUANTITIES if each.of == "group"]
_PAGE: Final = 5_000


@dataclass(frozen=True, slots=True)
class Place:
    """A point of an experiment on an engine."""

    experiment: str
    engine: str
    point: Mapping[str, Any]
    """Each swept value as the spec wrote it, but for algorithms that are exchanged."""
    words: str
    """The same as text."""
    exchanged: tuple[int, ...]
    """Groups whose algorithm is what is compared."""


@dataclass(frozen=True, slots=True)
class Form:
    """As what the runs of a place count where algorithms are exchanged."""

    words: Words
    put: Mapping[int, Mapping[str, Any]]
    """The other side's algorithms, by the groups that have them instead of their own."""


@dataclass(slots=True)
class Side:
    """Runs by number. What a run has not is NaN."""

    selection: Selection
    places: list[Place] = field(default_factory=list)
    forms: list[Form | None] = field(default_factory=list)
    """Of each place; None where no algorithm is exchanged on this side or the other."""
    place: list[int] = field(default_factory=list)
    seed: list[int] = field(default_factory=list)
    run_id: list[str] = field(default_factory=list)
    error: list[str | None] = field(default_factory=list)
    """None of a run that was measured."""
    warned: int = 0
    """Runs with warnings."""
    key: list[bytes] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)
    """Names, in the order of the spec; empty of a failed run."""
    of_run: Floats = field(default_factory=lambda: np.empty((0, len(OF_RUN))))
    of_group: Floats = field(default_factory=lambda: np.empty((0, 0, len(OF_GROUP))))
    """By run, group, quantity."""
    facts: list[dict[str, Any]] = field(default_factory=list)
    """Where the runs come from, each origin once."""
    controllers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What exchanged algorithms are in base units, by their words."""

    def __len__(self) -> int:
        return len(self.key)

    @property
    def engines(self) -> list[str]:
        """Those that measured them."""
        return list(dict.fromkeys(place.engine for place in self.places))

    def at(self, run: int) -> Place:
        """Where a run belongs."""
        return self.places[self.place[run]]


def read(selection: Selection, exchanged: Sequence[Exchange] = (), put: Controllers | None = None) -> Side:
    """The runs that a selection has. With `put`, exchanged algorithms count as those in the keys.

    Raises:
        ComparisonError: there is no such run.
        StoreError: it is no store, of another schema, or damaged.
    """
    with Store.open(selection.folder):  # which tells what is no store, and whether it is whole
        pass
    with Ledger(selection.folder, write=False) as ledger:
        return _Reading(ledger, Side(selection), exchanged, put).done()


def request(side: Side, run: int) -> dict[str, Any]:
    """What a run was asked, resolved, as far as it must be the same on both sides."""
    with Ledger(side.selection.folder, write=False) as ledger:
        ((text,),) = ledger.rows(
            "SELECT resolved FROM request JOIN run ON run.id = request.run WHERE run_id = ?", side.run_id[run]
        )
    form = side.forms[side.place[run]]
    return asked(text) if form is None else asked_with(text, form.words, form.put)


@dataclass(frozen=True, slots=True)
class _Seat:
    """What is the same for all seeds of a point."""

    words: Words
    place: int


class _Reading:
    """A side while it is read."""

    def __init__(self, ledger: Ledger, side: Side, exchanged: Sequence[Exchange], put: Controllers | None) -> None:
        self.ledger, self.side, self.exchanged, self.put = ledger, side, exchanged, put
        self.met: list[tuple[Words, Mapping[str, Any]]] = []
        self.words: dict[tuple[object, ...], Words] = {}
        self.row: dict[int, int] = {}
        self.origins: dict[int, None] = {}
        self.runs: list[Floats] = []
        self.grouped: list[tuple[Integers, Integers, Floats]] = []

    def done(self) -> Side:
        for campaign in self._campaigns():
            ((last,),) = self.ledger.rows(
                "SELECT COALESCE(MAX(position), -1) FROM member WHERE campaign = ?", campaign.id
            )
            seats: dict[str, _Seat | None] = {}
            for first in range(0, last + 1, _PAGE):
                self._page(campaign, seats, first)
        side = self.side
        if not side.key:
            raise self._nothing()
        side.of_run = np.concatenate(self.runs)
        self._fill_groups()
        facts: dict[int, str] = dict(self.ledger.rows("SELECT id, facts FROM provenance"))
        side.facts = [json.loads(facts[origin]) for origin in self.origins]
        return side

    def _campaigns(self) -> list[Campaign]:
        """Those that the store shows; with an identity asked for, those of its builds, superseded or not."""
        wanted, found = self.side.selection.wanted, self.ledger.campaigns()
        for key_, names in (
            (EXPERIMENT, [name for each in found for name in (each.experiment, each.label)]),
            (ENGINE, [each.engine for each in found]),
        ):
            if key_ in wanted and wanted[key_] not in names:
                what = f'has no run of {key_} "{wanted[key_]}"; {suggestion(wanted[key_], list(dict.fromkeys(names)))}'
                raise ComparisonError(f"{self.side.selection.text}: {what}")
        chosen = [
            each
            for each in found
            if not each.hidden
            and (EXPERIMENT not in wanted or each.called(wanted[EXPERIMENT]))
            and each.engine == wanted.get(ENGINE, each.engine)
            and each.identity.startswith(wanted.get(IDENTITY, ""))
        ]
        return not_superseded(chosen)

    def _page(self, campaign: Campaign, seats: dict[str, _Seat | None], first: int) -> None:
        side, told = self.side, list[list[float | None]]()
        rows = self.ledger.rows(
            "SELECT run.id, run_id, seed, error, warnings IS NOT NULL, provenance, point, resolved,"  # noqa: S608 (ours)
            f" {', '.join(each.sql for each in OF_RUN)} FROM member JOIN run ON run.id = member.run"
            " JOIN request ON request.run = run.id WHERE campaign = ? AND position >= ? AND position < ?"
            " ORDER BY position",
            campaign.id, first, first + _PAGE,
        )  # fmt: skip
        new: dict[int, int] = {}
        for id_, run_id, seed, error, warned, provenance, point, resolved, *numbers in rows:
            if point not in seats:
                seats[point] = self._seat(campaign, point)
            seat = seats[point]
            if seat is None or id_ in self.row:  # two experiments may have a run in common
                continue
            self.row[id_] = new[id_] = len(side.key)
            side.place.append(seat.place)
            side.seed.append(seed)
            side.run_id.append(run_id)
            side.error.append(error)
            side.groups.append(())
            side.warned += warned
            side.key.append(self._key(resolved, seat))
            self.origins[provenance] = None
            told.append(numbers)
        self.runs.append(np.array(told, np.float64).reshape(len(told), len(OF_RUN)))
        self._groups(campaign, first, new)

    def _groups(self, campaign: Campaign, first: int, new: Mapping[int, int]) -> None:
        rows = self.ledger.rows(
            f"SELECT g.run, g.position, g.name, {', '.join(each.sql for each in OF_GROUP)}"  # noqa: S608 (our own)
            " FROM member JOIN flow_group g ON g.run = member.run JOIN flow f ON f.run = g.run AND f.name = g.name"
            " WHERE campaign = ? AND member.position >= ? AND member.position < ?"
            " GROUP BY member.position, g.position ORDER BY member.position, g.position",
            campaign.id, first, first + _PAGE,
        )  # fmt: skip
        where: list[int] = []
        positions: list[int] = []
        told: list[list[float | None]] = []
        for run, position, name, *numbers in rows:
            row = new.get(run)
            if row is not None:
                self.side.groups[row] += (name,)
                where.append(row)
                positions.append(position)
                told.append(numbers)
        if told:
            self.grouped.append((np.array(where), np.array(positions), np.array(told, np.float64)))

    def _fill_groups(self) -> None:
        most = max((int(positions.max()) for _, positions, _ in self.grouped), default=-1) + 1
        found = self.side.of_group = np.full((len(self.side), most, len(OF_GROUP)), np.nan)
        for rows, positions, numbers in self.grouped:
            found[rows, positions] = numbers

    def _seat(self, campaign: Campaign, text: str) -> _Seat | None:
        """Where runs of a point belong; None where they are not asked for."""
        point = json.loads(text)
        own = (campaign.id, *(f"{path}={value}" for path, value in point.items() if not path.startswith("path.")))
        words = self.words.get(own) or self.words.setdefault(own, Words.of(campaign.spec, point))
        self.met.append((words, point))
        if not all(self._has(key_, value, words, point) for key_, value in self.side.selection.wanted.items()):
            return None
        exchanged = tuple(
            index
            for index, (cc, _) in enumerate(words.groups)
            if any(each.concerns(index, cc) for each in self.exchanged)
        )
        named = {f"flows[{index}].cc" for index in exchanged} & point.keys()
        if named:
            point = {path: value for path, value in point.items() if path not in named}
            text = json.dumps(point, ensure_ascii=False)
        self.side.places.append(Place(campaign.label, campaign.engine, point, text, exchanged))
        self.side.forms.append(self._form(words, exchanged))
        return _Seat(words, len(self.side.places) - 1)

    @staticmethod
    def _has(key_: str, value: str, words: Words, point: Mapping[str, Any]) -> bool:
        if key_ in (ENGINE, EXPERIMENT, IDENTITY):
            return True  # by its campaign
        if key_ == CC:
            return any(cc == value for cc, _ in words.groups)
        group = group_of(key_)
        if group is not None:
            return group < len(words.groups) and words.groups[group][0] == value
        return key_ in point and str(point[key_]) == value

    def _form(self, words: Words, exchanged: Iterable[int]) -> Form | None:
        if not self.exchanged:
            return None
        put = self.put
        if put is None:
            return Form(words, {})
        cc = {index: words.groups[index][0] for index in exchanged}
        return Form(
            words,
            {index: next(put[each] for each in self.exchanged if each.concerns(index, cc[index])) for index in cc},
        )

    def _key(self, resolved: str, seat: _Seat) -> bytes:
        form = self.side.forms[seat.place]
        if form is None:
            return key(resolved)
        exchanged = self.side.places[seat.place].exchanged
        own = {seat.words.groups[index][0] for index in exchanged}
        if not own <= self.side.controllers.keys():
            for (cc, _), controller in zip(seat.words.groups, controllers(resolved, seat.words), strict=True):
                self.side.controllers.setdefault(cc, controller)
        return key_with(resolved, form.words, form.put)

    def _nothing(self) -> ComparisonError:
        selection = self.side.selection
        swept = list(dict.fromkeys(path for _, point in self.met for path in point))
        for name, value in selection.wanted.items():
            is_cc = name == CC or group_of(name) is not None
            if not is_cc and name not in (*WORDS, *swept):
                return unknown(selection, name, swept)
            if is_cc:
                known = list(dict.fromkeys(cc for words, _ in self.met for cc, _ in words.groups))
            else:
                known = list(dict.fromkeys(str(point[name]) for _, point in self.met if name in point))
            if known and value not in known:
                return ComparisonError(f"{selection.text}: no run has {name} = {value}; {suggestion(value, known)}")
        what = "no run is so" if selection.wanted else "there is no run in it yet"
        return ComparisonError(f"{selection.text}: {what}")


def origins(facts: Iterable[Mapping[str, Any]], name: str) -> list[str]:
    """What the runs of a side say of where they come from, each answer once."""
    return list(dict.fromkeys(str(each[name]) for each in facts if each.get(name) is not None))
