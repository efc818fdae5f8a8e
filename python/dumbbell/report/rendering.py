"""From a page to its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.report.html import LARGEST_BYTES, filled, write
from dumbbell.report.page import compose, gather

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.report.page import Page
    from dumbbell.report.side import Side
    from dumbbell.results.store import Store
    from dumbbell.studies.study import Study


def build(  # noqa: PLR0913 (each is a part of the report)
    target: Path,
    *,
    store: Store,
    study: Study | None = None,
    sides: Sequence[Side] = (),
    largest_bytes: int = LARGEST_BYTES,
    index: str = "",
    how: str = "",
) -> Path:
    """Writes the report of a store, or of a study by what each engine's runs in it say; gives where it is.

    `index`: the file beside it that tells of all studies; it has Vega's script beside it too. `how`: what
    must be said with the commands about a study, where they are not all: "with the same --out".

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
        StoreError: the store cannot be read.
    """
    material = gather(store, study=study, sides=sides, how=how)
    return write(target, lambda most: rendered(compose(material, most), index=index), largest_bytes)


def rendered(page: Page, *, index: str = "") -> str:
    """The page as HTML."""
    drawings = [
        *(drawing for part in page.parts for drawing in part.drawings),
        *(each.drawing for each in page.experiments if each.drawing),
        *page.series,
    ]
    return filled("page.html.j2", drawings, beside=bool(index), page=page, index=index)
