"""The claims of every study: their names, their points, and what was published in their bounds."""

from __future__ import annotations

import math
from functools import cache

import pytest

from dumbbell import studies
from dumbbell.spec import expand
from dumbbell.studies import Study

FORMS = "V1 V1b V1c V2 V2b V3 V4 V6a V6b V6c V6d V7a V7b V8 V8b V9a V9b V9c V10a V10b V11 V14 V16a V16b"
GOALS = "D1 D2 D3 D4a D4b D5a D5b D5c D5d D6 D7 D8 E1 E2 E3"
NAMES = {
    "borgli2017": [f"B{number}" for number in range(1, 23)],
    "cao2019": [f"C{number}" for number in range(1, 29)],
    "cardwell2026": GOALS.split(),
    "claypool2019": [f"S{number}" for number in range(1, 25)],
    "claypool2019_proposals": [f"P{number}" for number in range(1, 7)],
    "giordano2019": [f"G{number}" for number in range(1, 13)],
    "theory": FORMS.split(),
    "zhang2024": [f"Z{number}" for number in range(1, 17)],
}
"""Of the claims that the references make."""
CONTRADICTED = {
    ("borgli2017", "B17", "CUBIC's median RTT at 189 packets"),
    ("cao2019", "C14", "mean queue of one flow"),
}
"""Published numbers that the reference itself takes for wrong: their bounds leave them out."""


@cache
def loaded(name: str) -> Study:
    return studies.load(name, seeds=1)


@pytest.mark.parametrize("name", studies.names())
def test_a_study_has_the_claims_of_its_reference(name: str) -> None:
    study = loaded(name)
    assert [claim.id for claim in study.claims] == NAMES.get(name, [])
    assert study.claims or study.measured
    for claim in study.claims:
        assert claim.id in study.readme
        assert set(claim.why) <= {"any", "sim", "linux", "linux:6.12"}
        assert {variant for causes in claim.why.values() for variant in causes} <= set(study.variants)


@pytest.mark.slow
@pytest.mark.parametrize("name", studies.names())
def test_points_of_claims_are_written_as_specs_write_them(name: str) -> None:
    study = loaded(name)
    for claim in study.claims:
        places = [(check.experiment, check.at) for check in claim.checks]
        places += [(other, each.at) for each in claim.alternatives for other in each.substitutes.values()]
        for title, at in places:
            points = [point.values for point in expand(study.experiments[title])]
            assert any(at.items() <= point.items() for point in points), (claim.id, title)


def test_what_was_published_keeps_the_bounds_unless_the_reference_corrects_it() -> None:
    broken = {
        (name, claim.id, check.label)
        for name in studies.names()
        for claim in loaded(name).claims
        for check in claim.checks
        if check.published is not None
        and not (-math.inf if check.least is None else check.least)
        <= check.published
        <= (math.inf if check.most is None else check.most)
    }
    assert broken == CONTRADICTED
