"""The interface of an engine: what `sim` and `linux` both offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from dumbbell.cc import Registry
from dumbbell.engines.measurement import Measurement

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dumbbell.engines.programs import Program
    from dumbbell.problem import Problem
    from dumbbell.spec.run import Run


class Engine(Protocol):
    """Measures runs, and never judges them. Its methods may be called from several threads at once."""

    live: bool
    """Whether it measures in real time, on hosts that have a timing noise of their own."""

    @property
    def name(self) -> str:
        """The name that `--engine` takes."""

    def identity(self) -> str:
        """Hash of everything that decides its bytes, in hexadecimal digits."""

    def algorithms(self) -> Registry:
        """The congestion controls that it has."""

    allows_programs: bool
    """Whether it may start the programs that a spec names: only where the user has said so."""

    def programs(self, run: Run) -> list[Program]:
        """The programs that it would start for the run, and as whom; it starts none unless it `allows_programs`."""

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """Finds every field of the run that it cannot honour, with its path; empty when it can measure the run."""

    def ready(self) -> None:
        """Returns where it can measure on this machine; takes a tenth of a second at most, and once.

        Raises:
            EngineFailure: it cannot, and why.
        """

    def slots(self) -> int:
        """How many runs this machine can measure at once."""

    def measure(self, run: Run) -> Measurement:
        """Measures a run without unsupported fields.

        Raises:
            EngineFailure: it could not finish, with the last of what it said.
        """

    def stop(self) -> None:
        """Ends at once what other threads are measuring, if it can; when it returns, what that had made is gone.

        Their `measure` raises `concurrent.futures.CancelledError` then: no run has failed.
        """


@runtime_checkable
class CapturingEngine(Engine, Protocol):
    """One that can capture what it measures."""

    def capture(self, run: Run, folder: Path) -> Measurement:
        """Measures a run that is to be captured, and leaves files in a folder.

        They are `*.pcapng.zst` for each place, and `*.qlog.zst` for each flow, as the run says.

        Raises:
            EngineFailure: as `measure`, or a file could not be written.
        """


@runtime_checkable
class KernelEngine(Engine, Protocol):
    """One that has the congestion controls of a kernel, of which some may be another version than Linux's own."""

    @property
    def versions(self) -> Mapping[str, int]:
        """The version of those that have several, by the kernel's names; 0: one that is not known."""
