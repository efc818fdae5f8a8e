"""`dumbbell results`: what a store has."""

import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import DEFAULT_STORE, Columns, EachSeed, Sort, print_json, run_argument
from dumbbell.cli.option import Json as JsonDocument
from dumbbell.problem import typed

if TYPE_CHECKING:
    from dumbbell.results.store import Store

Folder = Annotated[Path, typer.Argument(metavar="[STORE]", envvar="DUMBBELL_STORE", help="The folder of the store.")]
Experiment = Annotated[str | None, typer.Option("--experiment", metavar="NAME", help="Of this name or label only.")]
Everything = Annotated[
    bool, typer.Option("--all", help="Also of earlier builds of the engine, which a later one ran again.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]

_REPEATED = "what is damaged is repeated when its experiment is run again"

app = typer.Typer(
    help="What a store has: list, show, export, captures, import, verify, prune.",
    epilog="Example: dumbbell results list results",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class ExportedTable(StrEnum):
    """What can be exported."""

    runs = "runs"
    flows = "flows"
    groups = "groups"
    hops = "hops"
    series = "series"
    queue = "queue"
    hop_series = "hop_series"
    transfers = "transfers"
    pages = "pages"
    ss = "ss"


class Grouping(StrEnum):
    """What runs can be divided by, besides the sweep."""

    hour = "hour"


@app.command("list", epilog="Example: dumbbell results list results --experiment two-flows")
def list_(
    store: Folder = DEFAULT_STORE,
    *,
    experiment: Experiment = None,
    everything: Everything = False,
    as_json: Json = False,
) -> None:
    """List the runs: a line each, in the order of expansion."""
    from dumbbell.results.store import Store
    from dumbbell.spec.point_text import point_text
    from dumbbell.tables.plain_text import printed

    with Store.open(store) as opened:
        listed = opened.run_listing(experiment=experiment, include_superseded=everything)
        if as_json:
            for each in listed:
                print_json(each._asdict(), lines=True)
        else:
            header = ("run id", "experiment", "engine", "seed", "status", "warnings", "point")
            rows = (
                (each.run_id, each.experiment, each.engine, str(each.seed), each.validity or each.status,
                 str(each.warnings or "-"), point_text(each.point) or "-")
                for each in listed
            )  # fmt: skip
            for block in printed(header, rows):
                typer.echo(block)
        _print_other_runs(opened, everything=everything)


@app.command(epilog="Example: dumbbell results show results 77eefaf6")
def show(  # noqa: PLR0913 (each is an option)
    store: Folder = DEFAULT_STORE,
    run: Annotated[str | None, run_argument("everything about that run.")] = None,
    *,
    experiment: Experiment = None,
    everything: Everything = False,
    each_seed: EachSeed = False,
    columns: Columns = None,
    sort: Sort = None,
    by: Annotated[
        Grouping | None, typer.Option("--by", help="A row for each hour of the day in which runs began, local time.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the table that `run` printed, or everything about one run."""
    from dumbbell.cli.campaign import Choice, print_campaign
    from dumbbell.results.campaign import swept_paths
    from dumbbell.results.store import Store

    if by is not None and (run is not None or as_json):
        raise typer.BadParameter("divides the table of all runs, which RUN and --json do not print", param_hint="--by")
    with Store.open(store) as opened:
        if run is not None:
            _show_run(opened, opened.find(run), as_json=as_json)
        elif as_json:
            for outcome in opened.outcomes(experiment=experiment, include_superseded=everything):
                typer.echo(outcome.model_dump_json())
        else:
            for nth, campaign in enumerate(opened.campaigns(experiment=experiment, include_superseded=everything)):
                if nth:
                    typer.echo()
                axes = swept_paths(opened.ledger, campaign.id)
                choice = Choice.of(columns, sort, axes, each_seed=each_seed, by_hour=by is not None)
                print_campaign(opened, campaign, choice)
            _print_other_runs(opened, everything=everything)


@app.command(epilog="Example: dumbbell results export results flows.csv --table flows")
def export(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The folder of the store.", show_default=False)],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What to write: *.csv or *.parquet.", show_default=False)
    ],
    *,
    table: Annotated[
        ExportedTable, typer.Option("--table", help="A row a run, a flow, a group, a hop, or a sample.")
    ] = ExportedTable.runs,
    everything: Everything = False,
) -> None:
    """Write the runs to a CSV or a Parquet file, for other programs."""
    from dumbbell.results.export import export as write
    from dumbbell.results.store import Store

    with Store.open(store) as opened:
        rows = write(opened, table.value, file, include_superseded=everything)
    typer.echo(f"{file}: {rows} rows", err=True)


@app.command(epilog="Example: dumbbell results captures results packets")
def captures(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The folder of the store.", show_default=False)],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go.", show_default=False)],
    *,
    everything: Everything = False,
) -> None:
    """Write the captures of runs as files for other programs: RUN.senders.pcapng and others, and RUN.flow-0.qlog.

    Wireshark and tcpdump open what measure.record = "pcap" in a spec captures, and qvis the logs of "qlog".
    """
    from dumbbell.results.export import export_captures
    from dumbbell.results.store import Store

    with Store.open(store) as opened:
        for file in export_captures(opened, folder, include_superseded=everything):
            typer.echo(file)


@app.command("import", epilog="Example: dumbbell results import experiment.json results")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help='What "Save as JSON" of the explorer wrote.', show_default=False)
    ],
    store: Folder = DEFAULT_STORE,
    *,
    as_json: JsonDocument = False,
) -> None:
    """Take a run that the explorer saved into a store, made if it is not there: as `dumbbell run` would keep it.

    The simulator repeats the run, and what the page measured has to be the same.
    """
    from dumbbell.campaign.imported import put, read
    from dumbbell.engines.sim import SimEngine
    from dumbbell.results.store import Store

    engine = SimEngine()
    saved = read(file, engine)
    with Store.open(store, write=True) as opened:
        outcome, was_there = put(saved, opened, engine)
    if as_json:
        print_json(outcome.model_dump(mode="json"))
    what = f"run {outcome.run_id} of {saved.experiment.name}, seed {outcome.seed}"
    typer.echo(f"{store}: {what}{' (was there before)' * was_there}; next: dumbbell report {typed(store)}", err=True)


