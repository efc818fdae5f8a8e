"""The report over all studies: a folder with a page a study, one about all of them, and the script that they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dumbbell.report.html import LARGEST_BYTES, SCRIPT, filled, script, write, written
from dumbbell.report.rendering import build
from dumbbell.report.side import with_words
from dumbbell.report.standpoint import side_by_side
from dumbbell.studies import of_documents, sentence
from dumbbell.studies.command import run_command
from dumbbell.studies.totals import HEADER, LEGEND, rows
from dumbbell.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.report.side import Side
    from dumbbell.results.store import Store
    from dumbbell.studies import Study, Total

INDEX: Final = "index.html"
PAGE_BYTES: Final = LARGEST_BYTES // 2
"""Of a page; the script that they share has about as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A study in the index."""

    name: str
    title: str
    citation: str
    summary: str
    page: str
    """Its file; empty: it has no runs."""
    without: tuple[str, ...] = ()
    """The engines that it has no runs on, if it has no page; none: on no engine."""
    claims: int
    totals: tuple[str, ...]
    """How many claims hold, a sentence an engine."""
    disputed: tuple[str, ...]
    """Claims about which engines say different things."""
    rest: tuple[str, ...]
    """What is not here, a line an engine."""
    commands: tuple[str, ...] = ()
    """What makes the runs of a study that has none."""


class Collection:
    """Pages, written as they come; the index is written last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: list[Entry] = []
        self._totals: list[Total] = []
        self._documents: list[str] = []

    def add(self, study: Study, store: Store, sides: Sequence[Side], *, how: str = "") -> None:
        """Writes a study's page; `how` is what must be said with its commands, where they are not all.

        Raises:
            ReportError: it cannot be written, or is too large however few points are drawn.
            StoreError: the store cannot be read.
        """
        target = self._folder / f"{study.name}.html"
        build(target, store=store, study=study, sides=sides, largest_bytes=PAGE_BYTES, index=INDEX, how=how)
        table = side_by_side(sides)
        self._totals += [each.total for each in sides if each.total]
        self._documents += [study.name] * study.document
        self._entries.append(
            Entry(
                **_words(study),
                page=target.name,
                totals=tuple(sentence(each.total) for each in sides if each.total),
                disputed=tuple(row.claim for row in table.rows if row.disputed) if table else (),
                rest=tuple(each.rest for each in sides if each.rest),
            )
        )

    def add_missing(self, study: Study, engines: Sequence[str] = (), *, how: str = "") -> None:
        """A study that has no runs yet, or none on these engines; `how` as with `add`."""
        self._entries.append(
            Entry(
                **_words(study),
                page="",
                without=tuple(engines),
                totals=(),
                disputed=(),
                rest=(),
                commands=tuple(with_words(run_command(study, each), how) for each in engines or ("sim",)),
            )
        )

    def close(self) -> Path:
        """Writes the index and the script; gives where the index is.

        Raises:
            ReportError: they cannot be written.
        """
        written(self._folder / SCRIPT, script())
        return write(
            self._folder / INDEX,
            lambda _: filled(
                "index.html.j2",
                [],
                beside=True,
                entries=self._entries,
                version=__version__,
                header=HEADER,
                rows=rows([*self._totals, *of_documents(self._totals, self._documents)]),
                legend=LEGEND,
            ),
        )


def _words(study: Study) -> dict[str, Any]:
    return {
        "name": study.name,
        "title": study.title,
        "citation": study.citation,
        "summary": study.summary,
        "claims": len(study.claims),
    }
