"""Where the runs of a report come from: engine, identity, versions, machine, seeds, moments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.number import listed
from dumbbell.results.store import Store

MOST_READ = 2000
"""Runs of an experiment whose provenance is read."""
_ORIGIN_LABELS = {
    "engine": "Engine", "identity": "Identity of the engine", "commit": "Commit", "metrics": "Identity of the metrics",
    "platform": "Platform", "machine": "Machine", "cores": "Cores",
}  # fmt: skip


def origins(store: Store, runs: Iterable[ExperimentRuns]) -> list[list[tuple[str, str]]]:
    """Label and text of each fact; one list for each different origin."""
    by_origin: dict[tuple[tuple[str, str], ...], list[tuple[str, int, str]]] = {}
    for each in runs:
        ids = (run_id for point in each.points for run_id in point.run_ids.values())
        for run_id in islice(ids, MOST_READ):
            facts: Mapping[str, Any] = store.provenance(run_id)
            by_origin.setdefault(tuple(_origin(facts)), []).append((each.name, facts["seed"], facts["finished"]))
    return [[*_extent(seen), *shared] for shared, seen in by_origin.items()]


def _origin(facts: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for key, value in (facts.get("versions") or {}).items():
        yield f"Version of {key}", str(value)
    for key, label in _ORIGIN_LABELS.items():
        if facts.get(key) is not None:
            yield label, str(facts[key])


def _extent(seen: Iterable[tuple[str, int, str]]) -> Iterable[tuple[str, str]]:
    seeds = defaultdict[str, set[int]](set)
    for name, seed, _ in seen:
        seeds[name].add(seed)
    yield "Seeds", "; ".join(f"{name}: {listed(sorted(own_seeds))}" for name, own_seeds in seeds.items())
    moments = sorted({moment for *_, moment in seen}, key=datetime.fromisoformat)
    yield "Finished", " to ".join(dict.fromkeys((moments[0], moments[-1])))
