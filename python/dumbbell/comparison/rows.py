"""A comparison as `dumbbell compare --json` prints it: an object a row. `docs/results-format.md` explains the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dumbbell.comparison.record import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.comparison.differences import Comparison, Difference

SCHEMA_VERSION: Final = 1


def objects(found: Comparison) -> Iterator[dict[str, Any]]:
    """What is not paired, every quantity over all points, and every quantity at every point."""
    for each in found.pairs.unpaired:
        yield {
            "schema": SCHEMA_VERSION, "row": "unpaired", "side": each.side, "reason": each.reason, "runs": each.runs,
            "example": each.example,
        }  # fmt: skip
    for whole in found.overall:
        yield {
            "schema": SCHEMA_VERSION, "row": "overall", "metric": whole.quantity.name, "group": whole.group,
            "points": whole.points, "a": _rounded(whole.a), "b": _rounded(whole.b), **_of(whole.difference),
            "better": whole.quantity.better, "higher": whole.higher, "lower": whole.lower, "same": whole.same,
            "undecided": whole.undecided, "by_seeds": whole.by_seeds,
        }  # fmt: skip
    for row in found.rows():
        place = found.points[row.point]
        yield {
            "schema": SCHEMA_VERSION, "row": "point", "experiment": place.experiment, "engine": place.engine,
            "point": place.swept, "metric": row.quantity.name, "group": row.group, "pairs": row.pairs,
            "a": _rounded(row.a), "b": _rounded(row.b), **_of(row.difference), "better": row.quantity.better,
        }  # fmt: skip


def _of(difference: Difference) -> dict[str, Any]:
    return {
        "difference": _rounded(difference.value),
        "half_width": _rounded(difference.half_width),
        "relative": _rounded(difference.relative),
        "relative_half_width": _rounded(difference.relative_half_width),
        "outcome": difference.outcome,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else rounded(value)
