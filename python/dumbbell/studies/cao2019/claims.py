"""What formulas cannot say: how well trees and rules tell the grid's cells, and whether two queues are alike.

All are of all seeds together: the paired interval over the seeds of a cell says which algorithm is ahead there. Of each
run are iperf3's clock of a transfer and the cells that others have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import fmean, stdev
from typing import Final, TypeAlias

from dumbbell.advice.rules import cao_branch, cao_tree
from dumbbell.errors import StudyError
from dumbbell.metrics.number import trimmed
from dumbbell.metrics.statistics import t_quantile
from dumbbell.studies.cao2019 import accuracy as judged
from dumbbell.studies.cao2019.cells import Cell, Ties, cell, counting_cells
from dumbbell.studies.cao2019.clock import delivered_by_then, written_s
from dumbbell.studies.cao2019.digitised import published_gain
from dumbbell.studies.cao2019.tree import RULES, TREES, Feature, grown, roots, says
from dumbbell.studies.evidence import RunData, SeedSweep, Trials
from dumbbell.studies.limits import Share
from dumbbell.studies.sweep import number

__all__ = ["delivered_by_then", "published_gain", "written_s"]
ALIKE: Final = 2.0
"""Points of gain within which two queues are equivalent."""
SURE: Final = 0.9
"""Of the interval that must lie within them: two one-sided tests at 5 %."""
Place: TypeAlias = tuple[float, float, float]
"""Rate in bit/s, RTT in s, queue in bytes."""
_FIELDS: Final = (("path.rate", "bit/s"), ("path.rtt", "s"), ("path.buffer", "B"))
_DEEP_BYTES: Final = 10e6
_DEEPER_BYTES: Final = 50e6


def cells(trials: Trials, first: int = 0) -> tuple[Cell, ...]:
    """The cells of a grid of BBR, and of the one of CUBIC that stands beside it; `first` is the place of the former.

    Raises:
        StudyError: no grid stands beside it, or a flow got nothing.
    """
    goodputs: dict[Place, list[tuple[int, float, float]]] = {}
    for sweeps in trials.sweeps:
        if len(sweeps) < first + 2:
            raise StudyError("cells need the grid of CUBIC beside that of BBR")
        bbr, cubic = sweeps[first : first + 2]
        cubic_goodputs = _by_place(cubic)
        for place, goodput_bps in _by_place(bbr).items():
            goodputs.setdefault(place, []).append((bbr.seed, goodput_bps, cubic_goodputs[place]))
    grid_cells = []
    for place, seeds in goodputs.items():
        _, bbr_bps, cubic_bps = zip(*sorted(seeds), strict=True)
        try:
            grid_cells.append(cell(*place, bbr_bps, cubic_bps))
        except ValueError as error:
            where = f"{trimmed(place[0] / 1e6, ' Mbit/s')} and {trimmed(1e3 * place[1], ' ms')}"
            raise StudyError(f"the cell of {where}: {error}") from None
    return tuple(grid_cells)


def counting(trials: Trials, ties: Ties) -> float:
    return len(counting_cells(cells(trials), ties))


def majority(trials: Trials, ties: Ties) -> Share:
    """The share of the class that has more cells."""
    return judged.majority(cells(trials), ties)


def _score(number: Callable[[judged.Accuracy], float]) -> Callable[[Trials, str, Ties], float | None]:
    """A function of a method's accuracy over the cells that count."""

    def score(trials: Trials, method: str, ties: Ties) -> float | None:
        if method not in judged.METHODS:
            raise StudyError(f'there is no method "{method}"; known: {", ".join(judged.METHODS)}')
        scores = judged.accuracy(cells(trials), method, ties)
        return None if scores is None else number(scores)

    return score


def _share(number: Callable[[judged.Accuracy], float]) -> Callable[[Trials, str, Ties], Share | None]:
    """The same of what is from 0 to 1."""
    score = _score(number)

    def share(trials: Trials, method: str, ties: Ties) -> Share | None:
        return score(trials, method, ties)

    return share


accuracy = _share(lambda scores: scores.mean)
"""The mean over 200 x 5 folds of the share of the test's cells that a tree or a rule is right about."""
accuracy_spread = _score(lambda scores: scores.spread)
"""The standard deviation of these folds."""
over_majority = _score(lambda scores: fmean(scores.over_majority))
"""How much more accurate than the larger class: the mean over the same folds."""
over_majority_spread = _score(lambda scores: stdev(scores.over_majority))
over_rates = _share(lambda scores: fmean(scores.rates))
"""The accuracy when the cells of each rate in turn are left out: the mean over rates."""
over_rates_spread = _score(lambda scores: stdev(scores.rates))
mean_regret = _score(lambda scores: fmean(scores.regrets))
"""What is lost of the better one's goodput by what is said when the cell's rate is left out."""
worst_regret = _score(lambda scores: max(scores.regrets))


