"""Verdicts side by side: a row a claim, a column an engine with a version of the algorithm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dumbbell.studies import Verdict, disputed


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictMatrix:
    """The verdicts of several engines; a column of which no run was made is left out."""

    columns: tuple[tuple[str, str], ...]
    """A version and an engine each; those of a version are beside one another."""
    rows: dict[tuple[str, str], tuple[Verdict | None, ...]]
    """By a claim's id and statement, a verdict a column."""
    disputed: dict[str, list[str]]
    """By claim, the versions about which engines say different things."""

    @property
    def versions(self) -> Counter[str]:
        """How many columns each version has."""
        return Counter(version for version, _ in self.columns)


def verdict_matrix(verdicts: Sequence[Verdict]) -> VerdictMatrix:
    """The matrix of these verdicts; those on what contains no version stand below each version."""
    at = {(each.claim, version, each.engine): each for each in verdicts for version in each.versions}
    made = {(version, engine) for _, version, engine in at}
    versions = dict.fromkeys(version for _, version, _ in at)
    engines = dict.fromkeys(each.engine for each in verdicts)
    columns = tuple((version, engine) for version in versions for engine in engines if (version, engine) in made)
    claims = dict.fromkeys((each.claim, each.statement) for each in verdicts)
    unlike: dict[str, list[str]] = {}
    for claim, version in sorted(disputed(verdicts)):
        unlike.setdefault(claim, []).append(version)
    return VerdictMatrix(
        columns=columns,
        rows={(claim, statement): tuple(at.get((claim, *column)) for column in columns) for claim, statement in claims},
        disputed=unlike,
    )
