"""What checks came to as sentences and a table, the same on the terminal and in Markdown."""

from __future__ import annotations

from dev.checks.record import CheckRow, Checks
from dumbbell.comparison.agreement_text import verdict
from dumbbell.metrics.number import ABSENT, amount, percent, rate
from dumbbell.tables.table import Table


def summary(checks: Checks) -> str:
    """How many figures keep their bars, and of which checks not all do."""
    missed = [row for row in checks.rows if not row.holds]
    by_check = ", ".join(dict.fromkeys(row.check for row in missed))
    sentence = f"{len(checks.rows) - len(missed)} of {len(checks.rows)} figures keep their bars"
    return f"{sentence}; not all of {by_check}." if missed else f"{sentence}."


def checks_table(checks: Checks) -> Table:
    """Every figure with its bar."""
    candidate, reference = checks.engine_names
    header = ["check", "setting", "figure", reference, candidate, "difference", "bar", "noise", "verdict"]
    return Table.of(header, [_check(each) for each in checks.rows], keys=2)


def _check(row: CheckRow) -> list[str]:
    own = row.reference_limit  # each engine's figure has a bar of its own
    absolute = own is not None or row.label.startswith("share")
    scale, unit = (1.0, "") if absolute else (100.0, " %")
    bars = [limit for limit in (own, row.limit) if limit is not None]
    return [
        row.check,
        row.setting,
        row.label,
        *(_figure(row, value) for value in (row.reference, row.candidate)),
        ABSENT if own is not None else amount(row.difference, scale=scale, unit=unit, signed=True),
        " and ".join(f"{scale * limit:g}{unit}" for limit in dict.fromkeys(bars)),
        amount(row.noise, scale=scale, unit=unit, signed=True),
        verdict(row.holds),
    ]


def _figure(row: CheckRow, value: float | None) -> str:
    if row.unit == "bit/s":
        return rate(value)
    if row.unit == "s":
        return amount(value, scale=1e3, unit=" ms")
    return amount(value) if "share" in row.label else percent(value)
