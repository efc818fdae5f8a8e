"""`dumbbell run`: every run of a spec, measured and printed."""

import shlex
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from dumbbell.cli import completion
from dumbbell.cli.expectations import Judging
from dumbbell.cli.interruption import measured_runs, store_of
from dumbbell.cli.option import (
    DEFAULT_STORE,
    STANDARD_INPUT,
    Columns,
    EachSeed,
    Folder,
    Harm,
    Inventory,
    Jobs,
    Seeds,
    Sets,
    Sort,
    Spec,
    SshConfig,
    print_json,
)
from dumbbell.cli.programs import Programs, allow
from dumbbell.problem import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from contextlib import AbstractContextManager
    from datetime import time as TimeOfDay  # noqa: N812 (`time` is a module here)

    from dumbbell.campaign.execution import Finished
    from dumbbell.campaign.plan import Planned
    from dumbbell.cli.campaign import Choice
    from dumbbell.cli.live.view import LiveView
    from dumbbell.engines.live import LiveEngine
    from dumbbell.engines.protocol import Engine
    from dumbbell.engines.steps import Step
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

    Runs = Sequence[tuple[Experiment, Collection[int]]]
    """Experiments, and the places in the plan of each whose runs are to be measured."""

EXAMPLE = (
    'Example: dumbbell run examples/two-flows.toml --set path.rtt="50 ms" --seeds 5, '
    "or as root dumbbell run examples/two-flows.toml --engine netns --live"
)
LOOKED_AT: Final = 100
"""Points of which it is said whether the simulator was validated there."""


def run(  # noqa: PLR0913 (each is an option)
    spec: Spec,
    *,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="sim, linux, linux:KERNEL, netns, hosts, or capture:FILE.",
            autocompletion=completion.engines_or_captures,
        ),
    ] = "sim",
    inventory: Inventory = None,
    ssh_config: SshConfig = None,
    out: Folder = DEFAULT_STORE,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what the store already has.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a run, in the order of expansion.")
    ] = False,
    measurement: Annotated[
        bool,
        typer.Option(
            "--measurement", help="Print one line of JSON a run, all that sim measured, and keep nothing in a store."
        ),
    ] = False,
    seeds: Seeds = None,
    sets: Sets = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="K/N",
            help="Every Nth run, in real time every Nth pair, from the Kth on: what one of N machines has to do.",
        ),
    ] = None,
    jobs: Jobs = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be run, and run nothing.")] = False,
    time_of_day: Annotated[
        str | None,
        typer.Option(
            "--time-of-day",
            metavar="N|TIME,...",
            help="In real time: N blocks a day, evenly spread, or when they begin, e.g. 09:00,21:00.",
        ),
    ] = None,
    each_seed: EachSeed = False,
    columns: Columns = None,
    sort: Sort = None,
    harm: Harm = False,
    programs: Programs = False,
    live: Annotated[
        bool,
        typer.Option(
            "--live", help="In real time: show each flow while it is measured, in the terminal and on a local page."
        ),
    ] = False,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="FILE", help="Write the spec's expectations as JUnit XML, for CI."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 also where an expectation is undecided.")
    ] = False,
) -> None:
    """Run what is not in the store yet, and print the results.

    A line is a group of flows at a point of the sweep: means over the seeds with their 95 % intervals.

    In real time each seed is a block: every point once, shuffled, points that differ in their algorithms only one after
    the other. After the third block and the last dumbbell says how many blocks show a difference of 5 %. With
    --time-of-day the nth block begins at the nth time of day; until it comes the command waits, and Ctrl-C loses
    nothing.

    With --live you see goodput over the last second, RTT, retransmissions and cwnd of each flow, and the address of a
    page that draws them, which this machine has while the command runs.

    The store has each run as soon as it is finished: the same command goes on where it stopped. `dumbbell merge` joins
    the stores of parts.

    The engines linux and netns start programs that a spec names: with --programs, or after a question in a terminal.
    """
    from dumbbell.campaign.plan import EVERY, each_alone, part_of, places, refusals
    from dumbbell.cli.campaign import Choice
    from dumbbell.cli.chosen_engine import engine_of
    from dumbbell.spec import Problem, SpecError

    others: dict[str, object] = {"--json": as_json, "--harm": harm, "--fresh": fresh, "--dry-run": dry_run}
    others |= {"--columns": columns, "--sort": sort, "--each-seed": each_seed, "--jobs": jobs}
    others |= {"--time-of-day": time_of_day, "--live": live, "--junit": junit, "--strict": strict}
    if measurement and (unusable := [name for name, value in others.items() if value]):
        what = f"cannot be combined with {unusable[0]}: it prints each measurement, and stores nothing"
        raise typer.BadParameter(what, param_hint="--measurement")
    chosen = engine_of(engine, inventory, ssh_config)
    watched_engine = _live_engine(chosen, dry_run=dry_run) if live else None
    experiment = experiment_of(spec, seeds, sets)
    judging = Judging.of(experiment, spec, junit, strict=strict)
    wanted = EVERY if part is None else part_of(part)
    times = _times_of_day(time_of_day, chosen) if time_of_day is not None else None
    alone = each_alone(experiment) if harm else None
    problems = refusals(experiment, chosen)
    if harm and alone is None:
        problems.append(
            Problem("alone", "--harm needs at least two groups, and this leaves one", "leave one of the two out")
        )
    if problems:
        raise SpecError(problems)
    experiments = [experiment] if alone is None else [experiment, alone]
    runs = list(zip(experiments, places(experiments, wanted, live=chosen.live), strict=True))
    if dry_run:
        _print_plan(runs, chosen, as_json=as_json)
        return
    if measurement:
        _print_measurements(*runs[0], chosen)
        return
    allow(experiments, [chosen], None if str(spec) == STANDARD_INPUT else spec, wanted=programs)

    choice = Choice.of(columns, sort, [axis.path for axis in experiment.axes], each_seed=each_seed)
    began = time.monotonic()
    with store_of(out, [(chosen, each) for each in experiments], [own for _, own in runs]) as store:
        before = store.count()
        done = _measure_missing(
            store, runs, wanted, chosen, jobs, fresh=fresh, watched=live or not (as_json and sys.stdout.isatty()),
            times=times, live=watched_engine,
        )  # fmt: skip
        if as_json:
            _print_json(store, runs, chosen)
        else:
            _print_results(store, experiments, chosen, choice)
        broken = judging.judge(store, _campaign(store, experiment, chosen), chosen, err=as_json)
        _print_stale_runs(store, experiment, chosen)
        _print_unvalidated_points(experiment, chosen)
        added = store.count() - before
    if not as_json:
        _print_place(out, done, added, time.monotonic() - began)
    if done.failed or broken:
        raise typer.Exit(1)


