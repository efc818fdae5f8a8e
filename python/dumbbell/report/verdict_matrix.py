"""Verdicts side by side: a row a claim, a column an engine with a version of the algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dumbbell.studies import Verdict, disputed


def verdict_matrix(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The matrix of these verdicts; those on what contains no version stand below each version.

    `columns` are a version and an engine each, those of a version beside one another, but for those of which no run was
    made; `versions` says how many each version has. `rows` has, by a claim's id and statement, a verdict a column;
    `disputed`, by claim, the versions about which engines say different things.
    """
    at = {(each.claim, version, each.engine): each for each in verdicts for version in each.versions}
    made = {(version, engine) for _, version, engine in at}
    versions = dict.fromkeys(version for _, version, _ in at)
    engines = dict.fromkeys(each.engine for each in verdicts)
    columns = [(version, engine) for version in versions for engine in engines if (version, engine) in made]
    claims = dict.fromkeys((each.claim, each.statement) for each in verdicts)
    unlike: dict[str, list[str]] = {}
    for claim, version in sorted(disputed(verdicts)):
        unlike.setdefault(claim, []).append(version)
    return {
        "columns": columns,
        "versions": Counter(version for version, _ in columns),
        "rows": {(claim, statement): [at.get((claim, *column)) for column in columns] for claim, statement in claims},
        "disputed": unlike,
    }
