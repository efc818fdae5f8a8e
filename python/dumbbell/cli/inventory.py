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
