"""A map in words: what is right where, and a compact table of each panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

from dumbbell.decide.advice import MATTERS, MOST_HARM, half_way
from dumbbell.decide.map import Axis, Cell, Map, position
from dumbbell.decide.question import DEFAULT, name_of
from dumbbell.metrics.number import ABSENT, counted, percent, trimmed
from dumbbell.spec.quantity import Rate

if TYPE_CHECKING:
    Table = tuple[list[str], list[list[str]]]

HEADS: Final[dict[Axis, str]] = {"queue": "queue", "rtt": "RTT", "rate": "rate", "company": "company"}
HARM_SIGN: Final = "!"


def lines(found: Map) -> Iterator[tuple[str, str]]:
    """The paragraphs above the tables: what each is about, and the words."""
    yield "Paths", _paths(found)
    for company, cells in _by_company(found):
        yield ("Advice", f"{company}: {verdicts(cells)}") if company else ("Advice", verdicts(cells))


def legend(found: Map) -> str:
    """How to read a cell."""
    several = {cell.candidate for cell in found.cells}
    others = name_of(several.pop()) if len(several) == 1 else "the best other one"
    harm = (
        f"; {HARM_SIGN}: it takes more than {percent(MOST_HARM)} from the others beyond what one more"
        f" {name_of(DEFAULT)} does"
        if any(cell.harms for cell in found.cells)
        else ""
    )
    default = name_of(found.default)
    return (
        f"In a cell: which is right, and by how many % {others}'s {found.score} is above {default}'s; {SAME}:"
        f" less than {percent(MATTERS)}; ?: chance may have made it{harm}."
    )


SAME: Final = "="


def tables(found: Map) -> Iterator[tuple[str, Table]]:
    """A table a panel: its title, the header and a row for each row of the map, the lowest first."""
    for title, cells in found.panels.items():
        at = {(position(cell, found.y), position(cell, found.x)): cell for cell in cells}
        rows = [
            [row, *(says(at.get((row, column))) for column in found.columns)]
            for row in found.rows
            if any((row, column) in at for column in found.columns)
        ]
        yield title, ([f"{HEADS[found.y]} \\ {HEADS[found.x]}", *found.columns], rows)


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
    told = [
        f"{words} in {'all' if count == total else count}"
        for right, count in rights.most_common()
        for words in [{"": "no matter which", "?": "open"}.get(right) or name_of(right)]
    ]
    words = f"{', '.join(told)} of {counted(total, 'cell')}"
    flips = list(_flips(cells))
    if flips:
        low, high = min(flips), max(flips)
        at = f"{trimmed(low)} BDP" if low == high else f"{trimmed(low)} to {trimmed(high)} BDP"
        words += f"; it changes at queues of {at}"
    harmful = sum(cell.harms for cell in cells)
    if harmful:
        words += f"; the others lose more than {percent(MOST_HARM)} in {harmful}"
    return f"{words}."


def _flips(cells: Sequence[Cell]) -> Iterator[float]:
    """Where the right candidate changes from one queue to the next on a path."""

    def path_of(cell: Cell) -> tuple[int, float]:
        return cell.rate_bps, cell.rtt_s

    for _, own in groupby(sorted(cells, key=lambda each: (*path_of(each), each.buffer_bytes)), key=path_of):
        for before, after in pairwise(own):
            if before.best != after.best:
                yield half_way(before.buffer_bdp, after.buffer_bdp)


def _by_company(found: Map) -> Iterator[tuple[str, list[Cell]]]:
    names = list(dict.fromkeys(cell.company for cell in found.cells))
    for each in names:
        own = [cell for cell in found.cells if cell.company == each]
        yield each[0].upper() + each[1:] if len(names) > 1 else "", own


def path(found: Map) -> str:
    """Which path, or from which to which."""
    rates = sorted({cell.rate_bps for cell in found.cells})
    rtts = sorted({cell.rtt_s for cell in found.cells})
    rate = " to ".join(Rate.show(each) for each in dict.fromkeys((rates[0], rates[-1])))
    rtt = " to ".join(trimmed(1e3 * each) for each in dict.fromkeys((rtts[0], rtts[-1])))
    return f"{rate}, {rtt} ms"


def _paths(found: Map) -> str:
    loss = f", {percent(found.loss)} random loss" if found.loss else ""
    paths = len({(cell.rate_bps, cell.rtt_s) for cell in found.cells})
    job = f"{found.job[0].upper()}{found.job[1:]}"
    return f"{path(found)}, drop-tail{loss}: {counted(paths, 'path')}. {job}, for {found.goal}."
