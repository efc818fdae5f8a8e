"""How often trees and rules are right about cells that they have not seen, and what they cost where they are wrong.

Every accuracy stands beside the larger class's share, and beside the spread of its folds: of a hundred cells a fold has
twenty, and the standard deviation of one fold's accuracy is 7 to 10 points. Folds drawn at random put near-copies of a
test cell, its neighbours on the grid, into the training set; leaving out all cells of a rate does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from dumbbell.metrics.statistics import Estimate, estimate
from dumbbell.studies.cao2019.cells import Cell, Ties, counting_cells
from dumbbell.studies.cao2019.tree import RULES, SEED, TREES, Marks, classifier, labels, matrix, weights
from dumbbell.studies.extra import imported

Places: TypeAlias = "npt.NDArray[np.intp]"
FOLDS: Final = 5
TIMES: Final = 200
"""Divisions into folds, each drawn anew."""
FEWER_TIMES: Final = 5
"""Of a pruned tree, which has a cross-validation inside of each fold."""
METHODS: Final = (*TREES, *RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Of one way to decide, over the cells that count."""

    folds: tuple[float, ...]
    """Share of the cells of each test fold that it is right about."""
    over_majority: tuple[float, ...]
    """The same less the share of the class that has more cells in all."""
    of_cell: Mapping[tuple[float, float, float], float]
    """How often it was right about each cell when it was tested, by rate, RTT and queue."""
    rates: tuple[float, ...]
    """Share of the cells of each rate, of a tree grown of all other rates."""
    regrets: tuple[float, ...]
    """Of each cell, by what is said of it when its rate was left out."""

    @property
    def mean(self) -> float:
        return float(np.mean(self.folds))

    @property
    def spread(self) -> float:
        """Standard deviation of the folds."""
        return float(np.std(self.folds, ddof=1))


@cache
def accuracy(cells: tuple[Cell, ...], method: str, ties: Ties) -> Accuracy | None:
    """Of a method of `METHODS`; None where a class has fewer cells than there are folds.

    A rule's is over the same folds as a tree's: it has no training to leave cells out of.
    """
    taken = counting_cells(cells, ties)
    marks = labels(taken)
    if not taken or min(marks.sum(), (~marks).sum()) < FOLDS:
        return None
    most = bool(marks.mean() > 0.5)  # noqa: PLR2004 (the larger class)
    says = _judge(taken, method)
    times = FEWER_TIMES if method in TREES and TREES[method].pruned else TIMES
    right, tested = np.zeros(len(taken)), np.zeros(len(taken))
    folds, over = [], []
    for train, test in _folds(marks, times):
        correct = says(train, test) == marks[test]
        right[test] += correct
        tested[test] += 1
        folds.append(float(correct.mean()))
        over.append(float(correct.mean() - (marks[test] == most).mean()))
    rates, regrets = [], np.zeros(len(taken))
    for train, test in _by_rate(taken):
        said = says(train, test)
        rates.append(float((said == marks[test]).mean()))
        regrets[test] = [taken[at].regret("bbr" if bbr else "cubic") for at, bbr in zip(test, said, strict=True)]
    places = [(each.rate_bps, each.rtt_s, each.buffer_bytes) for each in taken]
    of_cell = dict(zip(places, (right / tested).tolist(), strict=True))
    return Accuracy(
        folds=tuple(folds), over_majority=tuple(over), of_cell=of_cell, rates=tuple(rates),
        regrets=tuple(regrets.tolist()),
    )  # fmt: skip


def majority(cells: Sequence[Cell], ties: Ties) -> float:
    """The share of the cells that count of the class that has more; NaN of none."""
    marks = labels(counting_cells(cells, ties))
    return max(marks.mean(), 1 - marks.mean()) if marks.size else np.nan


def difference(cells: tuple[Cell, ...], other: tuple[Cell, ...], method: str, ties: Ties) -> Estimate | None:
    """How much more accurate a method is on other labels of the same grid, with the 95 % interval over its cells.

    Paired: only cells that count in both, each with how often it was told right when it was tested.
    """
    first, second = accuracy(cells, method, ties), accuracy(other, method, ties)
    if first is None or second is None:
        return None
    shared = [second.of_cell[place] - right for place, right in first.of_cell.items() if place in second.of_cell]
    return estimate(shared) if shared else None


def _judge(cells: Sequence[Cell], method: str) -> Callable[[Places, Places], Marks]:
    """Whether a method says BBR of some cells, those of the test, after others, those of the training."""
    if method in RULES:
        marks_of_rule = np.array([RULES[method](each) == "bbr" for each in cells])
        return lambda _, test: marks_of_rule[test]
    recipe = TREES[method]
    values, marks, weight = matrix(cells, recipe), labels(cells), weights(cells)

    def says(train: Places, test: Places) -> Marks:
        model = classifier(values[train], marks[train], weight[train], recipe)
        predictions: Marks = model.predict(values[test], check_input=False)
        return predictions

    return says


def _folds(marks: Marks, times: int) -> Iterator[tuple[Places, Places]]:
    repeated = imported("trees", "model_selection", "RepeatedStratifiedKFold")
    splitter = repeated(n_splits=FOLDS, n_repeats=times, random_state=SEED)
    yield from splitter.split(np.zeros((marks.size, 1)), marks)


def _by_rate(cells: Sequence[Cell]) -> Iterator[tuple[Places, Places]]:
    rates = np.array([each.rate_bps for each in cells])
    for rate in np.unique(rates):
        if (rates != rate).any():
            yield np.flatnonzero(rates != rate), np.flatnonzero(rates == rate)
