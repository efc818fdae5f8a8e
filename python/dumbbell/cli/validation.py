"""`dumbbell study validation`: how far each engine can be trusted, measured, and the page that says so."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.validation.part import Found, Part

EXAMPLE = "Example: dumbbell study validation --only agreement"
FAILED = 1


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
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Runs at once; default: as many as the machine can."),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan", metavar="FILE", help="Another plan than dumbbell's own, a TOML file of its form.",
            show_default=False,
        ),
    ] = None,
    page: Annotated[
        bool, typer.Option("--page", help="Write page and figures again from what is kept, and measure nothing.")
    ] = False,
) -> None:  # fmt: skip
    """Measure how engines agree with one another, with theory and with published claims; write validation.md.

    A run that the store has is not run again: the same command goes on where it was stopped. What each part came to is
    kept beside the page, and a part that is not measured now keeps its place there.
    """
    from dumbbell.results.store import Store
    from dumbbell.validation import ValidationError
    from dumbbell.validation import plan as plan_of
    from dumbbell.validation.page import assure, keep, write

    if page and (only or engine or jobs is not None):
        raise ValidationError("--only, --engine and --jobs are for what is measured; --page measures nothing")
    whole = plan_of(plan)
    chosen = whole.only(only) if only else whole
    for name in engine or ():
        if name not in chosen.engines:
            raise ValidationError(f"validation has no engine {name!r}; known: {', '.join(chosen.engines)}")
    assure(docs)
    failures: list[str] = []
    if not page:
        engines = _engines(engine or chosen.engines, wanted=bool(engine))
        with Store.open(out / "store", write=True) as store:
            for part in chosen.parts:
                own = [each for each in engines if each.name in part.engines]
                if not own or (part.whole and len(own) < len(set(part.engines))):
                    told = f"{part.name} is measured on {' and '.join(part.engines)}"
                    if only:
                        raise ValidationError(told)
                    typer.echo(f"not measured: {told}", err=True)
                    continue
                found = _measured(part, store, own, jobs)
                typer.echo(keep(part.name, found.kept, docs))
                failures += found.failures
    _tell(write(whole, docs))
    for failure in failures:
        typer.echo(f"failed: {failure}", err=True)
    if failures:
        raise typer.Exit(FAILED)


def _engines(names: "Iterable[str]", *, wanted: bool) -> "list[Engine]":
    """Those that this machine has; one that was asked for by its name must be there."""
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.errors import DumbbellError

    found = []
    for name in names:
        try:
            found.append(engine_named(name))
        except DumbbellError as error:
            if wanted:
                raise
            typer.echo(f"nothing is measured on {name}: {error}", err=True)
    return found


def _measured(part: "Part", store: "Store", engines: "Sequence[Engine]", jobs: int | None) -> "Found":
    from dumbbell.cli.progress import progress

    total = part.total(engines)
    typer.echo(f"{part.name}: {total} runs on {', '.join(engine.name for engine in engines)}", err=True)
    with progress(total) as advance:
        return part.measure(store, engines, jobs, advance)


def _tell(paths: "Iterable[Path]") -> None:
    for path in paths:
        typer.echo(path)
