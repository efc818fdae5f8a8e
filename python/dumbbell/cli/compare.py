"""`dumbbell compare`: stored runs held against one another, pair by pair."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.comparison.differences import Comparison

EXAMPLE = "Example: dumbbell compare results@engine=linux:6.1 @engine=linux:6.12 --html compare.html"
WORSE = 1


def compare(  # noqa: PLR0913 (each is an option)
    a: Annotated[str, typer.Argument(metavar="A", help="A store, or some of its runs.", show_default=False)],
    b: Annotated[
        str, typer.Argument(metavar="B", help="What is held against it; @… is of A's store.", show_default=False)
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
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with 1 if B is worse over all points, or a run failed that A finished."),
    ] = False,
) -> None:
    """Compare stored runs pair by pair: B - A with its 95 % interval, at each point and over all.

    A and B are stores, or some runs of one: STORE@engine=linux:6.12, and likewise experiment, identity (its
    beginning), cc, or a swept field, as path.buffer=2 bdp; several with commas between them. Two runs are a pair if
    they have the same seed and were asked for the same. The engine may differ, and the algorithm if both sides name
    one: cc=… exchanges it in whichever group has it, flows[0].cc=… in that group only.

    Before and after a change: dumbbell compare before after

    Two algorithms on the same paths: dumbbell compare results@cc=bbr @cc=cubic
    """
    from dumbbell.comparison.differences import compare as compared
    from dumbbell.comparison.selection import quantities, selections

    found = compared(*selections(a, b), quantities(metrics))
    if as_json:
        _print_json(found)
    else:
        for line in _lines(found, everything=everything):
            typer.echo(line)
    _tell_cautions(found)
    worse = strict and (found.worse or found.pairs.failed_in_b)
    if worse:
        _tell_worse(found)
    if html is not None:
        _write(html, found, _command(a, b, metrics))
    if worse:
        raise typer.Exit(WORSE)


def _print_json(found: "Comparison") -> None:
    import json

    from dumbbell.comparison.rows import objects

    for each in objects(found):
        typer.echo(json.dumps(each, ensure_ascii=False))


def _lines(found: "Comparison", *, everything: bool) -> "Iterator[str]":
    from dumbbell.cli.table import aligned, blocks
    from dumbbell.report import differences

    for name, side in (("A", found.pairs.a), ("B", found.pairs.b)):
        yield f"{name}: {differences.side(side)}"
    yield f"{differences.pairs(found)}; every difference is B - A"
    yield ""
    yield aligned(differences.OVERALL, [differences.overall(each) for each in found.overall])
    yield ""
    yield differences.over_points(found)
    yield differences.chance(found)
    if found.marked or everything:
        head, points = differences.points(found)
        rows = ([*points[row.point], *differences.row(row)] for row in found.rows(marked=not everything))
        yield ""
        yield from blocks([*head, *differences.ROWS], rows)
    if not everything and found.marked < found.count:
        yield "--all shows every point"


def _tell_cautions(found: "Comparison") -> None:
    from dumbbell.report import differences

    for line in (*differences.unpaired(found), *differences.cautions(found)):
        typer.echo(line, err=True)


def _tell_worse(found: "Comparison") -> None:
    for each in found.worse:
        typer.echo(f"worse: {each.quantity.label}{f' of {each.group}' if each.group else ''}", err=True)
    if found.pairs.failed_in_b:
        typer.echo(f"worse: {found.pairs.failed_in_b} runs failed in B that A finished", err=True)


def _command(a: str, b: str, metrics: str | None) -> str:
    import shlex

    return shlex.join(["dumbbell", "compare", a, b, *(["--metrics", metrics] if metrics else [])])


def _write(target: Path, found: "Comparison", command: str) -> None:
    from dumbbell.report.compare import build

    typer.echo(build(target, found, command), err=True)
