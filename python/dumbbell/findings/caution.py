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
class Caution:
    """One reason to look before the numbers of a point are trusted; it is about the experiment, not about one run."""

    kind: Kind
    text: str
    """What was found, with its numbers; without the place."""
    remedy: str
    """What would help."""
    point: Mapping[str, Any] = field(default_factory=dict)
    """The swept values of the point."""
    group: str = ""
    """The group of flows that it is about; empty: the point as a whole."""
    severity: float = 0.0
    """Larger is worse, among cautions of a kind."""

    @property
    def place(self) -> str:
        """The point in words; empty where nothing is swept."""
        return point_text(self.point)


@dataclass(frozen=True, slots=True, kw_only=True)
class CautionSummary:
    """The cautions of a kind, said once."""

    worst: Caution
    points: int
    """At how many points there is one."""

    @property
    def text(self) -> str:
        """The worst with its place, and at how many other points there is such a one; and what would help."""
        others = counted(self.points - 1, "other point") if self.points > 1 else ""
        place = " and ".join(filter(None, [self.worst.place, others]))
        return f"{f'{place}: ' if place else ''}{self.worst.text}; {self.worst.remedy}"


def caution_summaries(cautions: Iterable[Caution]) -> list[CautionSummary]:
    """Each kind once, in the order of `KINDS`."""
    by_kind = sorted(cautions, key=lambda each: KINDS.index(each.kind))
    summaries = []
    for _, same in groupby(by_kind, attrgetter("kind")):
        those = list(same)
        worst = max(those, key=attrgetter("severity"))  # of equals the first
        summaries.append(CautionSummary(worst=worst, points=len({each.place for each in those})))
    return summaries
