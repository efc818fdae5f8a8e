"""`dumbbell doctor --inventory`: whether the hosts of an inventory can be used."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dumbbell.cli.option import print_json

if TYPE_CHECKING:
    from dumbbell.engines.hosts.survey import HostReport
    from dumbbell.tables.table import Cell

HEADINGS = (
    "host",
    "state",
    "agent",
    "kernel",
    "root",
    "congestion controls",
    "may shape",
    "tools missing",
    "clock ahead by",
    "load",
    "problems",
)


def print_hosts(file: Path, config: Path | None, *, as_json: bool) -> None:
    """Prints what each host is like; exit status 1 where one is not usable."""
    from dumbbell.engines.hosts.inventory import read, ssh_config
    from dumbbell.engines.hosts.survey import survey
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Table
    from dumbbell.tables.terminal import columns

    inventory = read(file)
    reports = survey(inventory, None if config is None else ssh_config(config))
    if as_json:
        from msgspec import to_builtins

        print_json([{**to_builtins(each), "usable": not each.problems, "controls": each.controls} for each in reports])
    else:
        interfaces = [host.interface if host.shape else "" for _, host in inventory.hosts()]
        rows = [_row(report, interface) for report, interface in zip(reports, interfaces, strict=True)]
        typer.echo(text(Table.of(HEADINGS, rows), columns()))
    if any(each.problems for each in reports):
        raise typer.Exit(1)


def print_carried(file: Path, config: Path | None, spec: Path, *, as_json: bool) -> None:
    """Fills each path of a spec for some seconds, and prints whether the hosts carry it; exit status 1: not all."""
    from dumbbell.campaign.plan import plan
    from dumbbell.cli.chosen_engine import engine_of
    from dumbbell.cli.run import experiment_of
    from dumbbell.engines.path_check import check_paths
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Table
    from dumbbell.tables.terminal import columns

    engine = engine_of("hosts", file, config, makes_path=True)
    runs = (planned.resolved.run for planned in plan(experiment_of(spec, None, None), live=True))
    checks = list(check_paths(engine, runs))
    if as_json:
        print_json([{"path": each.requested, "deviations": each.deviations} for each in checks])
    else:
        rows = [
            (each.requested, "BAD" if each.deviations else "ok", "; ".join(each.deviations) or "the hosts carry it")
            for each in checks
        ]
        typer.echo(text(Table.of(("path", "state", "found"), rows), columns()))
    if any(each.deviations for each in checks):
        raise typer.Exit(1)


def _row(report: "HostReport", shaped: str) -> "list[Cell]":
    """The interface that may be `shaped`; empty: none."""
    from dumbbell.metrics.number import amount
    from dumbbell.tables.table import TextCell

    hello, description, clock = report.hello, report.description, report.clock
    there = description.tools if description else {}
    missing = sorted(tool for tool, file in there.items() if file is None)
    return [
        report.name,
        "BAD" if report.problems else "ok",
        None if hello is None else "copied" if report.copied else "there",
        "" if hello is None else TextCell(f"{hello.kernel} {hello.architecture}"),
        None if hello is None else "yes" if hello.uid == 0 else "no",
        ", ".join(report.controls),
        _shaping(report, shaped),
        None if description is None else ", ".join(missing) or "none",
        None if clock is None else amount(clock.realtime_ns, clock.error_ns, 1e-6, " ms"),
        None if description is None else description.load,
        "; ".join(report.problems),
    ]


def _shaping(report: "HostReport", shaped: str) -> str:
    """By what an interface may be shaped, and which discipline it has; empty: none may."""
    if not shaped:
        return ""
    description = report.description
    if description is None:
        return shaped
    from msgspec import structs

    means = structs.asdict(description.means) if description.means else {}
    able = ", ".join(name for name, there in means.items() if there) or "nothing"
    now = next((each.qdisc for each in description.interfaces if each.name == shaped), None)
    return f"{shaped} by {able}" + (f"; now {now}" if now else "")
