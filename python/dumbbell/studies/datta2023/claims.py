"""What was measured on the hosts at a run's cell, for formulas."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from dumbbell.hosts.points import read
from dumbbell.studies.evidence import RunData


def measured(run: RunData) -> float | None:
    """Goodput in bit/s as iperf3 told it, of the run's algorithm; None where there is no such cell."""
    algorithm, _, _ = run.result.flows[0].cc.partition("_")
    return _cells(algorithm).get(tuple(map(str, map(run.point.get, CELL))))


CELL = ("path.rate", "path.rtt", "path.buffer")


@cache
def _cells(algorithm: str) -> Mapping[tuple[str, ...], float]:
    """The numbers of an algorithm's table, by the cell's values as specs write them."""
    folder = Path(__file__).parent
    rows = read(folder / f"{algorithm}.csv", folder / f"{algorithm}.toml").rows
    return {tuple(str(row.at[path]) for path in CELL): entry.value for row in rows for entry in row.measured.values()}