def _live_engine(engine: "Engine", *, dry_run: bool) -> "LiveEngine":
    from dumbbell.cli.live.view import live_engine

    if dry_run:
        raise typer.BadParameter("nothing runs with --dry-run, so there is nothing to watch", param_hint="--live")
    return live_engine(engine)


def _times_of_day(text: str, engine: "Engine") -> "Sequence[TimeOfDay]":
    from dumbbell.campaign.hours import times_of_day

    if not engine.live:
        what = f"{engine.name} has a clock of its own: a run is the same at any hour"
        raise typer.BadParameter(what, param_hint="--time-of-day")
    return times_of_day(text)


def _print_measurements(experiment: "Experiment", places: "Collection[int]", engine: "Engine") -> None:
    """Prints what the simulator measured of each run, in the order of expansion."""
    from dumbbell.campaign.plan import plan
    from dumbbell.engines.sim import SimEngine

    if not isinstance(engine, SimEngine):
        raise typer.BadParameter("only sim prints measurements as they are", param_hint="--measurement")
    with ThreadPoolExecutor(1) as pool:  # this thread stays free to be interrupted
        for each in plan(experiment, places):
            typer.echo(pool.submit(engine.measurement_json, each.resolved.run).result().decode())


def experiment_of(spec: Path, seeds: int | None, sets: list[str] | None) -> "Experiment":
    """The experiment of a file, and what options say instead of it."""
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.spec import assignment, load
    from dumbbell.spec.source import text_of

    overrides = dict(map(assignment, sets or ()))
    overrides = overrides if seeds is None else overrides | {"seeds": seeds}
    source = text_of(None) + "\n" if str(spec) == STANDARD_INPUT else spec
    return load(source, overrides=overrides, registry=catalogue())


class _Done(NamedTuple):
    runs: int
    """How many there are; one to which several points come is one."""
    measured: int
    failed: bool
    """Any of those that were measured."""


