"""Studies: a document made runnable, with its experiments, published numbers, claims and figures.

>>> from dumbbell import studies
>>> study = studies.load("claypool2019")  # doctest: +SKIP
>>> failures = studies.run(study, store, "sim")  # doctest: +SKIP
>>> [verdict.verdict for verdict in studies.standing(study, store, "sim").verdicts]  # doctest: +SKIP
"""

from dumbbell.studies.displays.loading import Display
from dumbbell.studies.problem import StudyError
from dumbbell.studies.run import run
from dumbbell.studies.selection import engines_of, only
from dumbbell.studies.standing import Shown, Standing, standing
from dumbbell.studies.study import Study, load, names
from dumbbell.studies.totals import Count, Total, of_documents, sentence, total
from dumbbell.studies.verdict import Checked, Flipped, Verdict, disputed, in_order

__all__ = [
    "Checked",
    "Count",
    "Display",
    "Flipped",
    "Shown",
    "Standing",
    "Study",
    "StudyError",
    "Total",
    "Verdict",
    "disputed",
    "engines_of",
    "in_order",
    "load",
    "names",
    "of_documents",
    "only",
    "run",
    "sentence",
    "standing",
    "total",
]
