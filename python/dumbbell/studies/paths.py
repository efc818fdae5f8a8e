"""The paths of a study, looked at before anything is measured on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.campaign.local import known, plan
from dumbbell.engines.path_check import check_paths
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment
    from dumbbell.spec.run import Run


def assure(experiments: Iterable[Experiment], store: Store, engine: Engine, *, fresh: bool = False) -> None:
    """Has packet trains sent through each path on which runs are missing, by engines that build paths.

    Raises:
        StudyError: paths are not as asked; it says which, and in what.
        EngineFailure: a path could not be looked at.
    """
    wrong = [
        f"{checked.asked}: {deviation}"
        for checked in check_paths(engine, _missing(experiments, store, engine, fresh=fresh))
        for deviation in checked.deviations
    ]
    if wrong:
        raise StudyError("nothing was measured, because paths are not as asked:\n" + "\n".join(wrong))


def _missing(experiments: Iterable[Experiment], store: Store, engine: Engine, *, fresh: bool) -> Iterator[Run]:
    identity = engine.identity()
    for experiment in experiments:
        for planned in plan(experiment):
            if fresh or not store.finished(known(planned, engine, identity)["run_id"]):
                yield planned.resolved.run
