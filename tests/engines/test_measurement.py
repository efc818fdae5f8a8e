"""What another process measured, as this one reads it."""

from __future__ import annotations

import dumbbell._core as _core
from dumbbell.engines.measurement import Measurement, Program, ProgramEnd
from measured import SECOND, flow, measurement, written

SERVER = ProgramEnd(argv=["iperf3", "-s"], began_ns=0, ended_ns=None, status=None, stdout="{}", stderr="")
CLIENT = ProgramEnd(
    argv=["iperf3", "-c", "10.1.0.2"], began_ns=SECOND, ended_ns=3 * SECOND, status=0, stdout='{"é": 1}',
    stderr="two\nlines",
)  # fmt: skip


def test_a_flow_has_both_ends_of_its_program_or_none() -> None:
    programs = [Program(client=CLIENT, server=SERVER), Program(client=CLIENT, server=None), None]
    text = written(measurement(*(flow(program=program) for program in programs)))
    parsed = Measurement.from_core(_core.measurement(text))
    assert [each.program for each in parsed.flows] == programs
    assert text.count(b'"program"') == 2
