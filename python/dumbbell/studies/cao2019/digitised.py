"""The document's own cells, as the replicators digitised them, and those that they measured again: at a run's point.

Both stand in the published numbers of the replication's study, and nowhere else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal

from dumbbell.studies.evidence import RunData
from dumbbell.studies.sweep import number, swept

PLANES = {0.1: "shallow", 10.0: "deep"}
"""By the queue in MB; the replicators' KB has 1024 B, which is taken to be the same plane."""


def published_gain(run: RunData, whose: Literal["cao", "gain"]) -> float | None:
    """BBR's gain over CUBIC, a share, where it was published: None in other planes.

    "cao": in Figure 5a or 5b; "gain": as Datta and Fund measured it again, on Linux 4.15.
    """
    plane = PLANES.get(swept(run, "path.buffer", "MB"))
    if plane is None:
        return None
    percent = _cells(f"{whose}_{plane}")[swept(run, "path.rate", "Mbit/s"), swept(run, "path.rtt", "ms")]
    return percent / 100


@cache
def _cells(name: str) -> Mapping[tuple[float, float], float]:
    """The numbers of a table, by rate in Mbit/s and RTT in ms."""
    text = files("dumbbell.studies.datta2023").joinpath("published.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)[name]
    return {
        (number(rate, "Mbit/s"), number(rtt, "ms")): cell
        for rate, cells in zip(table["rows"], table["cells"], strict=True)
        for rtt, cell in zip(table["columns"], cells, strict=True)
    }
