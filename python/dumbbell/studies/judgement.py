"""From a claim and evidence to a verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from dumbbell.metrics.statistics import estimate
from dumbbell.studies.claim import SCALES
from dumbbell.studies.verdict import NOT_REPRODUCED, NOT_RUN, NOT_TESTABLE, REPRODUCED, Checked, Flipped, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.claim import Check, Claim, Flip
    from dumbbell.studies.evidence import Evidence
    from dumbbell.studies.verdict import Word

ENOUGH_SEEDS = 0.8
"""Share of the seeds in which an ordering, a shape or a mechanism must be seen."""


def judge(claim: Claim, evidence: Evidence, variant: str) -> Verdict:
    """Whether a claim holds on an engine for a version of the algorithm."""
    obstacle = _obstacle(claim, evidence, variant)
    if obstacle:
        return _verdict(claim, evidence.engine, variant, (), *obstacle)
    checks = tuple(_checked(claim, check, evidence, variant) for check in claim.checks)
    unknown = [
        checked.label
        for check, checked in zip(claim.checks, checks, strict=True)
        if checked.without and not check.derived
    ]
    if unknown:
        return _verdict(
            claim, evidence.engine, variant, checks, NOT_TESTABLE, f"the runs do not give {', '.join(unknown)}"
        )
    if all(check.holds for check in checks):
        return _verdict(claim, evidence.engine, variant, checks, REPRODUCED, _why_so(checks))
    flips = tuple(filter(None, (_flipped(claim, flip, evidence, variant) for flip in claim.flips)))
    told = _why_not(claim, checks, evidence.engine, variant)
    reason = " ".join((f"{told.removesuffix('.')}.", *map(_told, flips))) if flips else told
    return replace(_verdict(claim, evidence.engine, variant, checks, NOT_REPRODUCED, reason), flips=flips)


def _flipped(claim: Claim, flip: Flip, evidence: Evidence, variant: str) -> Flipped | None:
    """None where the engine cannot tell, or its runs are not there."""
    for experiment, other in flip.instead.items():
        evidence = evidence.taking(other, flip.at, over=experiment if flip.patch else "")
    found = judge(replace(claim, checks=flip.checks, flips=(), why={}), evidence, variant)
    if found.verdict not in {REPRODUCED, NOT_REPRODUCED}:
        return None
    return Flipped(
        by=flip.by,
        experiments=tuple(dict.fromkeys(flip.instead.values())),
        verdict=found.verdict,
        reason=found.reason,
        checks=found.checks,
    )


def _told(flip: Flipped) -> str:
    whose = f" ({', '.join(flip.experiments)})" if flip.experiments else ""
    came = "it is reproduced" if flip.verdict == REPRODUCED else "it is not either"
    return f"With {flip.by}{whose} {came}: {flip.reason}."


def _obstacle(claim: Claim, evidence: Evidence, variant: str) -> tuple[Word, str] | None:
    """What keeps a claim from being tested, and whether for now only; None if nothing does."""
    if claim.untestable:
        return NOT_TESTABLE, claim.untestable
    if not claim.runs_on(evidence.engine):
        return NOT_TESTABLE, f"it needs an engine of {', '.join(claim.engines)}"
    parts = [(experiment, variant) for experiment in claim.experiments]
    for part in parts:
        if part in evidence.untestable:
            return NOT_TESTABLE, f"{part[0]}: {evidence.untestable[part]}"
    missing = [(part[0], evidence.missing[part]) for part in parts if part in evidence.missing]
    if missing:
        told = (f"{title}: {found.there} of {found.needed} runs are there" for title, found in missing)
        return NOT_RUN, "; ".join(told)
    for experiment, _ in parts:
        if not evidence.of(experiment, variant):
            return NOT_TESTABLE, f"{experiment} has no runs with {variant}"
    return None


def _checked(claim: Claim, check: Check, evidence: Evidence, variant: str) -> Checked:
    scale = SCALES[check.unit]
    measured = [check.measured(*trials) for trials in evidence.together((check.experiment, *check.beside), variant)]
    values = [scale * value for value in measured if value is not None and math.isfinite(value)]
    found = estimate(values) if values else None
    holding = sum(_keeps(value, check) for value in values)
    middle = _middle(values, len(measured) - len(values), check)
    by_median = claim.kind == "N" and check.in_seeds is None
    enough = (check.in_seeds or ENOUGH_SEEDS) * len(measured)
    holds = _keeps(middle, check) if by_median else holding >= enough
    half_width = found.half_width if found else None
    return Checked(
        label=check.label,
        value=found.mean if found else None,
        low=found.mean - half_width if found and half_width is not None else None,
        high=found.mean + half_width if found and half_width is not None else None,
        n=found.n if found else 0,
        median=middle if math.isfinite(middle) else None,
        published=check.published,
        least=check.least,
        most=check.most,
        unit=check.unit,
        holds=holds,
        holding=holding,
        seeds=len(measured),
        without=len(measured) - len(values),
    )


def _middle(values: Sequence[float], without: int, check: Check) -> float:
    """The median over seeds; one without a number counts as outside the bounds, on whichever side is worse."""
    below, above = (median([*values, *[outside] * without]) for outside in (-math.inf, math.inf))
    return above if _keeps(below, check) else below


def _keeps(value: float, check: Check | Checked) -> bool:
    return (check.least is None or value >= check.least) and (check.most is None or value <= check.most)


def _margin(check: Checked) -> float:
    """How far inside its bounds a value is, in widths of what is tolerated; negative: outside."""
    if check.value is None:
        return -math.inf
    bounds = [bound for bound in (check.least, check.most) if bound is not None]
    width = bounds[1] - bounds[0] if len(bounds) > 1 else abs(bounds[0])
    inside = [check.value - check.least] if check.least is not None else []
    inside += [check.most - check.value] if check.most is not None else []
    return min(inside) / (width or 1.0)


def _decisive(checks: Sequence[Checked]) -> Checked | None:
    """The check that fails by most, or, if none does, the one that holds most narrowly."""
    return min(checks, key=lambda check: (check.holds, _margin(check)), default=None)


def _verdict(  # noqa: PLR0913, PLR0917 (what a verdict is made of)
    claim: Claim, engine: str, variant: str, checks: tuple[Checked, ...], word: Word, reason: str
) -> Verdict:
    decisive = _decisive(checks)
    told = decisive or next(iter(claim.checks), None)
    return Verdict(
        claim=claim.id,
        section=claim.section,
        statement=claim.statement,
        engine=engine,
        variant=variant,
        verdict=word,
        label=told.label if told else "",
        value=decisive.value if decisive else None,
        low=decisive.low if decisive else None,
        high=decisive.high if decisive else None,
        n=decisive.n if decisive else 0,
        published=told.published if told else None,
        tolerance=claim.tolerance,
        unit=told.unit if told else "",
        flag=claim.flag,
        reason=reason,
        source=claim.source,
        checks=checks,
    )


def _why_so(checks: Sequence[Checked]) -> str:
    decisive = _decisive(checks)
    if decisive is None:
        return ""
    place = f"{decisive.label} is {_amount(decisive.value, decisive.unit)}, {_bounds(decisive)}"
    if decisive.value is not None and not _keeps(decisive.value, decisive):
        middle, mean = _amount(decisive.median, decisive.unit), _amount(decisive.value, decisive.unit)
        place = f"{decisive.label} is {middle} in the median over seeds, {_bounds(decisive)}; the mean, {mean}, is not"
    if decisive.without:
        place += f"; there is none in {decisive.without} of {decisive.seeds} seeds"
    return place if len(checks) == 1 else f"all {len(checks)} checks hold; the narrowest: {place}"


def _why_not(claim: Claim, checks: Sequence[Checked], engine: str, variant: str) -> str:
    broken = [check for check in checks if not check.holds]
    told = "; ".join(_fault(check) for check in broken)
    if len(checks) > 1:
        told += f". Failing: {len(broken)} of {len(checks)} checks"
    cause = claim.cause(engine, variant)
    return f"{told}. {cause}" if cause else told


def _fault(check: Checked) -> str:
    if check.value is None:
        return f"{check.label}: there is none in {check.without} of {check.seeds} seeds"
    value, bounds = _amount(check.value, check.unit), _bounds(check)
    if _keeps(check.value, check):
        none = f" (there is none in {check.without})" if check.without else ""
        failing = check.seeds - check.holding
        return f"{check.label} is {value} on average, but not {bounds} in {failing} of {check.seeds} seeds{none}"
    told = f"{check.label} is {value}, not {bounds}"
    if check.low is not None and check.high is not None and any(_keeps(end, check) for end in (check.low, check.high)):
        reach = f"{number(check.low)} to {_amount(check.high, check.unit)}"
        return f"{told} (the 95 % interval of the mean, {reach}, reaches there)"
    return told


def _bounds(check: Checked) -> str:
    if check.least is not None and check.most is not None:
        return f"within {check.least:g} to {check.most:g} {check.unit}".rstrip()
    if check.least is not None:
        return f"at least {check.least:g} {check.unit}".rstrip()
    return f"at most {check.most:g} {check.unit}".rstrip()


def _amount(value: float | None, unit: str) -> str:
    return "not known" if value is None else f"{number(value)} {unit}".rstrip()


def number(value: float) -> str:
    """Three significant digits, and never an exponent.

    >>> number(12.345), number(0.0123), number(0.00001), number(-3.0), number(153.2)
    ('12.3', '0.012', '0.00', '-3.00', '153')
    """
    return f"{value:.{decimals(value)}f}"


def decimals(value: float) -> int:
    """How many decimals `number` shows of a value: as many are right for what stands beside it."""
    size = abs(value)
    return 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 or size < 0.005 else 3  # noqa: PLR2004
