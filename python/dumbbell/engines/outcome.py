"""What an agent wrote at its end: an `Outcome` of `crates/agent/src/job.rs`."""

from __future__ import annotations

import json
from typing import Final

from msgspec.json import Decoder

import dumbbell._core as _core
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.noise import NoiseReport
from dumbbell.engines.path_check import PathReport
from dumbbell.engines.steps import Step
from dumbbell.errors import EngineFailure

_SHOWN = 200
_REPORT: Final = Decoder(PathReport)
_STEPS: Final = Decoder(list[Step])
"""Made while this module is imported, as the reader of runs is (`spec/run.py`)."""


def measurement(answer: bytes) -> Measurement:
    """What a run came to.

    Raises:
        EngineFailure: the agent failed, in its own words; or what it wrote is no such outcome.
    """
    return Measurement.from_core(_core.measurement(_part(answer, "measured")))


def path_report(answer: bytes) -> PathReport:
    """What packet trains saw; raises as `measurement`."""
    return _REPORT.decode(_part(answer, "probed"))


def noise_report(answer: bytes) -> NoiseReport:
    """What the machine's timing did to packets; raises as `measurement`."""
    return NoiseReport.of(json.loads(_part(answer, "noise")))


def steps(answer: bytes) -> list[Step]:
    """What a run would do; raises as `measurement`."""
    return _STEPS.decode(_part(answer, "planned"))


def _part(answer: bytes, wanted: str) -> bytes:
    head = f'{{"{wanted}":'.encode()
    if answer.startswith(head) and answer.rstrip().endswith(b"}"):
        return answer.rstrip()[len(head) : -1]
    return _parsed(answer, wanted)


def _parsed(answer: bytes, wanted: str) -> bytes:
    """The slow way to the same, for an answer that is not written as usual, or is bad news."""
    try:
        parsed = json.loads(answer)
    except (ValueError, RecursionError):
        raise EngineFailure(f"the agent's outcome is cut short or no JSON: {len(answer)} B") from None
    if isinstance(parsed, dict) and wanted in parsed:
        return json.dumps(parsed[wanted]).encode()
    if isinstance(parsed, dict) and "failed" in parsed:
        raise EngineFailure(str(parsed["failed"]))
    raise EngineFailure(f"the agent's outcome is none of a run: {answer[:_SHOWN].decode(errors='replace')}")
