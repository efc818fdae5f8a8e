"""What a formula can be, from what its parts can be: interval arithmetic.

No interval of a mean goes beyond: a loss is no less than nothing, and Jain's index no more than 1.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from itertools import product
from typing import Final, TypeAlias

from dumbbell.metrics.number import AMOUNT, ANY_NUMBER, SHARE, Limits

Share: TypeAlias = float
"""What a study's function returns that is from 0 to 1."""
_OF_FIELDS: Final[Mapping[str, Limits]] = {
    **dict.fromkeys(("jain", "share", "utilization", "loss_rate", "retransmit_rate", "converged"), SHARE),
    "goodput_trend": ANY_NUMBER,
}
"""Of fields of a result; of every other one: an amount."""
_OF_CALLS: Final[Mapping[str, Limits]] = {
    **dict.fromkeys(("share", "evenness", "linear_r2", "dropped"), SHARE),
    **dict.fromkeys(("deviation", "abs", "summed", "averaged", "sampled", "rate_variation", "bins_apart"), AMOUNT),
}
_AS_THEIR_PARTS: Final = frozenset({"max", "min", "mean", "larger", "smaller", "known_or"})


def of_field(name: str) -> Limits:
    """Of a field of a result, by the last step to it.

    >>> of_field("jain"), of_field("rtt_mean_s")
    ((0.0, 1.0), (0.0, inf))
    """
    return _OF_FIELDS.get(name, AMOUNT)


def of_call(name: str, parts: list[Limits]) -> Limits:
    """Of an operation on parts.

    >>> of_call("max", [(0.0, 1.0), (3.0, 4.0)]), of_call("evenness", [])
    ((0.0, 4.0), (0.0, 1.0))
    """
    return united(parts) if name in _AS_THEIR_PARTS else _OF_CALLS.get(name, ANY_NUMBER)


def of_function(function: Callable[..., float | None]) -> Limits:
    """Of a study's function: what it says that it returns, a `Share` or any number."""
    return SHARE if str(function.__annotations__.get("return", "")).startswith("Share") else ANY_NUMBER


def united(parts: list[Limits]) -> Limits:
    """Of what is one of several."""
    return min(low for low, _ in parts), max(high for _, high in parts)


def of_operation(sign: ast.operator, left: Limits, right: Limits) -> Limits:
    """Of two parts.

    >>> of_operation(ast.Sub(), SHARE, SHARE), of_operation(ast.Div(), SHARE, AMOUNT)
    ((-1.0, 1.0), (0.0, inf))
    """
    match sign:
        case ast.Add():
            return left[0] + right[0], left[1] + right[1]
        case ast.Sub():
            return left[0] - right[1], left[1] - right[0]
        case ast.Mult():
            ends = [one * other if one and other else 0.0 for one, other in product(left, right)]
            return min(ends), max(ends)
    return AMOUNT if left[0] >= 0 and right[0] >= 0 else ANY_NUMBER
