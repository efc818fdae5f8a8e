"""The programs that an engine of real kernels starts for a spec, and as whom: whether it may, the user says."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dumbbell.errors import EngineFailure
from dumbbell.problem import Problem, visible
from dumbbell.spec.flow import Command
from dumbbell.spec.run import Run


@dataclass(frozen=True, slots=True)
class Program:
    """One that an engine would start.

    >>> str(Program("flows[0].workload.command", ("sh", "-c", "echo hi"), "root"))
    "flows[0].workload.command: sh -c 'echo hi', as root"
    """

    path: str
    """The field that names it."""
    arguments: tuple[str, ...]
    user: str
    """As whom it runs, and on what."""

    def __str__(self) -> str:
        return f"{self.path}: {self.command}, as {self.user}"

    @property
    def command(self) -> str:
        """Its arguments as a shell takes them; what does not print is escaped, so that nothing hides."""
        return visible(shlex.join(self.arguments))

    def refusal(self) -> Problem:
        """What is wrong where nobody has allowed it."""
        message = f"starts {self.command}, as {self.user}, which nobody has allowed"
        return Problem(self.path, message, "read it, then say --programs, or programs=True in Python")


def of_run(run: Run, user: Callable[[Command], str]) -> Iterator[Program]:
    """The programs of a run; `user` says as whom an engine starts them."""
    for index, flow in enumerate(run.flows):
        if flow.work.command:
            for end in ("command", "server"):
                if arguments := getattr(flow.work.command, end):
                    yield Program(f"flows[{index}].workload.{end}", arguments, user(flow.work.command))


def check_allowed(programs: Iterable[Program], *, allowed: bool) -> None:
    """Returns where an engine may start programs, or has none to start.

    Raises:
        EngineFailure: nobody has allowed them.
    """
    if not allowed and (refused := [str(each.refusal()) for each in programs]):
        raise EngineFailure("; ".join(refused))
