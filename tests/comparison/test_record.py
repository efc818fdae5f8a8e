from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from commandline import ROOT
from dumbbell.comparison.record import Agreement

DOCS = ROOT / "docs"


def published() -> dict[str, Any]:
    """The schema that was published."""
    path = ROOT / "tests" / "comparison" / "agreement.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def test_the_schema_is_the_one_that_was_published() -> None:
    """Keys may be added, and then its file is written anew; a key that goes or changes is a new `schema`."""
    assert published() == Agreement.model_json_schema(mode="serialization")


def test_every_key_of_agree_json_is_explained() -> None:
    text = (DOCS / "results-format.md").read_text(encoding="utf-8")
    section = text.partition("# What `dumbbell agree --json` prints")[2].partition("\n## ")[0]
    keys = Agreement.model_json_schema(mode="serialization")["properties"]
    assert [key for key in keys if f"`{key}`" not in section] == []


def test_a_record_without_the_keys_that_were_added_since_is_read(agreement: Agreement) -> None:
    text = agreement.model_dump_json()
    old = json.loads(text)
    del old["source"]["file"], old["source"]["stratum"], old["conditions"][0]["digest"], old["bands"][0]["raw"]
    read = Agreement.model_validate(old)
    assert (read.source.file, read.source.stratum, read.conditions[0].digest) == (None, None, "")


def test_the_json_is_valid_and_comes_back_as_it_was(agreement: Agreement) -> None:
    text = agreement.model_dump_json()
    jsonschema.Draft202012Validator(published()).validate(json.loads(text))
    again = Agreement.model_validate_json(text)
    assert again == agreement
    assert again.model_dump_json() == text
    assert json.loads(text)["schema"] == 2


def test_an_agreement_of_another_schema_is_refused(agreement: Agreement) -> None:
    with pytest.raises(ValidationError):
        Agreement.model_validate(json.loads(agreement.model_dump_json()) | {"schema": 1})


def test_numbers_have_six_digits(agreement: Agreement) -> None:
    goodput_bps = agreement.conditions[0].candidate[0].goodput_bps
    assert goodput_bps == float(f"{goodput_bps:.6g}")
