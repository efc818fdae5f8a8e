"""`dumbbell study`: documents made runnable. Their runs, their claims judged, their figures drawn again."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dumbbell.plots.chart import Chart
    from dumbbell.results.schema import FailedRun
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
Engines = Annotated[
    list[str] | None,
    typer.Option(
        "--engine", metavar="NAME", help="Whose runs; may be given again; default: all that are there.",
        show_default=False,
    ),
]  # fmt: skip
Claims = Annotated[
    str | None, typer.Option("--claims", metavar="ID,...", help="These claims, and what they need.", show_default=False)
]
Variants = Annotated[
    str | None, typer.Option("--variants", metavar="NAME,...", help="These versions of BBR only.", show_default=False)
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", min=1, help="Runs at once; default: as many as the machine can.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a claim, version and engine.")]

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


@app.command(epilog="Example: dumbbell study run claypool2019 --claims S7,S8 --jobs 2")
def run(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engine = "sim",
    out: Out = None,
    claims: Claims = None,
    experiments: Annotated[
        str | None,
        typer.Option(
            "--experiments", metavar="NAME,...", help="These experiments, and what they can tell.", show_default=False
        ),
    ] = None,
    variants: Variants = None,
    jobs: Jobs = None,
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

    whole, chosen, folder = studies.load(name, seeds=seeds), engine_named(engine), out or _default_out(name)
    study = studies.only(whole, claims=_listed(claims), experiments=_listed(experiments), variants=_listed(variants))
    with Store.open(folder / "store", write=True) as store:
        with progress(study.total_on(chosen)) as advance:
            failures = study.run(store, chosen, jobs, advance, fresh=fresh)
        evidence = study.evidence(store, chosen)
        verdicts = study.verdicts(evidence)
        _print(verdicts, as_json=as_json)
        order = [claim.id for claim in study.claims]
        both = sorted([*verdicts, *_elsewhere(study, store, chosen.name)], key=lambda each: order.index(each.claim))
        _draw(study, evidence, both, folder, store)
    _tell_failures(failures)
    broken = any(verdict.verdict == NOT_REPRODUCED for verdict in verdicts)
    if failures or (strict and broken):
        raise typer.Exit(FAILED)


@app.command(epilog="Example: dumbbell study claims claypool2019 --json")
def claims(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engines = None,
    out: Out = None,
    claims: Claims = None,
    variants: Variants = None,
    seeds: Seeds = None,
    as_json: Json = False,
) -> None:
    """Judge the claims by the runs that are there, on each engine, without running anything."""
    from dumbbell import studies
    from dumbbell.engines.registry import engine as engine_named

    asked = studies.only(studies.load(name, seeds=seeds), claims=_listed(claims), variants=_listed(variants))
    with _opened(name, out) as store:
        verdicts = []
        for each in engine or studies.engines_of(asked, store) or ("sim",):
            chosen = engine_named(each)
            study = asked if claims else studies.carried_out(asked, store, chosen)
            verdicts += study.judge(store, chosen)
            _tell_left_out(asked, study, each)
        order = [claim.id for claim in asked.claims]
        verdicts.sort(key=lambda verdict: order.index(verdict.claim))  # what engines say of a claim stands together
        _print(verdicts, as_json=as_json)


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
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.plots import paper

    whole, chosen = studies.load(name, seeds=seeds), engine_named(engine)
    with _opened(name, out) as store:
        study = studies.carried_out(whole, store, chosen)
        charts = study.charts(store, chosen)
        if numbers is not None:
            _print_numbers(charts, numbers)
            return
        for chart in charts:
            for path in paper.save(chart, (out or _default_out(name)) / "figures"):
                typer.echo(path)


@app.command(epilog="Example: dumbbell study validation --engine sim")
def validation(  # noqa: PLR0913 (each is an option)
    *,
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
    seeds: Seeds = None,
    again: Annotated[
        bool, typer.Option("--page", help="Write the page again from validation.json, and do nothing else.")
    ] = False,
) -> None:  # fmt: skip
    """Judge claims on several engines side by side; write validation.md, and validation.json that it is made from."""
    from dumbbell.cli.progress import progress
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.errors import DumbbellError
    from dumbbell.results.store import Store
    from dumbbell.studies import StudyError
    from dumbbell.studies import validation as page

    if again:
        _tell(page.write(page.read(docs), docs))
        return
    plan, failures = page.plan(), []
    for name in engine or ():
        if name not in plan.engines:
            raise StudyError(f"validation has no engine {name!r}; known: {', '.join(plan.engines)}")
    with Store.open(out / "store", write=True) as store:
        for name in engine or plan.engines:
            try:
                chosen = engine_named(name)
            except DumbbellError as error:
                if engine:
                    raise
                typer.echo(f"not measured on {name}: {error}", err=True)
                continue
            for section in plan.sections:
                study = section.study_on(name, seeds=seeds)
                with progress(study.total_on(chosen)) as advance:
                    failures += study.run(store, chosen, jobs, advance)
        _tell(page.write(page.document_of(plan, store, seeds=seeds), docs))
    _tell_failures(failures)
    if failures:
        raise typer.Exit(FAILED)


def _print_numbers(charts: "Sequence[Chart]", name: str) -> None:
    from dumbbell.cli.table import aligned
    from dumbbell.plots.numbers import tables
    from dumbbell.studies import StudyError

    chart = next((chart for chart in charts if chart.name == name), None)
    if chart is None:
        raise StudyError(f"no figure {name!r}; known: " + ", ".join(chart.name for chart in charts))
    for title, header, rows in tables(chart):
        typer.echo(f"{title}; {chart.panels[0].y.label}\n\n{aligned(header, rows)}\n")


def _listed(names: str | None) -> list[str] | None:
    """What stands between commas; None where nothing was asked."""
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def _elsewhere(study: "Study", store: "Store", engine: str) -> "list[Verdict]":
    """Verdicts on the same claims by the runs of other engines that are all in the store."""
    from dumbbell import studies
    from dumbbell.errors import DumbbellError

    found: list[Verdict] = []
    for other in studies.engines_of(study, store):
        if other != engine:
            with suppress(DumbbellError):  # its runs are there in part, or it is not on this machine any more
                found += study.judge(store, other)
    return found


def _tell(paths: "Iterable[Path]") -> None:
    for path in paths:
        typer.echo(path)


def _tell_failures(failures: "Iterable[FailedRun]") -> None:
    for failure in failures:
        typer.echo(f"failed: {failure.run_id}: {failure.error}", err=True)


def _tell_left_out(asked: "Study", judged: "Study", engine: str) -> None:
    there = {claim.id for claim in judged.claims}
    missing = ",".join(claim.id for claim in asked.claims if claim.id not in there)
    if missing:
        on = "" if engine == "sim" else f" --engine {engine}"
        again = f"dumbbell study run {asked.name}{on} --claims {missing}"
        typer.echo(f"not carried out on {engine}: {missing}; `{again}` does it", err=True)


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
        several = len({verdict.engine for verdict in verdicts}) > 1
        typer.echo("\n\n".join(_paragraph(verdict, columns, several=several) for verdict in verdicts))
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
    several = len({verdict.engine for verdict in verdicts}) > 1
    for header in ("claim", *["engine"] * several, "version", "verdict", "what decides"):
        table.add_column(header, no_wrap=header != "what decides")
    for header in ("measured", "n", "published", "tolerated"):
        table.add_column(header, justify="right", no_wrap=True)
    previous = ""
    for verdict in verdicts:
        decisive = _decisive(verdict)
        table.add_row(
            verdict.claim if verdict.claim != previous else "",
            *[verdict.engine] * several,
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
            on = f" on {verdict.engine}" if several else ""
            reason = f"{verdict.claim} {verdict.variant}{on}, {verdict.verdict}: {verdict.reason}"
            typer.echo(_wrapped(reason, columns))


def _paragraph(verdict: "Verdict", columns: int, *, several: bool) -> str:
    decisive = _decisive(verdict)
    published = f", published {_amount(verdict.published, verdict.unit)}" if verdict.published is not None else ""
    tolerated = f", tolerated {_bounds(decisive)}" if decisive else ""
    lines = [
        f"{verdict.claim} {verdict.variant}{f' on {verdict.engine}' if several else ''}: {verdict.verdict}",
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
