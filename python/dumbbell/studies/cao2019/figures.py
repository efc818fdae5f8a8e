"""What a row of `figures.toml` cannot say: a decision tree, and the one split on queue / BDP over its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import exp
from typing import Final

from dumbbell.charts.chart import Layer
from dumbbell.charts.shapes import Look, scatter
from dumbbell.metrics.number import trimmed
from dumbbell.studies.cao2019.cells import Cell, counting_cells
from dumbbell.studies.cao2019.claims import cells
from dumbbell.studies.cao2019.tree import TREES, Leaf, Node, Split, grown
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import Trials

NAMES: Final = {"rate": "rate", "rtt": "RTT", "buffer": "queue", "buffer_bdp": "queue"}
UNITS: Final = {"rate": "Mbit/s", "rtt": "ms", "buffer": "MB", "buffer_bdp": "BDP"}
AHEAD: Final = {"bbr": "BBR gets more", "cubic": "CUBIC gets more"}
EDGE: Final = "flow 1"
TIE: Final = "flow 8"
HEIGHT: Final = 14.0
"""Of a panel, in lines of the largest tree of depth 3, from the first to the last."""
ENDS: Final = (0.8, 10.0)
"""Of the line at the split: the ends of its panel."""


def tree(scope: Scope) -> Iterator[Layer]:
    """The tree of depth 3 of the cells that are no ties: a line a node, below each question its yes and then its no."""
    rows: list[_Row] = []
    _listed(grown(counting_cells(_cells(scope), "out"), TREES["depth 3"]), "", 0, rows)
    labelled: set[str] = set()
    step = HEIGHT / max(len(rows) - 1, 1)
    for place, row in enumerate(rows):
        if row.parent is not None:
            corner = float(rows[row.parent].depth)
            x, y = (corner, corner, float(row.depth)), (-step * row.parent, -step * place, -step * place)
            yield scatter(Look(EDGE), x, y, kind="line")
    for place, row in enumerate(rows):
        says = row.node.says if isinstance(row.node, Leaf) else ""
        label = "" if not says or says in labelled else AHEAD[says]
        look = Look(says or EDGE, label=label, tag=row.answer + _label(row.node))
        yield replace(scatter(look, (float(row.depth),), (-step * place,)), pinned=True)
        labelled.add(says)


def split(scope: Scope) -> Iterator[Layer]:
    """Each cell's ratio of goodputs over queue / BDP, and where one split on that divides those that are no ties."""
    all_cells = _cells(scope)
    deciding = counting_cells(all_cells, "out")
    for algorithm, label in AHEAD.items():
        yield _points([each for each in deciding if each.label == algorithm], label, algorithm)
    yield _points([each for each in all_cells if each.is_tie], "neither: below 2 %, or an interval around 0", TIE)
    stump = grown(deciding, TREES["one split"])
    if isinstance(stump, Split):
        at = (stump.threshold, stump.threshold)
        look = Look(EDGE, tag=f"split at {trimmed(stump.threshold, ' BDP')}")
        yield replace(scatter(look, at, ENDS, kind="line"), pinned=True)


def _cells(scope: Scope) -> tuple[Cell, ...]:
    name, version = scope.experiment, scope.settled.version
    return cells(Trials(tuple(scope.evidence.together([name, f"{name}_cubic"], version))))


@dataclass(frozen=True, slots=True)
class _Row:
    """A node of a tree on a line of its own."""

    node: Node
    answer: str
    depth: int
    parent: int | None
    """The row of the question that leads to it."""


def _listed(node: Node, answer: str, depth: int, rows: list[_Row], parent: int | None = None) -> None:
    """The node and all below it."""
    here = len(rows)
    rows.append(_Row(node, answer, depth, parent))
    if isinstance(node, Split):
        _listed(node.below, "yes: ", depth + 1, rows, here)
        _listed(node.above, "no: ", depth + 1, rows, here)


def _label(node: Node) -> str:
    if isinstance(node, Leaf):
        return f"{node.says.upper()}, {node.right} of {len(node.cells)}"
    return f"{NAMES[node.feature]} ≤ {trimmed(node.threshold)} {UNITS[node.feature]}?"


def _points(taken: Iterable[Cell], label: str, style: str) -> Layer:
    taken = list(taken)
    return scatter(
        Look(style, label=label), [each.buffer_bdp for each in taken], [exp(each.log_gain) for each in taken]
    )
