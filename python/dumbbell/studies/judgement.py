"""From a claim and evidence to a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from dumbbell.errors import MissingExtra, StudyError
from dumbbell.metrics.checked import Checked, by_count, by_median, interval, why_not, why_so, why_undecided
from dumbbell.studies.claim import Alternative, Check, Claim
from dumbbell.studies.evidence import Evidence, Trials
from dumbbell.studies.study import Study
from dumbbell.studies.verdict import (
    KINDS,
    NOT_REPRODUCED,
    NOT_RUN,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    Flipped,
    Verdict,
    Word,
)

ANY_VERSION = "any version"
"""In the place of a version, of a claim that is not tested with any."""
ENOUGH_SEEDS = 0.8
"""Share of the seeds in which an ordering, a shape or a mechanism must be seen."""
OF_CHECK: Final = {"label", "published", "least", "most", "unit", "weak"}
OF_CLAIM: Final = {"section", "statement", "tolerance", "flag", "source"}
"""What a number and a verdict have of the check and the claim that they are of."""
_CAME = {
    REPRODUCED: "it is reproduced ({})", NOT_REPRODUCED: "it is not reproduced either", UNDECIDED: "it is undecided",
}  # fmt: skip
"""What became of a claim with an alternative."""


def verdicts(study: Study, evidence: Evidence) -> list[Verdict]:
    """On every claim, in the document's order, for each version of the algorithm that it contains."""
    return [verdict for claim in study.claims for verdict in _each_version(claim, study, evidence)]


def _each_version(claim: Claim, study: Study, evidence: Evidence) -> Iterator[Verdict]:
    """For each version, or once where no experiment of the claim contains one."""
    if any(experiment not in study.rivals for experiment in claim.experiments):
        yield from (judge(claim, evidence, variant) for variant in study.variants)
    else:
        about = ", ".join(dict.fromkeys(study.rivals[each] for each in claim.experiments))
        verdict = judge(claim, evidence, study.variants[0])
        yield replace(verdict, variant=about or ANY_VERSION, versions=study.variants)


def judge(claim: Claim, evidence: Evidence, variant: str) -> Verdict:
    """Whether a claim holds on an engine for a version of the algorithm, by the seeds that are there.

    Raises:
        StudyError: a check, which it names, asks for what the runs do not have.
    """
    ruled = partial(_verdict, claim, evidence.engine, variant)
    obstacle = _obstacle(claim, evidence, variant)
    if obstacle:
        return ruled((), *obstacle)
    try:
        checks = tuple(_checked(claim, check, evidence, variant) for check in claim.checks)
    except MissingExtra as missing:
        return ruled((), NOT_TESTABLE, str(missing))
    pairs = zip(claim.checks, checks, strict=True)
    unknown = [checked.label for check, checked in pairs if checked.without and check.metric.is_field]
    if unknown:
        return ruled(checks, NOT_TESTABLE, f"the runs do not give {', '.join(unknown)}")
    if all(check.word == "yes" for check in checks):
        return ruled(checks, REPRODUCED, _why_so(checks))
    if all(check.word != "no" for check in checks):
        return ruled(checks, UNDECIDED, _why_undecided(checks))
    flips = tuple(filter(None, (_flipped(claim, flip, evidence, variant) for flip in claim.alternatives)))
    reason = _why_not(claim, checks, evidence.engine, variant)
    if flips:
        reason = " ".join((f"{reason.removesuffix('.')}.", *map(_flip_sentence, flips)))
    kinds = [flip.kind for flip in flips if flip.verdict == REPRODUCED]
    verdict = ruled(checks, NOT_REPRODUCED, reason)
    return replace(verdict, flips=flips, kind=min(kinds, key=KINDS.index, default=None))


def _flipped(claim: Claim, flip: Alternative, evidence: Evidence, variant: str) -> Flipped | None:
    """None where the engine cannot tell, or its runs are not there."""
    try:
        for experiment, other in flip.substitutes.items():
            evidence = evidence.restricted_to(other, flip.at, over=experiment if flip.patch else "")
    except StudyError as error:
        raise StudyError(f'claim {claim.id}, alternative "{flip.condition}": {error}') from None
    verdict = judge(claim.model_copy(update={"checks": flip.checks, "alternatives": (), "why": {}}), evidence, variant)
    if verdict.verdict not in _CAME:
        return None
    return Flipped(
        kind=flip.kind,
        by=flip.condition,
        experiments=tuple(dict.fromkeys(flip.substitutes.values())),
        verdict=verdict.verdict,
        reason=verdict.reason,
        checks=verdict.checks,
    )


