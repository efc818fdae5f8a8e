from __future__ import annotations

import json

import jsonschema
import pytest
from pydantic import ValidationError

from commandline import ROOT
from dumbbell.comparison.record import Agreement

SCHEMA = ROOT / "tests" / "comparison" / "agreement.schema.json"


def test_the_schema_is_the_one_that_was_published() -> None:
    """Keys may be added, and then this file is written anew; a key that goes or changes is a new `schema`."""
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == Agreement.model_json_schema(mode="serialization")


def test_the_json_is_valid_and_comes_back_as_it_was(agreement: Agreement) -> None:
    text = agreement.model_dump_json()
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(json.loads(text))
    again = Agreement.model_validate_json(text)
    assert again == agreement
    assert again.model_dump_json() == text
    assert json.loads(text)["schema"] == 1


def test_an_agreement_of_another_schema_is_refused(agreement: Agreement) -> None:
    with pytest.raises(ValidationError):
        Agreement.model_validate(json.loads(agreement.model_dump_json()) | {"schema": 2})


def test_numbers_have_six_digits(agreement: Agreement) -> None:
    found = agreement.conditions[0].candidate[0].goodput_bps
    assert found == float(f"{found:.6g}")
