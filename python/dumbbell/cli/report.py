"""`dumbbell report`: one HTML file about a store, or about a study judged from it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dumbbell.plots.chart import Chart
    from dumbbell.results.store import Store
    from dumbbell.studies import Study, Verdict

EXAMPLE = "Example: dumbbell report results --out report.html"


def report(
    store: Annotated[
        Path, typer.Argument(metavar="STORE", help="The folder that `run` kept its runs in.", show_default=False)
    ],
    *,
    study: Annotated[
        str | None,
        typer.Option("--study", metavar="NAME", help="Judge the claims of this study, and draw its figures."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")] = Path("report.html"),
    seeds: Annotated[
        int | None, typer.Option("--seeds", metavar="N", min=1, help="Seeds 1 to N instead of the study's own.")
    ] = None,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help="Whose runs a study is judged by.")] = "sim",
) -> None:
    """Write one HTML file that needs no network: tables, interactive figures, warnings, provenance."""
    from dumbbell.report import ReportError

    try:
        written = _written(store, study, seeds, out, engine)
    except ReportError as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    typer.echo(written)


def _written(store: Path, study: str | None, seeds: int | None, out: Path, engine: str) -> Path:
    from dumbbell.report import build
    from dumbbell.results.store import Store

    with Store.open(store) as opened:
        if study is None:
            return build(out, store=opened, engine=engine)
        from dumbbell import studies
        from dumbbell.engines.registry import engine as engine_named

        chosen = studies.carried_out(studies.load(study, seeds=seeds), opened, engine_named(engine))
        verdicts, charts, notices = _judged(chosen, opened, engine)
        return build(out, store=opened, study=chosen, verdicts=verdicts, charts=charts, engine=engine, notices=notices)


def _judged(study: "Study", store: "Store", engine: str) -> "tuple[list[Verdict], list[Chart], list[str]]":
    """Verdicts and figures; of a study that is not complete neither, and why."""
    from dumbbell.studies import StudyError

    try:
        evidence = study.evidence(store, engine)
    except StudyError as error:
        return [], [], [f"The claims are not judged and the figures not drawn: {error}."]
    return study.verdicts(evidence), study.drawn(evidence), []
