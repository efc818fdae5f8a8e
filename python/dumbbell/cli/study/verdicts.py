"""Verdicts as JSON, as a table, and on a narrow terminal as paragraphs; what is missing; how many there are."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from dumbbell.cli.study.screen import columns, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.studies import Checked, Standing, Study, Verdict

NARROW_COLUMNS = 100
"""On a terminal narrower than this a verdict is a paragraph, not a row."""


def print_json(study: Study, verdicts: Iterable[Verdict]) -> None:
    """One object a claim, version and engine."""
    for verdict in verdicts:
        words = {"study": study.name, **asdict(verdict)}
        words["interval"] = None if verdict.low is None else [verdict.low, verdict.high]
        typer.echo(json.dumps(words, ensure_ascii=False))
    sys.stdout.flush()


def print_words(verdicts: Sequence[Verdict]) -> None:
    """What was judged, and how many verdicts of each kind there are; what was not run is counted only."""
    from dumbbell.studies.verdict import NOT_RUN, WORDS

    judged, width = [verdict for verdict in verdicts if verdict.verdict != NOT_RUN], columns()
    if judged and width < NARROW_COLUMNS:
        several = len({verdict.engine for verdict in verdicts}) > 1
        typer.echo("\n\n".join(_paragraph(verdict, width, several=several) for verdict in judged) + "\n")
    elif judged:
        _print_table(judged, width)
        typer.echo()
    numbers = ((word, sum(verdict.verdict == word for verdict in verdicts)) for word in WORDS)
    typer.echo(wrapped("; ".join(f"{word}: {number}" for word, number in numbers if number), width))


def print_gaps(standings: Iterable[Standing], *, out: str, err: bool) -> None:
    """The runs that are missing, and what makes them."""
    from dumbbell.cli.table import aligned

    for standing in standings:
        gaps = standing.gaps()
        if not gaps:
            continue
        rows = [[each.experiment, each.variant, str(each.there), str(each.needed)] for each in gaps]
        study = standing.study.name
        typer.echo(f"\n{study}: runs on {standing.engine} that are missing\n", err=err)
        typer.echo(aligned(("experiment", "version", "there", "needed"), rows), err=err)
        if not standing.begun:
            typer.echo("Those in the store are of another build of the engine, or of other seeds.", err=err)
        typer.echo(f"`{standing.command(out=out)}` makes them.", err=err)


def print_counts(standings: Iterable[Standing]) -> None:
    """A line a study and engine: how many verdicts of each kind, and how many of the sound claims hold."""
    from dumbbell.cli.table import aligned
    from dumbbell.studies.verdict import WORDS, sound

    rows = []
    for each in standings:
        words = [verdict.verdict for verdict in each.verdicts]
        there, needed = each.runs
        flagged = sound(each.verdicts)
        rows.append([
            each.study.name, each.engine, *(str(words.count(word)) for word in WORDS),
            f"{flagged.hold} of {flagged.judged}", str(flagged.flipped), f"{there}/{needed}",
        ])  # fmt: skip
    typer.echo(aligned(("study", "engine", *WORDS, "flagged OK", "flipped", "runs"), rows))
    told = (
        "Flagged OK: claims that nothing speaks against beforehand; of those judged, how many hold with any version. "
        "Flipped: of the others, how many an experiment, or another reading, makes hold."
    )
    typer.echo(wrapped(told, columns()))


def _print_table(verdicts: Sequence[Verdict], width: int) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=width, highlight=False, soft_wrap=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    several = len({verdict.engine for verdict in verdicts}) > 1
    for header in ("claim", *["engine"] * several, "version", "verdict", "what decides"):
        table.add_column(header, no_wrap=header != "what decides")
    for header in ("measured", "n", "published", "tolerated"):
        table.add_column(header, justify="right", no_wrap=True)
    previous = ""
    for verdict in verdicts:
        decisive = _decisive(verdict)
        table.add_row(
            verdict.claim if verdict.claim != previous else "",
            *[verdict.engine] * several,
            verdict.variant,
            Text(verdict.verdict, style=_colour(verdict)),
            verdict.label,
            _measured(verdict),
            str(verdict.n),
            _amount(verdict.published, verdict.unit),
            _bounds(decisive) if decisive else "",
        )
        previous = verdict.claim
    with console.capture() as printed:
        console.print(table)
    typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
    for verdict in verdicts:
        if verdict.verdict != "reproduced":
            on = f" on {verdict.engine}" if several else ""
            reason = f"{verdict.claim} {verdict.variant}{on}, {verdict.verdict}: {verdict.reason}"
            typer.echo(wrapped(reason, width))


def _paragraph(verdict: Verdict, width: int, *, several: bool) -> str:
    decisive = _decisive(verdict)
    published = f", published {_amount(verdict.published, verdict.unit)}" if verdict.published is not None else ""
    tolerated = f", tolerated {_bounds(decisive)}" if decisive else ""
    lines = [f"{verdict.claim} {verdict.variant}{f' on {verdict.engine}' if several else ''}: {verdict.verdict}"]
    if verdict.label:
        lines.append(f"{verdict.label}: {_measured(verdict)}, n = {verdict.n}{published}{tolerated}")
    if verdict.verdict != "reproduced":
        lines.append(verdict.reason)
    return "\n".join(wrapped(line, width, indent="  " * (number > 0)) for number, line in enumerate(lines))


def _decisive(verdict: Verdict) -> Checked | None:
    return next((check for check in verdict.checks if check.label == verdict.label), None)


def _measured(verdict: Verdict) -> str:
    """With its interval; where no seed differs from another there is none."""
    if verdict.value is None:
        return "none"
    from dumbbell.studies.judgement import decimals, number

    if verdict.low is not None:
        half = f"{verdict.value - verdict.low:.{decimals(verdict.value)}f}"
        return f"{number(verdict.value)} ± {half} {verdict.unit}".rstrip()
    decisive = _decisive(verdict)
    alike = ", deterministic" if decisive and decisive.seeds > 1 else ""
    return _amount(verdict.value, verdict.unit) + alike


def _amount(value: float | None, unit: str) -> str:
    from dumbbell.studies.judgement import number

    return "" if value is None else f"{number(value)} {unit}".rstrip()


def _bounds(check: Checked) -> str:
    if check.least is not None and check.most is not None:
        return f"{check.least:g} to {check.most:g} {check.unit}".rstrip()
    return (f"≥ {check.least:g} {check.unit}" if check.least is not None else f"≤ {check.most:g} {check.unit}").rstrip()


def _colour(verdict: Verdict) -> str:
    return {"reproduced": "green", "not reproduced": "red"}.get(verdict.verdict, "yellow")
