"""`dumbbell run`: every run of a spec, measured and printed."""

import shlex
import sys
import time
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli import completion
from dumbbell.cli.interruption import kept, telling
from dumbbell.cli.option import (
    DEFAULT_STORE,
    Columns,
    EachSeed,
    Folder,
    Harm,
    Jobs,
    Seeds,
    Sets,
    Sort,
    Spec,
    print_json,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from dumbbell.cli.findings import Choice
    from dumbbell.engines.protocol import Engine
    from dumbbell.findings.points import ExperimentRuns
    from dumbbell.results.schema import Outcome
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment


def run(  # noqa: PLR0913 (each is an option)
    spec: Spec,
    *,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", metavar="NAME", help="sim, linux, or linux:KERNEL.", autocompletion=completion.engines
        ),
    ] = "sim",
    out: Folder = DEFAULT_STORE,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what the store already has.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a run, in the order of expansion.")
    ] = False,
    seeds: Seeds = None,
    sets: Sets = None,
    jobs: Jobs = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be run, and run nothing.")] = False,
    each_seed: EachSeed = False,
    columns: Columns = None,
    sort: Sort = None,
    harm: Harm = False,
) -> None:
    """Measure every run of a spec that the store has not, and print what came out.

    A line is a group of flows at a point of the sweep: means over the seeds with their 95 % intervals.

    Whatever happens, finished runs are kept: the same command goes on where it was stopped.
    """
    from dumbbell.campaign.plan import each_alone, refusals
    from dumbbell.cli.findings import Choice
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.spec import Problem, SpecError

    chosen, experiment = engine_named(engine), experiment_of(spec, seeds, sets)
    alone = each_alone(experiment) if harm else None
    problems = refusals(experiment, chosen)
    if harm and alone is None:
        problems.append(Problem("alone", "a group is alone, so --harm has none to run so", "leave one of the two out"))
    if problems:
        raise SpecError(problems)
    asked = [experiment] if alone is None else [experiment, alone]
    if dry_run:
        _print_plan(asked, chosen, as_json=as_json)
        return
    from dumbbell.results.store import Store
    from dumbbell.spec.sweep import Grid

    choice = Choice.of(columns, sort, [axis.path for axis in Grid.of(experiment).axes], each_seed=each_seed)
    began = time.monotonic()
    with telling(lambda: _kept(out, asked, chosen)), Store.open(out, write=True) as store:
        before = store.count()
        with closing(_outcomes(store, asked, chosen, jobs, fresh=fresh, as_json=as_json)) as outcomes:
            failed = _print_json(outcomes) if as_json else _print_findings(store, asked, chosen, outcomes, choice)
        _tell_stale(store, experiment, chosen)
        added = store.count() - before
    if not as_json:
        _tell_where(out, asked, added, time.monotonic() - began)
    if failed:
        raise typer.Exit(1)


def experiment_of(spec: Path, seeds: int | None, sets: list[str] | None) -> "Experiment":
    """The experiment of a file, and what options say instead of it."""
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.spec import assignment, load

    overrides = dict(map(assignment, sets or ()))
    overrides = overrides if seeds is None else overrides | {"seeds": seeds}
    return load(spec, overrides=overrides, registry=catalogue())


def _outcomes(  # noqa: PLR0913 (the options of a campaign)
    store: "Store", asked: "Sequence[Experiment]", engine: "Engine", jobs: int | None, *, fresh: bool, as_json: bool
) -> "Generator[Outcome]":
    from dumbbell.campaign.execution import run_campaign
    from dumbbell.campaign.plan import count
    from dumbbell.cli.progress import progress

    total = sum(map(count, asked))
    with progress(total, wanted=not (as_json and sys.stdout.isatty())) as advance:
        for experiment in asked:
            yield from run_campaign(store, experiment, engine, jobs=jobs, fresh=fresh, progress=advance)


