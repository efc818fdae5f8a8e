"""Which hosts of an inventory have which flows of a run, and which of them has its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

from dumbbell.problem import Problem

if TYPE_CHECKING:
    from dumbbell.engines.hosts.inventory import Inventory, InventoryHost, Receiver, Sender
    from dumbbell.spec.run import Run

Passage = Literal["router", "sender", "receiver"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The hosts of a run."""

    senders: tuple[Sender, ...]
    """By flow."""
    receivers: tuple[Receiver, ...]
    path: InventoryHost | None
    """Who makes the path; None: nobody, the hosts' own is measured."""
    passage: Passage | None

    def hosts(self) -> list[InventoryHost]:
        """Each once: senders, receivers, who makes the path."""
        ordered = [*self.senders, *self.receivers, *([self.path] if self.path else [])]
        return list({each.name: each for each in ordered}.values())

    def part(self, host: InventoryHost, ports_on: int) -> dict[str, Any]:
        """What a host does: `Part` of `crates/agent/src/part.rs`."""
        ends = [
            {
                "sender": sender.address, "begins_here": sender.name == host.name,
                "receiver": receiver.address, "ends_here": receiver.name == host.name,
            }
            for sender, receiver in zip(self.senders, self.receivers, strict=True)
        ]  # fmt: skip
        passage = self.passage if self.path is not None and self.path.name == host.name else None
        return {"flows": ends, "ports_on": ports_on, "interface": host.interface, "passage": passage}


def assign(run: Run, inventory: Inventory) -> Assignment:
    """Gives each flow a sender: by turns; where a path is made, flows of another round-trip time have others."""
    path, passage = _path(run, inventory)
    delays = _delays(run, path)
    classes = list(dict.fromkeys(delays))
    # More classes than senders are refused; until then each has some.
    turns = [cycle(inventory.senders[nth :: len(classes)] or inventory.senders) for nth in range(len(classes))]
    senders = tuple(next(turns[classes.index(each)]) for each in delays)
    receivers = tuple(map(inventory.receiver_of, senders))
    return Assignment(senders=senders, receivers=receivers, path=path, passage=passage)


def problems(run: Run, inventory: Inventory) -> Iterator[Problem]:
    """What of a run no assignment to these hosts can do."""
    path, passage = _path(run, inventory)
    ends: list[Sender | Receiver] = [*inventory.senders, *inventory.receivers]
    for host in ends:
        if not isinstance(ip_address(host.address), IPv4Address):
            yield Problem("inventory", f"{host.name} has an address of IPv6, {host.address}", "an address of IPv4")
    if path is None:
        return
    different = len(set(_delays(run, path)))
    if different > len(inventory.senders):
        message = f"flows of {different} different round-trip times need as many senders, and there are "
        yield Problem("flows.rtt", f"{message}{len(inventory.senders)}", "one round-trip time, or more senders")
    if passage == "sender":
        if len(inventory.senders) > 1:
            message = f"{path.name} makes the path, and other senders' packets do not pass it"
            yield Problem("inventory", message, "one sender, or a router with shape = true")
        if run.path.back:
            yield Problem("path.back", f"what comes back to {path.name} does not pass the path that it makes")
    if passage == "receiver" and len(inventory.receivers) > 1:
        message = f"{path.name} makes the path, and packets to other receivers do not pass it"
        yield Problem("inventory", message, "one receiver, or a router with shape = true")


def _delays(run: Run, path: InventoryHost | None) -> list[tuple[int, int] | None]:
    """Those of each flow, where they are made: packets of one sender have the same."""
    return [None if path is None else (flow.forward_delay_ns, flow.return_delay_ns) for flow in run.flows]


def makers(inventory: Inventory) -> dict[Passage, InventoryHost]:
    """Who may make a path; none: the hosts' own is measured."""
    able: dict[Passage, InventoryHost] = {}
    if inventory.router is not None and inventory.router.shape:
        able["router"] = inventory.router
    if inventory.senders[0].shape:
        able["sender"] = inventory.senders[0]
    if inventory.receivers[0].shape:
        able["receiver"] = inventory.receivers[0]
    return able


def _path(run: Run, inventory: Inventory) -> tuple[InventoryHost | None, Passage | None]:
    """Who makes the path: who is where the run has its queue, of those that may; else the router, and else an end."""
    able = makers(inventory)
    order: tuple[Passage, ...] = ("router", "sender", "receiver")
    if run.path.shaper_at == "receiver":
        order = ("receiver", "router", "sender")
    passage = next((each for each in order if each in able), None)
    return (None, None) if passage is None else (able[passage], passage)
