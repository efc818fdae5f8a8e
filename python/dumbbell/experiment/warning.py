"""A warning about an experiment: what it is about, where, with which numbers, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, TypeAlias, get_args

from dumbbell.metrics.number import counted
from dumbbell.spec.point_text import point_text

Kind: TypeAlias = Literal[
    "not stationary", "seeds alike", "few losses", "phase effects", "behaves as Reno", "socket memory",
    "jitter in order", "one frame",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentWarning:
    """One reason to look before the numbers of a point are trusted; it is about the experiment, not about one run."""

    kind: Kind
    text: str
    """What it says, with its numbers; without the place."""
    remedy: str
    """What would help."""
    point: Mapping[str, Any] = field(default_factory=dict)
    """The swept values of the point."""
    severity: float = 0.0
    """Larger is worse, among warnings of a kind."""

    @property
    def place(self) -> str:
        """The point as text; empty where nothing is swept."""
        return point_text(self.point)


def summaries(warnings: Iterable[ExperimentWarning]) -> dict[Kind, str]:
    """Each kind once, in the order of `KINDS`: the worst with its place, how many others there are, what would help."""
    texts = {}
    for kind, alike in groupby(sorted(warnings, key=lambda each: KINDS.index(each.kind)), attrgetter("kind")):
        members = list(alike)
        worst = max(members, key=attrgetter("severity"))  # of equals the first
        others = len({each.place for each in members}) - 1
        place = " and ".join(filter(None, [worst.place, counted(others, "other point") if others else ""]))
        texts[kind] = f"{f'{place}: ' if place else ''}{worst.text}; {worst.remedy}"
    return texts
