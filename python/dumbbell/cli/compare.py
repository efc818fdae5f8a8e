"""`dumbbell compare`: stored runs compared pair by pair."""

from typing import Annotated

import typer

from dumbbell.cli.option import Html

EXAMPLE = "Example: dumbbell compare results@engine=linux @engine=linux:7.3 --html compare.html"


def compare(  # noqa: PLR0913 (each is an option)
    a: Annotated[str, typer.Argument(metavar="A", help="A store, some of its runs, or a capture.", show_default=False)],
    b: Annotated[
        str, typer.Argument(metavar="B", help="The second set of runs; @… selects from A's store.", show_default=False)
    ],
    *,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="NAME,...", help="These only, e.g. goodput,loss.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every point, also where the interval includes 0.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a row, with every point.")] = False,
    html: Html = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with 1 if B is worse over all points, or a run failed that A finished."),
    ] = False,
) -> None:
    """Compare stored runs pair by pair: B - A with its 95 % interval, at each point and over all.

    A and B are stores, or some runs of one: STORE@engine=linux:6.12, and likewise experiment, identity (its
    beginning), cc, or a swept field, as path.buffer=2 bdp; several with commas between them. Two runs are a pair if
    their seed and their request are equal. The engine may differ, a swept field if both sides name it, and the
    algorithm if both sides name one: cc=… exchanges it in whichever group has it, flows[0].cc=… in that group only.

    One side may be a capture of real traffic, pcap or pcapng: it is measured as the runs of the other side, which have
    one point. Intervals are then those of one more run.

    Before and after a change: dumbbell compare before after

    Two algorithms on the same paths: dumbbell compare results@cc=bbr @cc=cubic

    Real traffic and runs of its spec: dumbbell compare trace.pcapng results

    Two queues: dumbbell compare 'results@path.buffer=1 bdp' '@path.buffer=8 bdp'
    """
    import json
    import shlex

    from dumbbell.comparison import differences_text
    from dumbbell.comparison.capture import sides
    from dumbbell.comparison.differences import compare as compared
    from dumbbell.comparison.differences import objects
    from dumbbell.comparison.selection import quantities
    from dumbbell.report.differences import page
    from dumbbell.tables.terminal import columns

    with sides(a, b) as selected:
        comparison = compared(*selected, quantities(metrics), named=metrics is not None)
    command = shlex.join(["dumbbell", "compare", a, b, *(["--metrics", metrics] if metrics else [])])
    shown = page(comparison, command, everything=everything)
    texts = (json.dumps(each, ensure_ascii=False) for each in objects(comparison))
    for line in texts if as_json else shown.lines(columns()):
        typer.echo(line)
    worse = list(differences_text.worse(comparison)) if strict else []
    for line in (*differences_text.notices(comparison), *worse):
        typer.echo(line, err=True)
    if html is not None:
        typer.echo(shown.write(html), err=True)
    if worse:
        raise typer.Exit(1)
