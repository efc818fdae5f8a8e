"""Verdicts side by side: a row a claim, a column an engine with a version of the algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from dumbbell.report.claims import KINDS, SIGNS
from dumbbell.studies import disputed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.report.side import Side
    from dumbbell.studies import Verdict


@dataclass(frozen=True, slots=True)
class Cell:
    """A verdict, in short."""

    word: str
    kind: str
    sign: str
    measured: str
    label: str
    weak: str
    """Why it can hardly fail; empty: it binds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A claim."""

    claim: str
    statement: str
    disputed: tuple[str, ...]
    """The versions about which engines say different things."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All claims."""

    versions: tuple[tuple[str, int], ...]
    """Each with the number of its columns."""
    engines: tuple[str, ...]
    """A column each."""
    rows: tuple[Row, ...]
    disputed: int
    """Claims about which engines say different things."""


def side_by_side(sides: Sequence[Side]) -> Table | None:
    """None when there are no verdicts; columns of which no run was made are left out."""
    verdicts = [verdict for each in sides for verdict in each.verdicts]
    at = {(each.claim, version, each.engine): each for each in verdicts for version in each.versions}
    variants = dict.fromkeys(version for verdict in verdicts for version in verdict.versions)
    columns = [
        (variant, each.engine)
        for variant in variants
        for each in sides
        if any(variant in verdict.versions for verdict in each.verdicts)
    ]
    if not columns:
        return None
    unlike = disputed(verdicts)
    statements = {verdict.claim: verdict.statement for verdict in verdicts}
    rows = tuple(
        Row(
            claim=claim,
            statement=statement,
            disputed=tuple(variant for other, variant in sorted(unlike) if other == claim),
            cells=tuple(_cell(at.get((claim, *column)), column[0]) for column in columns),
        )
        for claim, statement in statements.items()
    )
    return Table(
        versions=tuple((variant, len(list(own))) for variant, own in groupby(columns, key=lambda column: column[0])),
        engines=tuple(engine for _, engine in columns),
        rows=rows,
        disputed=sum(bool(row.disputed) for row in rows),
    )


def _cell(verdict: Verdict | None, version: str) -> Cell:
    """What contains no version stands in the first version's column, and the others refer to that."""
    if verdict is None:
        return Cell("", "", "", "", "", "")
    if version != verdict.versions[0]:
        return Cell("", "", "", "the same", "", "")
    word = verdict.verdict
    return Cell(word, KINDS[word], SIGNS[word], verdict.measured, verdict.label, verdict.why_weak)
