"""The simulator: a packet-level model of Linux TCP in virtual time, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dumbbell._core as _core
import dumbbell.cc as cc
from dumbbell.engines.attempt import Attempt
from dumbbell.engines.catalogue import engines_with
from dumbbell.engines.cores import available_cores
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.programs import Program
from dumbbell.errors import EngineFailure
from dumbbell.problem import Problem
from dumbbell.spec.run import Run


class SimEngine:
    """Needs nothing: any operating system, no privileges. The same run gives the same bytes everywhere."""

    name = "sim"
    live = False
    allows_programs = False

    def identity(self) -> str:
        """SHA-256 over the model's sources and the versions of what they use, taken when it was built."""
        return _core.identity()

    def algorithms(self) -> cc.Registry:
        """The algorithms of `crates/cc`."""
        return cc.installed()

    def programs(self, run: Run) -> list[Program]:
        """None: it refuses a workload that is a program."""
        del run
        return []

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """What the model cannot honour: captures, command workloads, and what an algorithm does not know."""
        unknown = list(self._unknown(run))
        reported = {problem.path for problem in unknown}
        others = (Problem(path, message) for path, message in _core.problems(run.to_json()) if path not in reported)
        return [*unknown, *others]

    def ready(self) -> None:
        """Returns at once: a simulation needs nothing of the machine."""

    def slots(self) -> int:
        """One a core that this process may use: a run is one thread's work and frees the interpreter."""
        return available_cores()

    def measure(self, run: Run) -> Measurement:
        """Simulates the run in this thread, without holding the interpreter."""
        return Measurement.from_core(_core.measure(run.to_json()))

    def capture(self, run: Run, folder: Path) -> Measurement:
        """Simulates the run as `measure` does, and writes what would be captured."""
        try:
            return Measurement.from_core(_core.capture(run.to_json(), folder))
        except OSError as error:
            raise EngineFailure(f"a capture could not be written: {error.strerror or error}") from None

    def attempt(self, run: Run, most_s: float) -> Attempt:
        """Simulates the run for so many seconds at most, in this thread."""
        return Attempt(**_core.attempt(run.to_json(), most_s))

    def measurement_json(self, run: Run) -> bytes:
        """The measurement as the core writes it: one line of JSON, the same bytes as in the page of a browser."""
        return _core.measure_json(run.to_json())

    def stop(self) -> None:
        """Nothing: a simulation leaves nothing behind, whenever its process ends."""

    def _unknown(self, run: Run) -> Iterator[Problem]:
        known = self.algorithms()
        unknown = dict.fromkeys(flow.algorithm for flow in run.flows if flow.cc and flow.algorithm not in known)
        hints = {name: self._hint(name) for name in unknown}
        for index, flow in enumerate(run.flows):
            name = flow.algorithm
            if name in hints:
                yield Problem(f"flows[{index}].cc", f'the simulator has no "{name}"', hints[name])

    def _hint(self, name: str) -> str:
        elsewhere = " and ".join(f"the {home} engine" for home in engines_with(name) if home != self.name)
        return f"{elsewhere} {'have' if ' and ' in elsewhere else 'has'} it" if elsewhere else ""
