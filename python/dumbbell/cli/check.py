"""`dumbbell check`: what a spec comes to, without running it."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import typer

from dumbbell.cli.option import Harm, Json, Seeds, Sets, Spec, print_json
from dumbbell.cli.run import experiment_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.campaign.plan import Planned
    from dumbbell.spec import Experiment

S_PER_MINUTE = 60


def check(
    spec: Spec,
    *,
    seeds: Seeds = None,
    sets: Sets = None,
    harm: Harm = False,
    as_json: Json = False,
) -> None:
    """Count the runs of a spec, see which engines can run it and how long it takes, and what it will not tell.

    How long is forecast from about a second of its own runs on each engine, which are not kept.
    """
    facts = _facts(experiment_of(spec, seeds, sets), harm=harm)
    if as_json:
        print_json(facts)
        return
    from dumbbell.cli import terminal

    alone = f" and {facts['runs_alone']} of a group alone" if harm else ""
    counts = f"{facts['points']} points, {facts['runs']} runs{alone}, {facts['simulated_s']:g} simulated seconds"
    width = terminal.columns()
    typer.echo(terminal.wrapped(f"{facts['name']}: {counts}, at most {_count(facts['packets'])} data packets", width))
    for name, reasons in facts["engines"].items():
        if reasons:
            said = "; ".join(reasons)
        else:
            taken = facts["forecasts"].get(name)
            said = "can run it" + (f", in {_time(taken['seconds'])} on {_cores(taken['at_once'])}" if taken else "")
        typer.echo(f"{name}: {said}")  # in one line: a reason may have a command to copy
    for program in facts["programs"]:
        typer.echo(f"starts a program: {program}")
    for warning in facts["warnings"]:
        typer.echo(terminal.wrapped(f"warning: {warning['text']}", terminal.columns()))


def _facts(experiment: "Experiment", *, harm: bool) -> dict[str, Any]:
    from dumbbell.campaign.forecast import packets
    from dumbbell.campaign.plan import count, plan, planned_alone
    from dumbbell.engines.catalogue import engine_name
    from dumbbell.engines.family import NAMES, PLANNED
    from dumbbell.findings.caution import told
    from dumbbell.findings.foreseen import foreseen
    from dumbbell.kernel.shelf import names
    from dumbbell.units import NS_PER_S

    runs, alone = count(experiment), planned_alone(experiment) if harm else []
    every = [*plan(experiment), *alone]
    there = dict.fromkeys((*NAMES, *map(engine_name, names())))
    engines = {name: _reasons(experiment, name) for name in there}
    able = [name for name, reasons in engines.items() if not reasons]
    return {
        "name": experiment.name,
        "points": runs // len(experiment.seed_values),
        "runs": runs,
        **({"runs_alone": len(alone)} if harm else {}),
        "simulated_s": sum(each.resolved.run.duration_ns for each in every) / NS_PER_S,
        "packets": round(sum(packets(each.resolved.run) for each in every)),
        "forecasts": dict(_forecasts(every, able)),
        "programs": list(dict.fromkeys(_programs(experiment, able))),
        "engines": engines | {name: ["not in this version"] for name in PLANNED},
        "warnings": [{"kind": each.worst.kind, "text": each.text} for each in told(foreseen(experiment))],
    }


def _forecasts(runs: "Sequence[Planned]", engines: "Sequence[str]") -> "Iterator[tuple[str, dict[str, Any]]]":
    """How long all runs take on each engine, and how many go on at once; nothing where a run that was tried failed."""
    from dumbbell.campaign.forecast import forecast_s
    from dumbbell.engines import registry
    from dumbbell.errors import EngineFailure

    for name in engines:
        engine = registry.engine(name)
        with suppress(EngineFailure):  # `run` will say what is wrong
            yield name, {"seconds": float(f"{forecast_s(runs, engine):.2g}"), "at_once": min(engine.slots(), len(runs))}


def _programs(experiment: "Experiment", engines: "Sequence[str]") -> "Iterator[str]":
    """The programs that each engine would start, which `run` does only with leave."""
    from dumbbell.campaign.plan import programs
    from dumbbell.engines import registry

    if experiment.names_programs:
        for name in engines:
            yield from map(str, programs(experiment, registry.engine(name)))


def _time(seconds: float) -> str:
    """A time as a forecast knows it.

    >>> _time(0.4), _time(1.4), _time(44), _time(896), _time(40000)
    ('less than a second', 'about 1 s', 'about 44 s', 'about 15 minutes', 'about 11 hours')
    """
    if seconds < 1:
        return "less than a second"
    if seconds < 2 * S_PER_MINUTE:
        return f"about {seconds:.0f} s"
    minutes = seconds / S_PER_MINUTE
    return f"about {minutes:.0f} minutes" if minutes < 2 * S_PER_MINUTE else f"about {minutes / S_PER_MINUTE:.0f} hours"


def _cores(count: int) -> str:
    return "one core" if count == 1 else f"{count} cores"


def _count(number: int) -> str:
    """A large number in words.

    >>> _count(20_000), _count(3_571_429), _count(3_600_000_000)
    ('20,000', '3.57 million', '3.60 billion')
    """
    from dumbbell.metrics.number import amount

    for size, word in ((1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{amount(number / size)} {word}"
    return f"{number:,}"


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
