"""The quantities of the catalogue that a run has: computed once, when it is stored, and read from there by everybody.

`run_value` has a row a run, `group_value` a row a group of flows; a column is a quantity, in base units, and null where
the run has none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.catalogue import OF_GROUP, OF_RUN, QUANTITIES, Setup, groups, run_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.results.schema import Result
    from dumbbell.spec import Run


def values_of_run(result: Result, run: Run) -> dict[str, float | None]:
    """What the run as a whole has of each. Random loss is 0 on a path without: readers show it if a sweep has any."""
    setup = replace(Setup.of(run), random_loss_at=run.path.loss_at)
    return {
        name: value if QUANTITIES[name].informative(result) else None
        for name, value in run_values(result, setup, OF_RUN).items()
    }


def values_of_groups(result: Result) -> Iterator[dict[str, Any]]:
    """A row a group, in the order of the spec: its position, name, algorithm, number of flows, and its quantities."""
    formulas = {name: QUANTITIES[name].of_group for name in OF_GROUP if QUANTITIES[name].informative(result)}
    for position, (name, group) in enumerate(groups(result).items()):
        values = {quantity: formula(group) for quantity, formula in formulas.items() if formula}
        cc = group.flows[0].cc if group.flows else ""
        yield {"position": position, "name": name, "cc": cc, "flows": len(group.flows), **values}
