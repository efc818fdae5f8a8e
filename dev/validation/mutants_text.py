"""Deliberate errors and controls, as the tables of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.comparison.agreement import BANDS
from dumbbell.metrics.number import ABSENT
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.mutants import Evidence, MutantsRecord


def summary(record: MutantsRecord) -> str:
    """How many of both are noticed."""
    return (
        f"{record.noticed} of {len(record.mutants)} hits, {record.false_alarms} of {len(record.controls)} false alarms"
    )


def mutants_table(record: MutantsRecord) -> Table:
    """Every deliberate error."""
    header = ["error", "what is wrong", "noticed", "least probable", "chance", "tried"]
    rows = [
        [
            each.name, each.why, "✓" if each.noticed else "✗",
            _test(each.evidence) if each.evidence else f"its runs fail: {each.failure}", _probability(each.evidence),
            ", ".join(each.tried),
        ]
        for each in record.mutants
    ]  # fmt: skip
    return Table.of(header, rows)


def controls_table(record: MutantsRecord) -> Table:
    """Every control."""
    rows = [
        [each.shift, "✗ false alarm" if each.noticed else "no", _test(each.evidence), _probability(each.evidence)]
        for each in record.controls
    ]
    return Table.of(["seeds moved by", "noticed", "least probable", "chance"], rows)


def _test(evidence: Evidence) -> str:
    """The part, and what of it the test is about."""
    metric = BANDS[evidence.metric].label if evidence.metric in BANDS else evidence.metric
    return f"{evidence.part}: {metric}" if metric else evidence.part


def _probability(evidence: Evidence | None) -> str:
    return f"{evidence.probability:.2g}" if evidence else ABSENT
