"""What the hosts of an inventory are like, all looked at at once, and what is wrong with each."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dumbbell.cc as cc
from dumbbell.engines.hosts.answer import Description, Hello
from dumbbell.engines.hosts.clock import ClockOffset, clock_offset
from dumbbell.engines.hosts.connection import HostConnection
from dumbbell.engines.hosts.failure import HostFailure
from dumbbell.engines.hosts.inventory import Inventory, InventoryHost, Receiver, Role, Router, Sender
from dumbbell.engines.hosts.ssh import Clients, Patience
from dumbbell.kernel import congestion


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReport:
    """A host of an inventory."""

    name: str
    role: Role
    ssh: str
    """Its destination."""
    problems: tuple[str, ...]
    """Why it is not usable, each with its step or field; none: it is."""
    copied: bool = False
    """Whether the agent had to be brought there."""
    hello: Hello | None = None
    """None: no agent answers."""
    description: Description | None = None
    clock: ClockOffset | None = None
    """How far its clocks are ahead of this machine's."""

    @property
    def controls(self) -> dict[str, str]:
        """Its congestion controls -> the kernel's name of each, as `machine.controls`."""
        if self.description is None:
            return {}
        return congestion.controls({*self.description.available, *self.description.loadable}, cc.variants())


def survey(inventory: Inventory, config: str | None = None, patience: Patience | None = None) -> list[HostReport]:
    """Looks at all hosts at once, in the inventory's order. Nothing there is changed, but the agent is copied there.

    `config` is the path of an ssh_config in place of the user's.

    Where an interface may be shaped, its kernel may load modules to find out by what.
    """
    clients, hosts = Clients(), list(inventory.hosts())
    with ThreadPoolExecutor(len(hosts)) as pool:
        try:
            looks = [pool.submit(_look, role, host, config, clients, patience) for role, host in hosts]
            return [each.result() for each in looks]
        finally:
            clients.stop()  # of an interrupted survey


def _look(
    role: Role, host: InventoryHost, config: str | None, clients: Clients, patience: Patience | None
) -> HostReport:
    copied, hello, description, clock = False, None, None, None
    try:
        with HostConnection(host, config, clients, patience or Patience()) as connection:
            copied, hello = connection.copied, connection.hello
            description = connection.describe(means=host.shape)
            clock = clock_offset(connection)
        problems = tuple(_problems(host, hello, description))
    except HostFailure as failure:
        problems = (f"{failure.step}: {failure.why}",)
    return HostReport(
        name=host.name, role=role, ssh=host.ssh, problems=problems, copied=copied, hello=hello,
        description=description, clock=clock,
    )  # fmt: skip


def _problems(host: InventoryHost, hello: Hello, description: Description) -> Iterator[str]:
    """What of the inventory is not so on the host."""
    interfaces = {each.name: each for each in description.interfaces}
    interface = interfaces.get(host.interface)
    if interface is None:
        yield f"interface: it has no {host.interface}; it has {', '.join(interfaces)}"
    elif not interface.up:
        yield f"interface: {host.interface} is down"
    if isinstance(host, Sender | Receiver | Router) and host.address is not None and interface is not None:
        own = {each.partition("/")[0] for each in interface.addresses}
        if host.address not in own:
            yield f"address: {host.interface} has not {host.address}; it has {', '.join(sorted(own)) or 'none'}"
    if host.shape:
        if hello.uid:
            yield f"shape: who shapes must be root there, and SSH comes in as user {hello.uid}"
        elif description.means is None or not (description.means.tbf or description.means.htb):
            yield "shape: its kernel makes neither tbf nor htb"
