"""`dumbbell agree --measured`: engines at points that were measured on real hosts."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dumbbell.cli.interruption import store_of
from dumbbell.cli.programs import allow

if TYPE_CHECKING:
    from collections.abc import Sequence


def agree_measured(  # noqa: PLR0913, PLR0917 (each is an option of `agree`)
    spec: Path, points: Path, headings: "Sequence[str]", engines: str, seeds: int | None,
    sets: list[str] | None, out: Path, jobs: int | None, html: Path | None, *, as_json: bool, programs: bool,
) -> None:  # fmt: skip
    """Runs the points on each engine, and tells how far each is from what was measured there."""
    from dumbbell.campaign.plan import count, refusals
    from dumbbell.cli.progress import progress
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.hosts.points import read
    from dumbbell.hosts.sheet import Renamed
    from dumbbell.hosts.spread import ComparedEngine, hold
    from dumbbell.report.hosts import page
    from dumbbell.spec import SpecError, assignment
    from dumbbell.tables.terminal import columns

    chosen = [engine_named(name.strip()) for name in dict.fromkeys(engines.split(","))]
    overrides, renamed = dict(map(assignment, sets or ())), list(map(Renamed.of, headings))
    measurements = read(points, spec, overrides=overrides, registry=catalogue(), renamed=renamed)
    candidates = [ComparedEngine(each, seeds) for each in chosen]
    experiment = candidates[0].experiment_of(measurements)
    if problems := [problem for each in chosen for problem in refusals(experiment, each)]:
        raise SpecError(problems)
    allow([experiment], chosen, spec, wanted=programs)
    with (
        store_of(out, [(each, experiment) for each in chosen]) as store,
        progress(len(chosen) * count(experiment), wanted=not (as_json and sys.stdout.isatty())) as advance,
    ):
        record = hold(measurements, store, candidates, jobs=jobs, progress=advance)
    options = ["--measured", points.name, "--engines", engines, *(["--seeds", str(seeds)] if seeds else [])]
    options += [part for each in headings for part in ("--heading", each)]
    options += [part for each in sets or () for part in ("--set", each)]
    shown = page(record, shlex.join(["dumbbell", "agree", spec.name, *options]))
    for line in [record.model_dump_json()] if as_json else shown.lines(columns()):
        typer.echo(line)
    for failure in record.failures:
        typer.echo(f"failed: {failure}", err=True)
    if html is not None:
        typer.echo(shown.write(html), err=True)
    if record.failures:
        raise typer.Exit(1)
