"""Differences between stored runs as sentences and tables, the same on the terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from dumbbell.comparison.agreement_text import IDENTITY_DIGITS
from dumbbell.comparison.differences import INCOMPLETE
from dumbbell.metrics.number import counted, duration
from dumbbell.metrics.statistics import CONFIDENCE
from dumbbell.spec.point_text import swept_text
from dumbbell.spec.quantity import Time
from dumbbell.tables.table import Amount, Cell, Table

if TYPE_CHECKING:
    from dumbbell.comparison.differences import Comparison, Overall, PairedDifference
    from dumbbell.comparison.selection import SelectedRuns


AMOUNTS: Final = ("A", "B", "B\N{NO-BREAK SPACE}-\N{NO-BREAK SPACE}A", "relative")
UNDEFINED: Final = "undefined"
"""A share of nothing."""
OUTCOMES: Final = (
    "A point is better or worse where its own interval excludes 0, the same where no pair differs, and open otherwise."
    " What one group gains in share another loses: there it is higher or lower."
)


def overall_table(comparison: Comparison) -> Table:
    """Every quantity over all points; without a better direction, points are higher or lower."""
    header = ["metric", "group", "points", *AMOUNTS, "better", "worse", "same", "open", "over all points"]
    return Table.of(header, [[*_amounts(each), *_verdicts(each)] for each in comparison.overall], keys=2)


def _verdicts(row: Overall) -> list[Cell]:
    """How many points are better and worse, and the verdict over all, with how many runs are not complete."""
    counts: list[Cell] = [f"{row.higher} higher", f"{row.lower} lower"]
    if row.quantity.better is not None:
        counts = [row.lower, row.higher] if row.quantity.better == "lower" else [row.higher, row.lower]
    over_all = [*([row.verdict] if row.count else []), *([row.not_complete] if row.incomplete else [])]
    return [*counts, row.same, row.undecided, "; ".join(over_all)]


def points_table(comparison: Comparison, rows: Iterable[PairedDifference]) -> Table:
    axes, points = point_cells(comparison)
    cells = (
        [*points[each.point], *_amounts(each), each.not_complete if each.verdict == INCOMPLETE else each.verdict]
        for each in rows
    )
    return Table.of([*axes, "metric", "group", "pairs", *AMOUNTS, "verdict"], cells, keys=len(axes) + 2)


def point_cells(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """What the points differ in, and each point's cells."""
    columns = {
        "experiment": [each.experiment for each in comparison.points],
        "engine": [each.engine for each in comparison.points],
    }
    shown = {name: cells for name, cells in columns.items() if len(set(cells)) > 1}
    axes = list(dict.fromkeys(path for each in comparison.points for path in each.swept))
    for axis in axes:
        shown[axis] = [swept_text(each.swept[axis]) if axis in each.swept else "" for each in comparison.points]
    return list(shown), [list(cells) for cells in zip(*shown.values(), strict=True)] or [[] for _ in comparison.points]


def _amounts(row: PairedDifference) -> list[Cell]:
    quantity, factor = row.quantity, row.quantity.factor
    relative: Cell = Amount(row.relative, row.relative_half_width, 100.0, " %", signed=True)
    if row.relative is None:
        relative = None if row.outcome == INCOMPLETE else UNDEFINED
    return [
        f"{quantity.label} ({quantity.unit})" if quantity.unit else quantity.label, row.group or "", row.count,
        Amount(row.a, factor=factor), Amount(row.b, factor=factor),
        Amount(row.difference, row.half_width, factor, signed=True), relative,
    ]  # fmt: skip


def side(selected: SelectedRuns) -> str:
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


def explanations(comparison: Comparison) -> Iterator[str]:
    """What is to be known of the table over all points, a paragraph each; nothing of an empty one."""
    by_seeds = {each.by_seeds for each in comparison.overall if each.count}
    if by_seeds:
        seeds = "by the scatter of pairs at these points (Student's t)"
        points = "by the scatter of points, because some have one pair only"
        rests_on = f"{seeds}; for some metrics {points}" if len(by_seeds) > 1 else seeds if True in by_seeds else points
        yield (
            f"Over all points every point counts the same; intervals are 95 %, {rests_on}."
            " Relative is B / A - 1 of the two means beside it; it has no interval where A's own includes 0."
        )
        yield OUTCOMES
        yield _chance(comparison)
    apart_s = comparison.pairs.apart_s
    if apart_s.any():
        yield (
            f"The runs of a pair in real time began {duration(apart_s.median())} apart in the median,"
            f" {duration(apart_s.max())} at most: what changed meanwhile is in the difference."
        )
    if comparison.incomplete:
        yield (
            f"{counted(comparison.incomplete, 'row')} without a difference: not complete in all runs, and a mean over"
            " the others would flatter."
        )
        if not by_seeds:
            yield OUTCOMES


def _chance(comparison: Comparison) -> str:
    """How many marks mean nothing."""
    why = "one pair a point, or pairs whose differences are all alike"
    count = comparison.count - comparison.incomplete
    if not comparison.intervals:
        return f"None of {counted(count, 'row')} (a metric at a point) has an interval: {why}."
    none = count - comparison.intervals
    by_chance = (1 - CONFIDENCE) * comparison.intervals
    expected = f"about {by_chance:,.0f}" if by_chance >= 1 else "less than 1"
    text = (
        f"Of {counted(comparison.intervals, 'row')} with an interval (a metric at a point), {comparison.marked:,}"
        f" {'has' if comparison.marked == 1 else 'have'} one that excludes 0; if nothing differed, {expected} would by"
        " chance (5 %)."
    )
    return f"{text} {counted(none, 'row')} without an interval: {why}." if none else text


def notices(comparison: Comparison) -> Iterator[str]:
    """What is not compared, a line a reason, and what to look at before the numbers are trusted."""
    for each in comparison.pairs.unpaired:
        first = "" if each.runs == 1 else "the first is "
        yield f"{counted(each.runs, 'run')} of {each.side} not paired: {each.reason} ({first}{each.example})"
    captured = comparison.pairs.captured
    if len(captured) == 1 and comparison.intervals:
        other = "B" if captured == ["A"] else "A"
        yield (
            f"{captured[0]} is a capture, one run whatever the seeds: intervals are 95 % for one more run of {other},"
            " and not for the mean of its runs"
        )
    elif len(captured) > 1:
        yield "A and B are captures, one run each whatever the seeds: there are no intervals"
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
            is_stored = own.selection.text.startswith(str(own.selection.folder))
            where = f": `dumbbell results show {own.selection.folder} RUN` has them" if is_stored else ""
            yield f"{counted(warned, 'run')} of {name} with warnings{where}"


def worse(comparison: Comparison) -> Iterator[str]:
    """In what B is worse over all points, and whether runs failed in it that A finished, a line each."""
    for each in comparison.worse:
        why = f": {each.not_complete}" if each.only_a_complete else ""
        yield f"worse: {each.quantity.label}{f' of {each.group}' if each.group else ''}{why}"
    if comparison.pairs.failed_in_b:
        yield f"worse: {counted(comparison.pairs.failed_in_b, 'run')} failed in B that A finished"


def provenance(selected: SelectedRuns) -> Iterator[tuple[str, str]]:
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
