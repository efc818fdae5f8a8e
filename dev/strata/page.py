"""Two engines over drawn conditions as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dev.strata import text
from dumbbell.comparison.agreement_text import HOLDS
from dumbbell.comparison.record import Agreement
from dumbbell.report.comparison import MARKS, engines_page, rendered, runs_in_time
from dumbbell.report.html import write
from dumbbell.results.store import Store


def build(target: Path, agreement: Agreement, store: Store) -> Path:
    """Writes the page, and gives where it is; `store` has the runs behind the comparison.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    in_time, missing = runs_in_time(agreement, store)
    return write(target, lambda most: rendered(page(agreement, engines_page(agreement, in_time, missing, most))))


def page(agreement: Agreement, of_spec: dict[str, Any]) -> dict[str, Any]:
    """What the template shows of drawn conditions instead of those of a spec."""
    bands, *others = of_spec["sections"]
    _, rows = text.bands_table(agreement)
    return of_spec | {
        "made": f"{text.origin(agreement)}.",
        "sections": [bands._replace(rows=rows, below=(text.legend(agreement),)), *others],
        "command": text.command(agreement),
        "marks": MARKS | {text.WITHIN: MARKS[HOLDS]},
    }
