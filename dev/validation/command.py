"""`python -m dev validation`: how far each engine can be trusted, measured, and the page that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from dev.validation.page import check_writable, set_bands, set_deviations, write
from dev.validation.plan import ComparisonPart, Plan, Record, ValidationError, load_plan
from dev.validation.records import recorded_of, store_record
from dumbbell.cli.estimate import print_estimate
from dumbbell.cli.option import Jobs, Json, print_files
from dumbbell.cli.progress import progress
from dumbbell.engines import registry
from dumbbell.engines.protocol import Engine
from dumbbell.errors import DumbbellError
from dumbbell.results.store import Store


def validation(  # noqa: PLR0913 (each is an option)
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="PART", help="Measure this part; may be given again; default: all, one after another.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine", metavar="NAME", help="Run what is missing on this engine; may be given again; default: all.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the store is.")] = Path("out/validation"),
    docs: Annotated[Path, typer.Option("--docs", metavar="FOLDER", help="Where the page is written.")] = Path("docs"),
    jobs: Jobs = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan", metavar="FILE", help="Another plan than this one, a TOML file of its form.",
            show_default=False,
        ),
    ] = None,
    page: Annotated[
        bool, typer.Option("--page", help="Write page and figures again from what is stored, and measure nothing.")
    ] = False,
    bands: Annotated[
        bool,
        typer.Option("--set-bands", help="Make bands of what nine of ten controls keep; measure nothing."),
    ] = False,
    deviations: Annotated[
        bool,
        typer.Option(
            "--set-deviations", help="Make the deviations that advise widens by of what is stored; measure nothing."
        ),
    ] = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Measure how engines agree with one another, with theory and with published claims; write validation.md.

    A run that the store has is not run again: the same command goes on where it was stopped. What each part came to is
    stored beside the page, and a part that is not measured now keeps its place there.
    """
    of_stored = page + bands + deviations
    if of_stored > 1 or (of_stored and (engine or jobs is not None or (only and not bands))):
        raise ValidationError(
            "--page, --set-bands and --set-deviations measure nothing: give one alone, or --set-bands with --only"
        )
    every = load_plan(plan)
    chosen = every.only(only) if only else every
    for name in engine or ():
        if name not in chosen.engines:
            raise ValidationError(f"validation has no engine {name!r}; known: {', '.join(chosen.engines)}")
    check_writable(docs)
    files: list[Path] = []
    failures: list[str] = []
    if bands:
        files = set_bands(chosen, docs)
    elif deviations:
        files = set_deviations(every, docs)
    elif not page:
        engines = _engines(engine or chosen.engines, required=bool(engine))
        files, failures = _measure(chosen, engines, out, docs, jobs, every=every, required=bool(only))
    print_files([*files, *write(every, docs)], as_json=as_json)
    for failure in failures:
        typer.echo(f"failed: {failure}", err=True)
    if failures:
        raise typer.Exit(1)


def _engines(names: Iterable[str], *, required: bool) -> list[Engine]:
    """Those that can measure on this machine; all if they are required."""
    engines = []
    for name in names:
        try:
            candidate = registry.engine(name)
            candidate.ready()
        except DumbbellError as error:
            if required:
                raise
            typer.echo(f"nothing is measured on {name}: {error}", err=True)
        else:
            engines.append(candidate)
    return engines


def _measure(  # noqa: PLR0913 (what, where, how, and where it goes)
    plan: Plan, engines: Sequence[Engine], out: Path, docs: Path, jobs: int | None, *, every: Plan, required: bool
) -> tuple[list[Path], list[str]]:
    """Measures and stores every part that these engines can, all if they are required: the files, and what failed."""

    def records(name: str) -> Record | None:
        return next(recorded_of(part, docs) for part in every.parts if part.name == name)

    files, failures = [], []
    with Store.open(out / "store", write=True) as store:
        for part in plan.parts:
            own = [each for each in engines if each.name in part.engines]
            if message := part.obstacle(own, records):
                if required:
                    raise ValidationError(message)
                typer.echo(f"not measured: {message}", err=True)
                continue
            if isinstance(part, ComparisonPart) and (known := part.repeated(store, own, records(part.name), jobs)):
                store_record(part.name, known, docs)
                typer.echo(f"{part.name}: {part.reference} repeats what was recorded, whose other runs stand", err=True)
            total = part.total(own, records)
            typer.echo(f"{part.name}: {total} runs on {', '.join(each.name for each in own)}", err=True)
            for each, experiments, runs in part.campaigns(own, records) if isinstance(part, ComparisonPart) else ():
                print_estimate(experiments, each, runs, jobs)
            with progress(total) as advance:
                record, failed = part.measure(store, own, jobs, advance, records)
            files.append(store_record(part.name, record, docs))
            failures += failed
    return files, failures
