"""What an agent wrote at its end: an `Outcome` of `crates/agent/src/job.rs`."""

from __future__ import annotations

import json

from dumbbell.errors import EngineFailure

_SHOWN = 200


def part(answer: bytes, wanted: str) -> bytes:
    """The part of an outcome that is wanted, as JSON.

    Raises:
        EngineFailure: the agent failed, in its own words; or what it wrote is no such outcome.
    """
    head = f'{{"{wanted}":'.encode()
    if answer.startswith(head) and answer.rstrip().endswith(b"}"):
        return answer.rstrip()[len(head) : -1]
    return _parsed(answer, wanted)


def _parsed(answer: bytes, wanted: str) -> bytes:
    """The slow way to the same, for an answer that is not written as usual, or is bad news."""
    try:
        words = json.loads(answer)
    except ValueError:
        raise EngineFailure(f"the agent's outcome is cut short or no JSON: {len(answer)} B") from None
    if isinstance(words, dict) and wanted in words:
        return json.dumps(words[wanted]).encode()
    if isinstance(words, dict) and "failed" in words:
        raise EngineFailure(str(words["failed"]))
    raise EngineFailure(f"the agent's outcome is none of a run: {answer[:_SHOWN].decode(errors='replace')}")
