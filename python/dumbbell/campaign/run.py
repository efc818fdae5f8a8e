"""`dumbbell.run`: an experiment carried out from Python."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell.campaign.execution import run_campaign
from dumbbell.campaign.plan import refusals
from dumbbell.engines.catalogue import catalogue
from dumbbell.engines.registry import engine as engine_named
from dumbbell.results.collection import Results
from dumbbell.results.enrolment import campaign_of
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError, load

if TYPE_CHECKING:
    from collections.abc import Mapping


def run(
    spec: str | Path | Mapping[str, Any] | Experiment,
    engine: str = "sim",
    store: str | Path | None = None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
) -> Results:
    """Measures every run of an experiment and returns the outcomes in the order of expansion.

    `spec` is the path of a TOML file, its text, its words as a dictionary, or an `Experiment`. `jobs` runs go on at
    once; as many as the engine can on this machine if nothing is said.

    `store` is a folder that keeps every run: what it has is not run again, unless `fresh`. Without one the runs are
    kept in a temporary folder for as long as the results are in use.

    Raises:
        SpecError: the spec has problems, or the engine cannot honour it.
        UnknownEngine: there is no such engine in this version.
        KernelError: its kernel is not on this machine.
        StoreError: the store cannot be opened or written.
        EngineFailure: the first runs failed alike, as where a kernel cannot boot.
    """
    chosen = engine_named(engine)
    experiment = load(spec, registry=None if isinstance(spec, Experiment) else catalogue())
    problems = refusals(experiment, chosen)
    if problems:
        raise SpecError(problems)
    folder = Path(store if store is not None else tempfile.mkdtemp(prefix="dumbbell-"))
    try:
        with Store.open(folder, write=True) as opened:
            outcomes = tuple(run_campaign(opened, experiment, chosen, jobs=jobs, fresh=fresh))
            campaign = campaign_of(opened.ledger, experiment, chosen.name, chosen.identity())
        assert campaign is not None  # noqa: S101 (it was just carried out)
        results = Results(outcomes, folder, campaign)
    except BaseException:
        if store is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if store is None:
        weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
    return results
