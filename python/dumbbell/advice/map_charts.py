"""A map as charts: gain, harm to the others, and what is sent again, with what real hosts measured as dots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import log, nan
from typing import Final

from dumbbell.advice.map import Axis as MapAxis
from dumbbell.advice.map import Cell, Map, position
from dumbbell.advice.outcome import MOST_HARM
from dumbbell.advice.published import COMPARABLE, MeasuredGain
from dumbbell.advice.question import DEFAULT, name_of
from dumbbell.charts.chart import Axis, Chart, Dot, HeatMap, Panel
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import percent, trimmed
from dumbbell.spec.quantity import Rate

MOST_GAIN: Final = 100.0
"""In %: from here on cells have the darkest colour."""
MOST_SHOWN_HARM: Final = 50.0
LABELS: Final = {
    "queue": "queue (BDP)", "rtt": "RTT (ms)", "rate": "rate", "company": "who else is on the line",
}  # fmt: skip
MEASURED: Final = ", on hosts"
LOW: Final = 0.3
"""How far a dot is below the middle of a row that has cells, so that both can be read."""
YOURS: Final = "*"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a map shows of a cell, in %."""

    name: str
    title: str
    label: str
    of: Callable[[Cell], float | None]
    """As a share."""
    kinds: Callable[[Cell], str]
    """Between cells of two kinds there is a line."""
    most: float
    caption: str
    """How the map is to be read."""
    signed: bool = True


def quantities(advice_map: Map) -> Iterator[Quantity]:
    """What there is to show, the gain first."""
    candidates = {cell.candidate for cell in advice_map.cells}
    candidate = name_of(candidates.pop()) if len(candidates) == 1 else "the best other one"
    default = name_of(advice_map.default)
    yield Quantity(
        "gain", f"What {candidate} gains over {default}", "gain (%)", lambda cell: cell.gain, lambda cell: cell.best,
        MOST_GAIN,
        f"Red: ahead of {default}; blue: behind; darkest from {trimmed(MOST_GAIN, ' %')} on. Hatched: less than"
        f" {percent(MATTERS)}, which does not matter. Thick lines: where it changes which one is right.",
    )  # fmt: skip
    if any(cell.harm is not None for cell in advice_map.cells):
        yield Quantity(
            "harm", f"What the others lose beside {candidate}", "harm (%)", lambda cell: cell.harm,
            lambda cell: str(cell.harms), MOST_SHOWN_HARM,
            f"Of what the others have beside one flow more of {default}. Red: they lose; blue: they gain. Hatched: less"
            f" than {percent(MATTERS)}. Thick lines: {percent(MOST_HARM)}.",
        )  # fmt: skip
    most = max((cell.resent or 0.0 for cell in advice_map.cells), default=0.0)
    if most:
        yield Quantity(
            "resent", f"What {candidate} sends again", "sent again (%)", lambda cell: cell.resent, lambda _: "",
            max(1.0, 100 * most), "Of all that it sends.", signed=False,
        )  # fmt: skip


def charts(advice_map: Map, measured: Sequence[MeasuredGain] = ()) -> Iterator[Chart]:
    """A chart a quantity, with a panel for each of the map's."""
    for each in quantities(advice_map):
        panels = [
            panel(advice_map, each, title, cells, measured if each.name == "gain" else ())
            for title, cells in advice_map.panels.items()
            if any(each.of(cell) is not None for cell in cells)
        ]
        dots = [dot for drawn in panels if drawn.heat for dot in drawn.heat.dots]
        yield Chart(
            name=f"map-{each.name}", title=each.title, caption=each.caption + origin(dots),
            panels=tuple(panels), columns=min(2, len(panels)),
            alt=f"{each.title}, by {LABELS[advice_map.x]} and {LABELS[advice_map.y]}.",
        )  # fmt: skip


def origin(dots: Sequence[Dot]) -> str:
    """Where dots come from."""
    if not dots:
        return ""
    sources = " and ".join(dict.fromkeys(dot.words.partition(":")[0] for dot in dots))
    return (
        f" Dots: {len(dots)} gains that real hosts measured ({sources}) on paths whose rate and RTT are within a"
        f" factor of {COMPARABLE:g} of these, from their first second on; up: ahead, down: behind."
    )


def panel(
    advice_map: Map, shown: Quantity, title: str, cells: Sequence[Cell], measured: Sequence[MeasuredGain]
) -> Panel:
    """A quantity in the cells of one panel, with the dots of what hosts measured there."""
    known = [(cell, value) for cell in cells if (value := shown.of(cell)) is not None]
    at = {(position(cell, advice_map.y), position(cell, advice_map.x)): (cell, value) for cell, value in known}
    columns, dots = advice_map.columns, dict(_dots(advice_map, [cell for cell, _ in known], measured))
    rows = _rows(advice_map, [cell for cell, _ in known], dots)
    grid = [[at.get((row, column)) for column in columns] if row in advice_map.rows else [] for row in rows]
    heat = HeatMap(
        label=shown.label, cells=tuple(tuple(100 * each[1] if each else nan for each in row) for row in grid),
        kinds=tuple(tuple(shown.kinds(each[0]) if each else "" for each in row) for row in grid),
        colours="diverging" if shown.signed else "sequential", most=shown.most,
        hatched_below=100 * MATTERS if shown.signed else 0.0, dots=tuple(_placed(dots, rows)),
    )  # fmt: skip
    return Panel(title=title, x=_axis(advice_map, "x", columns), y=_axis(advice_map, "y", rows), heat=heat)


