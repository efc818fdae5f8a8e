"""Verdicts and totals as JSON, and as text that fits any terminal."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from dumbbell.metrics.number import ABSENT, counted
from dumbbell.tables.plain_text import GAP, printed, text
from dumbbell.tables.table import Table
from dumbbell.tables.terminal import columns, is_styled, shortened, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from dumbbell.studies import StudyStatus, Verdict

INDENT = "    "
NARROWEST_STATEMENT = 20
"""Letters that a claim's statement needs beside its verdicts."""
COLOURS = {"reproduced": "green", "not reproduced": "red"}


def print_judged(  # noqa: PLR0913 (what the command line has)
    statuses: Sequence[StudyStatus],
    supposed: Sequence[StudyStatus],
    *,
    out: str,
    why: bool,
    as_json: bool,
    waiting: bool = False,
) -> None:
    """The verdicts of a study, each beside that of a hypothesis, and the study's totals.

    As JSON one object a claim, version and engine; `waiting`: also those that wait for runs.
    """
    from dumbbell.studies import in_order

    verdicts = in_order(each.verdicts if waiting else each.judged for each in [*statuses, *supposed])
    if as_json:
        for verdict in verdicts:
            fields = {"study": statuses[0].study.name, **asdict(verdict)}
            fields["interval"] = None if verdict.low is None else [verdict.low, verdict.high]
            typer.echo(json.dumps(fields, ensure_ascii=False))
        sys.stdout.flush()
    else:
        _print_verdicts(verdicts, why=why)
    _print_totals(statuses, out=out, err=as_json)


def _print_verdicts(verdicts: Sequence[Verdict], *, why: bool) -> None:
    """Each claim in a line, with the verdict on each version and engine; with `why` everything about it."""
    several = len({verdict.engine for verdict in verdicts}) > 1
    names = [
        f"{verdict.variant}{f' on {verdict.engine}' * several}{f', {verdict.hypothesis}' * bool(verdict.hypothesis)}"
        for verdict in verdicts
    ]
    if why:
        _print_reasons(verdicts, names)
    elif verdicts:
        _print_lines(verdicts, names)


def _print_lines(verdicts: Sequence[Verdict], names: Sequence[str]) -> None:
    versions = list(dict.fromkeys(names))
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for verdict, name in zip(verdicts, names, strict=True):
        weak = " (weak)" * (verdict.binding == "weak")
        cells.setdefault((verdict.claim, verdict.statement), {})[name] = verdict.verdict + weak
    rows = [(claim, *(own.get(each, ABSENT) for each in versions), said) for (claim, said), own in cells.items()]
    widths = [max(map(len, column)) for column in zip(("claim", *versions), *(row[:-1] for row in rows), strict=True)]
    room = columns() - sum(widths) - len(GAP) * len(widths)
    header = ["claim", *versions]
    if room >= NARROWEST_STATEMENT:  # a line a claim: --why has each statement in full
        header.append("what it says")
        rows = [(*row[:-1], shortened(row[-1], room)) for row in rows]
    else:
        rows = [row[:-1] for row in rows]
    typer.echo(f"{text(Table.of(header, rows), columns())}\n")
    typer.echo("--why: what each says, its numbers, and why it fails", err=True)


def _print_reasons(verdicts: Sequence[Verdict], names: Sequence[str]) -> None:
    """Each claim with its statement, and below it a line for each version and engine, with the reason if it fails."""
    width = columns()
    longest = max(map(len, names), default=0)
    for claim, own in groupby(zip(verdicts, names, strict=True), key=lambda each: each[0].claim):
        lines = list(own)
        typer.echo(wrapped(f"{claim}  {lines[0][0].statement}", width, hanging=INDENT))
        for verdict, name in lines:
            weak = " (weak)" * (verdict.binding == "weak")
            numbers = f"  {_numbers(verdict)}" if verdict.checks else ""
            line = wrapped(f"{name:{longest}}  {verdict.verdict}{weak}{numbers}", width, INDENT, hanging=INDENT * 2)
            typer.echo(line.replace(verdict.verdict, _coloured(verdict.verdict), 1))
            if verdict.verdict != "reproduced":
                typer.echo(wrapped(verdict.reason, width, INDENT * 2))
        typer.echo()


def print_missing_runs(status: StudyStatus) -> None:
    """Where a hypothesis lacks runs: that, and what makes them."""
    there, needed = status.runs
    if there < needed:
        text = f"{status.study.hypothesis}: {there} of {counted(needed, 'run')} are there on {status.engine};"
        typer.echo(wrapped(f"{text} `dumbbell study run` with the same options makes them", columns()), err=True)


def _print_totals(statuses: Iterable[StudyStatus], *, out: str, err: bool) -> None:
    """One sentence of counts an engine, unless some claims were asked for; and one line about what is not here."""
    from dumbbell.studies.totals import sentence, total

    for status in statuses:
        rest = status.rest(out=out)
        if status.judged and len(status.study.claims) == len(status.full_study.claims):
            typer.echo(wrapped(f"{sentence(total(status))}.", columns()), err=err)
        if rest:
            typer.echo(wrapped(rest, columns()), err=err)


def print_counts(judged: Sequence[StudyStatus], *, as_json: bool = False, docs: Path | None = None) -> None:
    """A row a study, engine and version, and the sums over the documents, or all of it as one object.

    A study without claims has none. With `docs` it is written there, too.
    """
    from dumbbell.studies.totals import LEGEND, as_object, of_documents, table, total, write

    judged = [each for each in judged if each.full_study.claims]
    totals = [total(each) for each in judged]
    documents = [each.study.name for each in judged if each.study.manifest.document]
    if as_json:
        typer.echo(json.dumps(as_object(totals, documents), ensure_ascii=False))
    else:
        counts = table([*totals, *of_documents(totals, documents)])
        typer.echo("\n".join(printed(counts.header, counts.rows)))
        typer.echo(wrapped(LEGEND, columns()))
    if docs is not None:
        write(docs, as_object(totals, documents))


def _numbers(verdict: Verdict) -> str:
    """What decides, what was published, and what is tolerated."""
    decisive = verdict.decisive
    alike = ", deterministic" if verdict.low is None and decisive and decisive.seeds > 1 else f", n = {verdict.n}"
    if decisive and decisive.together:
        alike = f", {counted(decisive.seeds, 'seed')} together"
    value = verdict.measured + alike if verdict.measured else "none"
    published = "" if verdict.published is None else f"; published {verdict.published:g} {verdict.unit}".rstrip()
    return f"{verdict.label} {value}{published}" + (f"; tolerated {decisive.bounds}" if decisive else "")


def _coloured(word: str) -> str:
    if not is_styled():
        return word
    return typer.style(word, fg=COLOURS.get(word, "yellow"))
