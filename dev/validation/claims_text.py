"""Verdicts on claims, engine beside engine, as the tables of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.metrics.number import amount, places
from dumbbell.studies.verdict import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, SIGNS
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.claims import ClaimsRecord
    from dumbbell.metrics.checked import Checked
    from dumbbell.studies.verdict import Verdict


def summary(record: ClaimsRecord) -> str:
    """How many claims each engine reproduces."""
    count = len(record.claims)
    return "; ".join(
        f"{column.title}: {count - len(record.missed(column))} of {count} reproduced" for column in record.columns
    )


def claims_table(record: ClaimsRecord) -> Table:
    """Every claim with the sign of each verdict."""
    rows = []
    for claim in record.claims:
        verdicts = record.across(claim)
        rows.append([claim, verdicts[0].statement, *(SIGNS[each.verdict] for each in verdicts)])
    return Table.of(["claim", "what", *_titles(record)], rows)


def checks_table(record: ClaimsRecord, claim: str) -> Table:
    """Every number of a claim, and the verdicts."""
    verdicts = record.across(claim)
    rows = [
        [
            f"{check.label} ({check.unit})" if check.unit else check.label,
            "" if check.published is None else f"{check.published:g}",
            check.bounds,
            *(_measured(each, check.label) for each in verdicts),
        ]
        for check in next((each.checks for each in verdicts if each.checks), ())
    ]
    rows.append(["**verdict**", "", "", *(f"{SIGNS[each.verdict]} {each.verdict}" for each in verdicts)])
    return Table.of(["measured", "published", "tolerated", *_titles(record)], rows)


def origins_table(record: ClaimsRecord) -> Table:
    """What each engine was."""
    rows = [
        [
            f"`{each.engine}`", f"`{each.identity[:16]}`", str(each.runs),
            "; ".join(f"{key} {value}" for key, value in sorted(each.facts.items())),
        ]
        for each in record.origins
    ]  # fmt: skip
    return Table.of(["engine", "identity", "runs", "measured with"], rows)


def _titles(record: ClaimsRecord) -> list[str]:
    return [column.title for column in record.columns]


def _measured(verdict: Verdict, label: str) -> str:
    """What one engine has of a number."""
    check = next((each for each in verdict.checks if each.label == label), None)
    return _check(check) if check else SIGNS[NOT_TESTABLE]


def _check(check: Checked) -> str:
    sign = SIGNS[REPRODUCED if check.holds else NOT_REPRODUCED]
    without = f"none in {check.without} of {check.seeds}"
    if check.value is None:
        return f"{without} seeds {sign}"
    digits = places(check.value)
    interval = "" if check.low is None or check.high is None else f" [{check.low:.{digits}f}, {check.high:.{digits}f}]"
    alike = f" ({check.seeds} seeds alike)" if check.n == 1 and check.seeds - check.without > 1 else ""
    return f"{amount(check.value)}{interval}, n = {check.n}{alike}{f', {without}' if check.without else ''} {sign}"
