"""What the package and the page make of the same runs: charts in time, summaries and means."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import dumbbell
from dumbbell.charts.vega import vega_lite
from dumbbell.experiment.charts.samples import read as read_samples
from dumbbell.experiment.charts.time import EVENTS_ROW, in_time
from dumbbell.experiment.points import read
from dumbbell.metrics.statistics import estimate
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import load

DESCRIPTION = "a run"


def of_package(text: str, folder: Path) -> dict[str, Any]:
    """What the package makes of them."""
    dumbbell.run(load(text), store=folder)
    with Store.open(folder) as store:
        (runs,) = read(store)
        sampled = read_samples(store, runs).runs
        results = [_measured(store, each.run_id) for each in sampled]
        charts = [_without_tags(in_time(runs, [each])) for each in sampled]
    goodput = estimate(runs.points[0].known("goodput", runs.groups[0]))
    return {
        "runs": [
            {"lines": _lines(chart), "chart": vega_lite(chart), "summary": result}
            for chart, result in zip(charts, results, strict=True)
        ],
        "fair": dict(runs.points[0].fair_shares),
        "goodput": goodput._asdict(),
    }


def _measured(store: Store, run_id: str) -> dict[str, Any]:
    result = store.get(run_id)
    assert isinstance(result, Result)
    return result.model_dump()


def _without_tags(chart: Any) -> Any:
    """The page has no names at the lines, which would have to move with new numbers, and drops and marks in strips."""
    panels = tuple(
        replace(panel, layers=tuple(replace(layer, tag="") for layer in panel.layers))
        for panel in chart.panels
        if panel.y.label != EVENTS_ROW
    )
    return replace(chart, alt=DESCRIPTION, panels=panels)


def _lines(chart: Any) -> list[Any]:
    """Of each panel, its lines with all their digits: a chart's data are rounded to what can be seen."""
    return [
        [
            {"label": layer.label, "style": layer.style, "instance": layer.instance, "x": layer.x, "y": layer.y}
            for layer in panel.layers
        ]
        for panel in chart.panels
    ]


def structure(spec: Any) -> Any:
    """A chart without the numbers of its lines, whose form is another one on the page."""
    if isinstance(spec, Mapping):
        remaining = {key: structure(value) for key, value in spec.items()}
        if "layer" in spec and "data" in spec:
            del remaining["data"]
        return remaining
    return [structure(each) for each in spec] if isinstance(spec, list) else spec


def differences(ours: Any, theirs: Any, tolerance: float, where: str = "") -> Iterator[str]:
    """Where two trees differ, numbers by more than this relative to the larger; of theirs all must be in ours."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        for key in theirs:
            yield from differences(ours.get(key), theirs[key], tolerance, f"{where}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list | tuple) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(one, other, tolerance, f"{where}[{index}]")
    elif isinstance(ours, int | float) and isinstance(theirs, int | float):
        if not math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=0):
            yield f"{where}: {ours} and {theirs}"
    elif ours != theirs:
        yield f"{where}: {ours!r} and {theirs!r}"
