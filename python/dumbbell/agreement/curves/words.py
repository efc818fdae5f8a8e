"""Figures of single flows in words, the same on the terminal, in the report and in the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.agreement import words as agreement_words
from dumbbell.agreement.words import BROKEN, HOLDS, rate
from dumbbell.metrics.number import ABSENT, amount, counted, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.agreement.curves.record import Case, Comparison, Curves

SAME, OTHER = "same", "other"


def header(curves: Curves) -> list[str]:
    """Of `table`."""
    engines = (curves.reference.engine, curves.candidate.engine)
    return ["algorithm", "path", "quantity", *engines, "difference", "limit", "noise", "verdict"]


def table(curves: Curves) -> list[list[str]]:
    """Every quantity of every condition."""
    return [[case.cc, path(case), *row(each)] for case in curves.cases for each in case.comparisons]


def row(each: Comparison) -> list[str]:
    """A quantity, from its name on."""
    told = [difference(each, each.difference, sign=True), limit(each), difference(each, each.noise, sign=True)]
    alike = isinstance(each.candidate, str) and each.candidate == each.reference
    ours = SAME if alike else value(each, each.candidate)
    return [each.label, value(each, each.reference), ours, *told, verdict(each)]


def limit(each: Comparison) -> str:
    """The most that the difference may be."""
    return difference(each, each.limit)


def verdict(each: Comparison) -> str:
    """Of a quantity."""
    return HOLDS if each.holds else BROKEN


def path(case: Case) -> str:
    """Where an algorithm ran.

    >>> from dumbbell.agreement.curves.record import Case
    >>> path(Case(name="c", cc="bbr", rate_bps=80_000_000, rtt_s=0.1, buffer_bdp=0.5, epochs={}, comparisons=(),
    ...           curves=(), failures=()))
    '80.0 Mbit/s, 100 ms, 0.5 BDP'
    """
    return agreement_words.path(case.rate_bps, case.rtt_s, case.buffer_bdp)


def value(each: Comparison, of: float | str | None) -> str:
    """One engine's figure with its unit."""
    if of is None:
        return ABSENT
    if isinstance(of, str):
        return of
    if each.unit == "bit/s":
        return rate(of)
    if each.unit == "s":
        return f"{amount(of)} s" if of >= 1 else f"{amount(of, scale=1e3)} ms"
    return percent(of) if each.unit == "%" else f"{amount(of)} {each.unit}"


def difference(each: Comparison, of: float | None, *, sign: bool = False) -> str:
    """A difference, a limit or a noise, in what it is a share of."""
    if of is None:
        return ABSENT
    if each.of == "same":
        return OTHER if of else SAME
    if each.of == "rtt":
        return f"{amount(of, signed=sign)} RTT"
    return f"{amount(of, scale=100, signed=sign)} points" if each.of == "whole" else percent(of, signed=sign)


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
    told = [(case, each) for case in curves.cases for each in case.comparisons]
    broken = [f"{case.cc}, {path(case)}: {each.label}" for case, each in told if not each.holds]
    if not told:
        return "Nothing was compared."
    if not broken:
        return f"All {len(told)} limits hold."
    return f"{len(told) - len(broken)} of {len(told)} limits hold. Broken: {'; '.join(broken)}."


def failures(curves: Curves) -> list[str]:
    """What failed, a line each."""
    return list(_failures(curves))


def legend(curves: Curves) -> str:
    """How everything is measured."""
    theirs = curves.reference.engine
    return (
        "Medians over seeds, or over all whole loss epochs of all seeds. An epoch runs from one reduction of cwnd to"
        " the next; the first, of slow start's overshoot, is left out, and epochs whose lengths differ by a quarter are"
        " kept apart. Curves are medians over epochs laid on their beginnings, which each engine's samples tell to one"
        f" sample: the difference at an instant is {theirs}'s value's distance from the range that the other curve has"
        " within one sample. BBR's figures are what it reports of itself (tcp_bbr_info), its phases what its gains"
        f" tell. Noise is {theirs} against itself under other seeds. Limits: 5 % of values, one base RTT of times that"
        " BBR counts in rounds, equality of phases and gains."
    )


def _failures(curves: Curves) -> Iterator[str]:
    for case in curves.cases:
        yield from (f"{case.name}: {words}" for words in case.failures)
