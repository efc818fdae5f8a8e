"""A map in words: what is right where, and a compact table of each panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from dumbbell.advice.map import Axis, Cell, Map, position
from dumbbell.advice.outcome import MOST_HARM
from dumbbell.advice.question import DEFAULT, name_of
from dumbbell.advice.text import job_and_goal
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.curve import changes
from dumbbell.metrics.number import ABSENT, counted, percent, span
from dumbbell.spec.quantity import Rate
from dumbbell.tables.plain_text import NO_BREAK
from dumbbell.tables.table import Table

HEADS: Final[dict[Axis, str]] = {"queue": "queue", "rtt": "RTT", "rate": "rate", "company": "company"}
SAME: Final = "="
HARM_SIGN: Final = "!"


def lines(advice_map: Map) -> Iterator[tuple[str, str]]:
    """The paragraphs above the tables: what each is about, and the words."""
    loss = f", {percent(advice_map.loss)} random loss" if advice_map.loss else ""
    paths = counted(len({(cell.rate_bps, cell.rtt_s) for cell in advice_map.cells}), "path")
    job = job_and_goal(advice_map.job, advice_map.goal)
    yield "Paths", f"{path(advice_map)}, drop-tail{loss}: {paths}. {job}."
    companies = list(dict.fromkeys(cell.company for cell in advice_map.cells))
    for name in companies:
        company = f"{name[0].upper()}{name[1:]}: " if len(companies) > 1 else ""
        yield "Advice", f"{company}{verdicts([cell for cell in advice_map.cells if cell.company == name])}"


def path(advice_map: Map) -> str:
    """Which path, or from which to which."""
    rates = sorted({cell.rate_bps for cell in advice_map.cells})
    rtts = sorted({cell.rtt_s for cell in advice_map.cells})
    rate = " to ".join(Rate.show(each) for each in dict.fromkeys((rates[0], rates[-1])))
    return f"{rate}, {span(1e3 * rtts[0], 1e3 * rtts[-1], ' ms')}"


def legend(advice_map: Map) -> str:
    """How the cells are to be read."""
    several = {cell.candidate for cell in advice_map.cells}
    others = name_of(several.pop()) if len(several) == 1 else "the best other one"
    harm = (
        f"; {HARM_SIGN}: it takes more than {percent(MOST_HARM)} from the others beyond what one more"
        f" {name_of(DEFAULT)} does"
        if any(cell.harms for cell in advice_map.cells)
        else ""
    )
    default = name_of(advice_map.default)
    return (
        f"In a cell: which is right, and by how many % {others}'s {advice_map.score} is above {default}'s; {SAME}:"
        f" less than {percent(MATTERS)}; ?: chance may have made it{harm}."
    )


def tables(advice_map: Map) -> Iterator[Table]:
    """A table a panel, with a row for each row of the map, the highest first."""
    for title, cells in advice_map.panels.items():
        at = {(position(cell, advice_map.y), position(cell, advice_map.x)): cell for cell in cells}
        rows = [
            [row, *(says(at.get((row, column))) for column in advice_map.columns)]
            for row in reversed(advice_map.rows)
            if any((row, column) in at for column in advice_map.columns)
        ]
        header = [f"{HEADS[advice_map.y]} \\ {HEADS[advice_map.x]}", *advice_map.columns]
        yield Table.of([each.replace(" ", NO_BREAK) for each in header], rows, title=title)


def says(cell: Cell | None) -> str:
    """Which is right in a cell, and the gain in %; a dash where there is none."""
    if cell is None:
        return ABSENT
    gain = "" if cell.gain is None else f"{100 * cell.gain:+.0f}"
    harm = HARM_SIGN if cell.harms else ""
    if not cell.right:
        return f"{SAME}{harm}"
    return f"{'?' if cell.right == '?' else name_of(cell.right)}{gain}{harm}"


def verdicts(cells: Sequence[Cell]) -> str:
    """In how many cells which is right, and at which queues that changes."""
    rights = Counter(cell.right for cell in cells)
    total = len(cells)
    verdict_counts = [
        f"{label} in {'all' if count == total else count}"
        for right, count in rights.most_common()
        for label in [{"": "no matter which", "?": "open"}.get(right) or name_of(right)]
    ]
    text = f"{', '.join(verdict_counts)} of {counted(total, 'cell')}"
    flips = list(_flips(cells))
    if flips:
        text += f"; it changes at queues of {span(min(flips), max(flips), ' BDP')}"
    harmful = sum(cell.harms for cell in cells)
    if harmful:
        text += f"; the others lose more than {percent(MOST_HARM)} in {harmful}"
    return f"{text}."


def _flips(cells: Sequence[Cell]) -> Iterator[float]:
    """Where the right candidate changes from one queue to the next on a path, in BDP."""
    ordered = sorted(cells, key=lambda each: (each.rate_bps, each.rtt_s, each.buffer_bytes))
    for _, own in groupby(ordered, key=lambda each: (each.rate_bps, each.rtt_s)):
        yield from (at for *_, at in changes([(each.buffer_bdp, each.best) for each in own]))
