"""Lines about many runs, read from the ledger's narrow tables, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell.results.campaign import places
from dumbbell.results.disturbance import Validity, validity

if TYPE_CHECKING:
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.ledger import Ledger


class RunLine(NamedTuple):
    """A row of `results list`: a run without its numbers."""

    run_id: str
    experiment: str
    engine: str
    seed: int
    status: str
    warnings: int
    """How many there are."""
    point: dict[str, Any]
    """Each swept value as the spec wrote it, by its path."""
    validity: Validity | None = None
    """Of a run in real time that was measured."""


def runs(ledger: Ledger, campaign: Campaign) -> Iterator[RunLine]:
    """The runs of a campaign, in the order of expansion."""
    for part in places(ledger, campaign.id):
        query = (
            f"WITH place AS ({part.query}) SELECT run_id, seed, status, COALESCE(warnings, '[]'), point"  # noqa: S608
            " FROM place JOIN run ON run.id = place.run ORDER BY nth"
        )
        for run_id, seed, status, warnings, point in ledger.rows(query, *part.values):
            messages = json.loads(warnings)
            word = validity(campaign.engine, messages) if status == "ok" else None
            yield RunLine(run_id, campaign.label, campaign.engine, seed, status, len(messages), json.loads(point), word)
