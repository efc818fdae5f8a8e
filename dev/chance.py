"""What chance does to a comparison, and whether another engine is worse than chance makes it.

Controls are the candidate itself under other random streams. Beside them nothing tells a candidate from an engine that
has an error but how far it is from the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dev.curves.record import Curves
from dumbbell.comparison.record import Agreement, Condition, Difference
from dumbbell.comparison.strata import WINNER
from dumbbell.metrics.distribution import beyond

Floats: TypeAlias = npt.NDArray[np.float64]
Key: TypeAlias = tuple[str, str, str]
"""A condition, a metric, and what of it: a group, or a quantity of a curve."""

KEEPING: Final = 0.9
"""The share of controls that keeps a limit."""
DRAWS: Final = 20_000
"""Of a permutation test."""
CURVES: Final = "curves"
"""The metric of all quantities of single flows."""
LACKING: Final = 1.0
"""Error of an engine that has no such thing where the reference has one: the whole."""


class Stream(NamedTuple):
    """One quantity in one condition: how far engines are from the reference, without sign; None: it has none."""

    key: Key
    candidate: float | None
    controls: tuple[float | None, ...]


def with_controls(comparison: Agreement | Curves, controls: Mapping[int, Agreement | Curves]) -> Agreement | Curves:
    """The comparison with what each control came to beside it; they are named by the shift of their seeds."""
    shifts = tuple(controls)
    if isinstance(comparison, Curves):
        of_curves = [
            {(case.name, each.label): each.difference for case in of.cases for each in case.comparisons}
            for of in controls.values()
            if isinstance(of, Curves)
        ]
        cases = tuple(
            case.model_copy(
                update={"comparisons": tuple(
                    each.model_copy(update={"controls": tuple(of.get((case.name, each.label)) for of in of_curves)})
                    for each in case.comparisons
                )}
            )
            for case in comparison.cases
        )  # fmt: skip
        return comparison.model_copy(update={"controls": shifts, "cases": cases})
    every = [{each.name: each for each in of.conditions} for of in controls.values() if isinstance(of, Agreement)]
    conditions = tuple(_with_controls(each, [of[each.name] for of in every]) for each in comparison.conditions)
    return comparison.model_copy(update={"controls": shifts, "conditions": conditions})


def _with_controls(condition: Condition, controls: Sequence[Condition]) -> Condition:
    by_key = [{(each.metric, each.group): each.difference for each in of.differences} for of in controls]
    differences = tuple(
        each.model_copy(update={"controls": tuple(of.get((each.metric, each.group)) for of in by_key)})
        for each in condition.differences
    )
    winner = condition.winner and condition.winner.model_copy(
        update={"controls": tuple(of.winner and of.winner.candidate for of in controls)}
    )
    return condition.model_copy(update={"differences": differences, "winner": winner})


def of_control(conditions: Sequence[Condition], index: int) -> list[Condition]:
    """The conditions with a control in the candidate's place."""
    return [
        condition.model_copy(
            update={
                "differences": _instead(condition.differences, lambda controls: controls[index]),
                "winner": condition.winner
                and condition.winner.model_copy(update={"candidate": condition.winner.controls[index]}),
            }
        )
        for condition in conditions
    ]


def _instead(
    differences: Sequence[Difference], signed_of: Callable[[Sequence[float | None]], float | None]
) -> tuple[Difference, ...]:
    """Differences with another engine's in the place of the candidate's, as far as it has them."""
    return tuple(
        each.model_copy(update={"difference": signed, "error": beyond(signed * each.scale, each.excused) / each.scale})
        for each in differences
        if (signed := signed_of(each.controls)) is not None
    )


def most_of_nine_in_ten(values: Sequence[float]) -> float:
    """What `KEEPING` of the values do not exceed.

    >>> most_of_nine_in_ten([3, 1, 2, 9, 8, 7, 4, 5, 6, 10])
    9
    """
    return sorted(values)[ceil(KEEPING * len(values)) - 1]


def streams(comparison: Agreement | Curves) -> Iterator[Stream]:
    """Every quantity of every condition, condition by condition."""
    if isinstance(comparison, Curves):
        for case in comparison.cases:
            for limit in case.comparisons:
                key = (case.name, CURVES, limit.label)
                yield Stream(key, _size(limit.difference), tuple(map(_size, limit.controls)))
        return
    for condition in comparison.conditions:
        for each in condition.differences:
            key = (condition.name, each.metric, each.group or "")
            yield Stream(key, _size(each.difference), tuple(map(_size, each.controls)))
        winner = condition.winner
        if winner is not None and winner.reference is not None:
            others = tuple(float(each != winner.reference) for each in winner.controls)
            yield Stream((condition.name, WINNER, ""), float(winner.candidate != winner.reference), others)


def worse(known: Agreement | Curves, other: Agreement | Curves) -> dict[str, float]:
    """By metric, how probable errors as large as another engine's are, were it the candidate under other streams.

    The test is paired by condition: there the engine, the candidate and its controls are alike but for chance, and
    any of them could have any of their errors. An error is a share of their mean, so that no condition outweighs the
    others; that of a condition is the mean over its groups. The statistic is the sum over conditions.
    """
    of_other = {each.key: each.candidate for each in streams(other)}
    return _worse({each.key: (of_other.get(each.key), each.candidate, *each.controls) for each in streams(known)})


def control_worse(known: Agreement | Curves, index: int) -> dict[str, float]:
    """The same of a control, beside the candidate and the other controls: what notices it is a false alarm."""
    return _worse({
        each.key: (
            each.controls[index], each.candidate,
            *(other for at, other in enumerate(each.controls) if at != index),
        )
        for each in streams(known)
    })  # fmt: skip


def _worse(errors: Mapping[Key, Sequence[float | None]]) -> dict[str, float]:
    """Of the first of these errors."""
    scores: dict[str, list[Floats]] = {}
    for (_, metric), keys in groupby(errors, key=lambda key: key[:2]):
        rows = np.array([[LACKING if each is None else each for each in errors[key]] for key in keys])
        means = rows.mean(axis=1, keepdims=True)
        if (means > 0).any():
            scores.setdefault(metric, []).append((rows[means[:, 0] > 0] / means[means[:, 0] > 0]).mean(axis=0))
    return {metric: _probability(np.array(of)) for metric, of in scores.items()}


def _probability(scores: Floats) -> float:
    """That a sum of one score a row, drawn at random, is no less than that of the first scores; of (rows, engines)."""
    rows, engines = scores.shape
    drawn = np.random.default_rng(0).integers(engines, size=(DRAWS, rows))
    sums = scores[np.arange(rows), drawn].sum(axis=1)
    return (1 + int((sums >= scores[:, 0].sum() * (1 - 1e-9)).sum())) / (DRAWS + 1)


def _size(difference: float | None) -> float | None:
    return None if difference is None else abs(difference)
