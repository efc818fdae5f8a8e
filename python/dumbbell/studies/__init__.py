"""Studies: a document made runnable, with its experiments, published numbers, claims and figures.

>>> from dumbbell import studies
>>> study = studies.load("claypool2019")  # doctest: +SKIP
>>> [verdict.verdict for verdict in study.judge(store, "sim")]  # doctest: +SKIP
"""

from dumbbell.studies.problem import StudyError
from dumbbell.studies.selection import carried_out, engines_of, only
from dumbbell.studies.study import Figure, Study, load, names
from dumbbell.studies.verdict import Checked, Verdict

__all__ = [
    "Checked",
    "Figure",
    "Study",
    "StudyError",
    "Verdict",
    "carried_out",
    "engines_of",
    "load",
    "names",
    "only",
]
