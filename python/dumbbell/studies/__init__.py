"""Studies: a document made runnable, with its experiments, published numbers, claims and figures.

>>> from dumbbell import studies
>>> study = studies.load("claypool2019")  # doctest: +SKIP
>>> [verdict.verdict for verdict in study.judge(store, "sim")]  # doctest: +SKIP
"""

from dumbbell.studies.problem import StudyError
from dumbbell.studies.selection import engines_of, only
from dumbbell.studies.standing import Gap, Shown, Standing, disputed, in_order, standing
from dumbbell.studies.study import Display, Study, load, names
from dumbbell.studies.verdict import Checked, Flipped, Sound, Verdict, sound

__all__ = [
    "Checked",
    "Display",
    "Flipped",
    "Gap",
    "Shown",
    "Sound",
    "Standing",
    "Study",
    "StudyError",
    "Verdict",
    "disputed",
    "engines_of",
    "in_order",
    "load",
    "names",
    "only",
    "sound",
    "standing",
]
