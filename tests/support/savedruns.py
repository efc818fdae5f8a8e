"""Runs as the explorer's page saves them; `tests/cli/test_import.py` holds them to what its code writes."""

from __future__ import annotations

import json
from typing import Any

from dumbbell.engines.sim import SimEngine
from dumbbell.spec import expand, load, resolve
from dumbbell.version import __version__


def saved(spec: str, /, **otherwise: Any) -> str:
    """The first point of a spec with its first seed, as JSON; `otherwise`: other values of keys, `None` for none."""
    experiment, engine = load(spec), SimEngine()
    seed = experiment.seed_values[0]
    measurement = json.loads(engine.measurement_json(resolve(next(expand(experiment)), seed).run))
    document = {
        "version": __version__,
        "identity": engine.identity(),
        "spec": spec,
        "seed": seed,
        "measurement": measurement,
    }
    return json.dumps({key: value for key, value in (document | otherwise).items() if value is not None})
