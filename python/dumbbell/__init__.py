"""A TCP congestion-control laboratory: what each algorithm does on a path, to itself and to its neighbours.

>>> import dumbbell
>>> results = dumbbell.run("examples/two-flows.toml")  # doctest: +SKIP
>>> [result.groups["cubic"].share for result in results.summaries]  # doctest: +SKIP

What is imported here is loaded when it is first used, so that `dumbbell --help` answers at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dumbbell.errors import DumbbellError, EngineFailure, UnknownEngine

if TYPE_CHECKING:
    from dumbbell._core import __version__
    from dumbbell.campaign.run import run
    from dumbbell.results.collection import Results
    from dumbbell.results.schema import FailedRun, Result
    from dumbbell.spec import Experiment, Problem, SpecError

_HOMES = {
    "Experiment": "dumbbell.spec",
    "FailedRun": "dumbbell.results.schema",
    "Problem": "dumbbell.spec",
    "Result": "dumbbell.results.schema",
    "Results": "dumbbell.results.collection",
    "SpecError": "dumbbell.spec",
    "__version__": "dumbbell._core",
    "run": "dumbbell.campaign.run",
}

__all__ = [
    "DumbbellError",
    "EngineFailure",
    "Experiment",
    "FailedRun",
    "Problem",
    "Result",
    "Results",
    "SpecError",
    "UnknownEngine",
    "__version__",
    "run",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
