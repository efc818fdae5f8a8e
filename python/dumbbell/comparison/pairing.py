"""Which runs of both sides belong together, and why the others do not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dumbbell.comparison.failure import ComparisonError
from dumbbell.comparison.request import differences
from dumbbell.comparison.selection import exchanges
from dumbbell.comparison.side import read, request
from dumbbell.metrics.number import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    import numpy.typing as npt

    from dumbbell.comparison.selection import Selection
    from dumbbell.comparison.side import Side

    Keys: TypeAlias = Mapping[tuple[bytes, str], int]

A, B = "A", "B"
FAILED: Final = "failed"
OTHERWISE: Final = "asks for something else there"
GROUPED: Final = "its flows are grouped otherwise"
MOST_TRIED: Final = 100
"""Runs among which the nearest to one that has no partner is looked for."""
MOST_TOLD: Final = 4
"""Fields of two runs that differ."""


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Runs of one side without a partner, for one reason."""

    side: str
    reason: str
    runs: int
    example: str
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Both sides, and the runs that are compared."""

    a: Side
    b: Side
    of_a: npt.NDArray[np.intp]
    """The run of A of each pair."""
    of_b: npt.NDArray[np.intp]
    unpaired: tuple[Unpaired, ...]
    failed_in_b: int
    """Runs that A finished and B did not."""

    def __len__(self) -> int:
        return len(self.of_a)


def paired(first: Selection, second: Selection) -> Pairing:
    """The runs of both sides that were asked for the same, but for the engine or for the algorithm that is compared.

    Runs of one engine are paired with those of the same one, unless each side has one engine only.

    Raises:
        ComparisonError: there is no pair.
        StoreError: a store cannot be read.
    """
    ours, theirs = exchanges(first, second)
    b = read(second, theirs)
    put = {mine: b.controllers[other.cc] for mine, other in zip(ours, theirs, strict=True)}
    a = read(first, ours, put)
    return _Pairs(a, b, by_engine=max(len(a.engines), len(b.engines)) > 1).done()


class _Pairs:
    """Pairs while they are looked for."""

    def __init__(self, a: Side, b: Side, *, by_engine: bool) -> None:
        self.a, self.b, self.by_engine = a, b, by_engine
        self.keys = {name: self._keys(side) for name, side in ((A, a), (B, b))}
        self.reasons: dict[tuple[str, str], tuple[int, int]] = {}
        self.failed_in_b = 0

    def done(self) -> Pairing:
        a, b = self.a, self.b
        in_a, in_b = ({key: run for run, key in enumerate(self.keys[name])} for name in (A, B))  # the latest
        pairs: list[tuple[int, int]] = []
        for key, run in in_a.items():
            if key in in_b:
                self._pair(run, in_b[key], pairs)
        self._alone(a, A, in_a, in_b)
        self._alone(b, B, in_b, in_a)
        if not pairs:
            raise self._nothing()
        of_a, of_b = np.array(pairs, np.intp).T
        return Pairing(a, b, of_a, of_b, tuple(self._unpaired()), self.failed_in_b)

    def _keys(self, side: Side) -> list[tuple[bytes, str]]:
        engines = [place.engine if self.by_engine else "" for place in side.places]
        return [(key, engines[place]) for key, place in zip(side.key, side.place, strict=True)]

    def _pair(self, run: int, other: int, pairs: list[tuple[int, int]]) -> None:
        failed = [name for name, side, each in ((A, self.a, run), (B, self.b, other)) if side.error[each] is not None]
        if failed:
            self.failed_in_b += failed == [B]
            for name, each in ((A, run), (B, other)):
                self._told(name, FAILED if name in failed else "its partner failed", each)
        elif len(self.a.groups[run]) != len(self.b.groups[other]):
            for name, each in ((A, run), (B, other)):
                self._told(name, GROUPED, each)
        else:
            pairs.append((run, other))

    def _alone(self, side: Side, name: str, own: Keys, partners: Keys) -> None:
        """Reasons of those that have no partner."""
        if own.keys() <= partners.keys() and len(own) == len(side):
            return
        other, its_name = (self.b, B) if name == A else (self.a, A)
        there: dict[tuple[Any, ...], int] = {}
        for run in range(len(other)):
            for known in self._near(other, run):
                there.setdefault(known, run)
        for run in range(len(side)):
            key = self.keys[name][run]
            if key in partners:
                if own[key] != run:
                    self._told(name, "a later run of this side was asked the same", run)
                continue
            same, point, experiment = (known in there for known in self._near(side, run))
            if same:
                reason = f"{its_name} {OTHERWISE}"
            elif point:
                reason = f"{its_name} has not this seed"
            elif experiment:
                reason = f"{its_name} has no such point"
            else:
                reason = f"{its_name} has no experiment of this name" + (" on this engine" if self.by_engine else "")
            self._told(name, reason, run)

    def _near(self, side: Side, run: int) -> Iterator[tuple[Any, ...]]:
        """What a run may have in common with another one, the most first."""
        place = side.at(run)
        experiment = (place.experiment, place.engine if self.by_engine else "")
        yield (*experiment, place.words, side.seed[run])
        yield (*experiment, place.words)
        yield experiment

    def _told(self, side: str, reason: str, run: int) -> None:
        count, first = self.reasons.get((side, reason), (0, run))
        self.reasons[side, reason] = (count + 1, first)

    def _unpaired(self) -> Iterator[Unpaired]:
        for (name, reason), (count, first) in self.reasons.items():
            side, other = (self.a, self.b) if name == A else (self.b, self.a)
            example = where(side, first)
            if reason == FAILED:
                example += f": {side.error[first]}"
            elif reason.endswith(OTHERWISE):
                same = next(self._near(side, first))
                partner = next(run for run in range(len(other)) if next(self._near(other, run)) == same)
                example += f": {_told(differences(request(side, first), request(other, partner)))}"
            yield Unpaired(name, reason, count, example)

    def _nothing(self) -> ComparisonError:
        a, b = self.a, self.b
        if any(why == FAILED for _, why in self.reasons):
            lost = (
                f"{counted(count, 'run')} of {name} failed"
                for (name, why), (count, _) in self.reasons.items()
                if why == FAILED
            )
            return ComparisonError(f"there is no pair of runs that were both measured: {', '.join(lost)}")
        if (A, GROUPED) in self.reasons:
            of_a, of_b = (self.reasons[name, GROUPED][1] for name in (A, B))
            return ComparisonError(
                f"{counted(len(a), 'run')} of A, {len(b)} of B, and those that were asked the same have their flows"
                f" grouped otherwise; {where(a, of_a)}: {_listed(a.groups[of_a])} in A, {_listed(b.groups[of_b])} in B"
            )
        asked = ((request(b, run), run) for run in islice(_nearest_first(a, b), MOST_TRIED))
        ours = request(a, 0)
        found, run = min(((differences(ours, text), run) for text, run in asked), key=lambda each: len(each[0]))
        counts = f"{counted(len(a), 'run')} of A, {len(b)} of B, and no two of them were asked the same"
        if not found:
            return ComparisonError(f"{counts}: A is on {_listed(a.engines)}, B on {_listed(b.engines)}")
        hint = ""
        only_cc = all(".cc." in path or path.endswith((".name", ".start_ns")) for path in found)
        if only_cc and a.forms[a.place[0]] is None:
            hint = "; to compare algorithms, say which: STORE@cc=bbr STORE@cc=cubic"
        return ComparisonError(f"{counts}; {where(a, 0)} of A and {where(b, run)} of B: {_told(found)}{hint}")


def where(side: Side, run: int) -> str:
    """A run in words."""
    place = side.at(run)
    parts = [place.experiment, *(f"{path} = {value}" for path, value in place.point.items()), f"seed {side.seed[run]}"]
    return ", ".join(parts)


def _nearest_first(a: Side, b: Side) -> Iterator[int]:
    """Runs of B, those of the experiment of A's first run first, with its seed first."""
    wanted = a.at(0)
    yield from sorted(
        range(len(b)),
        key=lambda run: (
            b.at(run).experiment != wanted.experiment, b.at(run).words != wanted.words, b.seed[run] != a.seed[0],
        ),
    )  # fmt: skip


def _told(found: Mapping[str, tuple[Any, Any]]) -> str:
    parts = [f"{path} {json.dumps(ours)} and {json.dumps(theirs)}" for path, (ours, theirs) in found.items()]
    more = [f"{len(parts) - MOST_TOLD} more"] if len(parts) > MOST_TOLD else []
    return ", ".join([*parts[:MOST_TOLD], *more])


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)
