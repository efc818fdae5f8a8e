"""A comparison of stored runs in words, the same on the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.metrics.number import amount, counted, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dumbbell.comparison.differences import Comparison, Difference, Overall, Row
    from dumbbell.comparison.pairs import Unpaired
    from dumbbell.comparison.runs import Side
    from dumbbell.metrics.catalogue import Quantity

OVERALL: Final = ("metric", "group", "points", "A", "B", "B - A", "relative", "better", "worse", "same", "open",
                  "over all points")  # fmt: skip
ROWS: Final = ("metric", "group", "pairs", "A", "B", "B - A", "relative", "verdict")
IDENTITY_DIGITS: Final = 12
UNDEFINED: Final = "undefined"
"""A share of nothing."""


def overall(found: Overall) -> list[str]:
    """A quantity over all points as a row under `OVERALL`; without a better direction, points are higher or lower."""
    counts: Sequence[str] = (str(found.higher), str(found.lower))
    if found.quantity.better is None:
        counts = (f"{found.higher} higher", f"{found.lower} lower")
    elif found.quantity.better == "lower":
        counts = counts[::-1]
    return [
        *_head(found.quantity, found.group),
        str(found.points),
        *_amounts(found),
        *counts,
        str(found.same),
        str(found.undecided),
        found.verdict,
    ]


def row(found: Row) -> list[str]:
    """A quantity at a point as a row under `ROWS`."""
    return [*_head(found.quantity, found.group), str(found.pairs), *_amounts(found), found.verdict]


def _head(quantity: Quantity, group: str | None) -> list[str]:
    return [f"{quantity.label} ({quantity.unit})" if quantity.unit else quantity.label, group or ""]


def _amounts(found: Overall | Row) -> list[str]:
    scale, difference = found.quantity.factor, found.difference
    return [
        amount(found.a, scale=scale),
        amount(found.b, scale=scale),
        amount(difference.value, difference.half_width, scale=scale, signed=True),
        _relative(difference),
    ]


def _relative(difference: Difference) -> str:
    if difference.relative is None:
        return UNDEFINED
    return percent(difference.relative, difference.relative_half_width, signed=True)


def points(found: Comparison) -> tuple[list[str], list[list[str]]]:
    """What the points differ in, and each point's cells."""
    experiments = len({place.experiment for place in found.points}) > 1
    engines = len({place.engine for place in found.points}) > 1
    axes = list(dict.fromkeys(path for place in found.points for path in place.swept))
    head = [*(["experiment"] if experiments else []), *(["engine"] if engines else []), *axes]
    return head, [
        [
            *([place.experiment] if experiments else []),
            *([place.engine] if engines else []),
            *(str(place.swept.get(axis, "")) for axis in axes),
        ]
        for place in found.points
    ]


def side(found: Side) -> str:
    """What a side is: where it is from, on which engines, and how many runs it has."""
    kernels = [str(each.get("measured_on", {}).get("kernel.release")) for each in found.facts if "measured_on" in each]
    kernel = f" (kernel {' and '.join(dict.fromkeys(kernels))})" if any(name != "None" for name in kernels) else ""
    identities = [each[:IDENTITY_DIGITS] for each in found.origins("identity")]
    identity = "identity" if len(identities) == 1 else "identities"
    engines = " and ".join(found.engines)
    runs = counted(len(found), "run")
    return f"{found.selection.text}: {runs} of {engines}{kernel}, {identity} {', '.join(identities)}"


def pairs(found: Comparison) -> str:
    """How much is compared."""
    return f"{counted(len(found.pairs), 'pair')} of runs at {counted(len(found.points), 'point')}"


def chance(found: Comparison) -> str:
    """How many marks mean nothing."""
    why = "one pair a point, or pairs whose differences are all alike"
    if not found.intervals:
        return f"None of {counted(found.count, 'row')} (a metric at a point) has an interval: {why}."
    none = found.count - found.intervals
    expected = f"about {found.by_chance:,.0f}" if found.by_chance >= 1 else "less than 1"
    told = (
        f"Of {counted(found.intervals, 'row')} with an interval (a metric at a point), {found.marked:,}"
        f" {'has' if found.marked == 1 else 'have'} one that excludes 0; if nothing differed, {expected} would by"
        " chance (5 %)."
    )
    return f"{told} {counted(none, 'row')} without an interval: {why}." if none else told


def over_points(found: Comparison) -> str:
    """What the intervals over all points rest on."""
    by_seeds = {each.by_seeds for each in found.overall}
    seeds = "by the scatter of pairs at these points (Student's t)"
    points = "by the scatter of points, because some have one pair only"
    told = f"{seeds}; for some metrics {points}" if len(by_seeds) > 1 else seeds if by_seeds == {True} else points
    return (
        f"Over all points every point counts the same; intervals are 95 %, {told}."
        " Relative is B / A - 1 of the two means beside it; it has no interval where A's own includes 0."
    )


def unpaired(found: Comparison) -> Iterator[str]:
    """What is not compared, a line a reason."""
    for each in found.pairs.unpaired:
        yield _unpaired(each)


def _unpaired(each: Unpaired) -> str:
    first = "" if each.runs == 1 else "the first is "
    return f"{counted(each.runs, 'run')} of {each.side} not paired: {each.reason} ({first}{each.example})"


def cautions(found: Comparison) -> Iterator[str]:
    """What to look at before the numbers are trusted."""
    a, b = found.pairs.a, found.pairs.b
    if a.origins("metrics") != b.origins("metrics"):
        yield "the summaries of A and of B were not made by the same version of the metrics"
    for name, each in (("A", a), ("B", b)):
        warned = int(each.runs["warned"].sum())
        if warned:
            yield (
                f"{counted(warned, 'run')} of {name} with warnings: `dumbbell results show {each.selection.folder}"
                " RUN` has them"
            )


def origin(found: Side) -> Iterator[tuple[str, str]]:
    """Where a side's runs come from, fact by fact."""
    yield "Runs", f"{len(found):,}"
    yield "Engine", ", ".join(found.engines)
    told: Mapping[str, str] = {
        "identity": "Identity of the engine", "commit": "Commit", "metrics": "Identity of the metrics",
        "platform": "Platform", "machine": "Machine",
    }  # fmt: skip
    for key, label in told.items():
        known = found.origins(key)
        if known:
            yield label, ", ".join(known)
    measured: dict[str, dict[str, None]] = {}
    for each in found.facts:
        for key, value in (each.get("measured_on") or {}).items():
            measured.setdefault(key, {})[str(value)] = None
    yield from ((key, ", ".join(values)) for key, values in measured.items())
    versions = dict.fromkeys(each["versions"]["dumbbell"] for each in found.facts if "versions" in each)
    if versions:
        yield "Version of dumbbell", ", ".join(versions)
