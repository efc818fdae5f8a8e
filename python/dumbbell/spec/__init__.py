"""The spec: text in, resolved runs out. `crates/spec` does it; this is how Python calls it.

>>> from dumbbell.spec import expand, load, resolve
>>> experiment = load("claypool-fig10.toml")  # doctest: +SKIP
>>> runs = [resolve(point, seed) for point in expand(experiment) for seed in experiment.seed_values]  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

from dumbbell.problem import Problem, SpecError
from dumbbell.spec.experiment import Axis, Experiment, Point, expand
from dumbbell.spec.source import assignment, load, toml

if TYPE_CHECKING:
    from dumbbell.spec.resolved import Resolved, resolve
    from dumbbell.spec.run import Run

__all__ = [
    "Axis",
    "Experiment",
    "Point",
    "Problem",
    "Resolved",
    "Run",
    "SpecError",
    "assignment",
    "expand",
    "load",
    "resolve",
    "toml",
]

_LATE = {"Resolved": "resolved", "resolve": "resolved", "Run": "run"}
"""What takes long to load, and its module."""


def __getattr__(name: str) -> object:
    """Give what is loaded when somebody asks for it."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
