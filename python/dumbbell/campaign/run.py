"""`dumbbell.run`: an experiment carried out from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.campaign.local import carry_out, plan, refusals
from dumbbell.engines.registry import engine as engine_named
from dumbbell.results.collection import Results
from dumbbell.spec import SpecError, load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dumbbell.spec import Experiment


def run(spec: str | Path | Mapping[str, Any] | Experiment, engine: str = "sim", *, jobs: int | None = None) -> Results:
    """Measures every run of an experiment and returns the outcomes in the order of expansion.

    `spec` is the path of a TOML file, its text, its words as a dictionary, or an `Experiment`. `jobs` runs go on at
    once; as many as the engine can on this machine if nothing is said.

    Raises:
        SpecError: the spec has problems, or the engine cannot honour it.
        UnknownEngine: there is no such engine in this version.
    """
    experiment, chosen = load(spec), engine_named(engine)
    problems = refusals(experiment, chosen)
    if problems:
        raise SpecError(problems)
    return Results(tuple(carry_out(plan(experiment), chosen, jobs or chosen.slots())))