def _rows(advice_map: Map, cells: Sequence[Cell], dots: Mapping[str, Sequence[Dot]]) -> list[str]:
    """Of the map, where company goes up with a row for the dots of each, and a gap before those that switch too."""
    rows = [row for row in advice_map.rows if any(position(cell, advice_map.y) == row for cell in cells)]
    if advice_map.y != "company":
        return rows
    apart = {cell.company for cell in cells if cell.switch}
    usual = [each for row in rows if row not in apart for each in ([f"{row}{MEASURED}"] if row in dots else []) + [row]]
    return usual + [each for row in rows if row in apart for each in ("", row)]


def _placed(dots: Mapping[str, Sequence[Dot]], rows: Sequence[str]) -> Iterator[Dot]:
    """Each in the row of its own, or low in the row of its path."""
    for row, own in dots.items():
        apart = f"{row}{MEASURED}"
        at = float(rows.index(apart)) if apart in rows else rows.index(row) - LOW
        yield from (replace(dot, row=at) for dot in own)


def _axis(advice_map: Map, which: str, names: Sequence[str]) -> Axis:
    """Rows or columns; beside queues of one path the RTT under load, which users can measure."""
    axis = advice_map.x if which == "x" else advice_map.y
    own = _own(advice_map, axis)
    loaded = _loaded_ms(advice_map) if axis == "queue" else {}
    ticks = tuple(
        (float(place), f"{_short(axis, each)}{YOURS if each == own else ''}{loaded.get(each, '')}")
        for place, each in enumerate(names) if each
    )  # fmt: skip
    label = "queue in BDP (RTT under load in ms)" if loaded else LABELS[axis]
    return Axis(label=f"{label}, {YOURS} yours" if own else label, ticks=ticks)


def _loaded_ms(advice_map: Map) -> dict[str, str]:
    """What queues come to as RTTs under load, in brackets; none where paths have different ones."""
    if len({(cell.rate_bps, cell.rtt_s) for cell in advice_map.cells}) > 1:
        return {}
    return {cell.queue: f" ({trimmed(1e3 * cell.loaded_rtt_s)})" for cell in advice_map.cells}


def _own(advice_map: Map, axis: MapAxis) -> str:
    """What the question says of an axis; empty where it leaves it open."""
    own = {position(cell, axis) for cell in advice_map.cells if cell.asked}
    return own.pop() if len(own) == 1 else ""


def _short(axis: str, label: str) -> str:
    """What stands beside a row or below a column: without the unit, which the axis has."""
    if axis == "company":
        name, *measured = label.partition(MEASURED)
        return name.removeprefix("beside ").replace(" others", "") + "".join(measured)
    return label.removesuffix(" BDP").removesuffix(" ms")


def _dots(advice_map: Map, cells: Sequence[Cell], measured: Sequence[MeasuredGain]) -> Iterator[tuple[str, list[Dot]]]:
    """By row what hosts measured, where the map is of goodput and has queues across; between columns by log ratios."""
    of_hosts = {cell.candidate for cell in cells} == {"bbr"} and advice_map.default == DEFAULT
    if not (of_hosts and advice_map.by_goodput and advice_map.x == "queue") or advice_map.loss:
        return
    for row in advice_map.rows:
        own = sorted((cell for cell in cells if position(cell, advice_map.y) == row), key=lambda each: each.buffer_bdp)
        if not own or own[0].switch or own[0].neighbours_run not in {None, DEFAULT}:
            continue
        queues = [cell.buffer_bdp for cell in own]
        dots = [
            Dot(column=column, row=0.0, value=100 * each.gain, words=_dot_label(each))
            for each in measured
            if each.neighbours == own[0].neighbours and _is_near(advice_map, own[0], each)
            and (column := _column(queues, each.buffer_bdp)) is not None
        ]  # fmt: skip
        if dots:
            yield row, dots


def _is_near(advice_map: Map, cell: Cell, dot: MeasuredGain) -> bool:
    """It belongs to a row: to the nearest one, where rows are paths."""
    paths = {(each.rate_bps, each.rtt_s) for each in advice_map.cells}
    nearest = min(paths, key=lambda each: abs(log(each[0] / dot.rate_bps)) + abs(log(each[1] / dot.rtt_s)))
    return nearest == (cell.rate_bps, cell.rtt_s) and dot.is_near(cell.rate_bps, cell.rtt_s)


def _column(queues_bdp: Sequence[float], queue_bdp: float) -> float | None:
    """Where a queue lies between the columns, which are at 0, 1, 2, …; None beyond them."""
    for place, (low, high) in enumerate(pairwise(queues_bdp)):
        if low <= queue_bdp <= high:
            return place + log(queue_bdp / low) / log(high / low)
    return None


def _dot_label(each: MeasuredGain) -> str:
    neighbours = f", beside {each.neighbours} CUBIC" if each.neighbours else ""
    path = f"{Rate.show(each.rate_bps)}, {trimmed(1e3 * each.rtt_s, ' ms')}, {trimmed(each.buffer_bdp, ' BDP')}"
    return f"{each.source}: {path}{neighbours}"