@app.command(epilog="Example: dumbbell results verify results")
def verify(store: Folder = DEFAULT_STORE, *, as_json: JsonDocument = False) -> None:
    """Read every byte of a store, tell what is not what was written, and have the next `run` repeat it."""
    from dumbbell.cli.progress import progress
    from dumbbell.errors import DamageWarning, StoreFailure
    from dumbbell.metrics.number import counted
    from dumbbell.results.store import Store

    with warnings.catch_warnings(action="ignore", category=DamageWarning), Store.open(store) as opened:
        count = opened.count()
        with progress(count) as advance:
            faults = list(opened.faults(advance))
        repeated = _REPEATED
        try:
            opened.mark(faults)
        except StoreFailure as failure:
            repeated = f"{failure}; copy it to where it can be written, and run its experiment there"
    if as_json:
        print_json({"store": str(store), "runs": count, "faults": [each.text for each in faults]})
    else:
        for fault in faults:
            typer.echo(fault.text)
    typer.echo(f"{store}: {counted(count, 'run')}, {counted(len(faults), 'fault')}", err=True)
    if faults:
        typer.echo(repeated, err=True)
        raise typer.Exit(1)


@app.command(epilog="Example: dumbbell results prune results --dry-run")
def prune(
    store: Folder = DEFAULT_STORE,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing.")] = False,
    as_json: JsonDocument = False,
) -> None:
    """Remove the runs of an earlier build of the engine that a later build was asked for again.

    Runs of another spec are another experiment, and stay.
    """
    from dumbbell.errors import StoreError
    from dumbbell.metrics.number import counted
    from dumbbell.results.store import Store

    Store.open(store).close()  # which makes none
    with Store.open(store, write=not dry_run) as opened:
        superseded = opened.superseded()
        for name, count in superseded.items():
            typer.echo(f"{name}: {counted(count, 'run')}", err=True)
        runs = counted(sum(superseded.values()), "run")
        if superseded and not (yes or dry_run):
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                raise StoreError(f"{store}: nothing was removed: without a terminal to ask on, --yes removes {runs}")
            if not typer.confirm(f"remove {runs}?", err=True):
                typer.echo(f"{store}: nothing was removed", err=True)
                return
        removed = sum(superseded.values()) if dry_run else opened.prune()
        typer.echo(f"{store}: {counted(removed, 'run')} {'would be ' * dry_run}removed", err=True)
        if as_json:
            print_json({"store": str(store), "dry_run": dry_run, "experiments": superseded, "runs": removed})


def _show_run(store: "Store", run_id: str, *, as_json: bool) -> None:
    outcome = store.get(run_id)
    assert outcome is not None  # noqa: S101 (it was found)
    fields, provenance = outcome.model_dump(mode="json"), {"provenance": store.provenance(run_id)}
    if as_json:
        print_json(fields | provenance, lines=True)
        return
    print_json(fields)
    print_json(provenance)
    for name in store.files(run_id):
        typer.echo(name)


def _print_other_runs(store: "Store", *, everything: bool) -> None:
    from dumbbell.metrics.number import counted
    from dumbbell.results.campaign import NO_EXPERIMENT

    removable = store.superseded()
    strays, prune = removable.pop(NO_EXPERIMENT, 0), "`dumbbell results prune` removes them"
    earlier = 0 if everything else sum(removable.values())
    if earlier:
        typer.echo(f"and {counted(earlier, 'run')} of earlier builds: --all has them, {prune}", err=True)
    if strays:
        typer.echo(f"and {counted(strays, 'run')} of no experiment: {prune}", err=True)
