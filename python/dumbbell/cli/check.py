"""`dumbbell check`: what a spec comes to, without running it."""

from typing import TYPE_CHECKING, Any

import typer

from dumbbell.cli.option import Json, Seeds, Sets, Spec, print_json
from dumbbell.cli.run import experiment_of

if TYPE_CHECKING:
    from dumbbell.spec import Experiment


def check(
    spec: Spec,
    *,
    seeds: Seeds = None,
    sets: Sets = None,
    as_json: Json = False,
) -> None:
    """Count the runs of a spec, see which engines can run it, and what its numbers will not tell."""
    facts = _facts(experiment_of(spec, seeds, sets))
    if as_json:
        print_json(facts)
        return
    typer.echo(
        f"{facts['name']}: {facts['points']} points, {facts['runs']} runs, {facts['simulated_s']:g} simulated seconds"
    )
    for name, reasons in facts["engines"].items():
        typer.echo(f"{name}: " + ("; ".join(reasons) if reasons else "can run it"))
    for warning in facts["warnings"]:
        typer.echo(f"warning: {warning['text']}")


def _facts(experiment: "Experiment") -> dict[str, Any]:
    from dumbbell.campaign.plan import count, plan
    from dumbbell.engines import registry
    from dumbbell.engines.catalogue import engine_name
    from dumbbell.findings.caution import told
    from dumbbell.findings.foreseen import foreseen
    from dumbbell.kernel.cache import names
    from dumbbell.units import NS_PER_S

    runs = count(experiment)
    there = dict.fromkeys((*registry.NAMES, *map(engine_name, names())))
    engines = {name: _reasons(experiment, name) for name in there}
    return {
        "name": experiment.name,
        "points": runs // len(experiment.seed_values),
        "runs": runs,
        "simulated_s": sum(each.resolved.run.duration_ns for each in plan(experiment)) / NS_PER_S,
        "engines": engines | {name: ["not in this version"] for name in registry.PLANNED},
        "warnings": [{"kind": each.worst.kind, "text": each.text} for each in told(foreseen(experiment))],
    }


def _reasons(experiment: "Experiment", engine: str) -> list[str]:
    """Why an engine cannot run it; none when it can."""
    from dumbbell.campaign.plan import refusals
    from dumbbell.engines import registry
    from dumbbell.errors import EngineFailure, KernelError

    try:
        chosen = registry.engine(engine)
        problems = refusals(experiment, chosen)
        if not problems:
            chosen.ready()
        return list(map(str, problems))
    except (EngineFailure, KernelError) as error:
        return [str(error)]
