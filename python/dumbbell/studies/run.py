"""`studies.run`: a study's experiments carried out on an engine."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from dumbbell.campaign.local import Beginning, count
from dumbbell.campaign.stored import carry_out_into
from dumbbell.engines.registry import engine as engine_named
from dumbbell.studies.gathering import honoured
from dumbbell.studies.paths import assure

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.schema import FailedRun
    from dumbbell.results.store import Store
    from dumbbell.studies.study import Study


def total_on(study: Study, engine: Engine) -> int:
    """How many runs a study has that an engine can honour."""
    return sum(count(experiment) for experiment in honoured(study, engine).values())


def run(  # noqa: PLR0913 (a study, where it is measured, and how)
    study: Study,
    store: Store,
    engine: Engine | str,
    jobs: int | None = None,
    progress: Callable[[], None] | None = None,
    *,
    fresh: bool = False,
) -> list[FailedRun]:
    """Carries out the runs that the store does not have, all of them if `fresh`, and returns those that failed.

    `progress` is called after each run, those found in the store too. What the engine cannot honour, of an
    experiment with a version of the algorithm, is left out; the claims about it are then not testable. An engine
    that builds paths has them looked at first.

    Raises:
        UnknownEngine: there is no such engine in this version.
        StudyError: a path is not as asked.
        EngineFailure: a path cannot be looked at, or the first runs failed alike.
    """
    chosen = engine_named(engine) if isinstance(engine, str) else engine
    failures: list[FailedRun] = []
    experiments = honoured(study, chosen)
    assure(experiments.values(), store, chosen, fresh=fresh)
    beginning = Beginning()
    for experiment in experiments.values():
        runs = carry_out_into(store, experiment, chosen, jobs=jobs, fresh=fresh, progress=progress, beginning=beginning)
        with closing(runs):
            failures.extend(outcome for outcome in runs if outcome.status == "failed")
    return failures
