"""What `crates/spec` knows of the catalogue of quantities is what the catalogue says."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING, Any

import pytest

from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.spec import Experiment, SpecError
from dumbbell.spec.keys import keys

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {
    "duration": "1 s", "path": {"rate": "1 Mbit/s", "rtt": "9 ms", "buffer": "9 kB"}, "flows": [{"cc": "reno"}],
}  # fmt: skip


def test_the_list_of_the_spec_is_made_of_the_catalogue(pytestconfig: pytest.Config) -> None:
    """If it fails: `make docs-outputs`, and build."""
    root: Path = pytestconfig.rootpath
    made = runpy.run_path(str(root / "docs/site/spec_catalogue.py"))["names"]()
    assert (root / "crates/spec/src/catalogue.toml").read_text(encoding="utf-8") == "\n".join(made) + "\n"
    options = next(key.options for key in keys() if key.path == "expect[].quantity")
    assert set(QUANTITIES) < set(options)


def test_a_level_is_in_the_unit_of_the_catalogue() -> None:
    """What is shown with a unit is the number that the spec wrote with it."""
    for name, quantity in QUANTITIES.items():
        number = "0.5" if quantity.unit in {"", "%"} else "3"
        unit = {"BDP": "bdp"}.get(quantity.unit, quantity.unit)
        expect = [{"quantity": name, "at_most": f"{number} {unit}".strip()}]
        (expectation,) = Experiment(**(SMALL | {"expect": expect})).expectations
        assert quantity.factor * (expectation.level or 0) == pytest.approx(float(number)), name


def test_a_misspelt_quantity_is_a_problem_with_its_path_and_what_was_meant() -> None:
    expect = [{"quantity": "godput", "at_least": "1 Mbit/s"}]
    with pytest.raises(SpecError) as refusal:
        Experiment(**(SMALL | {"expect": expect}))
    assert str(refusal.value) == 'expect[0].quantity: unknown "godput"; did you mean "goodput"?'
