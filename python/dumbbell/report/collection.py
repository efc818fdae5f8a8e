"""The report over all studies: a folder with a page a study, one about all of them, and the script that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dumbbell.report.html import LARGEST_BYTES, SCRIPT, filled, script, write, written
from dumbbell.report.page import build, commented, rest
from dumbbell.results.store import Store
from dumbbell.studies import Study, StudyStatus, disputed, total
from dumbbell.studies.status import run_command
from dumbbell.studies.totals import LEGEND, Total, of_documents, table

INDEX: Final = "index.html"
PAGE_BYTES: Final = LARGEST_BYTES // 2
"""Of a page; the script that they share has about as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A study in the index."""

    study: Study
    page: str = ""
    """Its file; empty: it has no runs."""
    totals: Sequence[Total] = ()
    disputed: Sequence[str] = ()
    """Claims about which engines say different things, in the document's order."""
    rest: Sequence[str] = ()
    """What is not on its page, a line an engine."""
    without: Sequence[str] = ()
    """The engines that it has no runs on, if it has no page; none: on no engine."""
    commands: Sequence[str] = ()
    """What makes the runs of a study that has none."""


class Collection:
    """Pages, written as they come; the index is written last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: list[Entry] = []

    def add(self, study: Study, store: Store, statuses: Sequence[StudyStatus], *, comment: str = "") -> None:
        """Writes a study's page; `comment` is how the commands about it must be completed.

        Raises:
            ReportError: it cannot be written, or is too large however few points are drawn.
            StoreError: the store cannot be read.
        """
        target = self._folder / f"{study.name}.html"
        build(
            target,
            store=store,
            study=study,
            statuses=statuses,
            largest_bytes=PAGE_BYTES,
            index=INDEX,
            comment=comment,
        )
        verdicts = [verdict for each in statuses for verdict in each.judged]
        unlike = {claim for claim, _ in disputed(verdicts)}
        self._entries.append(
            Entry(
                study=study,
                page=target.name,
                totals=[total(each) for each in statuses if each.judged],
                disputed=list(dict.fromkeys(verdict.claim for verdict in verdicts if verdict.claim in unlike)),
                rest=[text for each in statuses if (text := rest(each, comment))],
            )
        )

    def add_missing(self, study: Study, engines: Sequence[str] = (), *, comment: str = "") -> None:
        """A study that has no runs yet, or none on these engines; `comment` as with `add`."""
        commands = [commented(run_command(study, each), comment) for each in engines or ("sim",)]
        self._entries.append(Entry(study=study, without=engines, commands=commands))

    def close(self) -> Path:
        """Writes the index and the script; gives where the index is.

        Raises:
            ReportError: they cannot be written.
        """
        totals = [each for entry in self._entries for each in entry.totals]
        documents = [entry.study.name for entry in self._entries if entry.page and entry.study.manifest.document]
        context = {"totals": table([*totals, *of_documents(totals, documents)]), "legend": LEGEND}
        written(self._folder / SCRIPT, script())
        return write(
            self._folder / INDEX,
            lambda _: filled("index.html.j2", [], external_script=True, entries=self._entries, **context),
        )
