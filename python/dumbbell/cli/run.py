"""`dumbbell run`: every run of a spec, measured and printed."""

import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import DEFAULT_STORE, Folder, Jobs, Seeds, Sets, Spec, print_json

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.listing import GroupLine
    from dumbbell.results.schema import Outcome
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

MOST_WORDS = 20
"""Warnings and failures that are told after a campaign; the store has all of them."""


def run(  # noqa: PLR0913 (each is an option)
    spec: Spec,
    *,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help="sim, linux, or linux:KERNEL.")] = "sim",
    out: Folder = DEFAULT_STORE,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what the store already has.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a run, in the order of expansion.")
    ] = False,
    seeds: Seeds = None,
    sets: Sets = None,
    jobs: Jobs = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be run, and run nothing.")] = False,
) -> None:
    """Measure every run of a spec that the store has not, and print all of them.

    Whatever happens, finished runs are kept: the same command goes on where it was stopped.
    """
    from dumbbell.campaign.plan import refusals
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.spec import SpecError

    chosen, experiment = engine_named(engine), experiment_of(spec, seeds, sets)
    problems = refusals(experiment, chosen)
    if problems:
        raise SpecError(problems)
    if dry_run:
        _print_plan(experiment, chosen, as_json=as_json)
        return
    from dumbbell.results.store import Store

    with Store.open(out, write=True) as store:
        with closing(_outcomes(store, experiment, chosen, jobs, fresh=fresh, as_json=as_json)) as outcomes:
            failed = _print_json(outcomes) if as_json else _print_table(outcomes, experiment, out)
        _tell_stale(store, experiment, chosen)
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
    store: "Store", experiment: "Experiment", engine: "Engine", jobs: int | None, *, fresh: bool, as_json: bool
) -> "Generator[Outcome]":
    from dumbbell.campaign.execution import run_campaign
    from dumbbell.campaign.plan import count
    from dumbbell.cli.progress import progress

    with progress(count(experiment), wanted=not (as_json and sys.stdout.isatty())) as advance:
        yield from run_campaign(store, experiment, engine, jobs=jobs, fresh=fresh, progress=advance)


def _print_json(outcomes: "Iterator[Outcome]") -> bool:
    failed = False
    for outcome in outcomes:
        typer.echo(outcome.model_dump_json())
        sys.stdout.flush()
        failed |= outcome.status == "failed"
    return failed


def _print_table(outcomes: "Iterator[Outcome]", experiment: "Experiment", store: Path) -> bool:
    from dumbbell.cli.table import of_groups
    from dumbbell.results.listing import groups_of, point_text

    words: list[str] = []
    spec = experiment.words()
    told = failed = 0

    def lines() -> "Iterator[GroupLine]":
        nonlocal told, failed
        for outcome in outcomes:
            if outcome.status == "ok":
                yield from groups_of(outcome, spec)
                place = point_text(outcome.point, outcome.seed)
                found = [f"warning: {place}: {warning}" for warning in outcome.warnings]
            else:
                found = [f"failed: {point_text(outcome.point, outcome.seed)}: {outcome.error}"]
                failed += 1
            told += len(found)
            words.extend(found[: MOST_WORDS - len(words)])

    for block in of_groups(lines(), spec):
        typer.echo(block)
    for line in words:
        typer.echo(line, err=True)
    if told > len(words):
        shown = f"`dumbbell results show {shlex.quote(str(store))} RUN` has those of a run"
        typer.echo(f"and {told - len(words)} more like these: {shown}", err=True)
    return bool(failed)


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


def _print_plan(experiment: "Experiment", engine: "Engine", *, as_json: bool) -> None:
    from dumbbell.campaign.plan import plan, run_key
    from dumbbell.cli.table import aligned

    identity = engine.identity()
    planned = [(run_key(each, engine, identity), each.resolved.run) for each in plan(experiment)]
    if as_json:
        for facts, resolved in planned:
            print_json({**facts, "run": resolved.model_dump(mode="json")}, lines=True)
        return
    axes = list(planned[0][0]["point"])
    rows = [
        [*(str(facts["point"][axis]) for axis in axes), str(facts["seed"]), facts["run_id"]] for facts, _ in planned
    ]
    typer.echo(aligned([*axes, "seed", "run id"], rows))
