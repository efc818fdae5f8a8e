"""Records of checks and of single flows, as they were published."""

from __future__ import annotations

import json

import jsonschema
import pytest

from commandline import ROOT
from dev.checks.record import Checks
from dev.curves.record import Curves
from dev.validation.plan import load_plan
from dev.validation.records import recorded_of


@pytest.mark.parametrize("of", [Checks, Curves])
def test_the_schema_is_the_one_that_was_published_and_explained_and_the_record_is_of_it(
    of: type[Checks | Curves],
) -> None:
    """Keys may be added, and then its file is written anew; a key that goes or changes is a new `schema`."""
    schema = of.model_json_schema(mode="serialization")
    name = of.__name__.lower()
    assert json.loads((ROOT / "tests" / "dev" / f"{name}.schema.json").read_text(encoding="utf-8")) == schema
    pages = ("dev/README.md", "docs/results-format.md")
    explained = "".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    assert [key for key in schema["properties"] if f"`{key}`" not in explained] == []
    (part,) = load_plan().only([name]).parts
    record = recorded_of(part, ROOT / "docs")
    assert isinstance(record, of)
    jsonschema.Draft202012Validator(schema).validate(json.loads(record.model_dump_json()))
