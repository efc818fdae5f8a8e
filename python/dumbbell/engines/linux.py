"""The real Linux TCP stack in virtual time: a kernel that is a process of this machine, and needs no privileges."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dumbbell.cc as cc
from dumbbell.engines import agent, controls, linux_limits, machine, means, outcome, programs
from dumbbell.engines.caller import Caller
from dumbbell.engines.capture_files import all_or_none, with_acks
from dumbbell.engines.catalogue import DEFAULT_KERNEL, engine_name
from dumbbell.engines.cores import available_cores
from dumbbell.engines.guest import CAPTURES, Guests, Left, Order
from dumbbell.engines.identity import hash_of
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.path_check import PathReport
from dumbbell.engines.programs import Program
from dumbbell.engines.resources import MEMORY_STEPS_MB, START_S, limit_s, memory_mb
from dumbbell.errors import EngineFailure
from dumbbell.kernel import find
from dumbbell.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dumbbell.kernel import Kernel
    from dumbbell.spec.run import Run

_SOURCES = ("linux.py", "controls.py", "guest.py", "resources.py")
"""What decides, of this package, what a guest is given."""

_TRANSFER = {"duration": "100 ms", "path": {"rate": "10 Mbit/s", "rtt": "10 ms", "buffer": "1 bdp"}}
"""Of the one congestion control that every kernel has, and of those of which it is to report the version."""


class LinuxEngine:
    """Runs each run in a kernel of its own, whose clock jumps from event to event."""

    live = False
    allows_programs = False

    def __init__(self, kernel: str | Kernel = DEFAULT_KERNEL) -> None:
        """Takes a kernel of this machine, by its name or as it is.

        Raises:
            KernelError: there is none of that name, or it is damaged.
        """
        self._kernel = find(kernel) if isinstance(kernel, str) else kernel
        self._guests = Guests()

    @property
    def name(self) -> str:
        """`linux` for the usual kernel, `linux:NAME` for any other."""
        return engine_name(self._kernel.name)

    def identity(self) -> str:
        """SHA-256 over the kernel's identity, the agent, and how it is started."""
        return hash_of([self._kernel.identity, agent.identity()], _SOURCES)

    def algorithms(self) -> cc.Registry:
        """The congestion controls of the kernel's build."""
        return cc.linux(self._kernel.controls)

    @property
    def versions(self) -> Mapping[str, int]:
        """The version of those of them that have several, by the kernel's names."""
        return self._kernel.versions

    def programs(self, run: Run) -> list[Program]:
        """Those of the run's workloads, as the user who calls, in a guest."""
        user = Caller.find().name
        return list(programs.of_run(run, lambda _: f"{user} in a guest"))

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """What Linux cannot honour, and congestion controls and queue disciplines that this kernel lacks."""
        unknown = controls.problems(run, self._kernel.controls, self._kernel.name)
        kernel = f"this kernel ({self._kernel.name})"
        lacking = means.lacking_queues(run, self._kernel.has_qdisc, kernel, 'the engine netns where Linux has "{}"')
        has_police = partial(self._kernel.has_option, "CONFIG_NET_ACT_POLICE")
        police = means.lacking_policers(run, has_police, kernel, "a kernel of `dumbbell kernel build`")
        ecn = means.lacking_ecn(run, lambda: self._kernel.has_setting("tcp_ecn_option"), kernel)
        return [*unknown, *linux_limits.problems(run), *linux_limits.guest_problems(run), *lacking, *police, *ecn]

    def ready(self) -> None:
        """Boots the kernel, unless it has booted since this machine was started."""
        with suppress(OSError):
            if self._note.read_text(encoding="utf-8") == machine.BOOT_ID.read_text(encoding="utf-8"):
                return
        self.boot()

    def boot(self) -> float:
        """Boots the kernel once, without a job, and gives the seconds that this took.

        Raises:
            EngineFailure: it does not boot.
        """
        began = time.perf_counter()
        self._booted()
        took_s = time.perf_counter() - began
        with suppress(OSError):
            self._note.write_text(machine.BOOT_ID.read_text(encoding="utf-8"), encoding="utf-8")
        return took_s

    def transfer(self) -> None:
        """Builds one network in the kernel, with every setting, and sends over it for a tenth of a second.

        Raises:
            EngineFailure: the kernel lacks what every run needs, or reports another version than its source has.
        """
        from dumbbell.spec import expand, load, resolve  # noqa: PLC0415 (late: a build's only)

        names = ["reno", *(name for name, own in self._kernel.controls.items() if self.versions.get(own))]
        spec = _TRANSFER | {"flows": [{"cc": name} for name in names]}
        for point in expand(load(spec, registry={**cc.known(), **self.algorithms()})):
            self.measure(resolve(point, 1).run)

    def confinement(self) -> str:
        """Boots the kernel once, without a job, and gives what keeps it from writing elsewhere, as a run's facts do.

        Raises:
            EngineFailure: it does not boot.
        """
        return self._booted().confinement

    def slots(self) -> int:
        """One a core: a guest has one processor."""
        return available_cores()

    def measure(self, run: Run) -> Measurement:
        """Carries the run out in a guest."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        return with_acks(run, None, self._measured)

    def capture(self, run: Run, folder: Path) -> Measurement:
        """Carries the run out as `measure` does, and leaves what was captured."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        with all_or_none(folder):
            return with_acks(run, folder, self._measured)

    def probe(self, run: Run, *, reorder_ppb: int = 0) -> PathReport:
        """Has packet trains sent through the run's path; `reorder_ppb` is a fault that tests put into it."""
        return outcome.path_report(self._left(run, {"probe": {"reorder_ppb": reorder_ppb}}).answer)

    def stop(self) -> None:
        self._guests.stop()

    @property
    def _note(self) -> Path:
        """A file beside the kernel: on which machine, since which start, it has booted."""
        return self._kernel.executable.with_name("booted")

    def _measured(self, run: Run, captures: Path | None) -> Measurement:
        left = self._left(run, "measure", captures)
        measured = outcome.measurement(left.answer)
        controls.check_versions(run, measured.facts, self._kernel.name)
        return replace(measured, facts={**measured.facts, "guest": left.confinement})

    def _order(self, job: str, seed: int, memory_mb: int, limit_s: float, captures: Path | None = None) -> Order:
        return Order(
            kernel=self._kernel.executable,
            agent=agent.path(),
            job=job,
            seed=seed,
            memory_mb=memory_mb,
            limit_s=limit_s,
            captures=captures,
        )

    def _booted(self) -> Left:
        return self._guests.outcome(self._order("{}", 0, MEMORY_STEPS_MB[0], START_S))

    def _left(self, run: Run, task: str | dict[str, Any], captures: Path | None = None) -> Left:
        """What the guest of a run left."""
        names = controls.names_of(self._kernel.controls, run)
        memory = memory_mb(run)
        if memory is None or None in names:
            raise EngineFailure("; ".join(map(str, self.unsupported_fields(run))))
        job = {"run": json.loads(run.to_json()), "controls": names, "task": task}
        if any(flow.work.command for flow in run.flows):
            job |= {"folder": str(Path.cwd()), "caller": Caller.find().job()}
        if captures:
            job["captures"] = f"/{CAPTURES}"
        return self._guests.outcome(self._order(json.dumps(job), run.seed, memory, limit_s(run), captures))
