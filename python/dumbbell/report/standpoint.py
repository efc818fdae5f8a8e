"""Verdicts side by side: a row a claim, a column an engine with a version of the algorithm."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from dumbbell.report.claims import KINDS, SIGNS, measured
from dumbbell.report.number import counted
from dumbbell.studies import disputed
from dumbbell.studies.verdict import NOT_RUN, WORDS

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often each verdict was given by an engine."""

    engine: str
    numbers: tuple[tuple[str, str, str, int], ...]
    """Word, kind, sign and number."""
    runs: str


def side_by_side(sides: Sequence[Side]) -> Table | None:
    """None when there are no verdicts; columns of which no run was made are left out."""
    verdicts = [verdict for each in sides for verdict in each.verdicts]
    at = {(verdict.claim, verdict.variant, verdict.engine): verdict for verdict in verdicts}
    variants = dict.fromkeys(verdict.variant for verdict in verdicts)
    judged = {(verdict.variant, verdict.engine) for verdict in verdicts if verdict.verdict != NOT_RUN}
    columns = [
        (variant, each.engine) for variant in variants for each in sides if (variant, each.engine) in judged
    ]  # fmt: skip
    if not columns:
        return None
    unlike = disputed(verdicts)
    statements = {verdict.claim: verdict.statement for verdict in verdicts}
    rows = tuple(
        Row(
            claim=claim,
            statement=statement,
            disputed=tuple(variant for variant in variants if (claim, variant) in unlike),
            cells=tuple(_cell(at.get((claim, *column))) for column in columns),
        )
        for claim, statement in statements.items()
    )
    return Table(
        versions=tuple((variant, len(list(own))) for variant, own in groupby(columns, key=lambda column: column[0])),
        engines=tuple(engine for _, engine in columns),
        rows=rows,
        disputed=sum(bool(row.disputed) for row in rows),
    )


def tallies(sides: Sequence[Side]) -> tuple[Tally, ...]:
    """One an engine."""
    found = []
    for each in sides:
        numbers = Counter(verdict.verdict for verdict in each.verdicts)
        found.append(
            Tally(
                engine=each.engine,
                numbers=tuple((word, KINDS[word], SIGNS[word], numbers[word]) for word in WORDS if numbers[word]),
                runs=f"{counted(each.missing, 'run')} missing" if each.missing else "all runs there",
            )
        )
    return tuple(found)


def _cell(verdict: Verdict | None) -> Cell:
    if verdict is None:
        return Cell("", "", "", "", "")
    word = verdict.verdict
    return Cell(word, KINDS[word], SIGNS[word], measured(verdict), verdict.label)
