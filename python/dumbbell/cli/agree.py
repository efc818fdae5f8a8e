"""`dumbbell agree`: a spec on two engines, and whether they agree; or on each beside what real hosts measured."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.hosts import agree_measured
from dumbbell.cli.interruption import store_of
from dumbbell.cli.option import DEFAULT_STORE, Folder, Html, Jobs, Sets
from dumbbell.cli.programs import Programs, allow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.comparison.campaigns import Sides
    from dumbbell.comparison.record import EngineComparison
    from dumbbell.comparison.record import Path as ConditionPath
    from dumbbell.engines.protocol import Engine
    from dumbbell.report.section import Page
    from dumbbell.spec import Experiment

EXAMPLE = "Example: dumbbell agree examples/two-flows.toml --html agreement.html"
SEEDS = 3
Engines = Annotated[str, typer.Option("--engines", metavar="A,B", help="Compare engine A with B; B is the reference.")]
DEFAULT_ENGINES = "sim,linux"
JsonObject = Annotated[bool, typer.Option("--json", help="Print one JSON object with every figure.")]


def agree(  # noqa: PLR0913 (each is an option)
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The experiment: a TOML file.", show_default=False)],
    *,
    engines: Engines = DEFAULT_ENGINES,
    seeds: Annotated[
        int | None,
        typer.Option(
            "--seeds", metavar="N", min=1, show_default=False, help=f"Seeds of each engine: 1 to N; default: {SEEDS}."
        ),
    ] = None,
    sets: Sets = None,
    out: Folder = DEFAULT_STORE,
    as_json: JsonObject = False,
    html: Html = None,
    jobs: Jobs = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            "--measured",
            metavar="CSV",
            show_default=False,
            help="Compare each engine with measurements of real hosts: a table of points, or iperf3's JSON.",
        ),
    ] = None,
    heading: Annotated[
        list[str] | None,
        typer.Option(
            "--heading",
            metavar="THEIRS=OURS",
            show_default=False,
            help="With --measured: the field that a heading means, e.g. 'loss_rate=path.loss:x100'; repeatable.",
        ),
    ] = None,
    programs: Programs = False,
) -> None:
    """Run an experiment on two engines and compare them. Exit status 1: they differ by more than a limit.

    A limit is on the median of the errors over all points, or on their 90th percentile. B runs twice as many seeds:
    dumbbell compares B with itself, too, and prints that as noise.

    With --measured dumbbell takes the points from a table, and compares each engine with the values that real hosts
    measured there. Its columns are fields of SPEC, as path.rate (Mbit/s) or flows[0].count, and quantities, as
    goodput.bbr (Mbit/s), share.bbr (%) or goodput.bbr (of rate); goodput.bbr.sd is a standard deviation, note.anything
    a remark.
    Other lists in SPEC stand for unknown host settings; dumbbell reports each combination separately.

    The same command goes on where it stopped: runs in the store are not repeated.
    """
    if measured is not None:
        agree_measured(
            spec, measured, heading or (), engines, seeds, sets, out, jobs, html, as_json=as_json, programs=programs
        )
        return
    from dumbbell.cli.progress import progress
    from dumbbell.comparison.campaigns import Sides, compare_engines, runs
    from dumbbell.comparison.record import Source
    from dumbbell.report.comparison import page
    from dumbbell.spec import assignment, load

    experiment = load(spec, overrides=dict(map(assignment, sets or ())))
    sides = Sides(*engine_pair(engines), seeds or SEEDS, seeds or SEEDS)
    check([experiment], sides)
    allow([experiment], [sides.candidate, sides.reference], spec, wanted=programs)
    source = Source(spec=experiment.name, file=spec.name, sets=tuple(sets or ()))
    with store_of(out, sides.campaigns(experiment)) as store:
        with progress(runs([experiment], sides), wanted=not (as_json and sys.stdout.isatty())) as advance:
            agreement = compare_engines(store, [experiment], sides, source, jobs=jobs, progress=advance)
        print_page(page(agreement, store), agreement, html, as_json=as_json)
        print_failures(agreement.conditions)
    if not agreement.holds:
        raise typer.Exit(1)


def engine_pair(engines: str) -> "tuple[Engine, Engine]":
    """Candidate and reference."""
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.errors import ComparisonError

    candidate, _, reference = (part.strip() for part in engines.partition(","))
    if not (candidate and reference) or "," in reference:
        raise ComparisonError(f'--engines: "{engines}" names no two engines; write it as {DEFAULT_ENGINES}')
    return engine_named(candidate), engine_named(reference)


def check(experiments: "Sequence[Experiment]", sides: "Sides") -> None:
    """Refuses what an engine cannot honour; says what makes seeds alike."""
    from dumbbell.comparison.campaigns import problems
    from dumbbell.spec import SpecError

    if all_problems := problems(experiments, sides):
        raise SpecError(all_problems)
    if not all(_draws(each) for each in experiments):
        typer.echo('note: without any jitter seeds hardly differ; see --set start_jitter="100 ms"', err=True)


def _draws(experiment: "Experiment") -> bool:
    """Whether another seed is another run, random loss and algorithms' own chance apart: hosts, starts, arrivals."""
    from msgspec import structs

    from dumbbell.spec import expand, resolve

    point = next(iter(expand(experiment)))
    one, other = (resolve(point, seed).run for seed in (1, 2))
    return bool(one.path.jitter_ns) or structs.replace(one, seed=other.seed) != other


def print_page(page: "Page", record: "EngineComparison", html: Path | None, *, as_json: bool) -> None:
    """Prints a page about two engines, or its record as JSON, and writes the page where a file is asked for."""
    from dumbbell.tables.terminal import columns

    for line in [record.model_dump_json()] if as_json else page.lines(columns()):
        typer.echo(line)
    if html is not None:
        typer.echo(page.write(html), err=True)


def print_failures(conditions: "Iterable[ConditionPath]") -> None:
    """Prints what is not compared, and why."""
    from dumbbell.comparison.agreement_text import failures

    for line in failures(conditions):
        typer.echo(f"failed: {line}", err=True)
