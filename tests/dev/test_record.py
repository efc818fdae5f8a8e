"""Records of checks and of single flows, as they were published."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from commandline import ROOT
from dev.checks.record import Checks
from dev.curves.record import Curves
from dumbbell.comparison.record import EngineComparison

RECORDS = ROOT / "docs" / "validation"


def published(of: type[EngineComparison]) -> dict[str, Any]:
    """The schema that was published."""
    path = ROOT / "tests" / "dev" / f"{of.__name__.lower()}.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


@pytest.mark.parametrize("of", [Checks, Curves])
def test_the_schema_is_the_one_that_was_published(of: type[EngineComparison]) -> None:
    """Keys may be added, and then its file is written anew; a key that goes or changes is a new `schema`."""
    assert published(of) == of.model_json_schema(mode="serialization")


@pytest.mark.parametrize("of", [Checks, Curves])
def test_every_key_is_explained(of: type[EngineComparison]) -> None:
    explained = "".join(
        (ROOT / page).read_text(encoding="utf-8") for page in ("dev/README.md", "docs/results-format.md")
    )
    keys = of.model_json_schema(mode="serialization")["properties"]
    assert [key for key in keys if f"`{key}`" not in explained] == []


def test_curves_are_valid() -> None:
    curves = Curves.model_validate_json((RECORDS / "curves.json").read_bytes())
    jsonschema.Draft202012Validator(published(Curves)).validate(json.loads(curves.model_dump_json()))
