"""The page checks and resolves specs as the package does."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import dumbbell.spec.rules as rules
import dumbbell.spec.tables as tables
import dumbbell.spec.words as words
from dumbbell.explorer.tables import camel_case
from oddspecs import ODD
from randomspecs import specs
from twins import differences, first_difference

SOURCES = Path(__file__).parents[1] / "src" / "spec"
SEEDS = (1,)


def functions(module: ModuleType) -> list[str]:
    """The names of a module's functions, as the page has them."""
    tree = ast.parse(inspect.getsource(module))
    return [camel_case(each.name) for each in tree.body if isinstance(each, ast.FunctionDef)]


@pytest.mark.parametrize("rule", functions(rules))
def test_each_rule_has_a_twin_of_its_name(rule: str) -> None:
    texts = [(SOURCES / f"{module}.js").read_text(encoding="utf-8") for module in ("rules", "names")]

    assert any(re.search(rf"^export function\*? {rule}\(", text, re.MULTILINE) for text in texts)


@pytest.mark.parametrize("validator", [f"tables.{name}" for name in functions(tables)] + [
    f"words.{name}" for name in functions(words) if name != "places"
])  # fmt: skip
def test_each_validator_has_a_twin_of_its_name(validator: str) -> None:
    assert f'"{validator}":' in (SOURCES / "tables.js").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("node", "wasm")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_thousand_specs_are_told_and_resolved_alike(seed: int) -> None:
    found = differences(specs(seed))

    assert not found, "\n".join(f"{text}\n{first_difference(ours, theirs)}" for text, ours, theirs in found[:5])


@pytest.mark.slow
@pytest.mark.usefixtures("node", "wasm")
def test_odd_specs_are_told_alike() -> None:
    assert differences(ODD) == []
