"""`dumbbell explore`: the simulator in a page, with an experiment of one's own."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import run_argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

EXAMPLE = "Example: dumbbell explore examples/two-flows.toml, or dumbbell explore results 77eefaf6"


def explore(
    source: Annotated[
        Path | None,
        typer.Argument(metavar="[SPEC|STORE]", help="The experiment, a TOML file; or the folder of a store."),
    ] = None,
    run: Annotated[str | None, run_argument("the page shows its point and seed.")] = None,
    *,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser: print the file of the page.")] = False,
) -> None:
    """Open the explorer: the simulator in one page that needs no network, with sliders, pictures, sweeps and maps.

    Where there is no browser the file of the page is printed, which any browser opens.
    """
    from dumbbell.explorer.built import beginning_with, built

    built()  # or says so at once
    if source is None:
        page = built()
    elif run is None:
        page = beginning_with(*_of_spec(source))
    else:
        page = beginning_with(*_of_run(source, run))
    if no_open or not _opens(page.as_uri()):
        typer.echo(page)
        if not no_open:
            typer.echo("no browser opens here: open this file in one", err=True)
    else:
        typer.echo(f"open in the browser: {page}", err=True)


def _of_spec(file: Path) -> "tuple[str, str, Mapping[str, str]]":
    """The text of a spec in which nothing is wrong, the experiment's name, and the texts of its files."""
    from dumbbell.cli.run import experiment_of
    from dumbbell.errors import StoreError
    from dumbbell.spec.source import text_of

    if (file / "ledger.sqlite").is_file():
        raise StoreError(f"name one of its runs: dumbbell explore {file} RUN; `dumbbell results list` has them", file)
    experiment = experiment_of(file, None, None)
    return text_of(file), experiment.name, experiment.files


def _of_run(folder: Path, beginning: str) -> "tuple[str, str, Mapping[str, str]]":
    """The same of the point and the seed of a stored run."""
    from dumbbell.engines.sim import SimEngine
    from dumbbell.results.store import Store

    with Store.open(folder) as store:
        run_id = store.find(beginning)
        experiment = _experiment_of_run(store, run_id)
        engine, identity = (store.provenance(run_id)[key] for key in ("engine", "identity"))
    if engine != SimEngine.name:
        typer.echo(f"note: {engine} measured this run; the page simulates it", err=True)
    elif identity != SimEngine().identity():
        typer.echo("note: another build of the simulator measured this run; the page may show other numbers", err=True)
    return experiment.toml(), experiment.name, experiment.files


def _experiment_of_run(store: "Store", run_id: str) -> "Experiment":
    """The experiment that has this run only: its swept values and its seed in place of the lists."""
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.errors import StoreError
    from dumbbell.spec import load

    outcome, spec = store.get(run_id), store.provenance(run_id).get("spec")
    if outcome is None or not isinstance(spec, dict):
        raise StoreError(f"run {run_id} is of no experiment, so that its spec is not known", store.folder)
    fields = {key: value for key, value in spec.items() if key != "zip"}
    return load(fields, overrides={**outcome.point, "seeds": [outcome.seed]}, registry=catalogue())


def _opens(address: str) -> bool:
    """Whether a browser with windows took it; one of a terminal cannot run the page."""
    windows = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform not in {"darwin", "win32"} and not any(map(os.environ.get, windows)):
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
