"""Harm (Ware et al. 2019): what the others cost a group of flows, run by run.

`run --harm` measures each group alone, in a campaign of its own whose points are those of the experiment with `alone`:
a run and the one of the group alone are a pair by their point and their seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dumbbell.metrics.catalogue import HARMS, group_values, harms
from dumbbell.results.campaign import ALONE
from dumbbell.results.campaign import campaigns as campaigns_of
from dumbbell.results.outcomes import outcomes_of

if TYPE_CHECKING:
    from dumbbell.results.ledger import Ledger
    from dumbbell.results.schema import Result

AloneValues: TypeAlias = "Mapping[tuple[str, int, str], Mapping[str, float | None]]"
"""What a group has alone of the quantities that harm is told in, by point, seed and group; see `point_key`."""


ADDS_HARM: Final = "it needs runs of each group alone, which `dumbbell run SPEC --harm` adds"
"""What is said where harm is not known."""


def alone_values(ledger: Ledger, campaign: int) -> AloneValues:
    """What the groups of a campaign have alone, as far as they were measured so."""
    alone: dict[tuple[str, int, str], Mapping[str, float | None]] = {}
    if not ledger.rows("SELECT 1 FROM campaign WHERE spec LIKE ? LIMIT 1", f'%"{ALONE}"%'):
        return alone  # as mostly, and found out sooner than what belongs to what
    for each in campaigns_of(ledger):
        if each.alone_of == campaign:
            for outcome in outcomes_of(ledger, each.id):
                if outcome.status == "ok":
                    point = {path: value for path, value in outcome.point.items() if path != ALONE}
                    for group, values in group_values(outcome, tuple(HARMS.values())).items():
                        alone[point_key(point), outcome.seed, group] = values
    return alone


def harms_of(result: Result, alone: AloneValues) -> dict[str, dict[str, float | None]]:
    """The harm to each group of a run that was measured alone, too, by the group's name and the harm's."""
    key = point_key(result.point)
    by_group = {}
    for group, together in (group_values(result, tuple(HARMS.values())) if alone else {}).items():
        if (key, result.seed, group) in alone:
            by_group[group] = harms(together, alone[key, result.seed, group])
    return by_group


def point_key(values: Mapping[str, Any]) -> str:
    """The swept values of a point, as one text."""
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def harm_columns(ledger: Ledger, campaigns: Iterable[int]) -> dict[tuple[str, str], Mapping[str, float | None]]:
    """The harm to each group of each run of some campaigns, by run id and group."""
    columns: dict[tuple[str, str], Mapping[str, float | None]] = {}
    for campaign in campaigns:
        alone = alone_values(ledger, campaign)
        for outcome in outcomes_of(ledger, campaign) if alone else ():
            if outcome.status == "ok":
                columns |= {(outcome.run_id, group): own for group, own in harms_of(outcome, alone).items()}
    return columns
