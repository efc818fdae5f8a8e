"""`dumbbell check`: what a spec comes to, without running it."""

from dataclasses import asdict
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dumbbell.cli.option import Harm, Json, Seeds, Sets, Spec, print_json
from dumbbell.cli.run import experiment_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dumbbell.campaign.size import Size
    from dumbbell.campaign.survey import Survey
    from dumbbell.spec import Experiment

EXAMPLE = "Example: dumbbell check examples/two-flows.toml"
_STARTS = 2.2
"""What `run` takes to load and to end, over what this command has taken when it begins to look at the points."""
COUNTED_ALONE = 10_000
"""So many runs of groups alone are counted one by one."""


def check(  # noqa: PLR0913 (each is an option)
    spec: Spec,
    *,
    seeds: Seeds = None,
    sets: Sets = None,
    harm: Harm = False,
    forecast: Annotated[
        bool, typer.Option("--forecast/--no-forecast", help="Try some runs for a moment, to say how long all take.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Count the runs of a spec, list the engines that can run it, estimate the time, and warn about its questions.

    dumbbell tries some of the runs on the simulator for a moment, and estimates time, memory and disk from these. The
    estimate is of `dumbbell run` on this machine with an empty store, while nothing else works on it.
    """
    start_s = _STARTS * process_time()
    facts, subject = _facts(experiment_of(spec, seeds, sets), harm=harm)
    forecasts = dict(_forecasts(subject, start_s)) if forecast and as_json else {}
    if as_json:
        print_json({**facts, "forecasts": forecasts})
        return
    from dumbbell.metrics.number import counted
    from dumbbell.tables import terminal

    alone = f" and {facts['runs_alone']} of a group alone" if harm else ""
    extent = f"{counted(facts['points'], 'point')}, {counted(facts['runs'], 'run')}{alone}"
    counts = f"{extent}, {facts['simulated_s']:g} simulated seconds"
    width = terminal.columns()
    typer.echo(terminal.wrapped(f"{facts['name']}: {counts}, at most {_count(facts['packets'])} data packets", width))
    if facts["points_seen"] < facts["points"]:
        seen = f"{facts['points_seen']:,} of the points were looked at, from all over the sweep: more would take long"
        typer.echo(terminal.wrapped(seen, width))
    forecasts = dict(_forecasts(subject, start_s)) if forecast else {}
    for name, reasons in facts["engines"].items():
        taken = forecasts.get(name)
        said = "; ".join(reasons) or f"can run it{_said(taken) if taken else ''}"
        typer.echo(f"{name}: {said}")  # in one line: a reason may have a command to copy
    if facts["outside"]:
        typer.echo(terminal.wrapped(f"sim: {facts['outside']}", width))
    for program in facts["programs"]:
        typer.echo(f"starts a program: {program}")
    for warning in facts["warnings"]:
        typer.echo(terminal.wrapped(f"warning: {warning['text']}", terminal.columns()))


class _Subject(NamedTuple):
    """What a forecast is about."""

    parts: "Sequence[tuple[Survey, int]]"
    """What was seen of the points, and how many runs these stand for."""
    engines: "Sequence[str]"
    sizes: "Sequence[Sequence[Size]]"
    """Of the run of each point that was seen."""


def _facts(experiment: "Experiment", *, harm: bool) -> "tuple[dict[str, Any], _Subject]":
    """All but the forecasts, and what these are about."""
    from dumbbell.campaign.plan import count, each_alone
    from dumbbell.campaign.size import Size
    from dumbbell.campaign.survey import Survey
    from dumbbell.comparison.standing import outside
    from dumbbell.engines.catalogue import engine_name
    from dumbbell.engines.family import NAMES
    from dumbbell.findings.spec_warnings import spec_warnings
    from dumbbell.findings.warning import summaries
    from dumbbell.kernel.shelf import names
    from dumbbell.units import NS_PER_S

    survey, runs = Survey.of(experiment), count(experiment)
    parts = [(survey, runs)]
    alone = each_alone(experiment) if harm else None
    if alone is not None:
        parts.append((Survey.of(alone), _count_alone(experiment, alone)))
    there = dict.fromkeys((*NAMES, *map(engine_name, names())))
    engines = {name: _reasons(survey, name) for name in there}
    able = [name for name, reasons in engines.items() if not reasons]

    sizes = [[Size.of(resolved.run) for _, resolved in seen.seen] for seen, _ in parts]
    packets = sum(n * sum(size.packets for size in own) / len(own) for own, (_, n) in zip(sizes, parts, strict=True))
    lasted_ns = sum(n * sum(each.run.duration_ns for _, each in seen.seen) / len(seen.seen) for seen, n in parts)

    facts = {
        "name": experiment.name,
        "points": survey.points,
        "points_seen": len(survey.seen),
        "runs": runs,
        **({"runs_alone": parts[1][1] if alone is not None else 0} if harm else {}),
        "simulated_s": lasted_ns / NS_PER_S,
        "packets": round(packets),
        "programs": list(dict.fromkeys(_programs(experiment, able))),
        "engines": engines,
        "outside": outside(survey.seen),
        "warnings": [
            {"kind": kind, "text": text} for kind, text in summaries(spec_warnings(experiment, survey.seen)).items()
        ],
    }
    return facts, _Subject(parts, able, sizes)


def _count_alone(experiment: "Experiment", alone: "Experiment") -> int:
    """How many runs groups alone add; of very many, how many at most."""
    from dumbbell.campaign.plan import count, planned_alone

    most = count(alone)
    return len(planned_alone(experiment)) if most <= COUNTED_ALONE else most


def _forecasts(subject: _Subject, start_s: float) -> "Iterator[tuple[str, dict[str, Any]]]":
    """What all runs take on each engine; `start_s`: what `run` takes to load and to end."""
    from dumbbell.campaign.forecast import forecast, try_some
    from dumbbell.engines import registry

    if not subject.engines:
        return
    trials = try_some(
        [resolved.run for survey, _ in subject.parts for _, resolved in survey.seen],
        bounds=[size for own in subject.sizes for size in own],
    )
    for name in subject.engines:
        estimate = forecast(trials, registry.engine(name), sum(runs for _, runs in subject.parts), start_s=start_s)
        yield name, {key: _rounded(value) for key, value in asdict(estimate).items()}


def _programs(experiment: "Experiment", engines: "Sequence[str]") -> "Iterator[str]":
    """The programs that each engine would start, which `run` does only with leave."""
    from dumbbell.campaign.plan import programs
    from dumbbell.engines import registry

    if experiment.names_programs:
        for name in engines:
            yield from map(str, programs(experiment, registry.engine(name)))


def _rounded(value: float) -> float:
    """To the two digits that a forecast knows."""
    return value if isinstance(value, int) else float(f"{value:.2g}")


def _said(taken: "Mapping[str, Any]") -> str:
    from dumbbell.campaign.forecast import Forecast
    from dumbbell.cli.estimate import room_text, time_text

    forecast = Forecast(**taken)
    return f", in {time_text(forecast)} on {_cores(forecast.at_once)}; {room_text(forecast)}"


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


def _reasons(survey: "Survey", engine: str) -> list[str]:
    """Why an engine cannot run it; none when it can."""
    from dumbbell.engines import registry
    from dumbbell.errors import EngineFailure, KernelError

    try:
        chosen = registry.engine(engine)
        problems = survey.refusals(chosen)
        if not problems:
            chosen.ready()
        return list(map(str, problems))
    except (EngineFailure, KernelError) as error:
        return [str(error)]
