"""`dumbbell report`: one HTML file about a store, or about a study judged from it."""

from pathlib import Path
from typing import Annotated

import typer

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
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Whose runs a study is judged by; may be given again; default: all that are there.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write one HTML file that needs no network: tables, interactive figures, warnings, provenance."""
    if study is None and (seeds is not None or engine):
        from dumbbell.studies import StudyError

        raise StudyError("--seeds and --engine are of a study; name it with --study")
    typer.echo(_written(store, study, seeds, out, engine))


def _written(store: Path, name: str | None, seeds: int | None, out: Path, engines: list[str] | None) -> Path:
    from dumbbell.report import build
    from dumbbell.results.store import Store

    with Store.open(store) as opened:
        if name is None:
            return build(out, store=opened)
        import dumbbell.studies as studies
        from dumbbell.cli.study.selection import HOME, Place, on_engines

        study = studies.load(name, seeds=seeds)
        asked = engines or studies.engines_of(study, opened) or ["sim"]
        found = on_engines(study, opened, asked, needed=engines is not None)
        usual = Place(name, HOME / name).store.resolve() == store.resolve()
        comment = "" if usual else "with --out FOLDER, where FOLDER/store is this store"
        return build(out, store=opened, study=study, statuses=found, comment=comment)
