"""The simulator: a packet-level model of Linux TCP in virtual time, in this process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dumbbell import _core
from dumbbell.engines.measurement import Measurement
from dumbbell.spec.problem import Problem

if TYPE_CHECKING:
    from dumbbell.spec.run import Run


class SimEngine:
    """Needs nothing: any operating system, no privileges. The same run gives the same bytes everywhere."""

    name = "sim"

    def identity(self) -> str:
        """SHA-256 over the model's sources and the versions of what they use, taken when it was built."""
        return _core.identity()

    def refuses(self, run: Run) -> list[Problem]:
        """What the model cannot honour: captures, command workloads, and what an algorithm does not know."""
        return [Problem(path, message) for path, message in _core.problems(run.to_json())]

    def slots(self) -> int:
        """One a core that this process may use: a run is one thread's work and frees the interpreter."""
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def measure(self, run: Run) -> Measurement:
        """Simulates the run."""
        return Measurement.from_core(_core.measure(run.to_json()))