class _Blocks:
    """The blocks of a live campaign, as they end; after the third and the last is said how many a difference takes."""

    def __init__(self, store: "Store", runs: "Runs", engine: "Engine") -> None:
        self._store, self._experiment, self._engine = store, runs[0][0], engine
        self._left = Counter(
            one.seed_values[place % len(one.seed_values)] for one, places in runs for place in places if engine.live
        )
        """Runs of each seed that are not there yet."""
        self._total, self._measured = len(self._left), False

    def text_after(self, run: "Finished") -> str | None:
        """What is said once a run has ended, if anything is."""
        seed = run.run.seed
        self._measured |= run.outcome is not None
        self._left[seed] -= 1
        if not self._engine.live or self._left[seed]:
            return None
        from dumbbell.experiment.blocks import FIRST, blocks_text
        from dumbbell.experiment.points import read_campaign

        del self._left[seed]
        ended = self._total - len(self._left)
        if ended < FIRST or (ended != self._total and not (ended == FIRST and self._measured)):
            return None
        campaign = _campaign(self._store, self._experiment, self._engine)
        return blocks_text(read_campaign(self._store, campaign, self._experiment), ended)


def _measure_missing(  # noqa: PLR0913 (the options of a campaign)
    store: "Store",
    runs: "Runs",
    part: slice,
    engine: "Engine",
    jobs: int | None,
    *,
    fresh: bool,
    watched: bool,
    times: "Sequence[TimeOfDay] | None",
    live: "LiveEngine | None",
) -> _Done:
    """Measures what is missing; nothing is printed but how far it is."""
    from dumbbell.campaign.execution import run_experiments
    from dumbbell.campaign.forecast import live_s
    from dumbbell.campaign.hours import run_by_hours
    from dumbbell.campaign.plan import plan
    from dumbbell.cli.estimate import print_estimate
    from dumbbell.cli.progress import is_watched, progress

    total = sum(len(places) for _, places in runs)
    experiments = [experiment for experiment, _ in runs]
    stored = [(engine, each) for each in experiments]
    there = 0 if fresh else measured_runs(store, stored, [places for _, places in runs])
    if not times:
        print_estimate(experiments, engine, total - there, jobs)
    run_s = live_s(each.resolved.run for one in runs for each in plan(*one)) / total if engine.live and total else None

    def say(text: str) -> None:
        if watched and is_watched():
            advance.say(text)
        else:
            typer.echo(text, err=True)

    if times:
        each_run = run_by_hours(
            store, experiments, engine, [places for _, places in runs], times=times, jobs=jobs, fresh=fresh,
            waiting=lambda nth, count, at: say(f"block {nth} of {count} begins on {at:%A at %H:%M}"),
        )  # fmt: skip
    else:
        each_run = run_experiments(store, experiments, engine, part=part, jobs=jobs, fresh=fresh)
    with (
        _view(live, runs, total) if live and there < total else nullcontext() as view,
        progress(total, wanted=watched, run_s=None if times else run_s, below=view) as advance,
        closing(each_run) as finished,
    ):
        measured, failed, ids, blocks = 0, False, set[str](), _Blocks(store, runs, engine)
        for each in finished:
            measured += each.outcome is not None
            failed |= each.outcome is not None and each.outcome.status == "failed"
            if len(runs) > 1:  # groups that are alone come to the same run at many points
                ids.add(each.run_id)
            advance()
            if view:
                view.history.done += 1
            if text := blocks.text_after(each):
                say(text)
    return _Done(len(ids) or total, measured, failed)


def _view(engine: "LiveEngine", runs: "Runs", total: int) -> "AbstractContextManager[LiveView]":
    from dumbbell.campaign.plan import plan
    from dumbbell.cli.live.view import watching

    planned = (each for one, places in runs for each in plan(one, places, live=engine.live))
    return watching(engine, runs[0][0].name, planned, total)


def _print_json(store: "Store", runs: "Runs", engine: "Engine") -> None:
    """Prints every run, those of the first experiment first, in the order of expansion."""
    from dumbbell.campaign.execution import stored_outcomes

    for experiment, places in runs:
        for outcome in stored_outcomes(store, experiment, engine, places):
            typer.echo(outcome.model_dump_json())


def _print_results(store: "Store", experiments: "Sequence[Experiment]", engine: "Engine", choice: "Choice") -> None:
    """Prints what the runs of the first experiment say; those of its groups alone, if there are any, tell the harm."""
    from dumbbell.cli.campaign import print_campaign, print_notices
    from dumbbell.experiment.points import read_campaign

    for nth, experiment in enumerate(experiments):
        campaign = _campaign(store, experiment, engine)
        if not nth:
            print_campaign(store, campaign, choice, experiment)
        else:
            print_notices(read_campaign(store, campaign, experiment), store.folder, failures_only=True)


