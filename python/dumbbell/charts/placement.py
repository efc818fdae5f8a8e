"""Where words beside points find room: each takes the free place around its points that hides least."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Align: TypeAlias = Literal["left", "center", "right"]

HEIGHT: Final = 1.0
"""Of a line of words, by the size of the font."""
CHARACTER: Final = 0.53
"""Width of a character likewise."""
GAP: Final = 0.75
"""From a point to the middle of words above it, or to the end of those beside it."""
POINT: Final = 0.7
"""Width of a marker."""
STEP: Final = 0.8
"""Along a line, between two places where it is in the way."""


class Box(NamedTuple):
    """A rectangle in units of the font's size, from the panel's lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    def within(self, other: Box) -> bool:
        """Whether it lies in the other one."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


@dataclass(frozen=True, slots=True)
class Label:
    """What is to be written, and the points at one of which it may stand, the best first."""

    text: str
    points: Sequence[tuple[float, float]]
    """In units of the font's size."""
    most: float = math.inf
    """They are left out rather than hide more than this: an area in these units."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand: at one of their points, moved by so much."""

    point: int
    across: float
    up: float
    align: Align


def points_of(line: Sequence[tuple[float, float]]) -> Iterator[Box]:
    for x, y in line:
        yield Box(x - POINT / 2, y - POINT / 2, x + POINT / 2, y + POINT / 2)


def along(line: Sequence[tuple[float, float]]) -> Iterator[Box]:
    """What a line hides: each cell of a grid that it goes through, once."""
    yield from crossed(list(pairwise(line)))


def crossed(pieces: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> Iterator[Box]:
    """What pieces of lines hide, each given by its two ends: each cell of a grid that one goes through, once."""
    if not pieces:
        return
    begins, ends = np.swapaxes(np.array(pieces), 0, 1)
    steps = np.maximum(1, np.ceil(np.abs(ends - begins).max(axis=1) / STEP)).astype(np.intp)
    owner = np.repeat(np.arange(steps.size), steps + 1)
    nth = np.arange(owner.size) - np.repeat(np.cumsum(steps + 1) - (steps + 1), steps + 1)
    at = begins[owner] + (nth / steps[owner])[:, None] * (ends - begins)[owner]
    for x, y in np.unique(np.round(at / STEP), axis=0) * STEP:
        yield Box(x - STEP / 4, y - STEP / 4, x + STEP / 4, y + STEP / 4)


def places(
    labels: Sequence[Label], width: float, height: float, hidden: Iterable[Box], taken: Iterable[Box] = ()
) -> list[Place | None]:
    """A place for each, in their order; None where there is none within the panel that no other words have.

    `hidden` are boxes that words had better not cover, `taken` those that they must not.
    """
    panel = Box(0, 0, width, height)
    obstacles, occupied = (np.array([Box(0, 0, 0, 0), *boxes]) for boxes in (hidden, taken))
    positions: list[Place | None] = []
    for label in labels:
        best: tuple[float, Place, Box] | None = None
        for number, place, box in _candidates(label):
            if not box.within(panel) or _overlap(box, occupied):
                continue
            cost = _overlap(box, obstacles) + 0.02 * number
            if cost <= label.most and (best is None or cost < best[0]):
                best = cost, place, box
        positions.append(best[1] if best else None)
        if best:
            occupied = np.vstack([occupied, best[2]])
    return positions


def _overlap(box: Box, others: npt.NDArray[np.float64]) -> float:
    """The area that a box covers of all others together."""
    across = np.minimum(box.right, others[:, 2]) - np.maximum(box.left, others[:, 0])
    up = np.minimum(box.top, others[:, 3]) - np.maximum(box.bottom, others[:, 1])
    return float((across.clip(0) * up.clip(0)).sum())


def _candidates(label: Label) -> Iterator[tuple[int, Place, Box]]:
    """Around each point: above, below, right, left, and at the corners."""
    width = len(label.text) * CHARACTER
    around: tuple[tuple[float, float, Align], ...] = (
        (0, GAP + HEIGHT / 2, "center"), (0, -GAP - HEIGHT / 2, "center"), (GAP, 0, "left"), (-GAP, 0, "right"),
        (GAP, GAP, "left"), (-GAP, GAP, "right"), (GAP, -GAP, "left"), (-GAP, -GAP, "right"),
    )  # fmt: skip
    number = 0
    for index, (x, y) in enumerate(label.points):
        for across, up, align in around:
            left = x + across - {"left": 0.0, "center": width / 2, "right": width}[align]
            box = Box(left, y + up - HEIGHT / 2, left + width, y + up + HEIGHT / 2)
            yield number, Place(index, across, up, align), box
            number += 1
