"""Hosts that SSH reaches, in real time: their own kernels, and between them a path of their own or one that we make."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, Any, Final

import dumbbell.cc as cc
from dumbbell.engines import controls, linux_limits, outcome, programs
from dumbbell.engines.capture_files import all_or_none, with_acks
from dumbbell.engines.hosts import assignment, inventory
from dumbbell.engines.hosts.join import joined
from dumbbell.engines.hosts.leader import HostTask, Leader
from dumbbell.engines.hosts.reach import filling, reach, shortfalls
from dumbbell.engines.hosts.ssh import Clients
from dumbbell.engines.hosts.survey import HostReport, survey
from dumbbell.engines.identity import hash_of
from dumbbell.engines.live import Feed, Watcher, watched
from dumbbell.engines.measurement import FlowSeries, Measurement, QueueSeries
from dumbbell.engines.programs import Program
from dumbbell.engines.resources import live_limit_s
from dumbbell.errors import EngineFailure
from dumbbell.problem import Problem, visible
from dumbbell.spec.quantity import Bytes
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.hosts.assignment import Assignment
    from dumbbell.engines.hosts.inventory import InventoryHost
    from dumbbell.spec.run import Run

_SOURCES: Final = ("hosts/engine.py", "hosts/assignment.py", "hosts/join.py", "controls.py")
"""What decides, of this package, what hosts are told and what is made of what they say."""
_ID_DIGITS: Final = 24
_PORTS: Final = 20_000
"""Of senders (`crates/agent/src/sockets.rs`): runs that follow one another seldom have the same."""
_LONGEST_LINE: Final = 300
_MOST_LINES: Final = 20
"""Of what a host says where it failed."""
_STOPPED_WITHIN_S: Final = 10
_LINUX_WINDOW: Final = 10
"""Segments of a first window that Linux sends unless a route says otherwise (RFC 6928)."""


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
        """Those of the run's workloads, as whoever SSH comes in as."""
        hosts = self._assigned(run)
        ends = {"command": hosts.senders, "server": hosts.receivers}
        return [
            replace(each, user=f"whom SSH comes in as on {ends[each.path.rpartition('.')[2]][_index(each)].name}")
            for each in programs.of_run(run, lambda _: "")
        ]

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """What Linux cannot honour, what these hosts lack, and what only a host that is made could be told."""
        wrong = list(assignment.problems(run, self.inventory))
        if wrong:
            return wrong
        unknown = controls.problems(run, self._controls, "that of the senders")
        return [*unknown, *linux_limits.problems(run, here=False), *self._lacking(run)]

    def ready(self) -> None:
        """Returns where every host can be used.

        Raises:
            EngineFailure: one cannot, and why.
        """
        self._reports  # noqa: B018 (asks)

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
        """Ends the connections, and waits until whoever measures by them has had the hosts end what they do."""
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

    @property
    def reports(self) -> list[HostReport]:
        """What each host is like, asked once.

        Raises:
            EngineFailure: one cannot be used, and why.
        """
        return self._reports

    @cached_property
    def _reports(self) -> list[HostReport]:
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

    def _report(self, host: InventoryHost) -> HostReport:
        return next(each for each in self.reports if each.name == host.name)

    def _assigned(self, run: Run) -> Assignment:
        return assignment.assign(run, self.inventory)

    def _lacking(self, run: Run) -> Iterator[Problem]:
        yield from _of_hosts(run)
        assigned = self._assigned(run)
        for host in assigned.hosts():
            yield from self._of_host(run, host)
        yield from self._of_programs(run, assigned)
        yield from self._of_captures(run, assigned)
        if assigned.path is None:
            return
        means = self._report(assigned.path).description
        has = None if means is None else means.means
        for where, queue in run.path.queues.items():
            if has is not None and queue.shaper == "htb" and not has.htb:
                yield Problem(f"{where}.shaper", f'the kernel of {assigned.path.name} has no "htb"', 'shaper = "tbf"')
        if has is not None and run.path.shaper_at == "receiver" and not has.ifb:
            message = f'the kernel of {assigned.path.name} has no "ifb", or none of ingress, u32 and mirred'
            yield Problem("path.shaper_at", message, 'shaper_at = "router"')
        # A sender's path has the delay of the round trip on the way there.
        is_relayed = assigned.passage == "sender" or any(flow.forward_delay_ns for flow in run.flows)
        if run.path.offload and is_relayed and has is not None and not has.netem:
            message = (
                f"the kernel of {assigned.path.name} has no netem, and the relay in its place takes no super-packets"
            )
            yield Problem("path.offload", message, 'path.delay_side = "return" and a router, or path.offload = false')

    def _of_host(self, run: Run, host: InventoryHost) -> Iterator[Problem]:
        """What an interface is not, that the run says it is."""
        description = self._report(host).description
        interfaces = description.interfaces if description is not None else []
        for interface in (each for each in interfaces if each.name == host.interface):
            if interface.mtu_bytes != run.path.mtu_bytes:
                there, wanted = Bytes.show(interface.mtu_bytes), Bytes.show(run.path.mtu_bytes)
                message = f"{host.interface} of {host.name} has {there}, and the run {wanted}"
                yield Problem("path.mtu", message, "the one that the hosts have")
            if run.host.qdisc == "fq" and interface.qdisc != "fq" and host in self.inventory.senders:
                message = f"{host.interface} of {host.name} has {interface.qdisc}, which dumbbell leaves as it is"
                hint = f'host.qdisc = "none", or there `tc qdisc replace dev {host.interface} root fq`'
                yield Problem("host.qdisc", message, hint)

    def _of_programs(self, run: Run, assigned: Assignment) -> Iterator[Problem]:
        """Programs that a host lacks, or whose algorithm would be another than the run says: that of the host."""
        for index, (flow, sender) in enumerate(zip(run.flows, assigned.senders, strict=True)):
            for end, host in (("command", sender), ("server", assigned.receivers[index])):
                program = (getattr(flow.work.command, end, None) or [""])[0]
                description = self._report(host).description
                if description is not None and description.tools.get(program, program) is None:
                    yield Problem(f"flows[{index}].workload.{end}", f'{host.name} has no program "{program}"')
            description = self._report(sender).description
            wanted = controls.name_in(self._controls, flow.cc)
            if flow.work.command is None or description is None or description.default == wanted:
                continue
            message = f'a program on {sender.name} has that of the host, "{description.default}"'
            hint = f"there `sysctl -w net.ipv4.tcp_congestion_control={wanted}`"
            yield Problem(f"flows[{index}].cc", message, hint)

    def _of_captures(self, run: Run, assigned: Assignment) -> Iterator[Problem]:
        """Who may not capture, and what would be captured twice."""
        points = set(run.measure.capture_at) if run.measure.snap_bytes is not None else set()
        points |= {"senders"} if run.measure.record == "acks" else set()
        where = {"senders": assigned.senders, "receivers": assigned.receivers}
        for point in sorted(points & {*where}):
            names = list(dict.fromkeys(each.name for each in where[point]))
            if len(names) > 1:
                message = f"each of {', '.join(names)} would have one at the {point}"
                yield Problem("measure.record", message, f"one host, or measure.capture_at without {point}")
            for host in where[point][:1]:
                if (hello := self._report(host).hello) is not None and hello.uid:
                    message = f"only root captures, and SSH comes in to {host.name} as user {hello.uid}"
                    yield Problem("measure.record", message, f"as root, or measure.capture_at without {point}")
        if "bottleneck" in points and assigned.path is None:
            message = "the bottleneck is none of ours, and nobody can capture there"
            yield Problem("measure.capture_at", message, '["senders", "receivers"]')

    def _measured(self, run: Run, captures: Path | None, feed: Feed | None) -> Measurement:
        assigned = self._assigned(run)
        names = [controls.name_in(self._controls, flow.cc) for flow in run.flows]
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
        seen = {name: _seen(name, part.outcome, run) for name, part in parts.items()}
        return joined(run, assigned, seen, parts)


