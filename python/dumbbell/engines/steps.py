"""The steps by which a live engine sets a run up, so that they can be read before anything is touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from dumbbell.engines.protocol import Engine
from dumbbell.spec.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that is done on one host: `Step` of `crates/agent/src/job.rs`."""

    host: str
    what: str
    command: tuple[str, ...]
    """The same by a tool, as a list of arguments; the agent itself asks the kernel without one."""


@runtime_checkable
class PlanningEngine(Engine, Protocol):
    """An engine that can tell what it does, step by step."""

    def plan(self, run: Run) -> Sequence[Step]:
        """The steps of a run, in order. Nothing is built, and no privileges are needed.

        Raises:
            EngineFailure: they could not be told.
        """
