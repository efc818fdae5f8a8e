"""`dumbbell study`: documents made runnable. Their runs, their claims judged, their figures drawn again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dumbbell.plots.chart import Chart
    from dumbbell.results.store import Store
    from dumbbell.studies import Checked, Study, Verdict
    from dumbbell.studies.evidence import Evidence

FAILED = 1
UNATTENDED_COLUMNS = 132
"""Width of what is printed into a file or a pipe."""
NARROW_COLUMNS = 100
"""On a terminal narrower than this a verdict is a paragraph, not a row."""

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The study; `dumbbell study list` has them.", show_default=False)
]
Engine = Annotated[str, typer.Option("--engine", metavar="NAME", help="What measures the runs.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FOLDER", help="Where store, figures and report are; default out/NAME.", show_default=False
    ),
]
Seeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", min=1, help="Seeds 1 to N instead of the study's own.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a claim and version.")]

app = typer.Typer(
    help="Documents made runnable: experiments, published numbers, claims, figures.",
    epilog="Example: dumbbell study run claypool2019",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list", epilog="Example: dumbbell study list")
def list_() -> None:
    """List the studies."""
    from dumbbell import studies
    from dumbbell.cli.table import aligned

    rows = []
    for name in studies.names():
        study = studies.load(name)
        rows.append([name, str(study.total()), str(len(study.claims)), str(len(study.figures)), study.title])
    typer.echo(aligned(("study", "runs", "claims", "figures", "document"), rows))


@app.command(epilog="Example: dumbbell study show claypool2019")
def show(name: Name) -> None:
    """Show a study: its document, testbed, experiments, figures and claims."""
    from dumbbell import studies
    from dumbbell.campaign.local import count

    study = studies.load(name)
    parts = [
        f"{study.name}: {study.title}\n{study.citation}",
        study.summary,
        f"There: {study.testbed}",
        f"Here: {study.here}",
        "Experiments: " + ", ".join(f"{title} ({count(each)} runs)" for title, each in study.experiments.items()),
        "Figures: " + "; ".join(figure.title for figure in study.figures),
        "Claims, each judged for " + " and ".join(study.variants) + ":",
    ]
    parts += [
        f"{claim.id}  {claim.statement} ({claim.section}).\nTolerated: {claim.tolerance}." for claim in study.claims
    ]
    typer.echo("\n\n".join(_wrapped(part, _columns()) for part in parts))


@app.command(epilog="Example: dumbbell study run claypool2019 --jobs 2")
def run(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engine = "sim",
    out: Out = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Runs at once; default: as many as the machine can."),
    ] = None,
    seeds: Seeds = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat the runs that the store has.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a claim is not reproduced.")] = False,
    as_json: Json = False,
) -> None:
    """Carry out what is missing, judge every claim, draw every figure, write the report."""
    from dumbbell import studies
    from dumbbell.cli.progress import progress
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.results.store import Store
    from dumbbell.studies.verdict import NOT_REPRODUCED

    study, chosen, folder = studies.load(name, seeds=seeds), engine_named(engine), out or _default_out(name)
    with Store.open(folder / "store", write=True) as store:
        with progress(study.total()) as advance:
            failures = study.run(store, chosen, jobs, advance, fresh=fresh)
        evidence = study.evidence(store, chosen)
        verdicts = study.verdicts(evidence)
        _print(verdicts, as_json=as_json)
        _draw(study, evidence, verdicts, folder, store)
    for failure in failures:
        typer.echo(f"failed: {failure.run_id}: {failure.error}", err=True)
    broken = any(verdict.verdict == NOT_REPRODUCED for verdict in verdicts)
    if failures or (strict and broken):
        raise typer.Exit(FAILED)


@app.command(epilog="Example: dumbbell study claims claypool2019 --json")
def claims(name: Name, *, engine: Engine = "sim", out: Out = None, seeds: Seeds = None, as_json: Json = False) -> None:
    """Judge the claims by the runs that are there, without running anything."""
    from dumbbell import studies

    study = studies.load(name, seeds=seeds)
    with _opened(name, out) as store:
        _print(study.judge(store, engine), as_json=as_json)


@app.command(epilog="Example: dumbbell study figures claypool2019 --numbers figure7")
def figures(
    name: Name,
    *,
    engine: Engine = "sim",
    out: Out = None,
    seeds: Seeds = None,
    numbers: Annotated[
        str | None,
        typer.Option("--numbers", metavar="FIGURE", help="Print this figure's numbers instead.", show_default=False),
    ] = None,
) -> None:
    """Draw the figures again (PNG, SVG, PDF) from the runs that are there, without running anything."""
    from dumbbell import studies
    from dumbbell.plots import paper

    study = studies.load(name, seeds=seeds)
    with _opened(name, out) as store:
        charts = study.charts(store, engine)
        if numbers is not None:
            _print_numbers(charts, numbers)
            return
        for chart in charts:
            for path in paper.save(chart, (out or _default_out(name)) / "figures"):
                typer.echo(path)


def _print_numbers(charts: "Sequence[Chart]", name: str) -> None:
    from dumbbell.cli.table import aligned
    from dumbbell.plots.numbers import tables
    from dumbbell.studies import StudyError

    chart = next((chart for chart in charts if chart.name == name), None)
    if chart is None:
        raise StudyError(f"no figure {name!r}; known: " + ", ".join(chart.name for chart in charts))
    for title, header, rows in tables(chart):
        typer.echo(f"{title}; {chart.panels[0].y.label}\n\n{aligned(header, rows)}\n")


def _default_out(name: str) -> Path:
    return Path("out") / name


def _opened(name: str, out: Path | None) -> "Store":
    from dumbbell.results.store import Store
    from dumbbell.studies import StudyError

    folder = (out or _default_out(name)) / "store"
    if not folder.exists():
        on = f" --out {out}" if out else ""
        raise StudyError(f"{folder}: no such store; `dumbbell study run {name}{on}` makes it")
    return Store.open(folder)


def _draw(study: "Study", evidence: "Evidence", verdicts: "Sequence[Verdict]", folder: Path, store: "Store") -> None:
    """Figures for print, and the report where this installation has one."""
    from dumbbell.plots import paper

    charts = study.drawn(evidence)
    for chart in charts:
        paper.save(chart, folder / "figures")
    typer.echo(f"figures: {folder / 'figures'} ({', '.join(chart.name for chart in charts)}; png, svg, pdf)", err=True)
    try:
        from dumbbell.report import build
    except ImportError:
        return
    path = build(
        folder / "report.html", store=store, study=study, verdicts=verdicts, charts=charts, engine=evidence.engine
    )
    typer.echo(f"report: {path}", err=True)


def _print(verdicts: "Sequence[Verdict]", *, as_json: bool) -> None:
    if as_json:
        import json
        from dataclasses import asdict

        for verdict in verdicts:
            typer.echo(json.dumps(asdict(verdict), ensure_ascii=False))
        sys.stdout.flush()
        return
    columns = _columns()
    if columns < NARROW_COLUMNS:
        typer.echo("\n\n".join(_paragraph(verdict, columns) for verdict in verdicts))
    else:
        _print_table(verdicts, columns)
    counts = [f"{word}: {sum(verdict.verdict == word for verdict in verdicts)}" for word in _words(verdicts)]
    typer.echo("\n" + "; ".join(counts))


def _print_table(verdicts: "Sequence[Verdict]", columns: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=columns, highlight=False, soft_wrap=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("claim", "version", "verdict", "what decides"):
        table.add_column(header, no_wrap=header != "what decides")
    for header in ("measured", "n", "published", "tolerated"):
        table.add_column(header, justify="right", no_wrap=True)
    previous = ""
    for verdict in verdicts:
        decisive = _decisive(verdict)
        table.add_row(
            verdict.claim if verdict.claim != previous else "",
            verdict.variant,
            Text(verdict.verdict, style=_colour(verdict)),
            verdict.label,
            _measured(verdict),
            str(verdict.n),
            _amount(verdict.published, verdict.unit),
            _bounds(decisive) if decisive else "",
        )
        previous = verdict.claim
    with console.capture() as printed:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
    for verdict in verdicts:
        if verdict.verdict != "reproduced":
            reason = f"{verdict.claim} {verdict.variant}, {verdict.verdict}: {verdict.reason}"
            typer.echo(_wrapped(reason, columns))


def _paragraph(verdict: "Verdict", columns: int) -> str:
    decisive = _decisive(verdict)
    published = f", published {_amount(verdict.published, verdict.unit)}" if verdict.published is not None else ""
    tolerated = f", tolerated {_bounds(decisive)}" if decisive else ""
    lines = [
        f"{verdict.claim} {verdict.variant}: {verdict.verdict}",
        f"{verdict.label}: {_measured(verdict)}, n = {verdict.n}{published}{tolerated}",
    ]
    if verdict.verdict != "reproduced":
        lines.append(verdict.reason)
    return "\n".join(_wrapped(line, columns, indent="  " * (number > 0)) for number, line in enumerate(lines))


def _decisive(verdict: "Verdict") -> "Checked | None":
    return next((check for check in verdict.checks if check.label == verdict.label), None)


def _measured(verdict: "Verdict") -> str:
    """With its interval; where no seed differs from another there is none."""
    if verdict.value is None:
        return "none"
    from dumbbell.studies.judgement import decimals, number

    if verdict.low is not None:
        half = f"{verdict.value - verdict.low:.{decimals(verdict.value)}f}"
        return f"{number(verdict.value)} ± {half} {verdict.unit}".rstrip()
    decisive = _decisive(verdict)
    alike = ", deterministic" if decisive and decisive.seeds > 1 else ""
    return _amount(verdict.value, verdict.unit) + alike


def _amount(value: float | None, unit: str) -> str:
    from dumbbell.studies.judgement import number

    return "" if value is None else f"{number(value)} {unit}".rstrip()


def _bounds(check: "Checked") -> str:
    if check.least is not None and check.most is not None:
        return f"{check.least:g} to {check.most:g} {check.unit}".rstrip()
    return (f"≥ {check.least:g} {check.unit}" if check.least is not None else f"≤ {check.most:g} {check.unit}").rstrip()


def _colour(verdict: "Verdict") -> str:
    return {"reproduced": "green", "not reproduced": "red"}.get(verdict.verdict, "yellow")


def _words(verdicts: "Iterable[Verdict]") -> "Iterator[str]":
    from dumbbell.studies.verdict import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED

    there = {verdict.verdict for verdict in verdicts}
    yield from (word for word in (REPRODUCED, NOT_REPRODUCED, NOT_TESTABLE) if word in there)


def _columns() -> int:
    from shutil import get_terminal_size

    return get_terminal_size((UNATTENDED_COLUMNS, 24)).columns if sys.stdout.isatty() else UNATTENDED_COLUMNS


def _wrapped(text: str, columns: int, indent: str = "") -> str:
    from textwrap import fill

    return "\n".join(
        fill(line, columns, initial_indent=indent, subsequent_indent=indent or "  ", break_on_hyphens=False)
        for line in text.splitlines()
    )
