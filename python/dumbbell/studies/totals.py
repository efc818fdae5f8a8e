"""How many claims hold: the one place that terminal, page and documents take their counts from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any

from dumbbell.errors import StudyError
from dumbbell.metrics.checked import FEWEST_SEEDS
from dumbbell.studies.status import StudyStatus
from dumbbell.studies.verdict import (
    EXPLAINS,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OK,
    REPRODUCED,
    UNDECIDED,
    Verdict,
)
from dumbbell.tables.markdown import markdown
from dumbbell.tables.table import Cell, Table

BEGIN, END = "<!-- totals: dumbbell study claims all --totals --docs docs -->", "<!-- end of totals -->"
COLUMNS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Claims, each once. Those of which no check binds are counted as weak only, unless they are undecided."""

    claims: int = 0
    """That the documents make which are judged for this version."""
    judged: int = 0
    """Reproduced, or not."""
    reproduced: int = 0
    explained: int = 0
    """Of those that are not reproduced: something that agrees with all that is known makes them hold."""
    undecided: int = 0
    not_testable: int = 0
    weak: int = 0
    weak_reproduced: int = 0
    ok_judged: int = 0
    """Of the judged ones, those that nothing speaks against before they are run (flag OK)."""
    ok_reproduced: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(**{name: getattr(self, name) + getattr(other, name) for name in Count.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """A study on one engine, or all documents."""

    study: str
    short: str
    engine: str
    claims: int
    """That the document makes."""
    waiting: int
    """Of these, those whose runs are not there."""
    runs: int
    """That are there; one that several experiments share is there once."""
    runs_needed: int
    seeds: tuple[int, int]
    """The fewest and the most that a claim was judged by."""
    versions: dict[str, Count]
    """By version. A claim that contains no version counts in each."""
    any_version: Count
    """Claims that hold with at least one version count as reproduced."""


def total(status: StudyStatus) -> Total:
    """Of one study on one engine."""
    study, judged = status.study, status.judged
    seeds = [verdict.seeds for verdict in judged if verdict.seeds]
    there, needed = status.runs
    return Total(
        study=study.name,
        short=study.manifest.short,
        engine=status.engine,
        claims=len(status.full_study.claims),
        waiting=len(status.waiting),
        runs=there,
        runs_needed=needed,
        seeds=(min(seeds, default=0), max(seeds, default=0)),
        versions={version: _count(status, version) for version in study.variants},
        any_version=_count(status, None),
    )


def of_documents(totals: Sequence[Total], documents: Iterable[str]) -> list[Total]:
    """The sum over documents, by engine: of each version over the documents that are judged for it."""
    wanted = set(documents)
    sums = []
    for engine in dict.fromkeys(each.engine for each in totals):
        own = [each for each in totals if each.engine == engine and each.study in wanted]
        versions = dict.fromkeys(version for each in own for version in each.versions)
        if len(own) > 1:
            sums.append(
                Total(
                    study="all documents",
                    short="all documents",
                    engine=engine,
                    claims=sum(each.claims for each in own),
                    waiting=sum(each.waiting for each in own),
                    runs=sum(each.runs for each in own),
                    runs_needed=sum(each.runs_needed for each in own),
                    seeds=(min(each.seeds[0] for each in own), max(each.seeds[1] for each in own)),
                    versions={
                        version: _sum(each.versions[version] for each in own if version in each.versions)
                        for version in versions
                    },
                    any_version=_sum(each.any_version for each in own),
                )
            )
    return sums


def sentence(counts: Total) -> str:
    """The counts in words.

    "claypool2019 on sim: bbr reproduces 6 of 8 claims, bbr_4_17 5 of 8; 1 and 0 undecided; 1 more can hardly fail
    (weak), 1 of 1 and 1 of 1 reproduced; 6 not testable; 3 seeds"
    """
    versions = counts.versions.items()
    parts = [
        ", ".join(
            f"{version} {'reproduces ' * (not place)}{count.reproduced} of {count.judged}{' claims' * (not place)}"
            for place, (version, count) in enumerate(versions)
        )
    ]
    weak, untestable = counts.any_version.weak, counts.any_version.not_testable
    undecided = [count.undecided for _, count in versions]
    if any(undecided):
        parts.append(f"{' and '.join(map(str, undecided))} undecided")
    if weak:
        each = " and ".join(f"{count.weak_reproduced} of {count.weak}" for _, count in versions)
        parts.append(f"{weak} more can hardly fail (weak), {each} reproduced")
    if untestable:
        parts.append(f"{untestable} not testable")
    least, most = counts.seeds
    parts.append(f"{least} to {most} seeds" if least != most else f"{most} seed{'s' * (most != 1)}")
    return f"{counts.study} on {counts.engine}: {'; '.join(parts)}"


def as_object(totals: Sequence[Total], documents: Iterable[str]) -> dict[str, Any]:
    """Everything as JSON has it: each study on each engine, and the sums over the documents."""
    return {
        "studies": [asdict(each) for each in totals],
        "documents": [asdict(each) for each in of_documents(totals, documents)],
    }


HEADER = (
    "document", "engine", "version", "claims", "reproduced", "not", "explained", "undecided", "not testable",
    "flagged OK", "weak", "seeds",
)  # fmt: skip


def table(totals: Iterable[Total]) -> Table:
    """A row a document, engine and version, and one for any version where there are several."""
    rows = list[tuple[Cell, ...]]()
    for each in totals:
        versions = dict(each.versions)
        if len(versions) > 1:
            versions["any version"] = each.any_version
        least, most = each.seeds
        rows += [
            (
                each.study, each.engine, version, count.claims, count.reproduced,
                count.judged - count.reproduced, count.explained, count.undecided,
                count.not_testable, f"{count.ok_reproduced} of {count.ok_judged}",
                f"{count.weak_reproduced} of {count.weak}", f"{least}" if least == most else f"{least} to {most}",
            )
            for version, count in versions.items()
        ]  # fmt: skip
    return Table.of(HEADER, rows, keys=3)


LEGEND = (
    "Reproduced, and not: the claims that bind and are decided. Explained: of those that are not reproduced, those that"
    " hold with something that agrees with all that is known of the testbed. Undecided: an interval crosses a bound, or"
    f" chance plays in fewer than {FEWEST_SEEDS} seeds; no other column has them. Flagged OK: of the judged ones, those"
    " that nothing speaks against before they are run. Weak: claims that can hardly fail, reproduced and in all; no"
    " other column has them. A claim that contains no version (CUBIC against Reno) counts in each version's row; any"
    " version: the best that any says of a claim. All documents: those that are judged for the version."
)


def in_markdown(counts: Mapping[str, Any]) -> str:
    """The table of `as_object`, and what its columns are."""
    from pydantic import TypeAdapter  # noqa: PLC0415 (late: few need it)

    totals = TypeAdapter(list[Total]).validate_python([*counts["studies"], *counts["documents"]])
    return f"{markdown(table(totals))}\n\n{fill(LEGEND, COLUMNS)}"


def write(folder: Path, counts: Mapping[str, Any]) -> None:
    """Writes the table of `as_object` between its marks in `studies.md`, and the object beside it.

    Raises:
        StudyError: the page has no such marks.
        OSError: a file cannot be written.
    """
    page = folder / "studies.md"
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise StudyError(f"{page}: has no {BEGIN} and {END} to write between")
    text = f"{before}{begin}\n{in_markdown(counts)}\n{end}{after}"
    page.write_text(text, encoding="utf-8", newline="\n")
    folder.joinpath("studies.json").write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8", newline="\n")


def _count(status: StudyStatus, version: str | None) -> Count:
    """Of one version, or of the best verdict with any."""
    by_claim: dict[str, list[Verdict]] = {}
    for verdict in status.judged:
        if version is None or version in verdict.versions:
            by_claim.setdefault(verdict.claim, []).append(verdict)
    return replace(_sum(_of_claim(each) for each in by_claim.values()), claims=len(status.full_study.claims))


def _of_claim(verdicts: Sequence[Verdict]) -> Count:
    def some(holds: Callable[[Verdict], bool]) -> int:
        return int(any(map(holds, verdicts)))

    reproduced = some(lambda each: each.verdict == REPRODUCED)
    judged = reproduced or some(lambda each: each.verdict == NOT_REPRODUCED)
    first = verdicts[0]
    if not reproduced and some(lambda each: each.verdict == UNDECIDED):
        return Count(undecided=1)
    if not judged:
        return Count(not_testable=some(lambda each: each.verdict == NOT_TESTABLE))
    if first.binding == "weak":
        return Count(weak=judged, weak_reproduced=reproduced)
    explained = int(not reproduced and bool(some(lambda each: each.kind == EXPLAINS)))
    ok = int(first.flag == OK)
    return Count(
        judged=judged, reproduced=reproduced, explained=explained, ok_judged=ok, ok_reproduced=ok and reproduced
    )


def _sum(counts: Iterable[Count]) -> Count:
    return sum(counts, start=Count())
