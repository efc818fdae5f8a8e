"""`dumbbell study report`: one page a study, and a page about all of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import Json, print_files
from dumbbell.cli.study.option import Engines, Name, Out, Seeds, Short
from dumbbell.cli.study.selection import HOME, StudySelection, on_engines, statuses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.engines.protocol import Engine


def report(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engines = None,
    out: Out = None,
    seeds: Seeds = None,
    short: Short = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="PATH",
            help="What is written: of one study a file, default FOLDER/report.html; of all a folder, FOLDER/report.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write pages that need no network: verdicts, figures and what is missing, engines side by side."""
    selection = StudySelection.of(name, out, short=short)
    if selection.is_all:
        written = of_all(selection, html or pages(out, short=short), engine, seeds)
    else:
        written = of_one(selection, html, engine, seeds)
    print_files([written], as_json=as_json)
    selection.end()


def pages(out: Path | None, *, short: bool) -> Path:
    """The usual folder of the pages about all studies, or about their short forms."""
    return (out or HOME) / ("report-short" if short else "report")


def of_one(
    selection: StudySelection,
    target: Path | None,
    engines: "Sequence[str] | None",
    seeds: int | None,
    known: "Engine | None" = None,
) -> Path:
    """`known`: an engine that a name alone does not make."""
    import dumbbell.studies as studies
    from dumbbell.report.page import build

    (place,) = selection.places
    with selection.guarded(place):
        study = studies.load(place.name, seeds=seeds, short=place.short)
        with place.opened() as store:
            comment = "with the same --out" if place.out else ""
            engine_statuses = statuses(study, store, engines, out=place.out, known=known)
            file = target or place.folder / "report.html"
            return build(file, store=store, study=study, statuses=engine_statuses, comment=comment)


def of_all(
    selection: StudySelection,
    folder: Path,
    engines: "Sequence[str] | None",
    seeds: int | None,
    known: "Engine | None" = None,
) -> Path:
    """A page a study beside one about all; a study that has no runs yet is on the latter only.

    `known`: as above.

    Raises:
        UnknownEngine: there is no such engine.
        KernelError: its kernel is not on this machine.
    """
    import dumbbell.studies as studies
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.report.collection import Collection

    for name in engines or ():
        engine_named(name)  # which may not exist
    collection = Collection(folder)
    for place in selection.places:
        with selection.guarded(place):
            study = studies.load(place.name, seeds=seeds, short=place.short)
            comment = f"with the same --out, and /{study.name} behind it" if place.out else ""
            if not place.store.exists():
                collection.add_missing(study, engines or (), comment=comment)
                continue
            with place.opened() as store:
                there = studies.engines_of(study, store)
                names = [each for each in engines or there if each in there]
                engine_statuses = on_engines(study, store, names, needed=False, known=known)
                if engine_statuses:
                    collection.add(study, store, engine_statuses, comment=comment)
                else:
                    collection.add_missing(study, engines or (["sim"] if there else []), comment=comment)
    return collection.close()
