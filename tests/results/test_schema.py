from __future__ import annotations

import json
import math
from dataclasses import fields

import jsonschema
import pytest
from pydantic import ValidationError

from commandline import ROOT
from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines.measurement import Measurement, Program, ProgramEnd
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.metrics.programs.report import ProgramSummary
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary, HopSummary
from dumbbell.results.schema import RESULT, FailedRun, Result, json_schema
from dumbbell.spec import Run
from measured import flow, flow_counters, measurement, queue, queue_counters
from specs import resolved

PUBLISHED = ROOT / "docs" / "result.schema.json"
SUMMARIES = (FlowSummary, BottleneckSummary, HopSummary, GroupSummary, ProgramSummary)
FORMAT = ROOT / "docs" / "results-format.md"


class Stub(SimEngine):
    """An engine that gives what it was given."""

    def __init__(self, answer: Measurement | EngineFailure) -> None:
        self.answer = answer

    def measure(self, run: Run) -> Measurement:
        if isinstance(self.answer, EngineFailure):
            raise self.answer
        return self.answer


def outcome(answer: Measurement | EngineFailure) -> Result | FailedRun:
    return execute(Planned({"path.buffer": "1 bdp"}, resolved()), Stub(answer), "0")[0]


EMPTY = outcome(
    measurement(flow(begin=flow_counters(0), end=flow_counters(0)), bottleneck=queue(end=queue_counters(0)), ended_s=0)
)
FULL = outcome(measurement(flow(end=flow_counters(10, delivered_bytes=1_000, segments_sent=3))))
CLIENT = ProgramEnd(
    argv=["./client", "10.1.0.2:5001"], began_ns=0, ended_ns=None, status=None, stdout="12 Mbit/s\n", stderr=""
)
PROGRAM = outcome(measurement(flow(end=flow_counters(10), program=Program(client=CLIENT, server=None))))
FAILED = outcome(EngineFailure("a bug"))


def test_the_published_schema_is_that_of_the_model() -> None:
    """To renew it: `python -m dumbbell.results.schema > docs/result.schema.json`."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json_schema()


@pytest.mark.parametrize("result", [EMPTY, FULL, PROGRAM, FAILED], ids=["empty", "full", "program", "failed"])
def test_a_result_conforms_to_the_schema_and_can_be_read_again(result: Result | FailedRun) -> None:
    text = result.model_dump_json()
    assert "NaN" not in text
    assert "Infinity" not in text
    jsonschema.Draft202012Validator(json_schema()).validate(json.loads(text))
    assert RESULT.validate_json(text) == result


def test_a_flow_has_what_its_program_said_and_null_where_there_is_none() -> None:
    assert isinstance(PROGRAM, Result)
    assert json.loads(FULL.model_dump_json())["flows"][0]["program"] is None
    program = json.loads(PROGRAM.model_dump_json())["flows"][0]["program"]
    assert {key: value for key, value in program.items() if value is not None} == {
        "command": ["./client", "10.1.0.2:5001"], "took_s": 10.0, "output": "12 Mbit/s\n",
    }  # fmt: skip


def test_the_keys_and_their_order() -> None:
    head = ["schema", "run_id", "engine", "seed", "status", "point"]
    measured = ["window_s", "flows", "bottleneck", "hops", "groups", "jain", "wall_s", "warnings", "validity"]
    assert list(json.loads(FULL.model_dump_json())) == head + measured
    assert list(json.loads(FAILED.model_dump_json())) == [*head, "error", "wall_s"]


def test_every_key_is_explained() -> None:
    text = FORMAT.read_text(encoding="utf-8")
    keys = [field.alias or name for model in (Result, FailedRun) for name, field in model.model_fields.items()]
    keys += [each.name for part in SUMMARIES for each in fields(part)]
    assert len(keys) > 40
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValidationError, match="finite"):
        RESULT.validate_python(FULL.model_dump(by_alias=True) | {"jain": math.nan})


def test_a_run_is_named_by_all_that_decides_its_bytes() -> None:
    runs = [resolved(seeds=[seed]) for seed in (1, 2)]
    ids = {run.id(engine, identity) for run in runs for engine in "ab" for identity in "ab"}
    assert len(ids) == 8
    assert all(len(each) == 16 for each in ids)
