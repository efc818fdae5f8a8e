"""Harm (Ware et al. 2019): what the others cost a group of flows, run by run.

`run --harm` measures each group alone, in a campaign of its own whose points are those of the experiment with `alone`:
a run and the one of the group alone are a pair by their point and their seed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, TypeAlias

from dumbbell.metrics.catalogue import HARMS, harms
from dumbbell.results.campaign import ALONE
from dumbbell.results.ledger import Ledger, listed

Harms: TypeAlias = "Mapping[tuple[str, str], Mapping[str, float | None]]"
"""The harm to a group, by run id and group, and by the harm's name."""
ADDS_HARM: Final = "it needs runs of each group alone, which `dumbbell run SPEC --harm` adds"
"""What is said where harm is not known."""
_OF: Final = tuple(HARMS.values())


def harms_of(ledger: Ledger, campaigns: Collection[int]) -> Harms:
    """What is known for the groups of some campaigns: of those that were measured alone, too."""
    query = "SELECT id, part_of FROM campaign WHERE json_type(spec, ?) IS NOT NULL AND part_of IN"
    parts = dict(map(tuple, ledger.rows(f"{query} ({listed(campaigns)})", f"$.{ALONE}")))
    if not parts:
        return {}
    alone = (
        f"SELECT part_of, json_remove(point, '$.{ALONE}') AS point, seed, name, {listed(_OF)}"  # noqa: S608 (our names)
        " FROM campaign CROSS JOIN member ON member.campaign = campaign.id JOIN run ON run.id = member.run"
        f" JOIN group_value ON group_value.run = run.id WHERE campaign.id IN ({listed(parts)}) LIMIT -1"
    )
    rows = ledger.rows(
        f"SELECT run_id, own.name, {listed(_OF, 'own')}, {listed(_OF, 'alone')}"  # noqa: S608 (likewise)
        " FROM member JOIN run ON run.id = member.run JOIN group_value AS own ON own.run = member.run"
        f" CROSS JOIN ({alone}) AS alone ON alone.part_of = member.campaign"
        " AND alone.point = json(member.point) AND alone.seed = run.seed AND alone.name = own.name"
        f" WHERE member.campaign IN ({listed(set(parts.values()))})"
    )
    return {
        (run_id, group): harms(
            dict(zip(_OF, values[: len(_OF)], strict=True)), dict(zip(_OF, values[len(_OF) :], strict=True))
        )
        for run_id, group, *values in rows
    }
