"""`dumbbell report`: one HTML file about a store, or about a study judged from it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, get_args

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import Json, print_files
from dumbbell.errors import DumbbellError, StudyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.results.store import Store

EXAMPLE = "Example: dumbbell report results --out report.html"
POINTS: Final = {"in": 72.0, "cm": 72 / 2.54, "mm": 7.2 / 2.54}
"""Of a unit of length, as print counts."""
WIDEST_IN: Final = 20
"""In inches; 1 is the least."""


def report(  # noqa: PLR0913 (the options of a report)
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The store of `run`.", show_default=False)],
    *,
    study: Annotated[
        str | None,
        typer.Option(
            "--study",
            metavar="NAME",
            help="Judge the claims of this study, and draw its figures.",
            autocompletion=completion.studies,
        ),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(
            "--experiment", metavar="NAME", help="Of the store's experiments this one only.", show_default=False
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="FOLDER",
            help="Write every figure as SVG, PDF and PNG, and its numbers as CSV, instead of the page.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="SHAPE,...",
            help="With --figures those of these shapes only: sweep, time, distribution, scatter.",
            show_default=False,
        ),
    ] = None,
    width: Annotated[
        str | None,
        typer.Option(
            "--width",
            metavar="LENGTH",
            help="With --figures how wide each is, as 3.3in, 84mm or 8.4cm; default: a paper's column, or two.",
            show_default=False,
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", metavar="N", min=1, help="Seeds 1 to N instead of the study's own.")
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Whose runs a study is judged by; may be given again; default: all that are there.",
            autocompletion=completion.engines,
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write one HTML file that needs no network: tables, interactive figures, warnings, provenance.

    Figures of a paper: dumbbell report results --figures figures --only sweep --width 3.3in
    """
    if study is None and (seeds is not None or engine):
        raise StudyError("--seeds and --engine are of a study; name it with --study")
    if study is not None and (experiment is not None or figures is not None):
        raise StudyError(
            "--experiment and --figures are of a store's own experiments; `dumbbell study figures` draws a study's"
        )
    if figures is None and (only is not None or width is not None):
        raise DumbbellError("--only and --width are of figures; name their folder with --figures")
    if figures is not None:
        width_points = None if width is None else _points(width)
        shapes = None if only is None else _shapes(only)
        print_files(_figures(store, experiment, figures, shapes, width_points), as_json=as_json)
        return
    print_files([_written(store, study, seeds, out, engine, experiment)], as_json=as_json)


def _points(width: str) -> float:
    """A length for print.

    Raises:
        DumbbellError: it is none, or no width of a figure.
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(in|cm|mm)", width)
    points = float(match[1]) * POINTS[match[2]] if match else 0.0
    if not POINTS["in"] <= points <= WIDEST_IN * POINTS["in"]:
        raise DumbbellError(f'--width: "{width}" is no length from 1in to {WIDEST_IN}in; write 3.3in, 84mm or 8.4cm')
    return points


def _shapes(names: str) -> list[str]:
    """The shapes that are asked for.

    Raises:
        DumbbellError: there is none of that name.
    """
    from dumbbell.charts.chart import Shape
    from dumbbell.problem import quoted, suggestion

    known = get_args(Shape)
    for name in names.split(","):
        if name not in known:
            raise DumbbellError(f"--only: no shape {quoted(name)}; {suggestion(name, known)}")
    return names.split(",")


def _figures(
    store: Path, experiment: str | None, folder: Path, shapes: "list[str] | None", width_points: float | None
) -> "Iterator[Path]":
    """The figures of each experiment, in a folder of its own where there are several.

    Raises:
        DumbbellError: none has one of these shapes.
    """
    from dumbbell.charts.files import written
    from dumbbell.experiment.charts.gallery import charts
    from dumbbell.experiment.points import read
    from dumbbell.report.file_name import file_names
    from dumbbell.results.store import Store

    with Store.open(store) as opened:
        experiments = read(opened, experiment)
        names: set[str] = set()
        is_drawn = False
        for each in experiments:
            called = each.name if len({other.engine for other in experiments}) == 1 else f"{each.name} {each.engine}"
            name = next(name for name in file_names(called) if name not in names)
            names.add(name)
            drawn = (chart for chart in charts(opened, each) if shapes is None or chart.shape in shapes)
            for path in written(drawn, folder / name if len(experiments) > 1 else folder, width_points):
                is_drawn = True
                yield path
    if not is_drawn and shapes is not None:
        raise DumbbellError(f"{store}: there is no figure of shape {' or '.join(shapes)}")


def _print_damage(store: "Store") -> None:
    """How many runs are drawn without what they kept over time."""
    from dumbbell.metrics.number import counted

    if store.damaged_series:
        runs = counted(len(store.damaged_series), "run")
        damage = f"the series of {runs} are damaged and left out; run the experiment again"
        typer.echo(f"note: {store.folder}: {damage}", err=True)


def _written(  # noqa: PLR0913, PLR0917 (what the command line has)
    store: Path, name: str | None, seeds: int | None, out: Path, engines: list[str] | None, experiment: str | None
) -> Path:
    from dumbbell.cli.progress import progress
    from dumbbell.report.page import WORK, build
    from dumbbell.results.campaign import extent
    from dumbbell.results.store import Store

    with Store.open(store) as opened:
        if name is None:
            points = sum(extent(opened.ledger, each.id)[0] for each in opened.campaigns(experiment=experiment))
            with progress(points, work=WORK * points, what="points") as advance:
                page = build(out, store=opened, experiment=experiment, progress=advance)
            _print_damage(opened)
            return page
        import dumbbell.studies as studies
        from dumbbell.cli.study.selection import HOME, Place, on_engines

        study = studies.load(name, seeds=seeds)
        engine_names = engines or studies.engines_of(study, opened) or ["sim"]
        statuses = on_engines(study, opened, engine_names, needed=engines is not None)
        usual = Place(name, HOME / name).store.resolve() == store.resolve()
        comment = "" if usual else "with --out FOLDER, where FOLDER/store is this store"
        return build(out, store=opened, study=study, statuses=statuses, comment=comment)