def _seen(host: str, answer: bytes, run: Run) -> Measurement:
    """What a host has measured; it is believed to be one of this run, and no more."""
    try:
        measurement = outcome.measurement(answer)
    except EngineFailure as failure:
        lines = [visible(line)[:_LONGEST_LINE] for line in str(failure).splitlines()[:_MOST_LINES]]
        raise EngineFailure(f"{host}: measure: " + "\n".join(lines)) from None
    series: list[FlowSeries | QueueSeries] = [flow.series for flow in measurement.flows]
    series.extend(queue.series for queue in (measurement.bottleneck, *(hop.queue for hop in measurement.hops)))
    queues = len(run.path.queues)
    if (
        len(measurement.flows) != len(run.flows)
        or len(measurement.hops) != (queues if queues > 1 else 0)
        or not all(map(_is_even, series))
    ):
        raise EngineFailure(f"{host}: measure: what it left is no measurement of this run")
    return measurement


def _is_even(series: FlowSeries | QueueSeries) -> bool:
    """Whether its columns have one length, or are empty as those of a summary."""
    lengths = {len(getattr(series, each.name)) for each in fields(series)}
    return lengths <= {0, len(series.at_ns)}


def _index(program: Program) -> int:
    """The place of its flow, as its field's path has it: `flows[0].workload.command`."""
    return int(program.path.partition("[")[2].partition("]")[0])


def _of_hosts(run: Run) -> Iterator[Problem]:
    """What a run says of hosts that are made for it, and others have as they are."""
    own, host = "hosts are as they are", run.host
    window = f"host.initial_window = {_LINUX_WINDOW}"
    memory = host.socket_memory not in {"max", "default"}
    for wrong, path, message, hint in (
        (run.path.jitter_ns, "path.jitter", f"{own}: their timing noise is their own", 'path.jitter = "none"'),
        (host.gro, "host.gro", own, "host.gro = false"),
        (host.ack_aggregation_ns, "host.ack_aggregation", own, "leave it out"),
        (host.initial_window_segments != _LINUX_WINDOW, "host.initial_window", own, window),
        (memory, "host.socket_memory", own, 'host.socket_memory = "default"'),
        (not host.sack_compression, "host.sack_compression", own, "host.sack_compression = true"),
        (run.measure.ss_ns, "measure.ss", "it would show connections of others", "leave it out"),
    ):
        if wrong:
            yield Problem(path, message, hint)
    for index, flow in enumerate(run.flows):
        where = f"flows[{index}]"
        if flow.access is not None:
            yield Problem(f"{where}.access", f"{own}: their lines are their own", "leave it out")
        if flow.direction != "down":
            yield Problem(f"{where}.direction", "senders of an inventory send down", 'direction = "down"')
        if flow.work.command is not None and flow.work.command.user == "root":
            yield Problem(f"{where}.workload.user", "programs run as whoever SSH comes in as", 'user = "caller"')


def _id(run: Run, identity: str) -> str:
    """What the run's tasks are called, so that another controller finds them."""
    return hashlib.sha256(run.canonical() + identity.encode()).hexdigest()[:_ID_DIGITS]
