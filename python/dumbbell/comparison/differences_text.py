"""Differences between stored runs as sentences and tables, the same on the terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from dumbbell.comparison.agreement_text import IDENTITY_DIGITS
from dumbbell.comparison.differences import INCOMPLETE
from dumbbell.metrics.catalogue import Quantity
from dumbbell.metrics.number import counted
from dumbbell.spec.point_text import swept_text
from dumbbell.spec.quantity import Time
from dumbbell.tables.table import Amount, Cell, Table

if TYPE_CHECKING:
    from dumbbell.comparison.differences import Comparison, Difference, Overall, Row
    from dumbbell.comparison.runs import Side


DIFFERENCE: Final = "B\N{NO-BREAK SPACE}-\N{NO-BREAK SPACE}A"
UNDEFINED: Final = "undefined"
"""A share of nothing."""


def overall_table(comparison: Comparison) -> Table:
    """Every quantity over all points; without a better direction, points are higher or lower."""
    header = [
        "metric", "group", "points", "A", "B", DIFFERENCE, "relative", "better", "worse", "same", "open",
        "over all points",
    ]  # fmt: skip
    rows = [[*_amounts(each, each.points), *_counts(each), over_all(each)] for each in comparison.overall]
    return Table.of(header, rows, keys=2)


def points_table(comparison: Comparison, rows: Iterable[Row]) -> Table:
    """Some quantities at some points."""
    axes, points = point_cells(comparison)
    header = [*axes, "metric", "group", "pairs", "A", "B", DIFFERENCE, "relative", "verdict"]
    cells = ([*points[each.point], *_amounts(each, each.pairs), _at_point(each)] for each in rows)
    return Table.of(header, cells, keys=len(axes) + 2)


def point_cells(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """What the points differ in, and each point's cells."""
    columns = {
        "experiment": [each.experiment for each in comparison.points],
        "engine": [each.engine for each in comparison.points],
    }  # fmt: skip
    shown = {name: cells for name, cells in columns.items() if len(set(cells)) > 1}
    axes = list(dict.fromkeys(path for each in comparison.points for path in each.swept))
    for axis in axes:
        shown[axis] = [swept_text(each.swept[axis]) if axis in each.swept else "" for each in comparison.points]
    return list(shown), [list(cells) for cells in zip(*shown.values(), strict=True)] or [[] for _ in comparison.points]


def over_all(row: Overall) -> str:
    """The verdict on a quantity, and in how many runs it is not complete."""
    if not row.incomplete:
        return row.verdict
    return f"{row.verdict}; {not_complete(row)}" if row.points else not_complete(row)


def _at_point(row: Row) -> str:
    return not_complete(row) if row.verdict == INCOMPLETE else row.verdict


def not_complete(row: Overall | Row) -> str:
    """In how many runs of each side."""
    lacking = {"A": row.runs - row.runs_a, "B": row.runs - row.runs_b}
    return "not complete in " + " and ".join(
        f"{count} of {counted(row.runs, 'run')} of {name}" for name, count in lacking.items() if count
    )


def _counts(row: Overall) -> list[Cell]:
    if row.quantity.better is None:
        return [f"{row.higher} higher", f"{row.lower} lower", row.same, row.undecided]
    better, worse = (row.lower, row.higher) if row.quantity.better == "lower" else (row.higher, row.lower)
    return [better, worse, row.same, row.undecided]


def _amounts(row: Overall | Row, count: int) -> list[Cell]:
    quantity, difference = row.quantity, row.difference
    scale = quantity.factor
    return [
        _labelled(quantity), row.group or "", count, Amount(row.a, factor=scale), Amount(row.b, factor=scale),
        Amount(difference.value, difference.half_width, scale, signed=True),
        None if difference.outcome == INCOMPLETE else _relative(difference),
    ]  # fmt: skip


def _labelled(quantity: Quantity) -> str:
    return f"{quantity.label} ({quantity.unit})" if quantity.unit else quantity.label


def _relative(difference: Difference) -> Cell:
    if difference.relative is None:
        return UNDEFINED
    return Amount(difference.relative, difference.relative_half_width, 100.0, " %", signed=True)


def side(selected: Side) -> str:
    """What a side is: where it is from, on which engines, and how many runs it has."""
    kernels = [
        str(each.get("measured_on", {}).get("kernel.release")) for each in selected.facts if "measured_on" in each
    ]
    kernel = f" (kernel {' and '.join(dict.fromkeys(kernels))})" if any(name != "None" for name in kernels) else ""
    identities = [each[:IDENTITY_DIGITS] for each in selected.origins("identity")]
    identity = "identity" if len(identities) == 1 else "identities"
    engines = " and ".join(selected.engines)
    runs = counted(len(selected), "run")
    return f"{selected.selection.text}: {runs} of {engines}{kernel}, {identity} {', '.join(identities)}"


