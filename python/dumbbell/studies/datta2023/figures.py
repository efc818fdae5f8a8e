"""What a row of `figures.toml` cannot say: each setting of `shallow` as a row of its own, the least at the bottom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, Final

from dumbbell.charts.chart import Layer
from dumbbell.charts.shapes import ErrorBar, Look, scatter
from dumbbell.metrics.distribution import quantile
from dumbbell.studies.datta2023.claims import CELL, measured
from dumbbell.studies.displays.scope import Scope

SETTING_LABELS: Final[Mapping[str, Mapping[Any, str]]] = {
    "path.offload": {False: "packets, no offload"},
    "path.burst": {"1514 B": "plain line", "70 kB": "bucket 70 kB", "140 kB": "bucket 140 kB"},
    "path.jitter": {"none": "no jitter"},
    "host.qdisc": {},
    "host.sack_compression": {True: "SACK compression"},
    "host.gro": {True: "GRO"},
    "host.ack_aggregation": {},
    "host.socket_memory": {"default": "default memory"},
}
"""Of what differs from the first setting, by field and value; of others the noun below with the value."""
NOUNS: Final = {"path.jitter": "jitter", "host.qdisc": "sender has", "host.ack_aggregation": "lumps"}
NAMES_AT: Final = 0.01
"""Where the names begin: the least of the axis."""
MIDDLE: Final = (0.1, 0.9)
"""Ends of the bar, as shares of the cells."""


def settings(scope: Scope) -> Iterator[Layer]:
    """Of each setting the ratios of its cells: median, from the tenth to the ninetieth of a hundred, least and most."""
    by_setting = _ratios(scope)
    rows = sorted(by_setting, key=lambda name: median(by_setting[name]))
    if not rows:
        return
    places = [float(place) for place in range(1, len(rows) + 1)]
    ordered = [by_setting[name] for name in rows]
    yield scatter(Look("flow 8", label="least and most of the cells"), [min(ratios) for ratios in ordered], places)
    yield scatter(Look("flow 8"), [max(ratios) for ratios in ordered], places)
    spreads = [ErrorBar(median(ratios), *(quantile(ratios, share) for share in MIDDLE)) for ratios in ordered]
    yield scatter(Look("flow 1", label="median, and 80 % of the cells"), spreads, places)
    for name, place in zip(rows, places, strict=True):
        yield scatter(Look("flow 1", tag=name), (NAMES_AT,), (place,), kind="line")


def _ratios(scope: Scope) -> Mapping[str, list[float]]:
    """Ours (median over seeds) over what was measured in each cell, by the setting's name."""
    values: dict[tuple[str, tuple[str, ...]], list[float]] = defaultdict(list)
    measured_bps: dict[tuple[str, ...], float] = {}
    trials = scope.evidence.of(scope.experiment, scope.settled.version)
    first = trials[0].runs[0].point if trials else {}
    for trial in trials:
        for run in trial.runs:
            cell = tuple(str(run.point[path]) for path in CELL)
            ours, theirs = run.result.groups["flow"].goodput_iperf3_bps, measured(run)
            if ours is not None and theirs is not None:
                values[_name(run.point, first), cell].append(ours)
                measured_bps[cell] = theirs
    by_setting: dict[str, list[float]] = defaultdict(list)
    for (name, cell), each in values.items():
        by_setting[name].append(median(each) / measured_bps[cell])
    return by_setting


def _name(point: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    parts = [
        SETTING_LABELS[path].get(point[path]) or f"{NOUNS.get(path, path)} {point[path]}"
        for path in SETTING_LABELS
        if point[path] != first[path]
    ]
    return ", ".join(parts) or "as known"
