"""The claims of every study: each bound decides, whatever is measured."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dumbbell import studies
from dumbbell.spec.sweep import expand
from dumbbell.studies.claim import SCALES, Check, Claim
from dumbbell.studies.evidence import Evidence, SeedSweep
from dumbbell.studies.formula import Formulas
from dumbbell.studies.judgement import judge

STUDIES = {name: studies.load(name, seeds=1) for name in studies.names()}
JUDGED = [(name, claim) for name, study in STUDIES.items() for claim in study.claims if claim.checks]
NAMES = {
    "borgli2017": [f"B{number}" for number in range(1, 23)],
    "cao2019": [f"C{number}" for number in range(1, 29)],
    "claypool2019": [f"S{number}" for number in range(1, 25)],
    "claypool2019_proposals": [f"P{number}" for number in range(1, 7)],
    "giordano2019": [f"G{number}" for number in range(1, 13)],
    "zhang2024": [f"Z{number}" for number in range(1, 17)],
}
"""Of the claims that the references make."""
CONTRADICTED = {
    ("borgli2017", "B17", "CUBIC's median RTT at 189 packets"),
    ("cao2019", "C14", "mean queue of one flow"),
}
"""Published numbers that the reference itself takes for wrong: their bounds leave them out."""


def measuring(check: Check, value: float) -> Check:
    """The check as if this were measured, whatever the runs."""
    formula = Formulas({}).parse(repr(value / SCALES[check.unit]))
    return check.model_copy(update={"metric": formula, "at": {}})


def inside(check: Check) -> float:
    """What was published if it keeps the bounds, else what does."""
    low, high = check.least, check.most
    if check.published is not None and (low is None or low <= check.published) and not (high or 1e9) < check.published:
        return check.published
    return (low + high) / 2 if low is not None and high is not None else high - 1 if low is None else low + 1  # type: ignore[operator]


def beyond(check: Check) -> Iterator[float]:
    """Values just beyond each bound."""
    width = (check.most or 1) - (check.least or 0) if None not in {check.least, check.most} else 1
    margin = max(abs(width), 1e-6) / 100
    if check.least is not None:
        yield check.least - margin
    if check.most is not None:
        yield check.most + margin


def verdict(claim: Claim, *checks: Check) -> tuple[str, str]:
    seeds = tuple(SeedSweep(seed, ()) for seed in (1, 2, 3))
    evidence = Evidence(engine="sim", trials={(title, "bbr"): seeds for title in claim.experiments})
    found = judge(claim.model_copy(update={"checks": checks, "alternatives": (), "engines": ()}), evidence, "bbr")
    return found.verdict, found.label


@pytest.mark.parametrize(("study", "claim"), JUDGED, ids=lambda each: each if isinstance(each, str) else each.id)
def test_each_bound_of_a_claim_decides(study: str, claim: Claim) -> None:
    held = [measuring(check, inside(check)) for check in claim.checks]
    assert verdict(claim, *held)[0] == "reproduced"
    for index, check in enumerate(claim.checks):
        for value in beyond(check):
            broken = [*held[:index], measuring(check, value), *held[index + 1 :]]
            assert verdict(claim, *broken) == ("not reproduced", check.label), (study, value)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_the_claims_of_its_reference(name: str) -> None:
    study = STUDIES[name]
    assert [claim.id for claim in study.claims] == NAMES.get(name, [claim.id for claim in study.claims])
    for claim in study.claims:
        assert claim.id in study.readme
        assert set(claim.why) <= {"any", "sim", "linux", "linux:6.12"}
        assert {variant for causes in claim.why.values() for variant in causes} <= set(study.variants)


@pytest.mark.parametrize("name", STUDIES)
def test_points_of_claims_are_written_as_specs_write_them(name: str) -> None:
    study = STUDIES[name]
    for claim in study.claims:
        places = [(check.experiment, check.at) for check in claim.checks]
        places += [(other, each.at) for each in claim.alternatives for other in each.substitutes.values()]
        for title, at in places:
            points = [point.values for point in expand(study.experiments[title])]
            assert any(at.items() <= point.items() for point in points), (claim.id, title)


def test_what_was_published_keeps_the_bounds_unless_the_reference_corrects_it() -> None:
    broken = {
        (name, claim.id, check.label)
        for name, claim in JUDGED
        for check in claim.checks
        if check.published is not None and check.published != inside(check)
    }
    assert broken == CONTRADICTED