def pairs(comparison: Comparison) -> str:
    return f"{counted(len(comparison.pairs), 'pair')} of runs at {counted(len(comparison.points), 'point')}"


def chance(comparison: Comparison) -> str:
    """How many marks mean nothing."""
    why = "one pair a point, or pairs whose differences are all alike"
    count = comparison.count - comparison.incomplete
    if not comparison.intervals:
        return f"None of {counted(count, 'row')} (a metric at a point) has an interval: {why}."
    none = count - comparison.intervals
    expected = f"about {comparison.by_chance:,.0f}" if comparison.by_chance >= 1 else "less than 1"
    text = (
        f"Of {counted(comparison.intervals, 'row')} with an interval (a metric at a point), {comparison.marked:,}"
        f" {'has' if comparison.marked == 1 else 'have'} one that excludes 0; if nothing differed, {expected} would by"
        " chance (5 %)."
    )
    return f"{text} {counted(none, 'row')} without an interval: {why}." if none else text


def explanations(comparison: Comparison) -> Iterator[str]:
    """What is to be known of the table over all points, a paragraph each; nothing of an empty one."""
    if any(each.points for each in comparison.overall):
        yield over_points(comparison)
        yield chance(comparison)
    yield from without_difference(comparison)


def without_difference(comparison: Comparison) -> Iterator[str]:
    if comparison.incomplete:
        yield (
            f"{counted(comparison.incomplete, 'row')} without a difference: not complete in all runs, and a mean over"
            " the others would flatter."
        )


def over_points(comparison: Comparison) -> str:
    """What the intervals over all points rest on."""
    by_seeds = {each.by_seeds for each in comparison.overall if each.points}
    seeds = "by the scatter of pairs at these points (Student's t)"
    points = "by the scatter of points, because some have one pair only"
    text = f"{seeds}; for some metrics {points}" if len(by_seeds) > 1 else seeds if by_seeds == {True} else points
    return (
        f"Over all points every point counts the same; intervals are 95 %, {text}."
        " Relative is B / A - 1 of the two means beside it; it has no interval where A's own includes 0."
    )


def notices(comparison: Comparison) -> Iterator[str]:
    """What is not compared, a line a reason, and what to look at before the numbers are trusted."""
    for each in comparison.pairs.unpaired:
        first = "" if each.runs == 1 else "the first is "
        yield f"{counted(each.runs, 'run')} of {each.side} not paired: {each.reason} ({first}{each.example})"
    for jitters, count in comparison.pairs.jitters.items():
        texts = ("the machine's own noise" if ns is None else Time.show(ns) if ns else "none" for ns in jitters)
        yield "{} with another path.jitter: {} in A, {} in B".format(counted(count, "pair"), *texts)
    for quantity in comparison.absent:
        yield f"no pair of runs has {quantity.name}"
    a, b = comparison.pairs.a, comparison.pairs.b
    if a.origins("metrics") != b.origins("metrics"):
        yield "the summaries of A and of B were not made by the same version of the metrics"
    for name, own in (("A", a), ("B", b)):
        warned = int(own.runs["warned"].sum())
        if warned:
            yield (
                f"{counted(warned, 'run')} of {name} with warnings: `dumbbell results show {own.selection.folder}"
                " RUN` has them"
            )


def provenance(selected: Side) -> Iterator[tuple[str, str]]:
    """Where a side's runs come from, fact by fact."""
    yield "Runs", f"{len(selected):,}"
    yield "Engine", ", ".join(selected.engines)
    for key, label in (
        ("identity", "Identity of the engine"), ("commit", "Commit"), ("metrics", "Identity of the metrics"),
        ("platform", "Platform"), ("machine", "Machine"),
    ):  # fmt: skip
        if known := selected.origins(key):
            yield label, ", ".join(known)
    measured: dict[str, dict[str, None]] = {}
    for each in selected.facts:
        for key, value in (each.get("measured_on") or {}).items():
            measured.setdefault(key, {})[str(value)] = None
    yield from ((key, ", ".join(values)) for key, values in measured.items())
    if versions := dict.fromkeys(each["versions"]["dumbbell"] for each in selected.facts if "versions" in each):
        yield "Version of dumbbell", ", ".join(versions)
