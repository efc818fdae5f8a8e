"""The JSON Schema of a spec: it takes what is right, and of what is wrong all that it can express."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from commandline import ROOT
from dumbbell.spec import Experiment, SpecError
from dumbbell.spec.keys import schema
from specs import smallest

SCHEMA = json.loads(schema())
SPECS = [*ROOT.glob("examples/*.toml"), *ROOT.glob("python/dumbbell/studies/*/*.toml")]
WRONG: dict[str, list[Any]] = {
    "path": [3, {"rate": "80 Mbit/s"}],
    "path.rate": ["80 mbps", "80", 5, "80 MB/s", "-80 Mbit/s", "NaN bit/s"],
    "path.rtt": ["25", "25 m"],
    "path.buffer": ["100 kb", 100, "infinite", []],
    "path.mtu": [100, 10**6, "1500", 1500.5, True],
    "path.jitter": [0, "none at all"],
    "path.offload": [1],
    "path.queue": ["byte"],
    "path.rat": ["1 Mbit/s"],
    "duration": [60, "until dawn"],
    "seeds": [0, 10**9, "3", [1, -1], [1, 2, 1], [1.5], []],
    "name": ["", 3],
    "flows": [[], {"cc": "bbr"}, [3], [{}]],
    "measure": [{"window": ["1 s"]}, {"window": ["1 s", "2 s", "3 s"]}, {"record": "all"}],
}


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_example_and_every_studys_spec_is_taken() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    taken = 0
    for file in SPECS:
        fields = tomllib.loads(file.read_text(encoding="utf-8"))
        if {"path", "flows", "duration"} <= fields.keys():
            assert not [error.message[:200] for error in validator.iter_errors(fields)], file
            taken += 1
    assert taken > 100


@pytest.mark.parametrize(("path", "values"), WRONG.items(), ids=WRONG)
def test_what_it_can_express_it_refuses(path: str, values: list[Any]) -> None:
    *tables, key = path.split(".")
    for value in values:
        fields = smallest()
        (fields[tables[0]] if tables else fields)[key] = value
        with pytest.raises(SpecError):
            Experiment(**fields)
        assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(fields)), value
