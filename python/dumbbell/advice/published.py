"""Gains of BBR over CUBIC that real hosts measured, out of the studies' tables: dots on maps of simulated ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import log
from pathlib import Path
from typing import Final

from dumbbell.comparison.record import Number, Part
from dumbbell.hosts.points import read
from dumbbell.hosts.record import HostPoint
from dumbbell.hosts.spread import host_points

COMPARABLE: Final = 2.5
"""Rates and RTTs that are no farther apart, as ratios, are alike enough for a dot on a map."""
ALONE: Final = ("datta2023", "bbr", "cubic")
"""Study and tables of the same paths with one flow of each: the replication of Cao et al.'s Figures 5a and 5b."""
SHARED: Final = (("sarpkaya2025", "figure1b"), ("sarpkaya2025", "figure8b"))
"""Study and table of one BBR flow beside one CUBIC flow, at two rates."""
CITATIONS: Final = {"datta2023": "Datta and Fund 2023", "sarpkaya2025": "Sarpkaya et al. 2025"}


class MeasuredGain(Part):
    """At a path: what BBR had over what CUBIC would have, less 1."""

    source: str
    rate_bps: int
    rtt_s: Number
    buffer_bdp: Number
    neighbours: int
    """CUBIC flows beside it."""
    gain: Number

    def is_near(self, rate_bps: float, rtt_s: float) -> bool:
        """Rate and RTT are near enough to these for a dot on their map."""
        return max(abs(log(self.rate_bps / rate_bps)), abs(log(self.rtt_s / rtt_s))) <= log(COMPARABLE)


@cache
def measured_gains() -> tuple[MeasuredGain, ...]:
    """All of them.

    Alone both algorithms were measured. Beside a CUBIC flow only BBR was: a CUBIC flow in its place would have half of
    the line, which is what its gain is over.
    """
    return *_alone(), *(each for study, table in SHARED for each in _shared(study, table))


def _alone() -> Iterator[MeasuredGain]:
    study, first, second = ALONE
    points = _points(study, first)
    measured = {str(sorted(point.at.items())): point.measured for point in _points(study, second)}
    for point in points:
        if point.setting == points[0].setting:
            yield _of(point, study, point.measured / measured[str(sorted(point.at.items()))] - 1, neighbours=0)


def _shared(study: str, table: str) -> Iterator[MeasuredGain]:
    for point in _points(study, table):
        (_, mine), (other, theirs) = ((group.cc, group.flows) for group in point.groups)
        if other == "cubic" and mine == theirs == 1:
            yield _of(point, study, point.measured / 0.5 - 1, neighbours=1)


def _of(point: HostPoint, study: str, gain: float, *, neighbours: int) -> MeasuredGain:
    return MeasuredGain(
        source=CITATIONS[study], rate_bps=point.rate_bps, rtt_s=point.rtt_s, buffer_bdp=point.buffer_bdp,
        neighbours=neighbours, gain=gain,
    )  # fmt: skip


def _points(study: str, table: str) -> list[HostPoint]:
    from importlib.resources import files  # noqa: PLC0415 (seldom)

    folder = Path(str(files(f"dumbbell.studies.{study}")))
    return list(host_points(read(folder / f"{table}.csv", folder / f"{table}.toml"), {}))
