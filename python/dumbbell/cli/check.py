"""`dumbbell check`: what a spec comes to, without running it."""

from dataclasses import asdict
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dumbbell.cli.option import Harm, Json, Seeds, Sets, Spec, print_json
from dumbbell.cli.run import experiment_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dumbbell.campaign.forecast import Forecast
    from dumbbell.campaign.survey import Survey
    from dumbbell.spec import Experiment
    from dumbbell.spec.run import Run

    Part = tuple[Survey, int]
    """What was seen of an experiment's points, and how many runs these stand for."""

EXAMPLE = "Example: dumbbell check examples/two-flows.toml"
_STARTS = 2.2
"""What `run` takes to load and to end, over what this command has taken when it begins to look at the points."""
_MOST_QUEUES = 8
"""Settings of queues that are printed."""
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
    experiment = experiment_of(spec, seeds, sets)
    parts = list(_parts(experiment, harm=harm))
    facts = _facts(experiment, parts, harm=harm)
    forecasts = partial(_forecasts, parts, [name for name, reasons in facts["engines"].items() if not reasons], start_s)
    if as_json:
        taken = {name: asdict(each) for name, each in forecasts()} if forecast else {}
        print_json(facts | {"forecasts": taken})
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
    times = {name: _time_text(each) for name, each in forecasts()} if forecast else {}
    for name, reasons in facts["engines"].items():
        # In one line: a reason may have a command to copy.
        typer.echo(f"{name}: {'; '.join(reasons) or 'can run it' + times.get(name, '')}")
    if facts["outside"]:
        typer.echo(terminal.wrapped(f"sim: {facts['outside']}", width))
    for line in (*_expectation_lines(experiment, width), *_link_lines(experiment, width)):
        typer.echo(line)
    for queue in facts["queues"][:_MOST_QUEUES]:
        typer.echo(queue)
    if len(facts["queues"]) > _MOST_QUEUES:
        typer.echo(f"{len(facts['queues']) - _MOST_QUEUES} more settings of queues; --json has all")
    for program in facts["programs"]:
        typer.echo(f"starts a program: {program}")
    for warning in facts["warnings"]:
        typer.echo(terminal.wrapped(f"warning: {warning['text']}", width))


def _parts(experiment: "Experiment", *, harm: bool) -> "Iterator[Part]":
    """The experiment, and where `harm` is wanted that of each group alone."""
    from dumbbell.campaign.plan import count, each_alone, planned_alone
    from dumbbell.campaign.survey import Survey

    yield Survey.of(experiment), count(experiment)
    alone = each_alone(experiment) if harm else None
    if alone is not None:
        most = count(alone)
        yield Survey.of(alone), len(planned_alone(experiment)) if most <= COUNTED_ALONE else most


def _facts(experiment: "Experiment", parts: "Sequence[Part]", *, harm: bool) -> dict[str, Any]:
    """All but the forecasts."""
    from dumbbell.campaign.size import packets
    from dumbbell.comparison.standing import outside
    from dumbbell.engines.catalogue import engine_name
    from dumbbell.engines.family import NAMES
    from dumbbell.experiment.spec_warnings import spec_warnings
    from dumbbell.experiment.warning import summaries
    from dumbbell.kernel.shelf import names
    from dumbbell.units import NS_PER_S

    (survey, count), *alone = parts
    there = dict.fromkeys((*NAMES, *map(engine_name, names())))
    engines = {name: _reasons(survey, name) for name in there}
    able = [name for name, reasons in engines.items() if not reasons]

    def total(of: "Callable[[Run], float]") -> float:
        """Over all runs, of which those that were seen are a sample."""
        return sum(n * sum(of(each.run) for _, each in seen.seen) / len(seen.seen) for seen, n in parts)

    return {
        "name": experiment.name,
        "points": survey.points,
        "points_seen": len(survey.seen),
        "runs": count,
        **({"runs_alone": sum(n for _, n in alone)} if harm else {}),
        "simulated_s": total(lambda run: run.duration_ns) / NS_PER_S,
        "packets": round(total(packets)),
        **_link_object(experiment),
        "expectations": [{"text": str(each), "where": each.values} for each in experiment.expectations],
        "queues": list(dict.fromkeys(line for _, resolved in survey.seen for line in resolved.tc_lines())),
        "programs": list(dict.fromkeys(_programs(experiment, able))),
        "engines": engines,
        "outside": outside(survey.seen),
        "warnings": [
            {"kind": kind, "text": text} for kind, text in summaries(spec_warnings(experiment, survey.seen)).items()
        ],
    }


def _link_object(experiment: "Experiment") -> dict[str, Any]:
    """As JSON has it; nothing of a spec that has none."""
    from dumbbell.spec.link import holding

    keys = [
        {"key": each.path, "value": each.value, "own": each.is_own, "source": each.key.source, "link": each.key.value}
        for each in holding(experiment)
    ]
    return {"link": {"name": experiment.get("path.link"), "keys": keys}} if keys else {}


def _expectation_lines(experiment: "Experiment", width: int) -> "Iterator[str]":
    from dumbbell.spec.point_text import point_text
    from dumbbell.tables import terminal

    for each in experiment.expectations:
        where = f", where {point_text(each.values)}" if each.values else ""
        yield terminal.wrapped(f"expects {each}{where}", width)


def _link_lines(experiment: "Experiment", width: int) -> "Iterator[str]":
    """Of a spec's preset of a link every key with its value and its source."""
    from dumbbell.spec.link import holding, link
    from dumbbell.tables import terminal

    if name := experiment.get("path.link"):
        yield terminal.wrapped(f"link {name}: {link(name).about}", width)
    for each in holding(experiment):
        first, *more = each.lines
        yield terminal.wrapped(first, width, "  ", hanging="    ")
        yield from (f"    {line}" for line in more)


def _forecasts(parts: "Sequence[Part]", engines: "Sequence[str]", start_s: float) -> "Iterator[tuple[str, Forecast]]":
    """What all runs take on each engine, to two digits; `start_s`: what `run` takes to load and to end."""
    from dumbbell.campaign.forecast import Forecast, forecast, try_some
    from dumbbell.engines import registry

    if not engines:
        return
    trials = try_some([resolved.run for survey, _ in parts for _, resolved in survey.seen])
    for name in engines:
        estimate = forecast(trials, registry.engine(name), sum(runs for _, runs in parts), start_s=start_s)
        yield name, Forecast(**{key: _rounded(value) for key, value in asdict(estimate).items()})


def _programs(experiment: "Experiment", engines: "Sequence[str]") -> "Iterator[str]":
    """The programs that each engine would start, which `run` does only with leave."""
    from dumbbell.campaign.plan import programs
    from dumbbell.engines import registry

    if experiment.names_programs:
        for name in engines:
            yield from map(str, programs(experiment, registry.engine(name)))


def _rounded(value: float) -> Any:  # noqa: ANN401 (a number, or whether something is so)
    """To the two digits that a forecast knows."""
    return value if isinstance(value, int) else float(f"{value:.2g}")


def _time_text(forecast: "Forecast") -> str:
    from dumbbell.cli.estimate import room_text, time_text

    cores = "one core" if forecast.at_once == 1 else f"{forecast.at_once} cores"
    return f", in {time_text(forecast)} on {cores}; {room_text(forecast)}"


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
