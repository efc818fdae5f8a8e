"""Hosts that SSH reaches, in real time: their own kernels, and between them a path of their own or one that we make."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, Any, Final

import dumbbell.cc as cc
from dumbbell.engines import controls, linux_limits, programs
from dumbbell.engines.capture_files import all_or_none, with_acks
from dumbbell.engines.hosts import assignment, inventory
from dumbbell.engines.hosts.join import believed, joined
from dumbbell.engines.hosts.leader import HostTask, Leader
from dumbbell.engines.hosts.limits import HostLimits
from dumbbell.engines.hosts.reach import filling, reach, shortfalls
from dumbbell.engines.hosts.ssh import Clients
from dumbbell.engines.hosts.survey import HostReport, survey
from dumbbell.engines.identity import hash_of
from dumbbell.engines.live import Feed, Watcher, watched
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.programs import Program
from dumbbell.engines.resources import live_limit_s
from dumbbell.errors import EngineFailure
from dumbbell.problem import Problem
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.hosts.assignment import Assignment
    from dumbbell.spec.run import Run

_SOURCES: Final = ("hosts/engine.py", "hosts/assignment.py", "hosts/join.py", "controls.py")
"""What decides, of this package, what goes to hosts and what is made of their answers."""
_ID_DIGITS: Final = 24
_PORTS: Final = 20_000
"""Of senders (`crates/agent/src/sockets.rs`): runs that follow one another seldom have the same."""
_STOPPED_WITHIN_S: Final = 10


class HostsEngine:
    """Runs one run at a time, in as long as it lasts."""

    live = True
    allows_programs = False

    def __init__(self, file: Path, ssh_config: Path | None = None) -> None:
        """Raises SpecError: there is no such inventory, or something is wrong with it."""
        self.name = "hosts"
        self.watcher: Watcher | None = None
        self.inventory = inventory.read(file)
        self._config = None if ssh_config is None else inventory.ssh_config(ssh_config)
        self._clients = Clients()
        self._leading, self._changed = 0, Condition()

    def identity(self) -> str:
        """SHA-256 over the inventory, and each host's agent and kernel."""
        kernels = [
            f"{each.name} {each.hello.sha256} {each.hello.kernel} {each.hello.architecture}"
            for each in self.reports
            if each.hello is not None
        ]
        return hash_of([self.inventory.model_dump_json(), *kernels], _SOURCES)

    def algorithms(self) -> cc.Registry:
        """The congestion controls that all senders have."""
        return cc.linux(self._controls)

    def programs(self, run: Run) -> list[Program]:
        """Those of the run's workloads, as the SSH user of each host."""
        hosts = self._assigned(run)
        ends = {"command": hosts.senders, "server": hosts.receivers}
        return [
            replace(each, user=f"the SSH user of {ends[each.path.rpartition('.')[2]][_index(each)].name}")
            for each in programs.of_run(run, lambda _: "")
        ]

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """What Linux cannot honour, what these hosts lack, and what only a host that is made could be."""
        wrong = list(assignment.problems(run, self.inventory))
        if wrong:
            return wrong
        unknown = controls.problems(run, self._controls, "that of the senders")
        limits = HostLimits(run, self._assigned(run), {each.name: each for each in self.reports}, self._controls)
        return [*unknown, *linux_limits.problems(run, here=False), *limits.problems()]

    def ready(self) -> None:
        """Returns where every host can be used.

        Raises:
            EngineFailure: one cannot, and why.
        """
        self.reports  # noqa: B018 (looks)

    def slots(self) -> int:
        """One: runs beside one another would disturb each other."""
        return 1

    def measure(self, run: Run) -> Measurement:
        """Has the hosts carry the run out."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        with watched(run, self.watcher) as feed:
            return with_acks(run, None, lambda each, captures: self._measured(each, captures, feed))

    def capture(self, run: Run, folder: Path) -> Measurement:
        """Carries the run out as `measure` does, and brings what was captured."""
        programs.check_allowed(self.programs(run), allowed=self.allows_programs)
        with all_or_none(folder), watched(run, self.watcher) as feed:
            return with_acks(run, folder, lambda each, captures: self._measured(each, captures, feed))

    def shortfalls(self, path: Run) -> tuple[str, ...]:
        """Where these hosts do not carry a path as it asks; empty where nobody of them makes one."""
        if not assignment.makers(self.inventory):
            return ()
        seen = reach(self._measured(filling(path, len(self.inventory.senders)), None, None))
        return tuple(shortfalls(path, seen))

    def stop(self) -> None:
        """Ends the connections, and waits until the threads that measure have had the hosts end what they do."""
        self._clients.stop()
        with self._changed:
            self._changed.wait_for(lambda: not self._leading, timeout=_STOPPED_WITHIN_S)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._changed:
            self._leading += 1
        try:
            yield
        finally:
            with self._changed:
                self._leading -= 1
                self._changed.notify_all()

    @cached_property
    def reports(self) -> list[HostReport]:
        """What each host is like, looked at once.

        Raises:
            EngineFailure: one cannot be used, and why.
        """
        reports = survey(self.inventory, self._config)
        if bad := [f"{each.name}: {'; '.join(each.problems)}" for each in reports if each.problems]:
            raise EngineFailure("\n".join(bad))
        return reports

    @cached_property
    def _controls(self) -> Mapping[str, str]:
        """Algorithm or variant -> its name in the kernels of all senders."""
        names = {each.name for each in self.inventory.senders}
        first, *others = (each.controls for each in self.reports if each.name in names)
        return {name: own for name, own in first.items() if all(other.get(name) == own for other in others)}

    def _assigned(self, run: Run) -> Assignment:
        return assignment.assign(run, self.inventory)

    def _measured(self, run: Run, captures: Path | None, feed: Feed | None) -> Measurement:
        assigned = self._assigned(run)
        names = controls.names_of(self._controls, run)
        if None in names:
            raise EngineFailure("; ".join(map(str, self.unsupported_fields(run))))
        common = {"run": json.loads(run.to_json()), "controls": names, "task": "measure", "machine": "shared"}
        jobs, ports_on = {}, secrets.randbelow(_PORTS)
        for host in assigned.hosts():
            job: dict[str, Any] = {**common, "folder": ".", "part": assigned.part(host, ports_on)}
            if captures is not None:
                job["captures"] = "captures"
            if feed is not None and host in assigned.senders:
                job["live"] = "live"
            jobs[host.name] = job
        task, limit_s = _id(run, self.identity()), live_limit_s(run)
        leader = Leader([HostTask(host, task, self._config, self._clients) for host in assigned.hosts()], limit_s, feed)
        with self._counted():
            parts = leader.run(jobs, run.duration_ns / NS_PER_S, captures)
        seen = {name: believed(name, part.outcome, run) for name, part in parts.items()}
        measured = joined(run, assigned, seen, parts)
        controls.check_versions(run, measured.facts, "that of the sender")
        return measured


def _index(program: Program) -> int:
    """The place of its flow, as its field's path has it: `flows[0].workload.command`."""
    return int(program.path.partition("[")[2].partition("]")[0])


def _id(run: Run, identity: str) -> str:
    """What the run's tasks are called, so that another controller finds them."""
    return hashlib.sha256(run.canonical() + identity.encode()).hexdigest()[:_ID_DIGITS]