def _flip_sentence(flip: Flipped) -> str:
    whose = f" ({', '.join(flip.experiments)})" if flip.experiments else ""
    return f"With {flip.by}{whose} {_CAME[flip.verdict].format(flip.kind)}: {flip.reason}."


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
    lacking = {part: evidence.missing[part] for part in parts if part in evidence.missing and not evidence.of(*part)}
    if lacking:
        counts = [(title, len(runs.missing), len(runs.ids)) for (title, _), runs in lacking.items()]
        return NOT_RUN, "; ".join(f"{title}: {ids - missing} of {ids} runs are there" for title, missing, ids in counts)
    without = [experiment for experiment, _ in parts if not evidence.of(experiment, variant)]
    if without:
        return NOT_TESTABLE, f"{without[0]} has no runs with {variant}"
    strangers = [check for check in claim.checks if not evidence.together(check.experiments, variant)]
    return (NOT_RUN, f"{', '.join(claim.experiments)} have no seed in common") if strangers else None


def _checked(claim: Claim, check: Check, evidence: Evidence, variant: str) -> Checked:
    facts = check.model_dump(include=OF_CHECK)
    try:
        if check.metric.together:
            return _checked_together(check, Trials(tuple(evidence.together(check.experiments, variant))))
        measured = [check.value(*sweeps) for sweeps in evidence.together(check.experiments, variant)]
    except StudyError as error:
        raise StudyError(f'claim {claim.id}, check "{check.label}": {error}') from None
    if claim.kind == "N" and check.in_seeds is None:
        return by_median(measured, check.limits, **facts)
    enough = check.in_seeds or ENOUGH_SEEDS
    return replace(by_count(measured, enough, check.limits, **facts), by_count=check.in_seeds is not None)


def _checked_together(check: Check, trials: Trials) -> Checked:
    """All seeds hold or none does: there is one number, and its spread must keep the bounds as well."""
    seeds = len(trials.sweeps)
    value, spread = check.value_together(trials)
    low, high = interval(value, spread, check.limits)
    checked = Checked(
        **check.model_dump(include=OF_CHECK), value=value, low=low, high=high, n=seeds, median=value, holds=False,
        holding=0, seeds=seeds, without=seeds if value is None else 0, together=True,
    )  # fmt: skip
    holds = value is not None and all(checked.keeps(each) for each in (low, value, high) if each is not None)
    return replace(checked, holds=holds, holding=seeds if holds else 0)


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
    """The check that fails by most; if none does, an undecided one, or the one that binds and holds most narrowly."""
    order = ("no", "undecided", "yes")
    return min(checks, key=lambda check: (order.index(check.word), bool(check.weak), _margin(check)), default=None)


def _verdict(  # noqa: PLR0913, PLR0917 (what a verdict is made of)
    claim: Claim, engine: str, variant: str, checks: tuple[Checked, ...], word: Word, reason: str
) -> Verdict:
    decisive = _decisive(checks)
    first = decisive or next(iter(claim.checks), None)
    weak = bool(claim.checks) and all(check.weak for check in claim.checks)
    return Verdict(
        **claim.model_dump(include=OF_CLAIM),
        claim=claim.id,
        engine=engine,
        variant=variant,
        verdict=word,
        label=first.label if first else "",
        value=decisive.value if decisive else None,
        low=decisive.low if decisive else None,
        high=decisive.high if decisive else None,
        n=decisive.n if decisive else 0,
        published=first.published if first else None,
        unit=first.unit if first else "",
        reason=reason,
        checks=checks,
        versions=(variant,),
        seeds=min((check.seeds for check in checks), default=0),
        binding="weak" if weak else "yes",
        why_weak="; ".join(dict.fromkeys(check.weak for check in claim.checks)) if weak else "",
    )


def _why_so(checks: Sequence[Checked]) -> str:
    decisive = _decisive(checks)
    if decisive is None:
        return ""
    place = why_so(decisive)
    return place if len(checks) == 1 else f"all {len(checks)} checks hold; the narrowest: {place}"


def _why_undecided(checks: Sequence[Checked]) -> str:
    doubtful = [check for check in checks if not check.decided]
    doubts = "; ".join(map(why_undecided, doubtful))
    return f"{doubts}. Undecided: {len(doubtful)} of {len(checks)} checks" if len(checks) > 1 else doubts


def _why_not(claim: Claim, checks: Sequence[Checked], engine: str, variant: str) -> str:
    broken = [check for check in checks if check.word == "no"]
    faults = "; ".join(why_not(check) for check in broken)
    if len(checks) > 1:
        faults += f". Failing: {len(broken)} of {len(checks)} checks"
    cause = claim.cause(engine, variant)
    return f"{faults}. {cause}" if cause else faults
