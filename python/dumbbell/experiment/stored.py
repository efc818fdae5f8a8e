"""`dumbbell.open`: a store as a script or a notebook reads it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Final

from dumbbell.errors import StoreError
from dumbbell.experiment.notebook import html
from dumbbell.experiment.points import read_campaign
from dumbbell.experiment.results import Results
from dumbbell.metrics.number import counted
from dumbbell.results import store
from dumbbell.results.outcomes import outcomes_of

_OFFERED: Final = (
    "ack_series", "campaigns", "close", "count", "experiments", "files", "find", "flow_series", "flows", "folder",
    "get", "groups", "hop_series", "hops", "outcomes", "provenance", "queue_series", "results", "run", "runs",
)  # fmt: skip
"""What a reader needs; writing and repairing is the program's."""
MOST_SHOWN: Final = 5
"""Experiments that a cell displays."""


class Store(store.Store):
    """The runs of a folder, to be read.

    >>> with dumbbell.open(folder) as runs:
    ...     runs.experiments(), runs.count()
    (['experiment'], 4)
    """

    def results(self, experiment: str | None = None, engine: str | None = None) -> Results:
        """What `dumbbell.run` gave: of an experiment by its name or label, or of the one that was carried out last.

        >>> dumbbell.open(folder).results()
        <Results of experiment on sim: 4 runs, 2 points>

        Raises:
            StoreError: there is no such experiment.
        """
        campaigns = self.campaigns(experiment=experiment, engine=engine)
        if not campaigns:
            raise StoreError("has no experiment", self.folder)
        outcomes = tuple(outcomes_of(self.ledger, campaigns[-1].id))
        return Results(outcomes, self.folder, campaigns[-1].id)

    def __repr__(self) -> str:
        return f"<Store {self.folder}: {counted(self.count(), 'run')} of {', '.join(self.experiments()) or 'nothing'}>"

    def _repr_html_(self) -> str:
        shown = self.campaigns()[::-1][:MOST_SHOWN]
        parts = [
            f"<h4>{escape(each.label)} on {escape(each.engine)}</h4>{html(read_campaign(self, each))}" for each in shown
        ]
        return "".join([f"<p>{escape(repr(self)[1:-1])}</p>", *parts])

    def __dir__(self) -> list[str]:
        return list(_OFFERED)


def open_store(folder: Path | str = "results") -> Store:
    """Opens a store to read it; a campaign may be writing to it meanwhile.

    >>> with dumbbell.open(folder) as runs:
    ...     runs.groups().groupby(["path.buffer_bdp", "name"])["share"].mean().round(1).tolist()
    [0.8, 0.2, 0.7, 0.3]

    Raises:
        StoreError: there is no store, or one of another schema.
        StoreFailure: its ledger is damaged.
    """
    return Store.open(folder)
