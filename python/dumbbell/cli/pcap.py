"""`dumbbell pcap`: what the packets of a capture say."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import Html

if TYPE_CHECKING:
    from dumbbell.report.section import Page

EXAMPLE = "Example: dumbbell pcap trace.pcapng --html trace.html"


def pcap(  # noqa: PLR0913 (an option each)
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A pcap or pcapng file, or - for standard input.", show_default=False)
    ],
    other: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE2]", help="Another capture of the same traffic, made elsewhere.", show_default=False
        ),
    ] = None,
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
        bool, typer.Option("--json", help="Print JSON, one object a connection; of two captures one object.")
    ] = False,
    same_clock: Annotated[
        bool, typer.Option("--same-clock", help="Of two captures: one clock made both; estimate no offset.")
    ] = False,
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec",
            metavar="FILE",
            help="Write a spec of its path and flows, which `dumbbell run` takes.",
            show_default=False,
        ),
    ] = None,
    html: Html = None,
) -> None:
    """Show what a capture says of its TCP flows: rates, round-trip times, retransmissions, what limits them.

    Files may be compressed with gzip or zstd, and larger than memory. A pipe works too:
    ssh host tcpdump -i eth0 -s 96 -w - tcp | dumbbell pcap -

    With two captures of the same traffic, made at two places: what was lost, duplicated and overtaken between them, how
    long packets took, and how the two clocks run. Which place is nearer to whom is read from the packets.
    """
    import shlex

    from dumbbell.captures.analysis import CaptureError, analyse
    from dumbbell.captures.files import writing
    from dumbbell.captures.pair import compare_files
    from dumbbell.report.capture import page, pair_page
    from dumbbell.spec.quantity import QuantityError, Time
    from dumbbell.units import NS_PER_S

    try:
        bin_s = Time(bin_text).ns / NS_PER_S
    except QuantityError as error:
        raise CaptureError(f"--bin: {error}") from None
    if other is not None:
        if tables is not None or spec is not None:
            option = "--spec" if tables is None else "--tables"
            raise CaptureError(f"{option}: is of one capture; of two use --json")
        pair = compare_files(file, other, bin_s, same_clock=same_clock)
        options = ["--same-clock"] if same_clock else []
        shown = pair_page(pair, shlex.join(["dumbbell", "pcap", str(file), str(other), *options]))
        _show(shown, html, pair.text if as_json else None)
        return
    if same_clock:
        raise CaptureError("--same-clock: is for two captures")
    with writing(tables, sys.stdout if as_json else None) as (sink, files):
        analysis = analyse(file, sink, bin_s)
    shown = page(analysis, shlex.join(["dumbbell", "pcap", str(file)]))
    if spec is not None:
        from dumbbell.captures.experiment import written

        files.append(written(analysis, spec, shlex.join(["dumbbell", "pcap", str(file), "--spec", str(spec)])))
    _show(shown, html, "" if as_json else None, files)


def _show(shown: "Page", html: Path | None, json_text: str | None, files: Sequence[Path] = ()) -> None:
    """A page in the terminal, or in its place JSON; what to know, and the files that were written."""
    from dumbbell.tables.terminal import columns

    for line in shown.lines(columns()) if json_text is None else filter(None, [json_text]):
        typer.echo(line)
    for line in shown.notices:
        typer.echo(f"note: {line}", err=True)
    for path in files:
        typer.echo(path, err=True)
    if html is not None:
        typer.echo(shown.write(html), err=True)
