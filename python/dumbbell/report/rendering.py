"""From a page to its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.report.html import filled, write
from dumbbell.report.page import compose, gather

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.plots.chart import Chart
    from dumbbell.report.page import Page
    from dumbbell.results.store import Store
    from dumbbell.studies.study import Study
    from dumbbell.studies.verdict import Verdict


def build(  # noqa: PLR0913 (each is a part of the report)
    target: Path,
    *,
    store: Store,
    study: Study | None = None,
    verdicts: Sequence[Verdict] = (),
    charts: Sequence[Chart] = (),
    engine: str = "sim",
    notices: Sequence[str] = (),
) -> Path:
    """Writes the report of a store, or of a study judged from it, and gives where it is.

    `notices` stand at the top, before those about runs that are missing.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
        StoreError: the store cannot be read.
    """
    material = gather(store, study=study, verdicts=verdicts, charts=charts, engine=engine, notices=notices)
    return write(target, lambda most: rendered(compose(material, most)))


def rendered(page: Page) -> str:
    """The page as HTML."""
    drawings = [*page.drawings, *(each.drawing for each in page.experiments if each.drawing), *page.series]
    return filled("page.html.j2", drawings, page=page)
