"""What curves came to as text, the same on the terminal, in the report and in the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.comparison import agreement_text as words
from dumbbell.comparison.agreement_text import invocation
from dumbbell.metrics.number import ABSENT, amount, counted, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.studies.single_flows.record import Case, Curves, LimitVerdict

SAME, DIFFERENT = "same", "other"


def header(curves: Curves) -> list[str]:
    """Of `table`."""
    engines = (curves.reference.engine, curves.candidate.engine)
    return ["algorithm", "path", "quantity", *engines, "difference", "limit", "noise", "verdict"]


def table(curves: Curves, *, broken_only: bool = False) -> list[list[str]]:
    """Every quantity of every condition, or those beyond their limit."""
    return [
        [case.cc, path(case), *_row(each)]
        for case in curves.cases
        for each in case.comparisons
        if not (broken_only and each.holds)
    ]


def worst_of_paths(cases: Sequence[Case]) -> tuple[list[str], list[list[str]]]:
    """Header and rows: for each quantity and algorithm the largest difference over the paths, and the largest noise."""
    algorithms = list(dict.fromkeys(case.cc for case in cases))
    by_label: dict[str, dict[str, list[LimitVerdict]]] = {}
    for case in cases:
        for each in case.comparisons:
            by_label.setdefault(each.label, {}).setdefault(case.cc, []).append(each)
    rows = [
        [label, *(_worst(of.get(cc, [])) for cc in algorithms), _limit(next(iter(of.values()))[0])]
        for label, of in by_label.items()
    ]
    return ["quantity", *(f"`{cc}`" for cc in algorithms), "limit"], rows


def path(case: Case) -> str:
    """Where an algorithm ran.

    >>> from dumbbell.studies.single_flows.record import Case
    >>> path(Case(name="c", cc="bbr", rate_bps=80_000_000, rtt_s=0.1, buffer_bdp=0.5, epochs={}, comparisons=(),
    ...           curves=(), failures=()))
    '80.0 Mbit/s, 100 ms, 0.5 BDP'
    """
    return words.path(case.rate_bps, case.rtt_s, case.buffer_bdp)


def origin(curves: Curves) -> str:
    """What was run."""
    algorithms = len({case.cc for case in curves.cases})
    seeds, floor = len(curves.candidate.seeds), len(curves.floor_seeds)
    noise = f", {floor} more of {curves.reference.engine} for its noise" if floor else ""
    return (
        f"one flow, {counted(algorithms, 'algorithm')}, {counted(len(curves.cases), 'condition')};"
        f" {counted(seeds, 'seed')} an engine{noise}"
    )


def summary(curves: Curves) -> str:
    """How many limits hold, and which do not, in sentences."""
    total = sum(len(case.comparisons) for case in curves.cases)
    broken = [f"{cc}, {where}: {label}" for cc, where, label, *_ in table(curves, broken_only=True)]
    if not total:
        return "Nothing was compared."
    if not broken:
        return f"All {total} limits hold."
    return f"{total - len(broken)} of {total} limits hold. Broken: {'; '.join(broken)}."


def failures(curves: Curves) -> list[str]:
    """What failed, a line each."""
    return [f"{case.name}: {failure}" for case in curves.cases for failure in case.failures]


def command(curves: Curves) -> str:
    """What makes the same comparison."""
    return invocation(["--curves"], curves.sets, curves)


def legend(curves: Curves) -> str:
    """How everything is measured."""
    reference = curves.reference.engine
    return (
        "Medians over seeds, or over all whole loss epochs of all seeds. An epoch runs from one reduction of cwnd to"
        " the next; the first, of slow start's overshoot, is left out, and epochs whose lengths differ by a quarter are"
        " kept apart. Curves are medians over epochs laid on their beginnings, which each engine's samples tell to one"
        f" sample: the difference at an instant is {reference}'s value's distance from the range that the other curve"
        " has within one sample. BBR's figures are what it reports of itself (tcp_bbr_info), its phases what its gains"
        f" tell. Noise is {reference} against itself under other seeds. Limits: 5 % of values, one base RTT of times"
        " that BBR counts in rounds, equality of phases and gains."
    )


def _row(each: LimitVerdict) -> list[str]:
    """A quantity, from its name on."""
    alike = isinstance(each.candidate, str) and each.candidate == each.reference
    return [
        each.label,
        _value(each, each.reference),
        SAME if alike else _value(each, each.candidate),
        _difference(each, each.difference, signed=True),
        _limit(each),
        _difference(each, each.noise, signed=True),
        words.verdict(each.holds),
    ]


def _worst(of: Iterable[LimitVerdict]) -> str:
    """The largest difference, and in brackets the largest noise; bold where a limit is broken."""
    verdicts = list(of)
    if not verdicts:
        return ABSENT
    worst = max(verdicts, key=lambda each: float("inf") if each.difference is None else abs(each.difference))
    noisiest = max(verdicts, key=lambda each: abs(each.noise or 0.0))
    difference, noise = (
        _difference(each, None if value is None else abs(value))
        for each, value in ((worst, worst.difference), (noisiest, noisiest.noise))
    )
    text = f"{difference} ({noise})"
    return text if all(each.holds for each in verdicts) else f"**{text}**"


def _limit(each: LimitVerdict) -> str:
    return _difference(each, each.limit)


def _value(each: LimitVerdict, value: float | str | None) -> str:
    """One engine's value with its unit."""
    if value is None or isinstance(value, str):
        return value or ABSENT
    if each.unit == "bit/s":
        return words.rate(value)
    if each.unit == "s":
        return amount(value, unit=" s") if value >= 1 else amount(value, scale=1e3, unit=" ms")
    return percent(value) if each.unit == "%" else amount(value, unit=f" {each.unit}")


def _difference(each: LimitVerdict, value: float | None, *, signed: bool = False) -> str:
    """A difference, a limit or a noise, in what it is a share of."""
    if value is None:
        return ABSENT
    if each.of == "same":
        return DIFFERENT if value else SAME
    scale, unit = {"rtt": (1.0, " RTT"), "whole": (100.0, " points")}.get(each.of, (100.0, " %"))
    return amount(value, scale=scale, unit=unit, signed=signed)
