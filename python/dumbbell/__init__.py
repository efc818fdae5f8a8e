"""A TCP congestion-control laboratory: what each algorithm does on a path, to itself and to its neighbours.

>>> import dumbbell
>>> results = dumbbell.run("examples/two-flows.toml")  # doctest: +SKIP
>>> results  # doctest: +SKIP
>>> results.means("share", "rtt")  # doctest: +SKIP
>>> results.plot.shares()  # doctest: +SKIP

What is imported here is loaded when it is first used, so that `dumbbell --help` answers at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dumbbell.errors import DumbbellError, EngineFailure, StoreError, StoreFailure, UnknownEngine

if TYPE_CHECKING:
    from dumbbell.experiment.results import Results, run
    from dumbbell.experiment.stored import Store
    from dumbbell.experiment.stored import open_store as open  # noqa: A004 (what it does, with stores)
    from dumbbell.results.schema import FailedRun, Result
    from dumbbell.spec import Experiment, Problem, SpecError
    from dumbbell.version import __version__

_HOMES = {
    "Experiment": "dumbbell.spec",
    "FailedRun": "dumbbell.results.schema",
    "Problem": "dumbbell.spec",
    "Result": "dumbbell.results.schema",
    "Results": "dumbbell.experiment.results",
    "SpecError": "dumbbell.spec",
    "Store": "dumbbell.experiment.stored",
    "__version__": "dumbbell.version",
    "open": "dumbbell.experiment.stored",
    "run": "dumbbell.experiment.results",
}
_NAMES_AT_HOME = {"open": "open_store"}

__all__ = [
    "DumbbellError",
    "EngineFailure",
    "Experiment",
    "FailedRun",
    "Problem",
    "Result",
    "Results",
    "SpecError",
    "Store",
    "StoreError",
    "StoreFailure",
    "UnknownEngine",
    "__version__",
    "open",
    "run",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), _NAMES_AT_HOME.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
