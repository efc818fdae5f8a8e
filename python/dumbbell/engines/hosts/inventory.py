"""An inventory, a TOML file: which hosts send, receive and route, how SSH reaches them, and what may be changed there.

Whatever else SSH needs (ports, keys, jump hosts) is in an ssh_config, the user's or one that the user names. No
inventory names one: an ssh_config may have commands, and an inventory is passed on like a spec.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, ValidationError

from dumbbell.problem import Problem, SpecError, quoted
from dumbbell.text_file import Unreadable, text_of

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_DESTINATION: Final = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}@)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}")
"""It stands on a command line of `ssh` and of `sftp`: no sign of a shell, an option, a URI, or `sftp`'s HOST:PATH."""
_INTERFACE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}")
"""Linux allows more (`dev_valid_name`), and at most 15 letters."""


def _name(text: str) -> str:
    return _matching(text, _NAME, 'letters, digits, "-" and "_", at most 32, the first a letter or a digit')


def _destination(text: str) -> str:
    hint = (
        'HOST or USER@HOST of letters, digits, ".", "-" and "_"; give a port, a key or IPv6 to an alias of ssh_config'
    )
    return _matching(text, _DESTINATION, hint)


def _interface(text: str) -> str:
    return _matching(text, _INTERFACE, 'letters, digits, ".", "-" and "_", at most 15, as "eth0"')


def _address(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        address = None
    if address is None or "%" in text:
        raise ValueError(f'{quoted(text)} is no address; write one of IPv4 or IPv6, as "10.0.0.1"')
    return str(address)


def _matching(text: str, pattern: re.Pattern[str], right: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(f"{quoted(text)} is not allowed; write {right}")
    return text


Name = Annotated[str, AfterValidator(_name)]
Address = Annotated[str, AfterValidator(_address)]


class _InventoryPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class InventoryHost(_InventoryPart):
    """A host of an inventory."""

    name: Name
    """How messages and results call it."""
    ssh: Annotated[str, AfterValidator(_destination)]
    """An alias of ssh_config, a host, or a user and a host."""
    interface: Annotated[str, AfterValidator(_interface)]
    """By which data leaves a sender or a router, or reaches a receiver."""
    shape: StrictBool = False
    """Whether queueing disciplines of that interface may be changed. Without that nothing of the host is."""


class Sender(InventoryHost):
    """A host that sends data."""

    address: Address
    to: Name | None = None
    """The name of the receiver that it sends to; None in a file: the only one."""


class Receiver(InventoryHost):
    """A host that receives data."""

    address: Address
    """Where data goes."""


class Router(InventoryHost):
    """A host that data passes."""

    address: Address | None = None


Role = Literal["sender", "receiver", "router"]


class Inventory(_InventoryPart):
    """The hosts of an experiment."""

    senders: Annotated[list[Sender], Field(min_length=1)]
    receivers: Annotated[list[Receiver], Field(min_length=1)]
    router: Router | None = None

    def hosts(self) -> Iterator[tuple[Role, InventoryHost]]:
        """All hosts and what they are for: senders, receivers, the router."""
        yield from (("sender", each) for each in self.senders)
        yield from (("receiver", each) for each in self.receivers)
        if self.router is not None:
            yield "router", self.router

    def receiver_of(self, sender: Sender) -> Receiver:
        """Where a sender's data goes."""
        return next(each for each in self.receivers if sender.to in {None, each.name})


def read(file: Path) -> Inventory:
    """An inventory from its file.

    Raises:
        SpecError: all that is wrong with it, each with the path of its field.
    """
    try:
        fields = tomllib.loads(text_of(file, "a TOML file"))
    except Unreadable as error:
        raise SpecError([Problem(str(file), error.message, error.hint)]) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError([Problem(str(file), f"is no TOML: {error}")]) from None
    try:
        inventory = Inventory.model_validate(fields)
    except ValidationError as error:
        raise SpecError(_problem(file, each) for each in error.errors(include_url=False)) from None
    problems = [Problem(f"{file}: {path}", message, hint) for path, message, hint in _contradictions(inventory)]
    if problems:
        raise SpecError(problems)
    return inventory


def ssh_config(file: Path) -> str:
    """An ssh_config that a user names, in place of their own: its absolute path, which is neither an option nor "none".

    Raises:
        SpecError: there is none, or it is no text.
    """
    try:
        text_of(file, "an ssh_config file")
    except Unreadable as error:
        raise SpecError([Problem(str(file), error.message, error.hint)]) from None
    return str(file.absolute())


def _contradictions(inventory: Inventory) -> Iterator[tuple[str, str, str]]:
    """What is wrong between fields: path, what it is, what would be right."""
    paths = [f"senders[{nth}]" for nth in range(len(inventory.senders))]
    paths += [f"receivers[{nth}]" for nth in range(len(inventory.receivers))] + ["router"]
    first: dict[str, str] = {}
    for path, (_, host) in zip(paths, inventory.hosts(), strict=False):
        other = first.setdefault(host.name, path)
        if other != path:
            yield f"{path}.name", f"{quoted(host.name)} is the name of {other}, too", "give each host a name of its own"
    receivers = {each.name: each for each in inventory.receivers}
    for nth, sender in enumerate(inventory.senders):
        path = f"senders[{nth}].to"
        if sender.to is None:
            if len(receivers) > 1:
                yield path, "is missing, and there are several receivers", f"write one of {', '.join(receivers)}"
                continue
        elif sender.to not in receivers:
            yield path, f"no receiver is named {quoted(sender.to)}", f"write one of {', '.join(receivers)}"
            continue
        receiver = inventory.receiver_of(sender)
        if ip_address(sender.address).version != ip_address(receiver.address).version:
            message = f"{quoted(sender.address)} cannot reach {receiver.name}'s {quoted(receiver.address)}"
            yield f"senders[{nth}].address", message, "give both an address of IPv4, or of IPv6"


def _problem(file: Path, error: Any) -> Problem:  # noqa: ANN401 (a dictionary of pydantic's)
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{_shown(step)}" for step in error["loc"])
    path, is_top = f"{file}: {steps.removeprefix('.')}", len(error["loc"]) == 1
    match error["type"]:
        case "missing" | "too_short" if is_top:
            return Problem(path, "is missing", f"write [[{error['loc'][0]}]] at least once")
        case "missing":
            return Problem(path, "is missing", "each host has a name, ssh, an address and an interface")
        case "extra_forbidden":
            known = Inventory.model_fields if is_top else Sender.model_fields
            return Problem(path, "is no field of an inventory", f"write one of {', '.join(known)}")
        case "value_error":
            return Problem(path, str(error["ctx"]["error"]))
    return Problem(path, error["msg"][0].lower() + error["msg"][1:], f"it is {quoted(error['input'])}")


def _shown(step: str) -> str:
    """A key as TOML has it: bare, or in quotes."""
    return step if re.fullmatch(r"[A-Za-z0-9_-]+", step) else quoted(step)
