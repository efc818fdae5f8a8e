"""This machine's own kernel in real time: hosts are network namespaces, the path is queueing disciplines; needs root.

Nothing outside of the namespaces is touched. They have no names, and are gone with the agent's process that made them;
the agent is killed when its controlling thread ends, and a lease tells `dumbbell doctor --clean` what a crash left.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dumbbell.cc as cc
from dumbbell.engines import agent, controls, lease, linux_limits, machine, means, outcome, programs, scratch
from dumbbell.engines.caller import Caller
from dumbbell.engines.capture_files import all_or_none, with_acks
from dumbbell.engines.identity import hash_of
from dumbbell.engines.live import Feed, Watcher, tailed, watched
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.noise import NoiseReport
from dumbbell.engines.path_check import PathReport
from dumbbell.engines.process import Process, Processes, Start
from dumbbell.engines.programs import Program
from dumbbell.engines.resources import live_limit_s
from dumbbell.engines.steps import Step
from dumbbell.errors import EngineFailure
from dumbbell.problem import Problem

if TYPE_CHECKING:
    from dumbbell.spec.run import Run

_SOURCES = ("netns.py", "controls.py")
"""What decides, of this package, what the agent is told."""
_ID_DIGITS = 12


class NetnsEngine:
    """Runs one run at a time, in as long as it lasts."""

    name = "netns"
    live = True
    allows_programs = False

    def __init__(self) -> None:
        self._processes = Processes("the agent's process")
        self.watcher: Watcher | None = None

    def identity(self) -> str:
        """SHA-256 over the agent, the kernel, its queueing disciplines, and the machine.

        Raises:
            EngineFailure: this process may not look at them.
        """
        means = json.dumps(self._means, sort_keys=True)
        return hash_of([agent.identity(), means, *machine.description()], _SOURCES)

    def algorithms(self) -> cc.Registry:
        """The congestion controls of this machine's kernel and its modules."""
        return cc.linux(self._controls)

    @property
    def versions(self) -> Mapping[str, int]:
        """The version of those of them that say one, by the kernel's names."""
        return machine.versions()

    def programs(self, run: Run) -> list[Program]:
        """Those of the run's workloads, as the user who calls, or as root where the spec says so."""
        user = Caller.find().name
        return list(programs.of_run(run, lambda each: f"{'root' if each.user == 'root' else user} on this machine"))

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """What Linux cannot honour, and what this machine's kernel lacks: congestion controls, disciplines."""
        unknown = controls.problems(run, self._controls, machine.release())
        return [*unknown, *linux_limits.problems(run), *self._lacking(run)]

    def ready(self) -> None:
        """Returns where the namespaces and all that a path needs can be made.

        Raises:
            EngineFailure: without root, and where the kernel has neither netem nor what stands in for it.
        """
        means = self._means
        if not means.get("tbf"):
            raise EngineFailure("this kernel has no tbf, and so no bottleneck; `modprobe sch_tbf` helps")
        if not (means.get("netem") and means.get("loss")) and not machine.TUN.exists():
            message = f"this kernel has no netem or no prio, and the relay that stands in for them needs {machine.TUN}"
            raise EngineFailure(f"{message}; `modprobe tun` helps")

    def slots(self) -> int:
        """One: runs beside one another would disturb each other."""
        return 1

    def measure(self, run: Run) -> Measurement:
        """Carries the run out in namespaces of its own."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        return self._watched(run, None)

    def capture(self, run: Run, folder: Path) -> Measurement:
        """Carries the run out as `measure` does, and leaves what was captured."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        with all_or_none(folder):
            return self._watched(run, folder)

    def probe(self, run: Run, *, reorder_ppb: int = 0) -> PathReport:
        """Has packet trains sent through the run's path; `reorder_ppb` is a fault that tests put into it."""
        return outcome.path_report(self._run_task(run, {"probe": {"reorder_ppb": reorder_ppb}}))

    def noise(self, run: Run) -> NoiseReport:
        """Carries the run out, and tells what the machine's timing did to packets on its path."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        return outcome.noise_report(self._run_task(run, "noise"))

    def plan(self, run: Run) -> list[Step]:
        """The steps by which the agent sets the run up, in order; nothing is done, and root is not needed."""
        with self._processes.process() as process, scratch.folder() as folder:
            return outcome.steps(self._answer(process, folder, run, {"task": {"plan": {"id": _id(run)}}}))

    def stop(self) -> None:
        """Kills the agent, and with it its namespaces and all that runs in them."""
        self._processes.stop()

    @cached_property
    def _controls(self) -> Mapping[str, str]:
        return machine.controls()

    @cached_property
    def _means(self) -> Mapping[str, bool]:
        return machine.means(agent.path())

    def _has(self, discipline: str) -> bool:
        """Whether the kernel has it; where that cannot be found out, nothing is refused: `ready` says what is wrong."""
        try:
            return self._means.get(discipline, False)
        except EngineFailure:
            return True

    def _lacking(self, run: Run) -> Iterator[Problem]:
        if run.host.qdisc == "fq" and not self._has("fq"):
            yield Problem("host.qdisc", 'this kernel has no "fq"', 'host.qdisc = "none", or `modprobe sch_fq`')
        yield from means.lacking(run, self._has, "this kernel")
        if run.path.offload and run.path.jitter_ns and not self._has("netem"):
            hint = 'path.jitter = "none", or path.offload = false'
            yield Problem("path.jitter", means.no_super_packets("this kernel"), hint)

    def _watched(self, run: Run, folder: Path | None) -> Measurement:
        with watched(run, self.watcher) as feed:
            return with_acks(run, folder, partial(self._measured, feed=feed))

    def _measured(self, run: Run, captures: Path | None, feed: Feed | None) -> Measurement:
        measured = outcome.measurement(self._run_task(run, "measure", captures, feed))
        controls.check_versions(run, measured.facts, machine.release())
        return measured

    def _run_task(
        self, run: Run, task: str | dict[str, Any], captures: Path | None = None, feed: Feed | None = None
    ) -> bytes:
        """What the agent wrote of a task that makes something on this machine."""
        with (
            self._processes.process() as process,
            scratch.folder() as folder,
            lease.hold(_id(run), folder) as active_lease,
            tailed(folder / "live.jsonl", feed) as watch,
        ):
            more = {"captures": str(captures.absolute())} if captures else {}
            return self._answer(process, folder, run, {"task": task, **more, **watch}, active_lease.begun)

    def _answer(
        self, process: Process, folder: Path, run: Run, fields: Mapping[str, Any],
        begun: Callable[[int], None] = lambda _: None,
    ) -> bytes:  # fmt: skip
        """What the agent wrote of a task, in a folder of its own; `fields` of the job are the task and what it takes.

        Raises:
            EngineFailure: it could not be started, or came to no good end; the step is named.
            CancelledError: another thread stopped it.
        """
        names = controls.names_of(self._controls, run)
        if None in names:
            raise EngineFailure("; ".join(map(str, self.unsupported_fields(run))))
        job = {
            "run": json.loads(run.to_json()), "controls": names, **fields, "machine": "shared",
            "controller": os.getpid(), "folder": str(Path.cwd()),
        }  # fmt: skip
        caller = Caller.find()
        if caller.uid:
            job["caller"] = caller.job()
        console = folder / "console.log"
        start = Start(
            command=[os.fspath(agent.path()), "run", "job.json", "outcome.json"],
            folder=folder,
            environment={"PATH": os.environ.get("PATH", os.defpath), "HOME": os.fspath(folder), "LC_ALL": "C"},
            console=console,
            limit_s=live_limit_s(run),
        )
        try:
            (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        except OSError as error:
            raise EngineFailure(f"write the job: {scratch.describe_error(error)}") from None
        try:
            process.run(start, begun)
        except OSError as error:
            raise EngineFailure(f"start the agent: {scratch.describe_error(error)}") from None
        except EngineFailure as failure:
            task = fields["task"]
            step = task if isinstance(task, str) else next(iter(task))
            raise EngineFailure(f"{step}: {failure}") from None
        try:
            return (folder / "outcome.json").read_bytes()
        except OSError as error:
            raise process.failure(f"read the outcome: the agent left none: {error.strerror}", console) from None


def _id(run: Run) -> str:
    """What a run's lease and its namespaces are called by."""
    return hashlib.sha256(run.canonical()).hexdigest()[:_ID_DIGITS]
