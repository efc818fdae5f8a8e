"""`dumbbell study figures`: a document's figures drawn again, for print."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import Json, print_files, print_json
from dumbbell.cli.study.option import Engines, Name, Out, Seeds, Short

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dumbbell.studies import StudyStatus


def figures(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engines = None,
    out: Out = None,
    seeds: Seeds = None,
    short: Short = False,
    numbers: Annotated[
        str | None,
        typer.Option(
            "--numbers",
            metavar="FIGURE|all",
            help="Print the numbers of this figure, or of all, instead; of a short form those of each engine, and the "
            "order of the lines.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw the figures again (PNG, SVG, PDF; numbers as CSV) from the runs that are there, without running anything."""
    import dumbbell.studies as studies
    from dumbbell.cli.study.selection import StudySelection, statuses
    from dumbbell.studies import StudyError

    selection = StudySelection.of(name, out, short=short)
    if numbers is not None and selection.is_all:
        raise StudyError("--numbers needs one study: name it instead of all")
    files: list[Path] = []
    for place in selection.places:
        with selection.guarded(place):
            study = studies.load(place.name, seeds=seeds, short=short)
            with place.opened() as store:
                engine_statuses = statuses(study, store, engine, out=place.out)
                if numbers is not None and short and not as_json:
                    _print_side_by_side(engine_statuses, numbers)
                for each in engine_statuses:
                    if numbers is None:
                        files += drawn(each, place.folder)
                    elif as_json or not short:
                        _print_numbers(each, numbers, as_json=as_json)
                if short and numbers is None:
                    files += drawn_side_by_side(engine_statuses, place.folder)
            for rest in filter(None, (each.rest(out=place.out) for each in engine_statuses)):
                typer.echo(rest, err=True)
    if numbers is None:
        print_files(files, as_json=as_json)
    selection.end()


def drawn(status: "StudyStatus", folder: Path) -> list[Path]:
    """Figures and tables that an engine's runs can show, in a folder of its own; gives the files.

    Raises:
        ReportError: they cannot be written.
    """
    from dumbbell.charts.files import written

    if status.not_computed:
        typer.echo(status.not_computed_text, err=True)
    target = folder / "figures" / status.engine.replace(":", "-")
    return list(written([*status.charts(), *status.tables()], target))


def drawn_side_by_side(statuses: "Sequence[StudyStatus]", folder: Path) -> list[Path]:
    """Figures that several engines' runs can show, the engines' panels beside one another; gives the files.

    Raises:
        ReportError: they cannot be written.
    """
    from dumbbell.charts.files import written
    from dumbbell.studies.engines import combined_charts

    charts = list(combined_charts(statuses))
    return list(written(charts, folder / "figures" / "engines")) if charts else []


def _print_side_by_side(statuses: "Sequence[StudyStatus]", name: str) -> None:
    """Of each figure that an engine's runs can show, the engines' numbers in one table, and the shape of each."""
    from dumbbell.charts.chart import Chart
    from dumbbell.charts.style import PUBLISHED, kernel_of
    from dumbbell.studies.course import courses
    from dumbbell.studies.engines import combined_numbers
    from dumbbell.tables.plain_text import printed

    there = {each.name: None for status in statuses for each in status.drawable()}
    for display in _requested_names(name, there, statuses):
        drawn = {
            status.engine: each.draw(status.study, status.evidence)
            for status in statuses
            for each in status.drawable()
            if each.name == display
        }
        for table in combined_numbers(drawn):
            typer.echo("\n".join((f"{table.title}\n", *printed(table.header, table.rows), "")))
        sentences = (
            (engine, sentence.replace(f" of {kernel_of(engine)}", ""))
            for engine, chart in drawn.items()
            if isinstance(chart, Chart)
            for sentence in courses(chart)
        )
        # what is published is the same beside each engine
        statements = dict.fromkeys(
            sentence if PUBLISHED in sentence else f"{engine}: {sentence}" for engine, sentence in sentences
        )
        typer.echo("".join(f"{sentence}.\n" for sentence in statements))


def _requested_names(name: str, there: "Collection[str]", statuses: "Sequence[StudyStatus]") -> "list[str]":
    """The names of figures that are asked for.

    Raises:
        StudyError: there is none of that name.
        MissingExtra: it needs what is not installed.
    """
    from dumbbell.cli.study.selection import ALL
    from dumbbell.errors import MissingExtra
    from dumbbell.problem import quoted
    from dumbbell.studies import StudyError

    for status in statuses:
        if name in status.not_computed:
            raise MissingExtra(f"not computed: {name}: {status.not_computed[name]}")
    engines = " and ".join(status.engine for status in statuses)
    if name != ALL and name not in there:
        raise StudyError(f"no figure {quoted(name)} of the runs on {engines}; known: {', '.join(there) or 'none'}")
    return list(there) if name == ALL else [name]


def _print_numbers(status: "StudyStatus", name: str, *, as_json: bool) -> None:
    from dumbbell.charts.numbers import tables
    from dumbbell.tables.plain_text import printed

    there = {each.name: each for each in status.drawable()}
    for display in (there[each] for each in _requested_names(name, there, [status])):
        for table in tables(display.draw(status.study, status.evidence)):
            if as_json:
                cells = [dict(zip(table.header, row, strict=True)) for row in table.texts()]
                print_json(
                    {"figure": display.name, "title": table.title, "engine": status.engine, "rows": cells}, lines=True
                )
            else:
                typer.echo("\n".join((f"{table.title}; {status.engine}\n", *printed(table.header, table.rows), "")))
