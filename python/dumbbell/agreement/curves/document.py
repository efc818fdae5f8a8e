"""Curves of single flows as a section of the documentation: Markdown and a figure, from the stored JSON alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dumbbell.agreement.curves.words as words
from dumbbell.agreement import markdown
from dumbbell.agreement import words as agreement_words
from dumbbell.agreement.curves.chart import figure
from dumbbell.agreement.curves.conditions import LOSS_BASED
from dumbbell.agreement.curves.record import Curves
from dumbbell.agreement.invocation import invocation
from dumbbell.metrics.number import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from dumbbell.agreement.curves.record import Case, Comparison


def section(stored: Mapping[str, Any], *, figures: str = "figures") -> str:
    """Markdown of what `dumbbell agree --curves --json` printed; `figures` is where the text finds what `draw` writes.

    The same JSON gives the same text.
    """
    curves = Curves.model_validate(stored)
    return markdown.document(_lines(curves, figures))


def draw(stored: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes the figure of the section, as PNG, and gives where it is; none when nothing was compared."""
    return markdown.save(figure(Curves.model_validate(stored)), folder)


def command(curves: Curves) -> str:
    """What makes the same comparison."""
    return invocation(["--curves"], curves.sets, curves)


def _lines(curves: Curves, figures: str) -> Iterator[str]:
    yield f"## Curves of single flows: `{curves.candidate.engine}` over `{curves.reference.engine}`"
    yield ""
    yield f"{words.origin(curves).capitalize()}. {words.summary(curves)}"
    yield ""
    yield from markdown.console(command(curves))
    for title, chosen in (
        ("Loss-based", [case for case in curves.cases if case.cc in LOSS_BASED]),
        ("BBR", [case for case in curves.cases if case.cc not in LOSS_BASED]),
    ):
        if any(case.comparisons for case in chosen):
            yield f"{title}: the largest difference over the paths, and in brackets the largest noise."
            yield ""
            yield from markdown.table(*_matrix(chosen))
    yield words.legend(curves)
    yield ""
    yield from markdown.figure(figure(curves), figures)
    broken = [[case.cc, words.path(case), *words.row(each)] for case in curves.cases for each in case.comparisons
              if not each.holds]  # fmt: skip
    if broken:
        yield "### Beyond the limit"
        yield ""
        yield from markdown.table(words.header(curves), broken)
    yield from markdown.failures(words.failures(curves))
    yield agreement_words.versions(curves)


def _matrix(cases: Sequence[Case]) -> tuple[list[str], list[list[str]]]:
    """A row a quantity, a column an algorithm: what is farthest from agreement on any of its paths."""
    algorithms = list(dict.fromkeys(case.cc for case in cases))
    found: dict[str, dict[str, list[Comparison]]] = {}
    for case in cases:
        for each in case.comparisons:
            found.setdefault(each.label, {}).setdefault(case.cc, []).append(each)
    rows = [[label, *(_farthest(of.get(cc, [])) for cc in algorithms), words.limit(next(iter(of.values()))[0])]
            for label, of in found.items()]  # fmt: skip
    return ["quantity", *(f"`{cc}`" for cc in algorithms), "limit"], rows


def _farthest(of: Sequence[Comparison]) -> str:
    if not of:
        return ABSENT
    missing = [each for each in of if each.difference is None]
    worst = missing[0] if missing else max(of, key=lambda each: abs(each.difference or 0.0))
    noisiest = max(of, key=lambda each: abs(each.noise or 0.0))
    noise = words.difference(noisiest, None if noisiest.noise is None else abs(noisiest.noise))
    told = f"{words.difference(worst, None if worst.difference is None else abs(worst.difference))} ({noise})"
    return told if all(each.holds for each in of) else f"**{told}**"
