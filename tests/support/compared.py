"""Small stores for comparisons of stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commandline import MOMENT
from dumbbell.campaign.execution import run_campaign
from dumbbell.comparison.differences import Comparison, Overall, PairedDifference, compare
from dumbbell.comparison.selection import quantities, selections
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load


def store_of(folder: Path, engine: Engine | None = None, spec: Experiment | None = None, /, **settings: Any) -> Path:
    """A store with the runs of `spec`, or of a moment, two points and two seeds, but for what is set."""
    overrides = {path.replace("__", "."): value for path, value in settings.items()}
    usual = {"name": "moment", "duration": "2 s", "measure.record": "summary"}
    experiment = spec or load(MOMENT, overrides=usual | overrides)
    with Store.open(folder, write=True) as store:
        list(run_campaign(store, experiment, engine or SimEngine(), jobs=2))
    return folder


def compare_stores(a: Path | str, b: Path | str, metrics: str | None = None) -> Comparison:
    """The whole way."""
    return compare(*selections(str(a), str(b)), quantities(metrics), named=metrics is not None)


def overall_of(comparison: Comparison, metric: str, group: str | None = None) -> Overall:
    (row,) = [each for each in comparison.overall if (each.quantity.name, each.group) == (metric, group)]
    return row


def rows(comparison: Comparison, metric: str, group: str | None = None) -> list[PairedDifference]:
    return [each for each in comparison.rows() if (each.quantity.name, each.group) == (metric, group)]


def reasons(comparison: Comparison) -> dict[tuple[str, str], int]:
    return {(each.side, each.reason): each.runs for each in comparison.pairs.unpaired}