def rise(trials: Trials, method: str, ties: Ties) -> float | None:
    """How much more accurate a method is in this grid than in the next two, BBR's and CUBIC's: paired by cell."""
    difference = judged.difference(cells(trials, 2), cells(trials), method, ties)
    return None if difference is None else difference.mean


def rise_interval(trials: Trials, method: str, ties: Ties) -> float | None:
    """Half its 95 % interval; 0 where no cell differs."""
    difference = judged.difference(cells(trials, 2), cells(trials), method, ties)
    return None if difference is None else difference.half_width or 0.0


def likeness(trials: Trials, method: str, ties: Ties) -> Share | None:
    """The share of the cells of which a tree of this grid says what one of the next two says."""
    both = [counting_cells(cells(trials, first), ties) for first in (0, 2)]
    if not all(both):
        return None
    one, other = (grown(own, TREES[method]) for own in both)
    return fmean(says(one, each) == says(other, each) for each in cells(trials))


def agreement(trials: Trials, method: str, rule: str, ties: Ties) -> Share | None:
    """The share of the cells of which a tree says what a rule says."""
    taken = counting_cells(cells(trials), ties)
    if not taken:
        return None
    tree = grown(taken, TREES[method])
    return fmean(says(tree, each) == RULES[rule](each) for each in cells(trials))


def root(trials: Trials, feature: Feature, ties: Ties) -> Share | None:
    """Of 200 samples of the cells, drawn with replacement, the share of which a tree asks first about a feature."""
    taken = counting_cells(cells(trials), ties)
    counts = roots(taken) if taken else {}
    return counts.get(feature, 0) / sum(counts.values()) if counts else None


def branch_cells(trials: Trials, branch: str, ties: Ties) -> float:
    """How many cells fall into a branch of the printed tree."""
    return len(_branch(trials, branch, ties))


def branch_accuracy(trials: Trials, branch: str, ties: Ties) -> Share | None:
    """Of how many of these it is right."""
    taken = _branch(trials, branch, ties)
    return fmean(cao_tree(each.rate_bps, each.buffer_bytes) == each.label for each in taken) if taken else None


def branch_regret(trials: Trials, branch: str, ties: Ties) -> float | None:
    """What is lost by what it says: the mean."""
    return fmean(lost) if (lost := _branch_regrets(trials, branch, ties)) else None


def branch_worst(trials: Trials, branch: str, ties: Ties) -> float | None:
    return max(_branch_regrets(trials, branch, ties), default=None)


def equivalent(trials: Trials, *without: float) -> Share | None:
    """The share of the cells with a BDP below 10 MB in which 50 MB give the gain of 10 MB, but for 2 points.

    `without`: rates in Mbit/s that are left out.

    Two one-sided tests a cell (Schuirmann 1987): the 90 % interval of the paired differences lies within the margin.
    """
    differences: dict[tuple[float, float], list[float]] = {}
    for bbr, cubic, *_ in trials.sweeps:
        own, cubic_goodputs = _by_place(bbr), _by_place(cubic)
        gains = {place: own[place] / cubic_goodputs[place] - 1 for place in own if cubic_goodputs.get(place)}
        for (rate, rtt, queue), gain in gains.items():
            if queue == _DEEP_BYTES and rate * rtt / 8 < _DEEP_BYTES and rate / 1e6 not in without:
                deeper = gains.get((rate, rtt, _DEEPER_BYTES))
                if deeper is not None:
                    differences.setdefault((rate, rtt), []).append(100 * (deeper - gain))
    return fmean(map(_is_alike, differences.values())) if differences else None


def _is_alike(points: list[float]) -> bool:
    half = t_quantile(len(points) - 1, SURE) * stdev(points) / len(points) ** 0.5 if len(points) > 1 else 0.0
    return abs(fmean(points)) + half <= ALIKE


def _branch(trials: Trials, branch: str, ties: Ties) -> list[Cell]:
    return [
        each for each in counting_cells(cells(trials), ties) if cao_branch(each.rate_bps, each.buffer_bytes) == branch
    ]


def _branch_regrets(trials: Trials, branch: str, ties: Ties) -> list[float]:
    return [each.regret(cao_tree(each.rate_bps, each.buffer_bytes)) for each in _branch(trials, branch, ties)]


def _by_place(sweep: SeedSweep) -> dict[Place, float]:
    """Goodput in bit/s of each cell; 0 where it is not known."""
    return {_place(run): run.result.flows[0].goodput_bps or 0.0 for run in sweep.runs}


def _place(run: RunData) -> Place:
    point = run.point
    return tuple(_number(str(point[path]), unit) for path, unit in _FIELDS)  # type: ignore[return-value]


@cache
def _number(value: str, unit: str) -> float:
    return round(number(value, unit), 6)
