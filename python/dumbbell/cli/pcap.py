"""`dumbbell pcap`: what the packets of a capture say."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dumbbell.cli.option import Html

EXAMPLE = "Example: dumbbell pcap trace.pcapng --html trace.html"


def pcap(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A pcap or pcapng file, or - for standard input.", show_default=False)
    ],
    *,
    bin_text: Annotated[str, typer.Option("--bin", metavar="TIME", help="The width of bins.")] = "500 ms",
    tables: Annotated[
        Path | None,
        typer.Option(
            "--tables",
            metavar="DIR",
            help="Write connections.jsonl, bins.parquet and packets.parquet.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, one object a connection, then the report.")
    ] = False,
    html: Html = None,
) -> None:
    """Show what a capture says of its TCP flows: rates, round-trip times, retransmissions, what limits them.

    Files may be compressed with gzip or zstd, and larger than memory. A pipe works too:
    ssh host tcpdump -i eth0 -s 96 -w - tcp | dumbbell pcap -
    """
    import shlex

    from dumbbell.captures.analysis import CaptureError, analyse
    from dumbbell.captures.files import writing
    from dumbbell.report.capture import page
    from dumbbell.spec.quantity import QuantityError, Time
    from dumbbell.tables.terminal import columns
    from dumbbell.units import NS_PER_S

    try:
        bin_s = Time(bin_text).ns / NS_PER_S
    except QuantityError as error:
        raise CaptureError(f"--bin: {error}") from None
    with writing(tables, sys.stdout if as_json else None) as (sink, files):
        analysis = analyse(file, sink, bin_s)
    shown = page(analysis, shlex.join(["dumbbell", "pcap", str(file)]))
    if not as_json:
        for line in shown.lines(columns()):
            typer.echo(line)
    for line in shown.notices:
        typer.echo(f"note: {line}", err=True)
    for path in files:
        typer.echo(path, err=True)
    if html is not None:
        typer.echo(shown.write(html), err=True)
