"""What another process measured, as this one reads it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import dumbbell._core as _core
from dumbbell.engines.measurement import Measurement, Program, ProgramEnd
from measured import SECOND, flow, measurement

SERVER = ProgramEnd(argv=["iperf3", "-s"], began_ns=0, ended_ns=None, status=None, stdout="{}", stderr="")
CLIENT = ProgramEnd(
    argv=["iperf3", "-c", "10.1.0.2"], began_ns=SECOND, ended_ns=3 * SECOND, status=0, stdout='{"é": 1}',
    stderr="two\nlines",
)  # fmt: skip


def written(measured: Measurement) -> bytes:
    """The JSON that the agent writes: a flow says nothing of what it has not, and ACKs are rows."""
    fields: dict[str, Any] = asdict(measured)
    for each in fields["flows"]:
        del each["transfers"]
        if each["program"] is None:
            del each["program"]
        each["acks"] = []
    return json.dumps(fields, default=lambda column: column.tolist()).encode()


def test_a_flow_has_both_ends_of_its_program_or_none() -> None:
    programs = [Program(client=CLIENT, server=SERVER), Program(client=CLIENT, server=None), None]
    text = written(measurement(*(flow(program=program) for program in programs)))
    parsed = Measurement.from_core(_core.measurement(text))
    assert [each.program for each in parsed.flows] == programs
    assert text.count(b'"program"') == 2
