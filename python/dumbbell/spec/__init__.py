"""The spec: text in, resolved runs out. Pure: it reads the spec and its traces, and nothing else.

>>> from dumbbell.spec import expand, load, resolve
>>> experiment = load("claypool-fig10.toml")  # doctest: +SKIP
>>> runs = [resolve(point, seed) for point in expand(experiment) for seed in experiment.seed_values]  # doctest: +SKIP
"""

from dumbbell.problem import Problem, SpecError
from dumbbell.spec.experiment import Experiment
from dumbbell.spec.resolve import Resolved, resolve
from dumbbell.spec.run import Run
from dumbbell.spec.source import assignment, load
from dumbbell.spec.sweep import Point, expand

__all__ = [
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
]
