"""What of a run hosts cannot honour: they are as they are, and each has a kernel and interfaces of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dumbbell.engines import controls, line_limits, means
from dumbbell.problem import Problem
from dumbbell.spec.quantity import Bytes

if TYPE_CHECKING:
    from dumbbell.engines.hosts.assignment import Assignment
    from dumbbell.engines.hosts.inventory import InventoryHost
    from dumbbell.engines.hosts.survey import HostReport
    from dumbbell.spec.run import Run

_LINUX_WINDOW: Final = 10
"""Segments of a first window that Linux sends unless a route says otherwise (RFC 6928)."""


@dataclass(frozen=True, slots=True)
class HostLimits:
    """A run, the hosts that it is assigned to, and what they are like."""

    run: Run
    assigned: Assignment
    reports: Mapping[str, HostReport]
    """By the names of hosts."""
    controls: Mapping[str, str]
    """Algorithm or variant -> its name in the kernels of all senders."""

    def problems(self) -> Iterator[Problem]:
        """Every field that they cannot honour."""
        yield from _of_hosts(self.run)
        for host in self.assigned.hosts():
            yield from self._of_interface(host)
        yield from self._of_programs()
        yield from self._of_ecn()
        yield from self._of_captures()
        yield from self._of_lines()
        yield from self._of_path()

    def _of_lines(self) -> Iterator[Problem]:
        """Access lines that the path cannot have: it knows a flow's packets by their receiver's address."""
        receivers = [each.name for each in self.assigned.receivers]
        for index, flow in enumerate(self.run.flows):
            where = f"flows[{index}].access"
            if flow.access is not None and self.assigned.path is None:
                yield Problem(where, "hosts are as they are, and nobody makes the path", "leave it out")
            elif flow.access is not None and receivers.count(receivers[index]) > 1:
                message = f"{receivers[index]} receives other flows, too, and their packets would pass the same line"
                yield Problem(where, message, "as many senders, each with a receiver of its own")

    def _of_path(self) -> Iterator[Problem]:
        """What the kernel lacks of the host that makes the path."""
        path = self.assigned.path
        if path is None:
            for field in line_limits.fields(self.run):
                yield Problem(field, "hosts are as they are, and nobody makes the path", "leave it out")
        description = None if path is None else self.reports[path.name].description
        there = None if description is None else description.means
        if path is None or there is None:
            return
        kernel = f"the kernel of {path.name}"
        yield from means.lacking(self.run, lambda name: getattr(there, name, False), kernel)
        # A sender's path has the delay of the round trip on the way there.
        if self.run.path.offload and self.assigned.passage == "sender" and not there.netem:
            yield Problem(
                "path.offload", means.no_super_packets(kernel), "a router that makes it, or path.offload = false"
            )

    def _of_interface(self, host: InventoryHost) -> Iterator[Problem]:
        """What an interface is not, that the run says it is."""
        description = self.reports[host.name].description
        interfaces = description.interfaces if description is not None else []
        for interface in (each for each in interfaces if each.name == host.interface):
            if interface.mtu_bytes != self.run.path.mtu_bytes:
                there, wanted = Bytes.show(interface.mtu_bytes), Bytes.show(self.run.path.mtu_bytes)
                message = f"{host.interface} of {host.name} has {there}, and the run {wanted}"
                yield Problem("path.mtu", message, "the one that the hosts have")
            if self.run.host.qdisc == "fq" and interface.qdisc != "fq" and host in self.assigned.senders:
                message = f"{host.interface} of {host.name} has {interface.qdisc}, which dumbbell leaves as it is"
                hint = f'host.qdisc = "none", or there `tc qdisc replace dev {host.interface} root fq`'
                yield Problem("host.qdisc", message, hint)

    def _of_programs(self) -> Iterator[Problem]:
        """Programs that a host lacks, or whose algorithm would be another than the run says: that of the host."""
        for index, (flow, sender) in enumerate(zip(self.run.flows, self.assigned.senders, strict=True)):
            for end, host in (("command", sender), ("server", self.assigned.receivers[index])):
                program = (getattr(flow.work.command, end, None) or [""])[0]
                description = self.reports[host.name].description
                if description is not None and description.tools.get(program, program) is None:
                    yield Problem(f"flows[{index}].workload.{end}", f'{host.name} has no program "{program}"')
            description = self.reports[sender.name].description
            wanted = controls.name_in(self.controls, flow.cc) if flow.cc else None
            if flow.work.command is None or description is None or description.default == wanted:
                continue
            message = f'a program on {sender.name} has that of the host, "{description.default}"'
            hint = f"there `sysctl -w net.ipv4.tcp_congestion_control={wanted}`"
            yield Problem(f"flows[{index}].cc", message, hint)

    def _of_ecn(self) -> Iterator[Problem]:
        """Senders that may not offer it."""
        for index, (flow, sender) in enumerate(zip(self.run.flows, self.assigned.senders, strict=True)):
            hello = self.reports[sender.name].hello
            if flow.ecn == "classic" and not (sender.shape and hello is not None and not hello.uid):
                message = f"{sender.name} offers it by a route of its own, which takes root and shape = true there"
                yield Problem(f"flows[{index}].ecn", message, "ecn = false")

    def _of_captures(self) -> Iterator[Problem]:
        """Who may not capture, and what would be captured twice."""
        points = set(self.run.measure.capture_at) if self.run.measure.snap_bytes is not None else set()
        points |= {"senders"} if self.run.measure.record == "acks" else set()
        where = {"senders": self.assigned.senders, "receivers": self.assigned.receivers}
        for point in sorted(points & {*where}):
            names = list(dict.fromkeys(each.name for each in where[point]))
            if len(names) > 1:
                message = f"each of {', '.join(names)} would have one at the {point}"
                yield Problem("measure.record", message, f"one host, or measure.capture_at without {point}")
            for host in where[point][:1]:
                if (hello := self.reports[host.name].hello) is not None and hello.uid:
                    message = f"only root captures, and SSH comes in to {host.name} as user {hello.uid}"
                    yield Problem("measure.record", message, f"as root, or measure.capture_at without {point}")
        if "bottleneck" in points and self.assigned.path is None:
            message = "the bottleneck is none of ours, and nobody can capture there"
            yield Problem("measure.capture_at", message, '["senders", "receivers"]')


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
        if flow.ecn == "accurate":
            yield Problem(f"{where}.ecn", f"{own}, and their setting tcp_ecn is all connections'", "ecn = true")
        if flow.direction != "down":
            yield Problem(f"{where}.direction", "senders of an inventory send down", 'direction = "down"')
        if flow.cc is None:
            yield Problem(f"{where}.workload", "hosts have no datagrams", "the engines sim, linux and netns")
        if flow.work.pages is not None:
            yield Problem(f"{where}.workload", "hosts have no clients yet", "the engines sim, linux and netns")
        if flow.work.command is not None and flow.work.command.user == "root":
            yield Problem(f"{where}.workload.user", "programs run as the SSH user", 'user = "caller"')
