"""The path from a sender of an inventory to its receiver, measured by the agents of both over SSH."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final, TypeVar

from dumbbell.engines.hosts.connection import HostConnection
from dumbbell.engines.hosts.failure import HostFailure
from dumbbell.engines.hosts.inventory import Inventory, Receiver, Sender
from dumbbell.engines.hosts.path_estimate import MeasuredPath, estimated
from dumbbell.engines.hosts.path_samples import PathSamples
from dumbbell.engines.hosts.ssh import Clients, Patience
from dumbbell.problem import Problem, SpecError, quoted

Host = TypeVar("Host", Sender, Receiver)
MOST_LOAD_S: Final = 10
MOST_BYTES: Final = 10**9
"""What a flow may send at most."""
IDLE_S: Final = 6
"""What the rest takes, on a path with a round trip of a second, too."""


def ends(inventory: Inventory, sender: str | None, receiver: str | None) -> tuple[Sender, Receiver]:
    """The ends of a path of an inventory: of these names, or the first sender and where it sends to.

    Raises:
        SpecError: it has no such host, or the path is of IPv6.
    """
    start = _named("--from", inventory.senders, sender)
    if start is None:
        start = inventory.senders[0]
    end = _named("--to", inventory.receivers, receiver) or inventory.receiver_of(start)
    for host in (start, end):
        if ":" in host.address:
            hint = "give the host one of IPv4, too"
            raise SpecError([Problem(f"{host.name}.address", f"{quoted(host.address)} is of IPv6", hint)])
    return start, end


def _named(option: str, hosts: Sequence[Host], name: str | None) -> Host | None:
    if name is None:
        return None
    for host in hosts:
        if host.name == name:
            return host
    known = ", ".join(each.name for each in hosts)
    raise SpecError([Problem(option, f"the inventory has no {quoted(name)} there", f"write one of {known}")])


def measure_path(
    sender: Sender,
    receiver: Receiver,
    load_s: float | None,
    config: str | None = None,
    patience: Patience | None = None,
) -> MeasuredPath:
    """Measures it; with a flow that fills it for `load_s`, at most 10 s, where that is given.

    `config` is the path of an ssh_config in place of the user's.

    Raises:
        HostFailure: a host cannot be reached, or does not do its part.
    """
    return judged(sender, receiver, samples_of(sender, receiver, load_s, config, patience or Patience()))


def judged(sender: Sender, receiver: Receiver, samples: PathSamples) -> MeasuredPath:
    """What samples say.

    Raises:
        HostFailure: nothing came back, or not as it can be.
    """
    measured = estimated(samples)
    if measured is None:
        step = "measure the path"
        if samples.idle.echoes:
            raise HostFailure(
                sender.name, step, "the agents say what no path is like; a clock of a host may have jumped"
            )
        why = f"none of {samples.idle.sent} small packets (UDP) to {receiver.address} came back"
        raise HostFailure(sender.name, step, f"{why}; a firewall may drop them, or the address is another host's")
    return measured


def samples_of(
    sender: Sender, receiver: Receiver, load_s: float | None, config: str | None, patience: Patience
) -> PathSamples:
    """What both agents say; raises as `measure_path`."""
    clients, token = Clients(), secrets.randbits(63)
    takes_s = IDLE_S + (load_s or 0)
    try:
        with (
            HostConnection(receiver, config, clients, patience) as there,
            HostConnection(sender, config, clients, patience) as here,
        ):
            ports = there.reflect(receiver.address, token, round(takes_s + patience.answer_s))
            request = {
                "address": sender.address,
                "to": receiver.address,
                "ports": {"udp": ports.udp, "tcp": ports.tcp},
                "token": token,
                "load_ms": None if load_s is None else round(1_000 * load_s),
                "most_bytes": MOST_BYTES,
            }
            return here.survey_path(request, takes_s)
    finally:
        clients.stop()
