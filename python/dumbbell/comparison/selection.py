"""Which runs a side of a comparison has: `STORE`, or `STORE@what=value,what=value`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dumbbell.errors import ComparisonError
from dumbbell.metrics.catalogue import HARMS, QUANTITIES, Quantity
from dumbbell.problem import quoted, suggestion

ENGINE, EXPERIMENT, IDENTITY, CC = "engine", "experiment", "identity", "cc"
SELECTION_KEYS: Final = (ENGINE, EXPERIMENT, IDENTITY, CC)
"""What selects among any runs; besides, whatever their experiment sweeps, by its path."""
BY_NAME_ONLY: Final = {
    "rtt_p50", "queueing_delay", "power", "converged", "convergence", "starved", "starved_longest", "late_p95",
    "late_max", "stalled", "drops", "random_drops", "loss_events", "first_half", "second_half", "trend", *HARMS,
}  # fmt: skip
"""Quantities that are compared where they are named: others say the same, or there are too many to ask all of them."""
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
        """Whether this group's algorithm is what is compared."""
        return self.cc == cc and self.group in (None, group)


def selections(a: str, b: str) -> tuple[Selection, Selection]:
    """Both sides as they were written; `@…` alone is of the other side's store.

    >>> [dict(side.wanted) for side in selections("results@cc=bbr[cwnd_gain=1.5, probe_gain=1.1]", "@cc=cubic")]
    [{'cc': 'bbr[cwnd_gain=1.5, probe_gain=1.1]'}, {'cc': 'cubic'}]

    Raises:
        ComparisonError: one cannot be read.
    """
    if a.startswith("@") and b.startswith("@"):
        raise ComparisonError(f'{a}: names no store; write "STORE{a}"')
    first = _read(a, None if not a.startswith("@") else _read(b, None).folder)
    return first, _read(b, first.folder)


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
    """Whether a condition is about an algorithm."""
    return key == CC or group_of(key) is not None


def unknown(selection: Selection, key: str, swept: Sequence[str]) -> ComparisonError:
    """What is said of something that no run has."""
    return ComparisonError(f"{selection.text}: unknown {quoted(key)}; {suggestion(key, [*SELECTION_KEYS, *swept])}")


def _read(text: str, other: Path | None) -> Selection:
    if Path(text).exists():
        return Selection(text, Path(text), {})
    folder, at, conditions = text.rpartition("@")
    if not at:
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
