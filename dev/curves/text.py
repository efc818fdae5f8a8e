"""What single flows came to as sentences and tables, the same on the terminal, on a page and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from dev.curves.judgement import is_loss_based
from dev.curves.record import USUAL, Case, Curves, LimitVerdict
from dev.sides_text import unequal_seeds
from dumbbell.comparison import agreement_text
from dumbbell.comparison.agreement_text import path, verdict
from dumbbell.metrics.number import ABSENT, amount, counted, percent, rate
from dumbbell.tables.table import Table

SAME, DIFFERENT = "same", "other"


def origin(curves: Curves) -> str:
    """Which conditions, and how many runs each had."""
    algorithms = len({case.cc for case in curves.cases})
    what = f"one flow, {counted(algorithms, 'algorithm')}, {counted(len(curves.cases), 'condition')}"
    return f"{what}; {agreement_text.seeds(curves)}"


def summary(curves: Curves) -> str:
    """How many limits hold, and which do not, in sentences."""
    total = sum(len(case.comparisons) for case in curves.cases)
    rows = limits_table(curves, broken_only=True).rows
    if not total:
        return "Nothing was compared."
    broken = "; ".join(f"{cc}, {where}: {label}" for cc, where, label, *_ in rows)
    return f"{total - len(rows)} of {total} limits hold. Broken: {broken}." if rows else f"All {total} limits hold."


def legend(curves: Curves) -> str:
    """How everything is measured."""
    reference = curves.reference.engine
    return (
        "Medians over seeds, or over all whole loss epochs of all seeds. An epoch runs from one reduction of cwnd"
        " to the next; the first, of slow start's overshoot, is left out, and epochs whose lengths differ by a"
        " quarter are kept apart. Curves are medians over epochs laid on their beginnings, which each engine's"
        f" samples tell to one sample: the difference at an instant is {reference}'s value's distance from the"
        " range that the other curve has within one sample. BBR's figures are what it reports of itself"
        " (tcp_bbr_info), its phases what its gains tell. Noise is"
        f" {reference} against itself under other seeds. Limits: 5 % of values, one base RTT of times that BBR"
        " counts in rounds, equality of phases and gains."
    )


def without_data(curves: Curves) -> list[str]:
    """Single flows that did not fail, and have nothing to compare, a line each: their runs are too short."""
    return [
        f"{case.name} ({case.cc}, {path(case)}): no {'whole loss epoch' if is_loss_based(case.cc) else 'phase of BBR'}"
        for case in curves.cases
        if not (case.comparisons or case.failures)
    ]


def command(curves: Curves) -> str:
    """What makes the same comparison."""
    of = [] if curves.specs == USUAL else [f"--of {name}" for name in curves.specs]
    return " ".join(("python -m dev curves", *of, *agreement_text.options(curves, curves.sets), *unequal_seeds(curves)))


def limits_table(curves: Curves, *, broken_only: bool = False) -> Table:
    """Every quantity of every condition of single flows, or those beyond their limit."""
    candidate, reference = curves.engine_names
    header = ["algorithm", "path", "quantity", reference, candidate, "difference", "limit", "noise", "verdict"]
    rows = [
        [case.cc, path(case), *_limit(each)]
        for case in curves.cases
        for each in case.comparisons
        if not (broken_only and each.holds)
    ]
    return Table.of(header, rows, keys=3)


def worst_of_paths(cases: Sequence[Case]) -> Table:
    """For each quantity and algorithm the largest difference over the paths, and in brackets the largest noise."""
    algorithms = list(dict.fromkeys(case.cc for case in cases))
    by_label: dict[str, dict[str, list[LimitVerdict]]] = {}
    for case in cases:
        for each in case.comparisons:
            by_label.setdefault(each.label, {}).setdefault(case.cc, []).append(each)
    rows = []
    for label, of in by_label.items():
        first = next(iter(of.values()))[0]
        rows.append([label, *(_worst(of.get(cc, [])) for cc in algorithms), _scaled(first, first.limit)])
    return Table.of(["quantity", *(f"`{cc}`" for cc in algorithms), "limit"], rows)


def _limit(each: LimitVerdict) -> list[str]:
    alike = isinstance(each.candidate, str) and each.candidate == each.reference
    return [
        each.label,
        _value(each, each.reference),
        SAME if alike else _value(each, each.candidate),
        _scaled(each, each.difference, signed=True),
        _scaled(each, each.limit),
        _scaled(each, each.noise, signed=True),
        verdict(each.holds),
    ]


def _worst(verdicts: Sequence[LimitVerdict]) -> str:
    """Bold where a limit is broken."""
    if not verdicts:
        return ABSENT
    worst = max(verdicts, key=lambda each: float("inf") if each.difference is None else abs(each.difference))
    noisiest = max(verdicts, key=lambda each: abs(each.noise or 0.0))
    difference, noise = (
        _scaled(each, None if value is None else abs(value))
        for each, value in ((worst, worst.difference), (noisiest, noisiest.noise))
    )
    text = f"{difference} ({noise})"
    return text if all(each.holds for each in verdicts) else f"**{text}**"


def _value(each: LimitVerdict, value: float | str | None) -> str:
    """One engine's value with its unit."""
    if value is None or isinstance(value, str):
        return value or ABSENT
    if each.unit == "bit/s":
        return rate(value)
    if each.unit == "s":
        return amount(value, unit=" s") if value >= 1 else amount(value, scale=1e3, unit=" ms")
    return percent(value) if each.unit == "%" else amount(value, unit=f" {each.unit}")


def _scaled(each: LimitVerdict, value: float | None, *, signed: bool = False) -> str:
    """A difference, a limit or a noise, in what it is a share of."""
    if value is not None and each.of == "same":
        return DIFFERENT if value else SAME
    scale, unit = {"rtt": (1.0, " RTT"), "whole": (100.0, " points")}.get(each.of, (100.0, " %"))
    return amount(value, scale=scale, unit=unit, signed=signed)
