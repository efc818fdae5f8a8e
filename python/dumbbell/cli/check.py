"""`dumbbell check`: what a spec comes to, without running it."""

from itertools import chain
from typing import TYPE_CHECKING, Any

import typer

from dumbbell.cli.option import Harm, Json, Seeds, Sets, Spec, print_json
from dumbbell.cli.run import experiment_of

if TYPE_CHECKING:
    from dumbbell.spec import Experiment


def check(
    spec: Spec,
    *,
    seeds: Seeds = None,
    sets: Sets = None,
    harm: Harm = False,
    as_json: Json = False,
) -> None:
    """Count the runs of a spec, see which engines can run it, and what its numbers will not tell."""
    facts = _facts(experiment_of(spec, seeds, sets), harm=harm)
    if as_json:
        print_json(facts)
        return
    from dumbbell.cli import terminal

    alone = f" and {facts['runs_alone']} of a group alone" if harm else ""
    counts = f"{facts['points']} points, {facts['runs']} runs{alone}, {facts['simulated_s']:g} simulated seconds"
    typer.echo(f"{facts['name']}: {counts}")
    for name, reasons in facts["engines"].items():
        typer.echo(f"{name}: " + ("; ".join(reasons) if reasons else "can run it"))
    for warning in facts["warnings"]:
        typer.echo(terminal.wrapped(f"warning: {warning['text']}", terminal.columns()))


def _facts(experiment: "Experiment", *, harm: bool) -> dict[str, Any]:
    from dumbbell.campaign.plan import count, plan, planned_alone
    from dumbbell.engines import registry
    from dumbbell.engines.catalogue import engine_name
    from dumbbell.findings.caution import told
    from dumbbell.findings.foreseen import foreseen
    from dumbbell.kernel.cache import names
    from dumbbell.units import NS_PER_S

    runs, alone = count(experiment), planned_alone(experiment) if harm else []
    there = dict.fromkeys((*registry.NAMES, *map(engine_name, names())))
    engines = {name: _reasons(experiment, name) for name in there}
    return {
        "name": experiment.name,
        "points": runs // len(experiment.seed_values),
        "runs": runs,
        **({"runs_alone": len(alone)} if harm else {}),
        "simulated_s": sum(each.resolved.run.duration_ns for each in chain(plan(experiment), alone)) / NS_PER_S,
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
