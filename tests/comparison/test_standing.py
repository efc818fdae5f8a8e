"""Where an experiment lies beside what was validated: conditions of strata are within, and what is not is named."""

from __future__ import annotations

import pytest

from dev.strata.conditions import conditions
from dumbbell.comparison.standing import LIVE, faults, outside
from dumbbell.comparison.strata import strata
from dumbbell.spec import expand, load, resolve
from outside import OUTSIDE, spec_with


@pytest.mark.parametrize("stratum", [name for name in strata() if name != LIVE])
def test_each_condition_of_a_stratum_is_within(stratum: str) -> None:
    for experiment in conditions(8, 20261126, stratum):
        for point in expand(experiment):
            assert faults(point, resolve(point, 1)) == [], experiment.toml()


@pytest.mark.parametrize("line", OUTSIDE)
def test_what_is_outside_is_named(line: str) -> None:
    experiment = load(spec_with(line))
    (point,) = expand(experiment)
    said = outside([(point, resolve(point, 1))])
    assert said.startswith("outside of what was validated")
    assert OUTSIDE[line] in said