def _print_json(outcomes: "Iterator[Outcome]") -> bool:
    failed = False
    for outcome in outcomes:
        typer.echo(outcome.model_dump_json())
        sys.stdout.flush()
        failed |= outcome.status == "failed"
    return failed


def _print_findings(
    store: "Store", asked: "Sequence[Experiment]", engine: "Engine", outcomes: "Iterator[Outcome]", choice: "Choice"
) -> bool:
    """Prints what the runs of the first experiment say; those of its groups alone, if there are any, tell the harm."""
    from dumbbell.campaign.plan import count
    from dumbbell.cli.findings import tell, tell_notices, tell_warnings
    from dumbbell.findings.points import runs_of
    from dumbbell.results.campaign import campaign_of
    from dumbbell.results.harm import alone_values

    experiment, *alone = asked
    found: list[ExperimentRuns] = []
    if alone:  # whose runs come last, and are needed first
        beside = list(islice(outcomes, count(experiment)))
        found.append(runs_of(alone[0], engine.name, outcomes))
        outcomes = iter(beside)
    campaign = campaign_of(store.ledger, experiment, engine.name, engine.identity())
    values = {} if campaign is None else alone_values(store.ledger, campaign)
    runs = runs_of(experiment, engine.name, outcomes, values)
    tell(runs, choice, store)
    tell_warnings(runs)
    for each in (runs, *found):
        tell_notices(each, store.folder, failures_only=each is not runs)
    return any(each.failed for each in (runs, *found))


def _tell_where(store: Path, asked: "Sequence[Experiment]", added: int, seconds: float) -> None:
    """Where the runs are, and what can be done next."""
    from dumbbell.campaign.plan import count, planned_alone
    from dumbbell.metrics.number import counted

    runs = count(asked[0]) + (len(planned_alone(asked[0])) if len(asked) > 1 else 0)
    before = f" ({runs - added} of them there before)" if 0 < added < runs else " (all there before)" * (not added)
    where = "" if store == DEFAULT_STORE else f" {shlex.quote(str(store))}"
    report = f"dumbbell report{where or f' {DEFAULT_STORE}'}"
    typer.echo(f"{counted(runs, 'run')} in {store}{before}, {seconds:.1f} s; next: {report}", err=True)


def _kept(out: Path, asked: "Sequence[Experiment]", engine: "Engine") -> str:
    """How many runs of experiments are in their store."""
    from dumbbell.campaign.plan import count
    from dumbbell.results.campaign import measured_of
    from dumbbell.results.store import Store

    with Store.open(out) as store:
        there = sum(measured_of(store.ledger, each, engine.name, engine.identity()) for each in asked)
    return kept(there, sum(map(count, asked)), out)


def _tell_stale(store: "Store", experiment: "Experiment", engine: "Engine") -> None:
    from dumbbell.metrics.number import counted
    from dumbbell.results.campaign import campaign_of
    from dumbbell.results.provenance import metrics_identity

    campaign = campaign_of(store.ledger, experiment, engine.name, engine.identity())
    stale = 0 if campaign is None else store.summarised_otherwise(campaign, metrics_identity())
    if stale:
        typer.echo(
            f"note: other metrics summarised {counted(stale, 'run')} of the store; --fresh repeats them", err=True
        )


def _print_plan(asked: "Sequence[Experiment]", engine: "Engine", *, as_json: bool) -> None:
    from dumbbell.campaign.plan import plan, run_key
    from dumbbell.cli.table import aligned

    identity = engine.identity()
    planned = [
        (run_key(each, engine, identity), each.resolved.run) for experiment in asked for each in plan(experiment)
    ]
    if as_json:
        for facts, resolved in planned:
            print_json({**facts, "run": resolved.model_dump(mode="json")}, lines=True)
        return
    axes = list(planned[-1][0]["point"])
    rows = [
        [*(str(facts["point"].get(axis, "-")) for axis in axes), str(facts["seed"]), facts["run_id"]]
        for facts, _ in planned
    ]
    typer.echo(aligned([*axes, "seed", "run id"], rows))
