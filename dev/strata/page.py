"""Two engines over drawn conditions as a page."""

from __future__ import annotations

from dataclasses import replace

from dev.strata import text
from dumbbell.comparison.record import Agreement
from dumbbell.report import comparison
from dumbbell.report.section import Page
from dumbbell.results.store import Store


def page(agreement: Agreement, store: Store) -> Page:
    """What a page shows of drawn conditions instead of those of a spec."""
    of_spec = comparison.page(agreement, store)
    bands, *others, _ = of_spec.sections
    bands = replace(bands, table=text.bands_table(agreement), legend=text.legend(agreement))
    source = comparison.source(agreement, text.command(agreement))
    return replace(of_spec, made=f"{text.origin(agreement)}.", sections=[bands, *others, source])