def _print_unvalidated_points(experiment: "Experiment", engine: "Engine") -> None:
    from dumbbell.campaign.survey import Survey
    from dumbbell.comparison.standing import outside
    from dumbbell.tables import terminal

    if engine.name == "sim" and (said := outside(Survey.of(experiment, most_points=LOOKED_AT).seen)):
        typer.echo(terminal.wrapped(f"note: {said}", terminal.columns()), err=True)


def _campaign(store: "Store", experiment: "Experiment", engine: "Engine") -> "Campaign":
    from dumbbell.results.campaign import campaign_of, numbered

    return numbered(store.ledger, campaign_of(store.ledger, experiment, engine.name, engine.identity()))


def _print_place(store: Path, done: _Done, added: int, seconds: float) -> None:
    """Where the runs are, of which some were `added`, and what can be done next."""
    from dumbbell.metrics.number import counted, elapsed

    runs, repeated = done.runs, max(0, done.measured - added)
    there = max(0, runs - added - repeated)
    parts = [f"{'all' if there == runs else f'{there} of them'} there before"] * bool(there)
    parts += [f"{'all' if repeated == runs else repeated} repeated"] * bool(repeated)
    before = f" ({', '.join(parts)})" if parts else ""
    report = f"dumbbell report {typed(store)}"
    typer.echo(f"{counted(runs, 'run')} in {store}{before}, {elapsed(seconds)}; next: {report}", err=True)


def _print_stale_runs(store: "Store", experiment: "Experiment", engine: "Engine") -> None:
    from dumbbell.metrics.number import counted
    from dumbbell.results.campaign import campaign_of
    from dumbbell.results.provenance import metrics_identity

    campaign = campaign_of(store.ledger, experiment, engine.name, engine.identity())
    stale = 0 if campaign is None else store.summarised_otherwise(campaign, metrics_identity())
    if stale:
        typer.echo(
            f"note: an older dumbbell summarised {counted(stale, 'run')} in the store; --fresh runs them again",
            err=True,
        )


def _print_plan(runs: "Runs", engine: "Engine", *, as_json: bool) -> None:
    """In the order of expansion, each as it is drawn up; of a live engine also what it would do for the first seeds."""
    from msgspec import to_builtins

    from dumbbell.campaign.plan import plan
    from dumbbell.engines.steps import PlanningEngine
    from dumbbell.spec.point_text import point_text
    from dumbbell.tables.plain_text import streamed

    key_of = _run_keys(engine)
    planned = ((each, one) for one, places in runs for each in plan(one, places, live=engine.live))
    if as_json:
        for each, experiment in planned:
            facts = {**key_of(each), "run": to_builtins(each.resolved.run)}
            if isinstance(engine, PlanningEngine) and _is_first(each, experiment):
                facts["steps"] = [asdict(step) for step in engine.plan(each.resolved.run)]
            print_json(facts, lines=True)
        return
    axes = [axis.path for axis in runs[-1][0].axes]
    rows = (
        [*(str(facts["point"].get(axis, "-")) for axis in axes), str(facts["seed"]), facts["run_id"] or "-"]
        for facts in (key_of(each) for each, _ in planned)
    )
    for block in streamed([*axes, "seed", "run id"], rows, None):
        typer.echo(block)
    if not isinstance(engine, PlanningEngine):
        return
    for experiment, places in runs:
        for each in plan(experiment, places, live=engine.live):
            if _is_first(each, experiment):
                typer.echo(f"\n# {point_text(each.point, each.resolved.run.seed)}")
                _print_steps(engine.plan(each.resolved.run))


def _run_keys(engine: "Engine") -> "Callable[[Planned], dict[str, Any]]":
    """What names a run; without an id where it takes root to know what decides it, which is told."""
    from dumbbell.campaign.plan import run_key
    from dumbbell.engines.steps import PlanningEngine
    from dumbbell.errors import EngineFailure

    try:
        identity = engine.identity()
    except EngineFailure as failure:
        if not isinstance(engine, PlanningEngine):
            raise
        typer.echo(f"note: no run ids: {failure}", err=True)
        return lambda planned: {**run_key(planned, engine, ""), "run_id": None}
    return lambda planned: {**run_key(planned, engine, identity)}


def _is_first(planned: "Planned", experiment: "Experiment") -> bool:
    return planned.resolved.run.seed == experiment.seed_values[0]


def _print_steps(steps: "Iterable[Step]") -> None:
    """Each step below what it is for: lines that a shell can take."""
    for head, same in groupby(steps, key=lambda step: f"# {step.host}: {step.what}"):
        typer.echo("\n".join([head, *(shlex.join(step.command) for step in same)]))
