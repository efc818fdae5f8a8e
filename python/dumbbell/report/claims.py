"""Verdicts as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dumbbell.metrics.number import ABSENT, counted
from dumbbell.studies import disputed
from dumbbell.studies.label import label_of
from dumbbell.studies.verdict import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.studies.verdict import Checked, Verdict

KINDS: Final = {REPRODUCED: "reproduced", NOT_REPRODUCED: "not-reproduced", NOT_TESTABLE: "not-testable"}
"""What a verdict is called in the style sheet."""
SIGNS: Final = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", NOT_TESTABLE: "○"}
_FLAGS: Final = {
    "SENS": "depends on a detail that the document does not state",
    "ART": "looks like an artefact of the document's testbed; tested in its corrected form",
    "CONTRA": "contradicted by other data",
}


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One number that a claim rests on."""

    label: str
    measured: str
    resting_on: str
    published: str
    bounds: str
    holds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A verdict. What ends in `_sort` is what its column is sorted by."""

    order: int
    claim: str
    section: str
    flag: str
    flag_meaning: str
    statement: str
    engine: str
    variant: str
    verdict: str
    kind: str
    sign: str
    rank: int
    disputed: bool
    """Another engine says otherwise."""
    weak: str
    """Why it can hardly fail; empty: it binds."""
    flips: tuple[tuple[str, str], ...]
    """What makes it hold, in words that stand after "with", and of which kind that is."""
    measured: str
    interval: str
    label: str
    value_sort: str
    published: str
    published_sort: str
    source: str
    tolerance: str
    reason: str
    checks: tuple[CheckRow, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """The table."""

    rows: tuple[ClaimRow, ...]
    words: tuple[str, ...]
    """The verdicts that there are."""
    variants: tuple[str, ...]
    engines: tuple[str, ...]
    disputed: bool
    """Engines say different things of some."""
    about: str
    legend: str


def claims_of(verdicts: Sequence[Verdict], document: str) -> Claims | None:
    """The table of these verdicts; None when there are none."""
    if not verdicts:
        return None
    variants = tuple(dict.fromkeys(verdict.variant for verdict in verdicts))
    versions = tuple(dict.fromkeys(version for verdict in verdicts for version in verdict.versions))
    engines = tuple(dict.fromkeys(verdict.engine for verdict in verdicts))
    called = "; ".join(f"{version}: {_called(version, engines)}" for version in versions)
    claims = len(dict.fromkeys(verdict.claim for verdict in verdicts))
    neither = (
        f" Neither version is “the document's”: both are judged ({called})." if len(versions) > 1 else f" {called}."
    )
    unlike = disputed(verdicts)
    used = [flag for flag in _FLAGS if any(verdict.flag == flag for verdict in verdicts)]
    return Claims(
        rows=tuple(
            _row(order, verdict, disputed=(verdict.claim, verdict.variant) in unlike)
            for order, verdict in enumerate(verdicts)
        ),
        words=tuple(word for word in WORDS if any(verdict.verdict == word for verdict in verdicts)),
        variants=variants,
        engines=engines,
        disputed=bool(unlike),
        about=f"{counted(claims, 'claim')} of {document}.{neither}",
        legend="Measured: mean over seeds of the number that decides, with its 95 % interval (Student's t); n is how"
        " many different values it rests on. Tolerances were set from the document before the runs; what was changed"
        " after one stands in the study's README. Weak: it can hardly fail, and no total counts it. What makes a claim"
        " hold that fails explains it if it agrees with all that is known of the testbed; else it would need what"
        " contradicts that, or is fitted." + "".join(f" {flag}: {_FLAGS[flag]}." for flag in used),
    )


def _called(variant: str, engines: Iterable[str]) -> str:
    """What a version is on these engines, each thing once."""
    return " or ".join(dict.fromkeys(label_of(variant, engine) for engine in engines))


def _row(order: int, verdict: Verdict, *, disputed: bool) -> ClaimRow:
    return ClaimRow(
        order=order,
        claim=verdict.claim,
        section=verdict.section,
        flag=verdict.flag if verdict.flag in _FLAGS else "",
        flag_meaning=_FLAGS.get(verdict.flag, ""),
        statement=verdict.statement,
        engine=verdict.engine,
        variant=verdict.variant,
        verdict=verdict.verdict,
        kind=KINDS[verdict.verdict],
        sign=SIGNS[verdict.verdict],
        rank=WORDS.index(verdict.verdict),
        disputed=disputed,
        weak=verdict.why_weak,
        flips=tuple((each.by, each.kind) for each in verdict.flips if each.verdict == REPRODUCED),
        measured=verdict.measured,
        interval=_resting_on(verdict.n, verdict.seeds, varies=verdict.low is not None),
        label=verdict.label,
        value_sort="" if verdict.value is None else f"{verdict.value:.6g}",
        published=_stated(verdict.published, verdict.unit),
        published_sort="" if verdict.published is None else f"{verdict.published:.6g}",
        source=verdict.source,
        tolerance=verdict.tolerance,
        reason=verdict.reason,
        checks=tuple(map(_check, verdict.checks)) if len(verdict.checks) > 1 else (),
    )


def _check(check: Checked) -> CheckRow:
    return CheckRow(
        label=check.label,
        measured=check.measured or ABSENT,
        resting_on=_resting_on(check.n, check.seeds, varies=check.low is not None),
        published=_stated(check.published, check.unit) or ABSENT,
        bounds=check.bounds,
        holds=f"{'yes' if check.holds else 'no'}, in {check.holding} of {counted(check.seeds, 'seed')}"
        + " (weak)" * bool(check.weak),
    )


def _stated(value: float | None, unit: str) -> str:
    """As the document has it."""
    return "" if value is None else f"{value:g} {unit}".rstrip()


def _resting_on(n: int, seeds: int, *, varies: bool) -> str:
    if not n:
        return ""
    return (
        f"deterministic, n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{n}"
        if seeds > 1 and not varies
        else (f"n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{n}")
    )
