"""Studies: a document made runnable, with its experiments, published numbers, claims and figures.

>>> from dumbbell import studies
>>> study = studies.load("claypool2019")  # doctest: +SKIP
>>> failures = studies.run(study, store, "sim")  # doctest: +SKIP
>>> [verdict.verdict for verdict in studies.status_of(study, store, "sim").verdicts]  # doctest: +SKIP

What is imported here is loaded when it is first used, so that `dumbbell study list` answers at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dumbbell.errors import StudyError

if TYPE_CHECKING:
    from dumbbell.studies.execution import engines_of, run
    from dumbbell.studies.hypothesis import supposed
    from dumbbell.studies.loading import load
    from dumbbell.studies.manifest import names
    from dumbbell.studies.status import StudyStatus, status_of
    from dumbbell.studies.study import Display, Study, drawn, only
    from dumbbell.studies.totals import total
    from dumbbell.studies.verdict import Verdict, disputed, in_order

_HOMES = {
    "Display": "study", "Study": "study", "StudyStatus": "status", "Verdict": "verdict", "disputed": "verdict",
    "drawn": "study", "engines_of": "execution", "in_order": "verdict", "load": "loading", "names": "manifest",
    "only": "study", "run": "execution", "status_of": "status", "supposed": "hypothesis", "total": "totals",
}  # fmt: skip

__all__ = [
    "Display", "Study", "StudyError", "StudyStatus", "Verdict", "disputed", "drawn", "engines_of", "in_order", "load",
    "names", "only", "run", "status_of", "supposed", "total",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
